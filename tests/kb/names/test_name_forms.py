from hypothesis import example, given
from hypothesis import strategies as st

from arcaneqa.kb.names.name_forms import (
    Forgotten,
    acronyms,
    code_from_iri,
    is_code,
    key,
    keys_of_name,
    loose,
    name_from_iri,
    shorter,
    split,
    word_of_any_script,
    words,
)


def found_under(name: str) -> dict[int, Forgotten]:
    return dict(keys_of_name(name))


def form(name: str, said: str) -> Forgotten | None:
    keys = found_under(name)
    return keys.get(key(split(said)), keys.get(key(loose(split(said)))))


def test_case_accents_punctuation_and_spaces_are_forgotten() -> None:
    assert form("Béla Fleck", "bela fleck") is Forgotten.PLAIN
    assert form("Dead Sea", "deadsea") is Forgotten.PLAIN
    assert form("U.S.", "us") is Forgotten.PLAIN
    assert form("Sinéad O'Connor", "sinead oconnor") is Forgotten.PLAIN
    assert form("Johnson & Johnson", "johnson and johnson") is Forgotten.PLAIN
    assert form("Jay-Z", "jay z") is Forgotten.PLAIN


def test_plural_possessive_and_article_are_forgotten() -> None:
    assert form("The Beatles", "beatles") is Forgotten.LOOSE
    assert form("Country", "countries") is not None
    assert form("Justin Bieber", "justin bieber's") is Forgotten.PLAIN
    assert form("Ludacris", "ludacris'") is Forgotten.PLAIN


def test_what_tells_namesakes_apart_is_forgotten() -> None:
    assert form("John Forbes (British Army officer)", "john forbes") is Forgotten.SHORT
    assert form("Paris, Texas", "paris") is Forgotten.SHORT
    assert list(shorter("Paris")) == []
    assert list(shorter("(Everything I Do) I Do It for You")) == ["I Do It for You"]


def test_the_parts_of_a_title_are_names() -> None:
    assert form("2001: A Space Odyssey", "a space odyssey") is Forgotten.SHORT
    assert form("Star Wars – A New Hope", "star wars") is Forgotten.SHORT
    assert form("The Lord of the Rings: The Two Towers", "the lord of the rings") is Forgotten.SHORT
    assert list(shorter("Spider-Man")) == []


def test_letters_without_their_strokes() -> None:
    assert form("Łódź", "lodz") is Forgotten.PLAIN
    assert form("Øresund", "oresund") is Forgotten.PLAIN
    assert form("München", "munchen") is Forgotten.PLAIN
    assert form("München", "muenchen") is Forgotten.LOOSE
    assert form("Straße", "strasse") is Forgotten.PLAIN


def test_numbers_are_one_however_they_are_written() -> None:
    assert form("Ocean's Eleven", "oceans 11") is Forgotten.LOOSE
    assert form("Louis XIV", "louis 14") is Forgotten.LOOSE


def test_scripts_without_spaces_are_read_letter_by_letter() -> None:
    assert split("慕尼黑大学") == list("慕尼黑大学")
    assert form("ダグラス・アダムズ", "ダグラスアダムズ") is Forgotten.PLAIN
    assert [text.folded for text in words("대한민국의 수도")] == list("대한민국의수도")
    assert split("Мюнхен") == ["мюнхен"]
    assert split("हिन्दी") == ["हिन्दी"]


def test_acronyms_need_three_words() -> None:
    assert form("John F. Kennedy", "jfk") is Forgotten.ACRONYM
    assert set(acronyms(split("United States of America"))) == {"usoa", "usa"}
    assert acronyms(["los", "angeles"]) == []


def test_programming_languages_keep_their_signs() -> None:
    assert split("C++ and C#") == ["c++", "and", "c#"]
    assert form("C++", "c") is None


def test_names_without_letters_are_still_names() -> None:
    assert form("!!!", "!!!") is None  # a question's words never hold it, but the name is kept
    assert list(keys_of_name("!!!"))
    assert list(keys_of_name("  ")) == []


def test_names_from_iris() -> None:
    assert name_from_iri("http://dbpedia.org/resource/John_Forbes_(British_Army_officer)") == (
        "John Forbes (British Army officer)"
    )
    assert name_from_iri("http://x.org/birthPlace") == "birth Place"
    assert name_from_iri("http://x.org/Caf%C3%A9_Central/") == "Café Central"
    assert name_from_iri("http://x.org/2001:_A_Space_Odyssey") == "2001: A Space Odyssey"
    assert name_from_iri("urn:film:Paris_Texas") == "Paris Texas"


def test_codes_are_told_from_names() -> None:
    for code in ["m.0abc12", "m.cvt 0f3a", "Q42", "b7c9", "123", "m.bcdf"]:
        assert is_code(split(code))
    for name in ["Stanley Kubrick", "order 10248", "Łódź", "日本"]:
        assert not is_code(split(name))


@given(st.text("abmqtyz019._-/%AQ'é ", max_size=12))
@example("m.0abc")
@example("x-17")
def test_plain_codes_are_those_of_the_slow_way(last: str) -> None:
    iri = f"http://x.org/{last}"
    parts = split(name_from_iri(iri))
    code = code_from_iri(iri)
    assert code is None or (is_code(parts) and "".join(parts) == code and not code.isdigit())
    assert code is not None or last not in ("m.0abc", "x-17")


def test_words_know_where_they_stand() -> None:
    text = "Who wrote “L'Étranger”?"
    assert [text[word.start : word.end] for word in words(text)] == ["Who", "wrote", "L'Étranger"]
    assert words(text)[2].folded == "letranger"


@given(st.text(max_size=60))
def test_any_text_can_be_a_name(name: str) -> None:
    keys = list(keys_of_name(name))
    assert len({value for value, _ in keys}) == len(keys)
    assert all(0 <= value < 2**64 for value, _ in keys)
    if split(name):
        assert keys[0] == (key(split(name)), Forgotten.PLAIN)


@given(st.text(max_size=60))
def test_words_lie_inside_the_text_in_order(text: str) -> None:
    places = [(word.start, word.end) for word in words(text)]
    assert places == sorted(places)
    assert all(0 <= start < end <= len(text) for start, end in places)


@given(st.text(st.characters(max_codepoint=127), max_size=30))
@example("O'Neil's C++ & `x`-ray_2 A#4")
def test_plain_english_is_cut_into_words_as_any_script_is(text: str) -> None:
    assert [text[word.start : word.end] for word in words(text)] == word_of_any_script().findall(text)
