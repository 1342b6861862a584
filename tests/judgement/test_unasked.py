"""What is told and no word of the question asks for: the nearest number is no price, and what is counted is
what there shall be most of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from arcaneqa.induction.found import Found
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.counting import counts_the_named
from arcaneqa.judgement.unasked import tells_unasked
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.language import expression as ex
from tests.judgement.found_programs import found

COOKS = """cook_id,name,full_name,age,town,type of oven,house
0,Ann,Ann Lee,20,York,gas,The Mill Bakery
1,Bob,Bob Ray,21,Bath,gas,Bath Inn
2,Cid,Cid Orr,22,York,wood,The Mill Bakery
3,Dot,Dot Fox,23,Hull,gas,Hull Bakery
4,Eve,Eve Kay,24,Bath,wood,Bath Inn
"""
SALES = "sale_id,cook_id,order_date,paid\n" + "".join(
    f"{n},{n % 3},2020-01-0{1 + n},{n * 7}\n" for n in range(9)
)
C, S = "column:cooks.", "column:sales."
ANN = f'(JOIN {C}full_name "Ann Lee")'


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder = tmp_path_factory.mktemp("cooks")
    (folder / "cooks.csv").write_text(COOKS)
    (folder / "sales.csv").write_text(SALES)
    build_index([folder / "cooks.csv", folder / "sales.csv"], folder / "index")
    with Index(folder / "index") as opened:
        yield opened


def read(question: str, program: str, kb: Index) -> Found:
    """With the name of Ann taken up wherever the question has it."""
    one = found(program, kb)
    start = question.find("Ann Lee")
    words = TopicWords("Ann Lee", start, start + len("Ann Lee"), 0)
    values = [node for node in ex.post_order(one.program) if isinstance(node, ex.Value)]
    return replace(one, topics=tuple(Topic(value, words) for value in values if start >= 0))


@pytest.mark.parametrize(
    ("question", "program", "is_unasked"),
    [
        ("how much does Ann Lee earn?", f"(JOIN {C}age_inv {ANN})", True),
        ("what age does Ann Lee have?", f"(JOIN {C}age_inv {ANN})", False),
        # Words of one origin, and two words for one another.
        ("for how long did Ann Lee age?", f"(JOIN {C}age_inv {ANN})", False),
        ("what kind of stove has Ann Lee?", f"(JOIN {C}type_of_oven_inv {ANN})", False),
        ("what stove has Ann Lee?", f"(JOIN {C}type_of_oven_inv {ANN})", True),
        # Nothing but the name is said: "what about …?"
        ("what about Ann Lee?", f"(JOIN {C}age_inv {ANN})", False),
        # What rows are called stands for what they are.
        ("which baker is 20?", f"(JOIN {C}name_inv (JOIN {C}age 20))", False),
        ("which street is Ann Lee in?", f"(JOIN {C}town_inv {ANN})", True),
        # What comes is called what is asked for; that tells neither how many nor who has it.
        ("which bakery trained Ann Lee?", f"(JOIN {C}house_inv {ANN})", False),
        ("in which bakery has Ann Lee trained?", f"(JOIN {C}house_inv {ANN})", False),
        ("which brewery trained Ann Lee?", f"(JOIN {C}house_inv {ANN})", True),
        ("how many bakeries trained Ann Lee?", f"(JOIN {C}house_inv {ANN})", True),
        ("which firm has the bakery of Ann Lee?", f"(JOIN {C}house_inv {ANN})", True),
        ("how big was the fine of Ann Lee?", f"(SUM (AND table:cooks {ANN}) {C}age)", True),
        ("how much was paid by Ann Lee?", f"(SUM (JOIN {S}cook_id {ANN}) {S}paid)", False),
        # Whom there is most of, and not who is asked for, says what is counted.
        ("which cook has taken the most sick days?", f"(ARGMAX table:cooks (COUNT {S}cook_id_inv))", True),
        ("which cook has the most sales in town?", f"(ARGMAX table:cooks (COUNT {S}cook_id_inv))", False),
        # Rows are what they have: what has an order date is an order.
        ("which cook has the most orders?", f"(ARGMAX table:cooks (COUNT {S}cook_id_inv))", False),
        ("how many orders had Ann Lee?", f"(COUNT (AND table:sales (JOIN {S}cook_id {ANN})))", False),
        ("how many children had Ann Lee?", f"(COUNT (AND table:sales (JOIN {S}cook_id {ANN})))", True),
    ],
)
def test_what_no_word_asks_for(kb: Index, question: str, program: str, is_unasked: bool) -> None:
    assert tells_unasked(question, read(question, program, kb), kb) is is_unasked


@pytest.mark.parametrize(
    ("question", "program", "is_named"),
    [
        # Ann is called Ann Lee in another column: there is one of her.
        ("how many children has Ann Lee?", f"(COUNT (AND table:cooks {ANN}))", True),
        # Each has one town.
        ("how many children has Ann Lee?", f"(COUNT (JOIN {C}town_inv {ANN}))", True),
        ("how many towns has Ann Lee?", f"(COUNT (JOIN {C}town_inv {ANN}))", False),
        ("how many children has York?", f'(COUNT (JOIN {C}town_inv (JOIN {C}town "York")))', False),
        ("how many children has Hull?", f'(COUNT (AND table:cooks (JOIN {C}town "Hull")))', False),
    ],
)
def test_what_there_is_one_of_is_not_counted(kb: Index, question: str, program: str, is_named: bool) -> None:
    assert counts_the_named(question, read(question, program, kb), kb) is is_named
