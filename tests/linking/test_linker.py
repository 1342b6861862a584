from __future__ import annotations

import math
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.terms import XSD, Iri
from arcaneqa.linking.features import LinkerWeights, bundled
from arcaneqa.linking.linker import MOST_MENTIONS, Linker, _goes_on_otherwise
from arcaneqa.linking.mentions import QuestionText, Span
from arcaneqa.links import PER_MENTION, Links

pytest_plugins = ["tests.linking.linking_kb"]

EX = "http://example.org/"


@pytest.fixture(scope="module", params=["by hand", "bundled"])
def linker(kb: Index, request: pytest.FixtureRequest) -> Linker:
    return Linker(kb, LinkerWeights.by_hand() if request.param == "by hand" else bundled())


def best(links: Links, kb: Index, text: str) -> list[str]:
    """Entities offered for the mention of this text, best first."""
    for mention in links.mentions:
        if mention.text == text:
            return [_name(kb, candidate.node) for candidate in mention.candidates]
    return []


def offered(links: Links, kb: Index) -> set[str]:
    return {_name(kb, candidate.node) for mention in links.mentions for candidate in mention.candidates}


def _name(kb: Index, node: int) -> str:
    [term] = kb.terms(kb.nodes([node]).ids)  # type: ignore[arg-type]
    assert isinstance(term, Iri)
    return term.value.removeprefix(EX)


@pytest.mark.parametrize(
    ("question", "mention", "entity"),
    [
        ("who is the mayor of paris?", "paris", "paris"),
        ("who is the MAYOR of PARIS", "PARIS", "paris"),
        ("who directed the film paris, texas?", "paris, texas", "texasFilm"),
        ("which river flows through wien?", "wien", "vienna"),
        ("when was jfk born?", "jfk", "jfk"),
        ("when was kennedy born?", "kennedy", "jfk"),
        ("which thai city is the largest?", "thai", "thailand"),
        ("who sang for the who?", "the who", "theWho"),
        ("members of the beatles", "the beatles", "beatles"),
        ("beatle's members", "beatle's", "beatles"),
        ("films by stanley kubrick", "stanley kubrick", "Stanley_Kubrick"),
        ("films by stanley kubrik", "stanley kubrik", "Stanley_Kubrick"),
        ('who directed "2001: a space odyssey"?', "2001: a space odyssey", "film2"),
        ("how long is the missisippi river", "missisippi river", "mississippi"),
        ("where are the northern harbour pilots?", "northern harbour pilots", "guild"),
        ("who directed Up?", "Up", "up"),
        ('who directed "up"?', "up", "up"),
        ("who directed her?", "her", "her"),
        ("where is AT&T?", "AT&T", "att"),
        ("where is at&t?", "at&t", "att"),
        ("who leads the WHO?", "WHO", "health"),
        ("who directed a space odyssey", "a space odyssey", "film2"),
        ("who directed 2001", "2001", "film2"),
        ("какая река течёт через Вена", "Вена", "vienna"),
        ("维也纳在哪个国家?", "维也纳", "vienna"),
        ("which country is Salt Lake City in?", "Salt Lake City", "Salt_Lake_City"),
        ("mass of mercury", "mercury", "Mercury_(planet)"),
        ("who is the director of q42", "q42", "Q42"),
        ("who is the director of <http://example.org/her>?", "<http://example.org/her>", "her"),
        ("who is the director of http://example.org/her.", "http://example.org/her", "her"),
    ],
)
def test_mentions_lead_to_their_entities(
    linker: Linker, kb: Index, question: str, mention: str, entity: str
) -> None:
    assert entity in best(linker.link(question), kb, mention)


def test_the_question_decides_between_namesakes(linker: Linker, kb: Index) -> None:
    assert best(linker.link("who is the mayor of paris?"), kb, "paris")[0] == "paris"
    assert best(linker.link("who is the director of paris?"), kb, "paris")[0] == "parisFilm"


def test_names_inside_names_stay_possible(linker: Linker, kb: Index) -> None:
    found = offered(linker.link("what is the population of paris, texas?"), kb)
    assert {"parisTexas", "texasFilm"} <= found


