import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from arcaneqa.kb.index import Index
from arcaneqa.kb.terms import Iri
from arcaneqa.linking.linker import Linker
from arcaneqa.record import Mention, Question
from baselines.anonymise import anonymise, anonymised

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


def test_records_to_train_on_name_kinds_and_keep_their_entities(kb: Index) -> None:
    said = "who is the mayor of Paris?"
    links = Linker(kb).link(said)
    (mention,) = (one for one in links.mentions if one.text == "Paris")
    (term,) = kb.terms(np.array([mention.candidates[0].node], np.int64))
    assert isinstance(term, Iri)
    gold = (Mention(f"<{term.value}>", "Paris", mention.start, mention.end), Mention("<http://no.where/>"))
    record = anonymised(Question("1", said, "(JOIN x y)", entities=gold), kb, {})
    assert record.question == "who is the mayor of city?"
    found, unknown = record.entities
    assert (found.id, record.question[found.start : found.end]) == (gold[0].id, "city")
    assert (unknown, record.program) == (gold[1], "(JOIN x y)")


def test_an_entity_without_a_place_stands_where_the_linker_heard_it(kb: Index) -> None:
    said = "who is the mayor of Paris?"
    links = Linker(kb).link(said)
    (mention,) = (one for one in links.mentions if one.text == "Paris")
    (term,) = kb.terms(np.array([mention.candidates[0].node], np.int64))
    assert isinstance(term, Iri)
    question = Question("1", said, entities=(Mention(f"<{term.value}>"),))
    assert anonymised(question, kb, {}).question == said, "nobody says where"
    record = anonymised(question, kb, {}, links)
    assert (record.question, record.entities[0].mention) == ("who is the mayor of city?", "city")
