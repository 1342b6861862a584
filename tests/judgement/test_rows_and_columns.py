"""Readings over several tables that are put right by what the question says outright: columns that are asked
for, averages of groups, rows that say how many, values behind the name of their column, denials."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from arcaneqa.induction.found import Found, Outcome
from arcaneqa.induction.scorer import TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.answer_kinds import is_table_of_one
from arcaneqa.judgement.counting import (
    added_up,
    by_own_count,
    counted_within,
    is_same_for_all,
    of_groups,
    said_once,
    says_how_many,
    value_at_the_end,
)
from arcaneqa.judgement.coverage import coverage
from arcaneqa.judgement.denied import denies_another, with_denial
from arcaneqa.judgement.placing import in_its_place, misnumbered
from arcaneqa.judgement.polarity import compared_as_said, is_reversed, turned
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.forms import Form
from arcaneqa.language.text import parse, print_program
from arcaneqa.links import Links, LiteralLink
from tests.judgement.found_programs import found

STORES = (
    "store id,store,town,kind,founded,membership amount,store details,owner first name,owner last name\n"
    + "".join(
        f"{n},store {n},{'Lima' if n % 3 else 'Cusco'},{'Public' if n % 3 == 1 else 'Private'},{1900 + n},"
        f"{n * n},detail {n},{'Rosa' if n < 4 else 'Kohler'},{'Kohler' if n < 6 else 'Rosa'}\n"
        for n in range(12)
    )
)
VISITS = "visit id,store,year,visits,rain\n" + "".join(
    f"{n},store {n % 12},{2000 + n % 4},{100 + n % 10},{n % 7}\n" for n in range(48)
)
S, V = "column:stores.", "column:visits."
LIMA = f'(AND table:stores (JOIN {S}town "Lima"))'


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder: Path = tmp_path_factory.mktemp("stores")
    (folder / "stores.csv").write_text(STORES)
    (folder / "visits.csv").write_text(VISITS)
    build_index([folder / "stores.csv", folder / "visits.csv"], folder / "index")
    with Index(folder / "index") as opened:
        yield opened


def text(one: Found, kb: Index) -> str:
    return print_program(one.program, Names(kb.profile))


def canonical(program: str, kb: Index) -> str:
    return print_program(parse(program, Names(kb.profile), kb.schema), Names(kb.profile))


def best(question: str, kb: Index, *programs: str) -> str:
    readings = tuple(found(program, kb, -1.0 - place) for place, program in enumerate(programs))
    return text(weighed(question, Links(question), Outcome(readings, is_complete=True), kb).found[0], kb)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what is the founded of the store?", f"(JOIN {S}founded_inv {LIMA})"),
        ("Return the kinds for stores in Lima", f"(JOIN {S}kind_inv {LIMA})"),
        ("Show the details of all stores in Lima", f"(JOIN {S}store_details_inv {LIMA})"),
        # Of two things that are asked for one is not the answer, and stores are no column.
        ("Show the kinds and towns of stores in Lima", LIMA),
        ("Show the stores in Lima", LIMA),
    ],
)
def test_the_column_that_is_asked_for_and_not_its_rows(kb: Index, question: str, expected: str) -> None:
    assert best(question, kb, LIMA) == canonical(expected, kb)


def test_what_has_been_found_in_such_a_column_is_the_answer(kb: Index) -> None:
    stores = f"(JOIN {V}store_inv (GT {V}rain 5))"
    assert best("Return the stores of visits with rain above 5", kb, stores) == canonical(stores, kb)


def test_a_column_in_the_order_of_its_rows(kb: Index) -> None:
    rows = f"(SORT {LIMA} {S}founded)"
    assert best("Return the kinds for stores sorted by founded", kb, rows) == f"(SHOW {rows} {S}kind)"


GROUPED = f"(AVG (JOIN {S}town_inv {S}membership_amount))"


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        (
            "which town has the highest average membership amount?",
            f"(JOIN {S}town_inv (ARGMAX table:stores {S}membership_amount))",
            f"(ARGMAX (JOIN {S}town_inv table:stores) {GROUPED})",
        ),
        (
            "towns with an average membership amount above 30",
            f"(JOIN {S}town_inv (AND table:stores (GT {S}membership_amount 30)))",
            f"(AND (HAS {S}town_inv) (GT {GROUPED} 30))",
        ),
        (
            "towns whose average is above the average amount",
            f"(JOIN {S}town_inv (GT {S}membership_amount (AVG table:stores {S}membership_amount)))",
            f"(AND (HAS {S}town_inv) (GT {GROUPED} (AVG table:stores {S}membership_amount)))",
        ),
        # The one average that is said is already there, or none is said.
        (
            "towns with more than the average amount",
            f"(JOIN {S}town_inv (GT {S}membership_amount (AVG table:stores {S}membership_amount)))",
            None,
        ),
        (
            "which town has the highest membership amount?",
            f"(JOIN {S}town_inv (ARGMAX table:stores {S}membership_amount))",
            None,
        ),
    ],
)
def test_the_average_of_a_group_is_not_that_of_one(
    kb: Index, question: str, program: str, expected: str | None
) -> None:
    assert text(of_groups(question, found(program, kb), kb), kb) == canonical(expected or program, kb)


IN_RAIN = f"(AND table:visits (GT {V}rain 2))"
SUMMED = f"(SUM {IN_RAIN} {V}visits)"


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("how many visits were there in the rain?", f"(COUNT {IN_RAIN})", SUMMED),
        ("how many visits were there in the rain?", f"(COUNT {IN_RAIN} {V}visits)", SUMMED),
        ("what is the number of visits in the rain?", f"(COUNT (JOIN {V}visits_inv {IN_RAIN}))", SUMMED),
        (
            "how many visits were there for each store?",
            f"(PER {IN_RAIN} {V}store COUNT)",
            f"(PER {IN_RAIN} {V}store (SUM {V}visits))",
        ),
        ("how many different visits were there in the rain?", f"(COUNT {IN_RAIN} {V}visits)", None),
        ("how many days had visits?", f"(COUNT {IN_RAIN})", None),
        # The year of a visit is no number of years.
        ("how many years had visits in the rain?", f"(COUNT {IN_RAIN})", None),
    ],
)
def test_rows_that_say_how_many_are_added_up(
    kb: Index, question: str, program: str, expected: str | None
) -> None:
    assert text(added_up(question, found(program, kb), kb), kb) == canonical(expected or program, kb)


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        (
            "which store has the most memberships?",
            f"(ARGMAX table:stores (COUNT {V}store_inv))",
            f"(ARGMAX table:stores {S}membership_amount)",
        ),
        (
            "stores with more than 3 memberships",
            f"(AND table:stores (GT (COUNT {V}store_inv) 3))",
            f"(AND table:stores (GT {S}membership_amount 3))",
        ),
        # Those in the rain are counted: the number is of all.
        (
            "which store has the most memberships?",
            f"(ARGMAX table:stores (COUNT {V}store_inv {IN_RAIN}))",
            None,
        ),
        ("which store has the most visits?", f"(ARGMAX table:stores (COUNT {V}store_inv))", None),
    ],
)
def test_a_number_that_says_how_many_is_not_counted_again(
    kb: Index, question: str, program: str, expected: str | None
) -> None:
    assert text(by_own_count(question, found(program, kb), kb), kb) == canonical(expected or program, kb)


def test_what_is_chosen_among_is_counted_where_it_was_chosen(kb: Index) -> None:
    wet = found(f"(ARGMAX (JOIN {V}store_inv {IN_RAIN}) (COUNT {V}store_inv))", kb)
    counted = f"(ARGMAX (JOIN {V}store_inv {IN_RAIN}) (COUNT {V}store_inv {IN_RAIN}))"
    assert text(counted_within(wet, kb), kb) == canonical(counted, kb)
    every = found(f"(ARGMAX (JOIN {V}store_inv table:visits) (COUNT {V}store_inv))", kb)
    assert counted_within(every, kb) == every


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("stores that ever had a rain of 5", f"(AND table:stores (JOIN {V}store_inv (JOIN {V}rain 5)))"),
        ("stores that had a rain of 5 at least 5 times", None),
    ],
)
def test_a_number_that_is_said_once_is_taken_once(kb: Index, question: str, expected: str | None) -> None:
    program = f"(AND table:stores (GE (COUNT {V}store_inv (JOIN {V}rain 5)) 5))"
    assert text(said_once(question, found(program, kb), kb), kb) == canonical(expected or program, kb)


ROSA = f'(JOIN {S}owner_first_name "Rosa")'


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("stores with owner last name Rosa", ROSA, f'(JOIN {S}owner_last_name "Rosa")'),
        ("stores whose owner first name is Rosa", ROSA, None),
        ("stores of Rosa", ROSA, None),
        (
            "owner last name is Kohler or owner first name is Rosa",
            f'(JOIN {S}owner_first_name (OR "Kohler" "Rosa"))',
            f'(OR (JOIN {S}owner_last_name "Kohler") (JOIN {S}owner_first_name "Rosa"))',
        ),
        (
            "stores with a membership amount above 30",
            f"(GT {S}founded 30)",
            f"(GT {S}membership_amount 30)",
        ),
        # It cannot be told which of the two is meant.
        ("founded after 30 and membership amount above 30", f"(GT {S}founded 30)", None),
    ],
)
def test_a_value_belongs_to_the_name_right_before_it(
    kb: Index, question: str, program: str, expected: str | None
) -> None:
    assert text(in_its_place(question, found(program, kb), kb), kb) == canonical(expected or program, kb)


PUBLIC = f'(JOIN {S}kind "Public")'
WET = f"(GT {V}rain 5)"


@pytest.mark.parametrize(
    ("question", "said", "program", "expected"),
    [
        (
            "the oldest non public store",
            "public",
            f"(ARGMIN (AND table:stores {PUBLIC}) {S}founded)",
            f"(ARGMIN (NOT table:stores {PUBLIC}) {S}founded)",
        ),
        (
            "towns of stores that never had a rain above 5",
            "5",
            f"(JOIN {S}town_inv (JOIN {V}store_inv {WET}))",
            f"(JOIN {S}town_inv (NOT table:stores (JOIN {V}store_inv {WET})))",
        ),
        # What is said before the denial is not denied.
        (
            "public stores that are not old",
            "public",
            f"(AND table:stores {PUBLIC})",
            None,
        ),
        ("stores called never public again", "never public again", f"(AND table:stores {PUBLIC})", None),
        ("stores that are public", "public", f"(AND table:stores {PUBLIC})", None),
        (
            "which towns have no public store?",
            "public",
            f"(JOIN {S}town_inv (NOT table:stores {PUBLIC}))",
            f"(NOT (JOIN {S}town_inv table:stores) (JOIN {S}town_inv {PUBLIC}))",
        ),
        (
            "which towns are of stores that are not public?",
            "public",
            f"(JOIN {S}town_inv (NOT table:stores {PUBLIC}))",
            None,
        ),
    ],
)
def test_what_is_denied_is_taken_away(
    kb: Index, question: str, said: str, program: str, expected: str | None
) -> None:
    start = question.index(said)
    condition = parse(WET if said == "5" else PUBLIC, Names(kb.profile), kb.schema)
    (value,) = (node for node in ex.post_order(condition) if isinstance(node, ex.Value))
    topic = Topic(value, TopicWords(said, start, start + len(said), 0))
    one = with_denial(question, replace(found(program, kb), topics=(topic,)), kb)
    assert text(one, kb) == canonical(expected or program, kb)


def test_the_other_end_is_taken_where_the_wrong_one_was(kb: Index) -> None:
    latest = found(f"(ARGMAX table:stores {S}founded)", kb)
    assert text(turned("the oldest store", latest, kb), kb) == f"(ARGMIN table:stores {S}founded)"
    assert turned("the newest store", latest, kb) == latest


def test_a_number_that_says_how_many_is_how_many(kb: Index) -> None:
    visits = f"(JOIN {V}visits_inv (JOIN {V}visit_id 7))"
    for question, is_said in (
        ("how many visits were there on day 7?", True),
        ("how many stores were there on day 7?", False),
        ("which visits were there on day 7?", False),
    ):
        assert says_how_many(question, found(visits, kb), kb) is is_said
    assert not says_how_many(
        "how many visits were in the rain?", found(f"(JOIN {V}visits_inv {IN_RAIN})", kb), kb
    )
    unmet = coverage("how many visits on day 7?", Links("", (), ()), found(visits, kb), kb).unmet
    assert not [sign for sign in unmet if sign.form is Form.NUMBER]


@pytest.mark.parametrize(
    ("question", "is_number"),
    [
        ("lowest membership amount", True),
        ("What is the lowest membership amount of all stores?", True),
        ("lowest membership amount ever", True),
        ("which store has the lowest membership amount?", False),
        ("lowest membership amount store", False),
        ("the cheapest store", False),
    ],
)
def test_the_lowest_price_is_no_product(kb: Index, question: str, is_number: bool) -> None:
    store = f"(ARGMIN table:stores {S}membership_amount)"
    expected = f"(MIN table:stores {S}membership_amount)" if is_number else store
    assert text(value_at_the_end(question, found(store, kb), kb), kb) == canonical(expected, kb)


def test_a_comparison_takes_the_end_that_its_word_means(kb: Index) -> None:
    after = found(f"(AND table:stores (GT {S}founded 1904))", kb)
    before = canonical(f"(AND table:stores (LT {S}founded 1904))", kb)
    assert text(turned("stores older than 1904", after, kb), kb) == before
    assert turned("stores newer than 1904", after, kb) == after


def test_a_year_that_is_said_is_not_left_out(kb: Index) -> None:
    stores, visits = found(LIMA, kb), found("table:visits", kb)
    for question, some, dropped in (
        ("visits of Lima in 1850", visits, 1),
        ("visits of Lima with 1850", visits, 0),
        ("stores of Lima in 1850", stores, 0),  # nothing tells years of stores
    ):
        assert coverage(question, Links(question, (), ()), some, kb).dropped == dropped
    then = found(f"(AND table:visits (JOIN {V}year 2001))", kb)
    topic = Topic(ex.Value(Literal("2001")), TopicWords("2001", 10, 14, 0))
    question = "visits in 2001"
    assert not coverage(question, Links(question, (), ()), replace(then, topics=(topic,)), kb).dropped


def test_of_two_programs_the_one_with_the_stated_value_is_meant(kb: Index) -> None:
    question = "the smallest membership amount of limans"
    link = LiteralLink(34, 40, "limans", (Literal("Lima"),))
    all_stores = found(f"(MIN table:stores {S}membership_amount)", kb, -0.1)
    in_lima = found(f"(MIN {LIMA} {S}membership_amount)", kb, -4.0)
    elsewhere = found(f'(MIN (AND table:stores (JOIN {S}town "Cusco")) {S}membership_amount)', kb, -9.0)
    outcome = Outcome((all_stores, in_lima, elsewhere), True)
    best, *_ = weighed(question, Links(question, (), (link,)), outcome, kb).found
    assert best.program == in_lima.program
    # Where no program has it, or nothing of it is stated, the likeliest is.
    best, *_ = weighed(question, Links(question, (), ()), outcome, kb).found
    assert best.program == all_stores.program


def test_what_is_named_before_a_denial_is_not_denied(kb: Index) -> None:
    question = "which limans are not private?"
    topic = Topic(ex.Value(Literal("Lima")), TopicWords("limans", 6, 12, 0))
    others = replace(found(f'(NOT table:stores (JOIN {S}town "Lima"))', kb), topics=(topic,))
    assert denies_another(question, others, ["private"])
    assert not denies_another(question, others, [])
    assert not denies_another("which are private and not limans?", others, ["private"])
    question = "stores not from Lima founded after 1904"
    year = Topic(ex.Value(Literal("1904", f"{XSD}integer")), TopicWords("1904", 35, 39, 0))
    topics = (replace(topic, words=TopicWords("Lima", 16, 20, 0)), year)
    older = f'(AND (NOT table:stores (GT {S}founded 1904)) (JOIN {S}town "Lima"))'
    assert denies_another(question, replace(found(older, kb), topics=topics), [])
    elsewhere = f'(AND (NOT table:stores (JOIN {S}town "Lima")) (GT {S}founded 1904))'
    assert not denies_another(question, replace(found(elsewhere, kb), topics=topics), [])


@pytest.mark.parametrize(
    ("question", "comparison"),
    [
        ("stores founded before 1904", "LT"),
        ("stores founded after the year 1904", "GT"),
        ("stores founded since 1904", "GE"),
        ("stores founded at most 1904", "LE"),
        ("stores with a higher founding year than 1904", "GT"),
        ("stores founded in 1904", None),
        ("stores not founded before 1904", None),
        ("stores founded before 1904-05-01", None),
    ],
)
def test_before_a_year_is_not_in_it(kb: Index, question: str, comparison: str | None) -> None:
    then = f"(AND table:stores (JOIN {S}founded 1904))"
    expected = then if comparison is None else f"(AND table:stores ({comparison} {S}founded 1904))"
    assert text(compared_as_said(question, found(then, kb), kb), kb) == canonical(expected, kb)


def test_more_than_a_number_is_not_that_number(kb: Index) -> None:
    five = parse(f"(JOIN {V}rain 5)", Names(kb.profile), kb.schema)
    assert is_reversed("visits with a rain above 5", five, kb)
    assert not is_reversed("visits with a rain of 5", five, kb)
    assert not is_reversed("visits with no rain above 5", five, kb)


@pytest.mark.parametrize(
    ("question", "number_of", "expected"),
    [
        ("what rain has visit 10?", "stores.store_id", 1),
        ("what rain has visit 10?", "visits.visit_id", 0),
        ("what rain has number 10?", "stores.store_id", 0),
    ],
)
def test_a_number_is_that_of_the_kind_named_before_it(
    kb: Index, question: str, number_of: str, expected: int
) -> None:
    program = parse(f"(JOIN column:{number_of} 10)", Names(kb.profile), kb.schema)
    assert misnumbered(question, program, kb) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("how many visits had rain?", True),
        ("how many visits had each store?", False),
        ("number of visits of stores", False),
    ],
)
def test_one_number_is_no_table(kb: Index, question: str, expected: bool) -> None:
    table = parse(f"(PER table:visits {V}store COUNT)", Names(kb.profile), kb.schema)
    assert is_table_of_one(question, table) is expected


@pytest.mark.parametrize(
    ("question", "direction", "is_wrong"),
    [
        ("which town has the most stores?", "ARGMIN", True),
        ("which town has the most stores?", "ARGMAX", False),
        ("which town has the fewest stores?", "ARGMAX", True),
        ("which town has not the most stores?", "ARGMIN", False),
        ("which town has stores?", "ARGMIN", False),
    ],
)
def test_most_are_not_fewest(kb: Index, question: str, direction: str, is_wrong: bool) -> None:
    counted = f"(JOIN {S}town_inv table:stores) (COUNT {S}town_inv)"
    read = found(f"({direction} {counted})", kb)
    assert is_reversed(question, read.program, kb) is is_wrong
    other = {"ARGMIN": "ARGMAX", "ARGMAX": "ARGMIN"}[direction]
    assert text(turned(question, read, kb), kb) == canonical(
        f"({other if is_wrong else direction} {counted})", kb
    )


def test_a_count_that_is_the_same_for_all_chooses_nobody(kb: Index) -> None:
    for column, is_same in (("store", True), ("town", False)):
        of = f"column:stores.{column}_inv"
        assert is_same_for_all(found(f"(ARGMAX (JOIN {of} table:stores) (COUNT {of}))", kb), kb) is is_same


def test_a_total_of_murders_says_how_many_there_were(tmp_path: Path) -> None:
    rows = "".join(f"state {n},{n * 7 % 11},{n}\n" for n in range(9))
    (tmp_path / "murders.csv").write_text(f"state,total,population\n{rows}")
    build_index([tmp_path / "murders.csv"], tmp_path / "index")
    with Index(tmp_path / "index") as kb:
        states = "(JOIN column:murders.state_inv table:murders)"
        read = found(f"(ARGMAX {states} (COUNT column:murders.state_inv))", kb)
        mended = by_own_count("which state had the most murders?", read, kb)
        by_total = "(JOIN column:murders.state_inv (ARGMAX table:murders column:murders.total))"
        assert text(mended, kb) == canonical(by_total, kb)
        assert by_own_count("which state had the most people?", read, kb) is read