def test_words_of_the_question_are_not_entities(linker: Linker, kb: Index) -> None:
    links = linker.link("what is the name of the mayor of lyon?")
    assert links.mentions[0].text == "lyon"
    assert "theWho" not in offered(linker.link("who is the mayor of lyon?"), kb)


def test_pronouns_are_not_names(linker: Linker, kb: Index) -> None:
    assert not offered(linker.link("who is her director and what does she look up to?"), kb) & {"her", "up"}


def test_an_entity_without_a_label_is_called_as_its_iri_says(linker: Linker) -> None:
    [mention] = linker.link("films by stanley kubrick").mentions
    assert mention.candidates[0].label == "Stanley Kubrick"
    assert linker.suggest("stan", 3)[0].label == "Stanley Kubrick"


def test_classes_and_relations_are_never_linked(linker: Linker, kb: Index) -> None:
    found = offered(linker.link("city country film band river mayor director population member of"), kb)
    assert not found & {"City", "Country", "Film", "Band", "River", "mayor", "director", "population"}


def test_a_number_inside_a_name_is_not_a_value(linker: Linker) -> None:
    assert linker.link("who directed 2001: a space odyssey?").literals == ()


def test_values_come_typed_as_in_the_facts(linker: Linker) -> None:
    [literal] = linker.link("which city has a population over 2100000?").literals
    assert literal.readings[0].datatype == XSD + "integer"


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("which city has the code lys?", ["LYS"]),
        ("which cities are a TOP PICK?", ["top pick", "Top Pick"]),
        ("what is the code of lyon?", []),
    ],
)
def test_texts_of_facts_are_values(linker: Linker, question: str, texts: list[str]) -> None:
    found = [reading.lexical for literal in linker.link(question).literals for reading in literal.readings]
    assert sorted(found) == sorted(texts)


def check(links: Links) -> None:
    assert len(links.mentions) <= MOST_MENTIONS
    for mention in links.mentions:
        assert links.question[mention.start : mention.end] == mention.text
        assert mention.score <= 0
        assert math.isfinite(mention.score)
        assert 1 <= len(mention.candidates) <= PER_MENTION
        scores = [candidate.score for candidate in mention.candidates]
        assert scores == sorted(scores, reverse=True)
        assert sum(map(math.exp, scores)) <= 1 + 1e-9
    nodes = [candidate.node for mention in links.mentions for candidate in mention.candidates]
    assert len(nodes) == len(set(nodes))


ODD = {
    "empty": "",
    "blank": " \n\t ",
    "emoji": "👩‍🚀 where is 🗼 Paris 🇫🇷?",
    "right to left": "من هو عمدة باريس؟ Paris",
    "combining": "Pa\u0301ris Z\u0351a\u0351l\u0351g\u0351o",
    "sql": "'; DROP TABLE names; -- Paris",
    "sparql": 'SELECT ?x WHERE { ?x rdfs:label "Paris"@en . FILTER(?x != <http://x>) }',
    "html": "<script>alert('Paris')</script> &amp; <b>Lyon</b>",
    "fts": 'Paris AND NOT Lyon OR NEAR(Nice) "quoted" * ^ -',
    "stop words": "what is the of and who where which how the the the",
    "nulls": "Paris\x00Lyon",
    "surrogates": "Paris \ud800 Lyon",
    "one letter": "a",
    "chinese": "维也纳在哪个国家?" * 400,
    "identifiers": "<http://example.org/paris> paris <http://example.org/paris> <> a:b :: m.0 x.).).).)",
    "joined": "a&b&c&&&d" * 500,
    "digits": "1" * 5000,
    "quotes": '"' * 3000 + "Paris",
    "a megabyte": "who is the mayor of paris and lyon? " * 30000,
    "a long word": "x" * 1_000_000,
    "brackets": "(" * 50000,
}


@pytest.mark.parametrize("question", ODD.values(), ids=ODD.keys())
def test_odd_questions_are_linked_in_bounded_time(linker: Linker, question: str) -> None:
    started = time.perf_counter()
    links = linker.link(question)
    assert time.perf_counter() - started < 2
    check(links)


@settings(max_examples=150)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                ["paris", "Paris", "texas", "the", "who", "kennedy", "of", '"', "wenders'", "2001", ":"]
            ),
            st.text(max_size=8),
        ),
        max_size=14,
    )
)
def test_any_question_is_linked(kb: Index, words: list[str]) -> None:
    check(LINKERS.setdefault(kb, Linker(kb)).link(" ".join(words)))


