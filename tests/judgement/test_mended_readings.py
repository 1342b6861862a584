"""Readings that are put right by what the question says: others than the one named, in a year, of whom it is
true; and those that are declined since they cannot be the answer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from arcaneqa.induction.found import Considered, Found, Outcome, Trace
from arcaneqa.induction.scorer import Candidate, TokenKind, TopicWords
from arcaneqa.induction.topics import Topic
from arcaneqa.judgement.answer_kinds import is_unmeasured
from arcaneqa.judgement.asked_kinds import asked_kind, is_another_kind, is_of_others, led_on
from arcaneqa.judgement.coverage import coverage, is_about
from arcaneqa.judgement.denied import without_named
from arcaneqa.judgement.placing import mistimed
from arcaneqa.judgement.stretches import within_stretch
from arcaneqa.judgement.ways import only_names
from arcaneqa.judgement.weighing import weighed
from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.short_names import Names
from arcaneqa.language import expression as ex
from arcaneqa.language.run import execute
from arcaneqa.language.text import parse, print_program
from arcaneqa.links import Links
from arcaneqa.support.errors import BudgetExceeded, ProgramError
from benchmarks.random_programs import RandomPrograms

PLAYERS = (
    "name,team,is_active,joined,fee,signed,price,country,locker_room,tradeable,injured,goals_2010\n"
    + "".join(
        f"player {n},{'red' if n < 15 else 'blue'},{n % 2},{1990 + n % 10}-03-0{1 + n % 9},"
        f"{n * 150},{1990 + n},{1500 + n},Peru,{n},"
        f"{'yes' if n % 3 else 'no'},{'no' if n % 4 else 'yes'},{n % 7}\n"
        for n in range(30)
    )
)
YEAR = "^^http://www.w3.org/2001/XMLSchema#gYear"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder: Path = tmp_path_factory.mktemp("players")
    (folder / "players.csv").write_text(PLAYERS)
    (folder / "teams.csv").write_text("team,city,coach\nred,Lima,Ann Low\nblue,Cusco,Bo Dar\n")
    (folder / "shirts.csv").write_text("shirt,size,cut\ns1,XL,Tunic\ns2,M,Slim\ns3,S,Slim\ns4,L,Slim fit\n")
    build_index([folder / f"{name}.csv" for name in ("players", "teams", "shirts")], folder / "index")
    with Index(folder / "index") as opened:
        yield opened


def found(program: str, kb: Index, score: float = -1.0, name: tuple[int, int] | None = None) -> Found:
    parsed = parse(program, Names(kb.profile), kb.schema)
    topics = tuple(
        Topic(entity, TopicWords("", *(name or (0, 0)), 0)) for entity in ex.mentioned(parsed) if name
    )
    return Found(parsed, score, execute(parsed, kb), topics, Trace((), []))


def text(one: Found, kb: Index) -> str:
    return print_program(one.program, Names(kb.profile))


PLAYER = "<urn:row:players.player%203>"
SAME_TEAM = f"(AND table:players (JOIN column:players.team (JOIN column:players.team_inv {PLAYER})))"
SAME_FEE = f"(AND table:players (JOIN column:players.fee (JOIN column:players.fee_inv {PLAYER})))"


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        ("which other players are in the team of player 3?", SAME_TEAM, f"(NOT {SAME_TEAM} {PLAYER})"),
        ("who else is in the team of player 3?", SAME_TEAM, f"(NOT {SAME_TEAM} {PLAYER})"),
        ("how many other players has it?", f"(COUNT {SAME_TEAM})", f"(COUNT (NOT {SAME_TEAM} {PLAYER}))"),
        (
            "list the other players of that team by their fee",
            f"(SORT {SAME_TEAM} column:players.fee)",
            f"(SORT (NOT {SAME_TEAM} {PLAYER}) column:players.fee)",
        ),
        ("which players are in the team of player 3?", SAME_TEAM, SAME_TEAM),
        ("which players other than player 3 are there?", SAME_TEAM, SAME_TEAM),
        # The one that is named is not among the answers.
        ("what other team has player 3?", f"(JOIN column:players.team_inv {PLAYER})", None),
        # Nobody else is left.
        ("who else has the fee of player 3?", SAME_FEE, None),
    ],
)
def test_others_are_not_the_one_that_is_named(
    kb: Index, question: str, program: str, expected: str | None
) -> None:
    assert text(without_named(question, found(program, kb), kb), kb) == (expected or program)


@pytest.mark.parametrize(
    ("question", "mended"),
    [
        ("how many players joined in 1994?", True),
        ("players who joined during the year 1994", True),
        ("players who joined after 1994", False),
        ("players who joined since 1994 and before 1996", False),
        ("players of 1994", False),
    ],
)
def test_in_a_year_is_from_its_first_to_its_last_day(kb: Index, question: str, mended: bool) -> None:
    read = found(f"(AND table:players (GT column:players.joined 1994{YEAR}))", kb)
    ends = " ".join(f"({side} column:players.joined 1994{YEAR})" for side in ("GE", "LE"))
    put_right = within_stretch(question, read, kb)
    assert text(put_right, kb) == (f"(AND table:players (AND {ends}))" if mended else text(read, kb))
    assert len(put_right.nodes) == (3 if mended else 15)
    assert within_stretch(question, put_right, kb) == put_right


def test_in_a_year_is_not_on_its_first_day(kb: Index) -> None:
    day = "(JOIN column:players.joined 1994-03-05^^http://www.w3.org/2001/XMLSchema#date)"
    first = found(day.replace("03-05", "01-01"), kb)
    ends = " ".join(f"({side} column:players.joined 1994{YEAR})" for side in ("GE", "LE"))
    assert text(within_stretch("who joined in 1994?", first, kb), kb) == f"(AND {ends})"
    assert within_stretch("who joined on 1994-01-01?", first, kb) == first
    assert text(within_stretch("who joined in 1994?", found(day, kb), kb), kb) == day


@pytest.mark.parametrize(
    ("question", "read", "ends"),
    [
        ("who joined in March 1994?", "1994-03", ("1994-03", "1994-03")),
        ("players of march, 1994", "1994-03", ("1994-03", "1994-03")),
        ("who joined before March 1994?", "1994-03", None),
        ("who joined between March 1994 and May 1995?", "1994-03", None),
        ("who joined on 5 March 1994?", "1994-03", None),
        ("who joined in the 1990s?", "1999", ("1990", "1999")),
        ("who joined in the 1990's?", "1990", ("1990", "1999")),
        ("who joined before the 1990s?", "1990", None),
    ],
)
def test_in_a_month_or_a_decade_is_from_its_first_to_its_last_day(
    kb: Index, question: str, read: str, ends: tuple[str, str] | None
) -> None:
    kind = YEAR if read.isdigit() else YEAR + "Month"
    one = found(f"(LE column:players.joined {read}{kind})", kb)
    sides = zip(("GE", "LE"), ends or (), strict=False)
    said = " ".join(f"({side} column:players.joined {end}{kind})" for side, end in sides)
    assert text(within_stretch(question, one, kb), kb) == (f"(AND {said})" if ends else text(one, kb))


def test_a_year_is_no_fee(kb: Index) -> None:
    fees = parse("(GT column:players.fee 1994)", Names(kb.profile), kb.schema)
    assert mistimed("how many players joined in 1994?", fees, kb) == 1
    assert mistimed("how many players cost over 1994?", fees, kb) == 0
    joined = parse(f"(GT column:players.joined 1994{YEAR})", Names(kb.profile), kb.schema)
    assert mistimed("how many players joined in 1994?", joined, kb) == 0


def test_a_column_of_another_year_answers_nothing(kb: Index) -> None:
    goals = parse(f"(JOIN column:players.goals_2010_inv {PLAYER})", Names(kb.profile), kb.schema)
    assert mistimed("how many goals had player 3 in 2015?", goals, kb) == 1
    assert mistimed("how many goals had player 3 in 2010?", goals, kb) == 0
    assert mistimed("how many goals had player 3?", goals, kb) == 0


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("how many players are active?", "true"),
        ("players", None),
        ("players that are not active", "false"),
        ("how many players are retired?", "false"),
        ("active players that are not in Peru", None),
    ],
)
def test_the_name_of_a_column_of_truths_asks_for_those_of_whom_it_is_so(
    kb: Index, question: str, truth: str | None
) -> None:
    read = found("(COUNT table:players)", kb)
    best = weighed(question, Links(question), Outcome((read,), is_complete=True), kb).found[0]
    assert text(best, kb) == (f"(COUNT {_active(truth)})" if truth else "(COUNT table:players)")
    assert coverage("how many players are active?", Links(question), read, kb).unused == ("active",)


def test_what_a_column_denies_is_denied_once(kb: Index) -> None:
    question = "how many players are not active?"
    read = found("(COUNT (NOT table:players (HAS column:teams.coach)))", kb)
    best = weighed(question, Links(question), Outcome((read,), is_complete=True), kb).found[0]
    assert text(best, kb) == f"(COUNT {_active('false')})"


def _active(truth: str) -> str:
    return f"(CONS table:players column:players.is_active {truth}^^http://www.w3.org/2001/XMLSchema#boolean)"


def test_what_is_tradeable_can_be_traded(kb: Index) -> None:
    question = "which players can not be traded?"
    read = found("(NOT table:players (HAS column:teams.coach))", kb)
    best = weighed(question, Links(question), Outcome((read,), is_complete=True), kb).found[0]
    assert text(best, kb) == _active("false").replace("is_active", "tradeable")


@pytest.mark.parametrize("asked", ["which players did not injure?", "which players are not injured?"])
def test_whom_nobody_did_injure_is_not_injured(kb: Index, asked: str) -> None:
    read = found("(NOT table:players (HAS column:teams.coach))", kb)
    best = weighed(asked, Links(asked), Outcome((read,), is_complete=True), kb).found[0]
    assert text(best, kb) == _active("false").replace("is_active", "injured")


def test_what_is_said_and_not_denied_is_not_false(kb: Index) -> None:
    false, true = (found(_active(truth), kb, score) for truth, score in (("false", -1.0), ("true", -3.0)))
    outcome = Outcome((false, true), is_complete=True)
    for question, best in (("which players are active?", true), ("which players are not active?", false)):
        assert weighed(question, Links(question), outcome, kb).found[0].program == best.program


@pytest.mark.parametrize(
    ("question", "column"),
    [
        ("Which countries do red players come from?", "country"),
        ("list the prices of red players", "price"),
        ("which players are red?", None),
        ("Which names do red players have?", None),  # they are called so
    ],
)
def test_a_column_that_is_asked_for_is_no_row(kb: Index, question: str, column: str | None) -> None:
    read = found("(JOIN column:players.team row:teams.red)", kb)
    best = weighed(question, Links(question), Outcome((read,), is_complete=True), kb).found[0]
    led = "" if column is None else f"(JOIN column:players.{column}_inv {text(read, kb)})"
    assert text(best, kb) == (led or text(read, kb))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which teams fly to Peru?", "teams"),
        ("Which other teams are there?", "teams"),
        ("which team won twice?", "teams"),
        ("how many teams play?", "teams"),
        ("which team shirts are red?", None),  # "shirts" is a noun of this schema
        ("which team spirit is good?", None),
        ("which team 7 is it?", None),
    ],
)
def test_a_noun_ends_where_a_verb_follows(kb: Index, question: str, expected: str | None) -> None:
    kind = asked_kind(question, kb)
    assert (None if kind is None else kb.schema.classes[kind].label) == expected


def test_texts_and_counts_of_others_are_no_such_things(kb: Index) -> None:
    shirts, teams, players = (
        kb.schema.class_ids[f"urn:table:{name}"] for name in ("shirts", "teams", "players")
    )
    coach = found("(JOIN column:teams.coach_inv row:teams.red)", kb)
    assert is_of_others(shirts, coach, kb)
    assert is_another_kind(shirts, coach, kb)
    assert not is_of_others(teams, coach, kb), "a text of theirs may be what they are called"
    team = found("(JOIN column:players.fee_inv table:players)", kb)
    assert not is_of_others(shirts, team, kb), "a number is no thing"
    counted = found('(COUNT (AND table:players (JOIN column:players.country "Peru")))', kb)
    assert is_of_others(shirts, counted, kb)
    assert not is_of_others(players, counted, kb)
    assert not is_of_others(teams, counted, kb), "rows may stand for those they are about"
    assert led_on(shirts, counted, kb) is None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who is the mayor of red?", True),
        ("What is the name of red?", False),
        ("Which team is red?", False),  # a word of the column
        ("What is rt?", False),  # not called so in the question
    ],
)
def test_what_something_is_called_answers_nothing(kb: Index, question: str, expected: bool) -> None:
    start = max(question.find("red"), question.find("rt"))
    named = found("(JOIN column:teams.team_inv row:teams.red)", kb, name=(start, start + 3))
    assert only_names(question, named, kb) is expected
    coach = found("(JOIN column:teams.coach_inv row:teams.red)", kb, name=(start, start + 3))
    assert not only_names(question, coach, kb)


def test_a_constant_that_is_said_is_about_the_question(kb: Index) -> None:
    one = found('(COUNT (CONS table:shirts column:shirts.size "XL"))', kb)

    steps = [Considered("", [Candidate(TokenKind.CONSTANT, "XL")], np.zeros(1, np.float32), 0)]
    said = Found(one.program, -1.0, one.result, (), Trace((), steps))
    assert is_about("how many XL garments are there?", said, kb)
    assert not is_about("how many garments are there?", said, kb)


QUESTIONS = (
    "which other players of the team of player 3 are active?",
    "how many other teams had active players in 1995?",
    "list the names of the teams whose players joined in 1999",
)


def test_whatever_is_put_right_can_be_said_and_finds_what_it_says(kb: Index) -> None:
    programs, mended = RandomPrograms(kb, seed=5), set()
    for _ in range(3000):
        program = programs.program()
        try:
            result = execute(program, kb)
        except (BudgetExceeded, ProgramError):
            continue
        if result.value is None and result.table is None and not result.nodes:
            continue
        first = Outcome((Found(program, -1.0, result, (), Trace((), [])),), is_complete=True)
        for question in QUESTIONS:
            for one in weighed(question, Links(question), first, kb).found:
                again = execute(one.program, kb)
                assert (again.value, again.table) == (one.result.value, one.result.table)
                assert [*again.nodes.ids] == [*one.nodes.ids]
                mended |= {(question, type(program))} if one.program != program else set()
    assert {ex.Class, ex.Sort, ex.Count} <= {kind for _, kind in mended}


@pytest.mark.parametrize(
    ("question", "column", "expected"),
    [
        ("how much did player 3 win?", "signed", True),
        ("how much was signed for player 3?", "signed", False),  # named by its own word
        ("how much did player 3 win?", "price", False),  # between 1000 and 2200, and yet no year
        ("how much did player 3 win?", "fee", False),
        ("when did player 3 win?", "signed", False),
    ],
)
def test_a_year_is_not_how_much(kb: Index, question: str, column: str, expected: bool) -> None:
    read = found(f"(JOIN column:players.{column}_inv {PLAYER})", kb)
    assert is_unmeasured(question, read.program, kb) is expected


@pytest.mark.parametrize(
    ("question", "column", "expected"),
    [
        ("which agent hired player 3?", "fee", True),
        ("which fee did player 3 cost?", "fee", False),
        ("which lockerrooms has player 3?", "locker_room", False),
        ("in which season was player 3 hired?", "signed", False),  # a year
        ("which land hired player 3?", "country", False),
    ],
)
def test_a_number_that_nobody_named_is_not_which(
    kb: Index, question: str, column: str, expected: bool
) -> None:
    read = found(f"(JOIN column:players.{column}_inv {PLAYER})", kb)
    assert is_unmeasured(question, read.program, kb) is expected
