"""Yes or no about two that are named."""

from __future__ import annotations

import numpy as np
import pytest

from arcaneqa.judgement.both_named import joined_said
from arcaneqa.judgement.rules import Asked
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import Iri
from arcaneqa.language.text import print_program
from arcaneqa.links import EntityCandidate, Links, MentionLink
from tests.judgement.found_programs import found

EX = "http://example.org/"
FACTS = """@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:ada a :Person ; rdfs:label "Ada" ; :instrument :piano ; :birthPlace :rome ; :deathPlace :bern ; :pupil :bo .
:bo a :Person ; rdfs:label "Bo" ; :instrument :violin ; :birthPlace :rome ; :deathPlace :oslo .
:song a :Work ; rdfs:label "Song" ; :composer :ada .
:rome a :City ; rdfs:label "Rome" . :bern a :City ; rdfs:label "Bern" . :oslo a :City ; rdfs:label "Oslo" .
:piano a :Instrument ; rdfs:label "piano" . :violin a :Instrument ; rdfs:label "violin" .
"""


def asked(question: str, names: str, kb: Index) -> Asked:
    mentions = []
    for text in names.split():
        node = kb.node(Iri(EX + text.lower()))
        assert node is not None
        label = kb.labels(np.array([node]))[0] or ""
        start = question.index(text)
        candidate = EntityCandidate(node, label, 0.0)
        mentions.append(MentionLink(start, start + len(text), text, -0.1, (candidate,)))
    return Asked(question, Links(question, tuple(mentions)), kb)


@pytest.mark.parametrize(
    ("question", "names", "program", "truth"),
    [
        # The only relation that leads from somebody to an instrument, whatever the verb.
        ("did Ada play the violin?", "Ada violin", "(MEET (JOIN :instrument :violin) :ada)", "false"),
        ("did Ada play the piano?", "Ada piano", "(MEET (JOIN :instrument :piano) :ada)", "true"),
        # Two lead to cities: the one that is said, though nobody was born there.
        ("Was Ada born in Bern?", "Ada Bern", "(MEET (JOIN :birthPlace :bern) :ada)", "false"),
        ("Did Ada die in Bern?", "Ada Bern", "(MEET (JOIN :deathPlace :bern) :ada)", "true"),
        ("Was Ada ever in Bern?", "Ada Bern", None, ""),
        # More is asked than whether a fact joins them.
        ("Did Ada die later than Bo?", "Ada Bo", None, ""),
        ("Did Ada sell a famous old painting to Bo?", "Ada Bo", None, ""),
        ("who is Ada to Bo?", "Ada Bo", None, ""),
    ],
)
def test_a_fact_joins_them_or_does_not(
    kb: Index, question: str, names: str, program: str | None, truth: str
) -> None:
    listed = found("(JOIN :composer :ada)", kb)
    said = joined_said(asked(question, names, kb), [listed])
    assert (said is None) is (program is None)
    if said is not None and program is not None:
        (further,) = said.further([listed])
        assert print_program(further.program, Names(kb.profile)) == program
        assert further.result.value is not None
        assert further.result.value.lexical == truth
        assert len(further.topics) == 2
        assert said.is_other(listed)
        assert not said.is_other(further)


def test_what_is_said_goes_before_another_fact(kb: Index) -> None:
    other = found("(MEET (JOIN :deathPlace :bern) :ada)", kb)
    said = joined_said(asked("Was Ada born in Bern?", "Ada Bern", kb), [other])
    assert said is not None
    assert said.is_other(other)
    unsaid = joined_said(asked("did Ada play the piano?", "Ada piano", kb), [other])
    assert unsaid is not None
    assert not unsaid.is_other(found("(MEET (JOIN :pupil :bo) :ada)", kb)), "it may be said in other words"
