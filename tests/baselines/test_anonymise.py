from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.index import Index
from arcaneqa.linking.linker import Linker
from baselines.anonymise import anonymise

pytest_plugins = ["tests.linking.linking_kb"]


def test_a_likely_mention_becomes_its_kind(kb: Index) -> None:
    links = Linker(kb).link("who is the mayor of Paris and who knows John F. Kennedy since 1950?")
    hidden = anonymise(links, kb, {})
    assert hidden.question == "who is the mayor of city and who knows person since 1950?"
    assert hidden.literals[0].text == "1950"
    assert {"city", "person"} <= {mention.text for mention in hidden.mentions}


def test_words_that_mean_themselves_are_kept(kb: Index) -> None:
    links = Linker(kb).link("who is the mayor of Paris?")
    assert anonymise(links, kb, {"paris": -1.0}).question == links.question


@given(st.lists(st.sampled_from(["Paris", "in", "1950", "Paris, Texas", "the Who", "?"]), max_size=8))
def test_links_stay_with_their_text(kb: Index, said: list[str]) -> None:
    links = Linker(kb).link(" ".join(said))
    hidden = anonymise(links, kb, {})
    assert len(hidden.mentions) == len(links.mentions)
    spans = [(link.start, link.end, link.text) for link in hidden.mentions]
    spans += [(link.start, link.end, link.text) for link in hidden.literals]
    for start, end, text in spans:
        assert text
        assert hidden.question[start:end] == text