LINKERS: dict[Index, Linker] = {}


def test_a_class_is_not_a_part_of_a_name_and_a_country_stands_for_its_people(tmp_path: Path) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    facts = [f'<a:dairy> {label} "Dairy Products" .', f"<a:milk> {kind} <a:Product> ."]
    facts += ["<a:milk> <a:category> <a:dairy> .", "<a:milk> <a:from> <a:FrenchRegion> ."]
    (tmp_path / "facts.nt").write_text("\n".join(facts), encoding="utf-8")
    build_index([tmp_path / "facts.nt"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        linker = Linker(kb)
        assert not linker.link("which products are sold?").mentions
        assert linker.link("which dairy products are sold?").mentions
        found = linker.link("what comes from France?").mentions
    assert [candidate.label for mention in found for candidate in mention.candidates] == ["French Region"]


def test_a_text_is_stated_within_words_that_only_resemble_a_name(tmp_path: Path) -> None:
    (tmp_path / "facts.ttl").write_text(
        "@prefix : <http://bikes.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':a a :Station ; rdfs:label "San Jose City Hall" ; :city "San Jose" .\n'
        ':b a :Station ; rdfs:label "Depot" ; :city "San Jose" .\n'
        ':c a :Station ; rdfs:label "Market" ; :city "Palo Alto" .\n'
    )
    build_index([tmp_path / "facts.ttl"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        links = Linker(kb).link("how many stations are in San Jose city?")
    assert ["San Jose"] in [[reading.lexical for reading in link.readings] for link in links.literals]


def test_a_text_is_stated_though_a_longer_title_begins_so(tmp_path: Path) -> None:
    (tmp_path / "facts.ttl").write_text(
        "@prefix : <http://films.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':a a :Film ; rdfs:label "Agnes Vardem: A Life in Pictures" ; :director "Jan Harling" .\n'
        ':b a :Film ; rdfs:label "The Beaches" ; :director "Agnes Vardem" .\n'
    )
    build_index([tmp_path / "facts.ttl"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        links = Linker(kb).link("films directed by Agnes Vardem")
    assert ["Agnes Vardem"] in [[reading.lexical for reading in link.readings] for link in links.literals]


def test_a_first_name_is_no_value_where_its_bearer_is_meant(tmp_path: Path) -> None:
    people = (("Leonard", "Hofstad"), ("Penny", "Teller"))
    (tmp_path / "people.nt").write_text(
        "".join(
            f"<{EX}person{n}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{EX}Person> .\n"
            f'<{EX}person{n}> <{EX}givenName> "{given}" .\n<{EX}person{n}> <{EX}familyName> "{family}" .\n'
            for n, (given, family) in enumerate(people)
        )
    )
    build_index([tmp_path / "people.nt"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        linker = Linker(kb)
        assert not linker.link("Who knows Leonard?").literals
        assert linker.link("Whose given name is Leonard?").literals


def test_a_table_with_a_year_in_its_name_is_still_a_kind(tmp_path: Path) -> None:
    rows = ("1,Lincoln Town Car", "2,Ford Festiva", "3,Geo Metro", "4,Audi Quattro")
    (tmp_path / "cars93.csv").write_text("number,make\n" + "\n".join(rows) + "\n")
    build_index([tmp_path / "cars93.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        linker = Linker(kb)
        assert not linker.link("which cars are there?").mentions
        assert linker.link("how heavy is the town car?").mentions


def test_a_name_that_several_rows_have_may_mean_all_of_them(tmp_path: Path) -> None:
    rows = ("Usain Boltz,2008", "Usain Boltz,2012", "Jesse Owning,1936")
    (tmp_path / "races.csv").write_text("name,year\n" + "\n".join(rows) + "\n")
    build_index([tmp_path / "races.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        linker = Linker(kb)
        assert [link.text for link in linker.link("when did Usain Boltz win?").literals] == ["Usain Boltz"]
        assert not linker.link("when did Jesse Owning win?").literals


def test_a_kind_that_several_are_of_is_stated_though_one_is_called_so(tmp_path: Path) -> None:
    rows = ("Western,Drama", "High Noon,Western", "Shane,Western", "Alien,Horror")
    (tmp_path / "films.csv").write_text("title,genre\n" + "\n".join(rows) + "\n")
    build_index([tmp_path / "films.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        linker = Linker(kb)
        assert [link.text for link in linker.link("average length of westerns").literals] == ["westerns"]
        assert not linker.link("average length of aliens").literals


def test_a_text_is_stated_without_what_stands_in_brackets(tmp_path: Path) -> None:
    rows = [f"{n},Gentoo penguin (Pygoscelis papua)\n" for n in range(9)]
    (tmp_path / "penguins-raw.csv").write_text("number,species\n" + "".join(rows))
    build_index([tmp_path / "penguins-raw.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        found = Linker(kb).link("how many Gentoo penguins are there?")
    assert [link.text for link in found.literals] == ["Gentoo penguins"]
    # The rows are penguins, and none of them is meant.
    assert not found.mentions


def test_women_and_ordinals_are_found_as_tables_write_them(tmp_path: Path) -> None:
    rows = (("1st", "F"), ("3rd", "M"))
    (tmp_path / "guests.nt").write_text(
        "".join(
            f'<{EX}guest{place}> <{EX}{relation}> "{value}" .\n'
            for place, values in enumerate(rows)
            for relation, value in zip(("class", "sex"), values, strict=True)
        )
    )
    build_index([tmp_path / "guests.nt"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        asked = ("how many women travelled first class?", "female guests in 1st")
        found = [Linker(kb).link(question).literals for question in asked]
    for links in found:
        assert {reading.lexical for one in links for reading in one.readings} == {"1st", "F"}


def test_a_place_is_found_by_its_code_unless_something_has_its_name(tmp_path: Path) -> None:
    (tmp_path / "shops.nt").write_text(
        "".join(
            f'<{EX}shop{place}> <{EX}{relation}> "{value}" .\n'
            for place, values in enumerate((("TX", "Fri"), ("CA", "Sat"), ("Georgia", "GA"), ("DEU", "Sat")))
            for relation, value in zip(("state", "closed"), values, strict=True)
        )
    )
    build_index([tmp_path / "shops.nt"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        linker = Linker(kb)

        def values(question: str) -> set[str]:
            return {reading.lexical for one in linker.link(question).literals for reading in one.readings}

        assert values("how many shops are in Texas?") == {"TX"}
        assert values("which German shops are closed on Saturday?") == {"DEU", "Sat"}
        assert values("shops in Georgia") == {"Georgia"}
        # A country's two letters are a state's here, so they say nothing.
        assert values("shops in Canada") == set()


def _linked_texts(tmp_path: Path, facts: dict[str, str], question: str) -> set[str]:
    (tmp_path / "g.nt").write_text(
        "".join(
            f'<{EX}x{n}> <{EX}{relation}> "{value}" .\n' for n, (value, relation) in enumerate(facts.items())
        )
    )
    build_index([tmp_path / "g.nt"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        found = Linker(kb).link(question).literals
    return {reading.lexical for one in found for reading in one.readings}


def test_somebody_stands_for_what_they_do(tmp_path: Path) -> None:
    facts = {"rowing": "sport", "boxing": "sport", "Emily Rogers": "coach"}
    assert _linked_texts(tmp_path, facts, "average weight of rowers") == {"rowing"}


def test_a_code_is_read_as_it_is_written(tmp_path: Path) -> None:
    facts = {"kg·m": "symbol", "kg.m": "ucum", "kgm": "other", "kg/m": "latex", "KGM": "code"}
    assert _linked_texts(tmp_path, facts, "Which unit is KGM?") == {"KGM"}
    assert len(_linked_texts(tmp_path, facts, "which unit is kgm?")) == 3, "capitals may be left out"


@pytest.mark.parametrize(
    ("question", "codes"),
    [
        ("how many shops are in ME?", {"ME"}),
        ("shops in IN or ME", {"IN", "ME"}),
        ("give me all shops in Texas", set()),
        ("GIVE ME ALL SHOPS IN TEXAS", set()),
        ("which shops are in OR?", set()),
    ],
)
def test_a_small_word_in_capitals_is_a_code_that_the_data_writes_so(
    tmp_path: Path, question: str, codes: set[str]
) -> None:
    assert _linked_texts(tmp_path, {"ME": "state", "IN": "state", "or": "state"}, question) == codes


def test_a_text_is_stated_though_something_is_called_so_where_its_attribute_is_said(tmp_path: Path) -> None:
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    (tmp_path / "g.nt").write_text(
        f'<{EX}a> <{label}> "CHF" .\n<{EX}b> <{EX}currencyCode> "CHF" .\n<{EX}a> <{EX}near> <{EX}b> .\n'
    )
    build_index([tmp_path / "g.nt"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        linker = Linker(kb)
        assert [one.text for one in linker.link("Which currency has the code CHF?").literals] == ["CHF"]
        assert not linker.link("what is near CHF?").literals


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("how many countries use USD?", {"USD"}),
        ("what is the price in USD?", set()),
        ("what costs 30 USD?", set()),
    ],
)
def test_the_code_of_a_unit_is_a_value_where_nothing_is_measured(
    tmp_path: Path, question: str, texts: set[str]
) -> None:
    found = _linked_texts(tmp_path, {"USD": "currency", "CHF": "currency"}, question)
    assert {text for text in found if text.isalpha()} == texts


def test_what_is_furthest_north_is_in_no_place_called_so(tmp_path: Path) -> None:
    rows = ("North,11.1", "North Korea,40.0", "Norway,62.0")
    (tmp_path / "lands.csv").write_text("land,latitude\n" + "\n".join(rows) + "\n")
    build_index([tmp_path / "lands.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        linker = Linker(kb)
        assert not linker.link("which land is furthest north?").mentions
        assert linker.link("what is the latitude of North?").mentions


def test_a_name_that_goes_on_otherwise_is_another_name(tmp_path: Path) -> None:
    (tmp_path / "peaks.csv").write_text(
        "peak,height\nMount Haddington Field,1628\nLong Ridge,900\nHarrat Lunayyir,1370\nVeiled Stove,7\n"
    )
    build_index([tmp_path / "peaks.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        linker = Linker(kb)

        def named(question: str) -> set[str]:
            return {one.label for mention in linker.link(question).mentions for one in mention.candidates}

        assert named("What is the height of Mount Doom?") == set()
        assert named("What is the height of Mount Haddington?") == {"Mount Haddington Field"}
        assert "Mount Haddington Field" in named("Which is higher, Mount, Etna or Fuji?")
        assert named("What is the height of Mount Field?") == {"Mount Haddington Field"}
        assert named("how long is it?") == set()
        assert named("which ridge is long?") == {"Long Ridge"}


def test_a_name_that_begins_otherwise_is_another_name_where_many_end_so(tmp_path: Path) -> None:
    (tmp_path / "parks.csv").write_text(
        "park,city\nTiger Stadium,Detroit\nShea Stadium,New York\nCleveland Stadium,Cleveland\n"
        "Abraham Lincoln,Springfield\nWrigley Field,Chicago\n"
    )
    build_index([tmp_path / "parks.csv"], tmp_path / "kb")
    with Index(tmp_path / "kb") as kb:
        linker = Linker(kb)

        def named(question: str) -> set[str]:
            return {one.label for mention in linker.link(question).mentions for one in mention.candidates}

        assert named("Which city hosts Wembley Stadium?") == set()
        assert "Shea Stadium" in named("Which city hosts Shea Stadium?")
        assert "Cleveland Stadium" in named("Which city hosts Clevelland Stadium?"), "a slip"
        assert "Tiger Stadium" in named("Which city has the stadium?")
        assert named("Where does President Lincoln live?") == {"Abraham Lincoln"}


def test_where_words_of_names_are_not_known_a_name_may_go_on() -> None:
    """A server tells no words of names, so that nothing can be told from there being none."""
    text = QuestionText.of("how high is Mount Doom?")
    begun = Span(3, 4)
    assert _goes_on_otherwise(text, begun, "Mount Haddington", {"mount": 0.5})
    assert not _goes_on_otherwise(text, begun, "Mount Haddington", {"doom": 0.5})
    assert not _goes_on_otherwise(text, begun, "Mount Haddington", {})
