from __future__ import annotations

import pytest

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.kb.open import open_kb
from arcaneqa.language.expression import And, Class, Entity, Join, post_order
from arcaneqa.language.text import parse
from benchmarks.chains import DEMO, HOLE, Chain, chains, questions, scored, template

CHAINS = chains()
OF_DEMO = [chain for chain in CHAINS if chain.graph == DEMO]
STYLES = {"of", "possessive", "relative", "keywords", "imperative"}


def test_there_are_enough_wordings_on_both_sides_and_in_every_style() -> None:
    assert len(OF_DEMO) >= 30
    assert len(CHAINS) - len(OF_DEMO) >= 30
    assert {chain.style for chain in OF_DEMO} == STYLES == {chain.style for chain in CHAINS}
    assert len({chain.question for chain in CHAINS}) == len(CHAINS)


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: chain.question)
def test_a_chain_walks_three_relations_from_its_hole(chain: Chain) -> None:
    assert chain.question.count(HOLE) == chain.program.count(HOLE) == 1
    assert chain.program.count("(JOIN ") == 3


def test_programs_over_the_demo_are_chains_with_an_answer_for_each_of_their_entities() -> None:
    with open_kb(None) as kb:
        for chain in OF_DEMO:
            asked = list(questions(chain, kb))
            assert [one.question.question for one in asked] == [
                chain.question.replace(HOLE, entity) for entity in chain.entities
            ]
            assert all(one.question.answers for one in asked)
            for node in post_order(template(chain, kb)):
                assert isinstance(node, Join | And | Class | Entity)


def test_the_gold_program_scores_full_and_a_hop_less_nothing() -> None:
    qa = ArcaneQA.load()
    asked = next(questions(OF_DEMO[0], qa.kb))
    gold = parse(asked.question.program or "", qa.names, qa.kb.schema)
    assert isinstance(gold, Join)
    assert scored(asked, qa.run(gold), qa.kb).f1 == 1
    assert scored(asked, qa.run(gold.argument), qa.kb).f1 == 0
