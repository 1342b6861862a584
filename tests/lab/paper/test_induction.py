"""Tokens are spelled as the paper spells them, and CONS and TC follow its table."""

from __future__ import annotations

from arcaneqa.induction import scorer
from arcaneqa.induction.induction import Induction, Machine
from arcaneqa.induction.results import Partial
from arcaneqa.induction.topics import Topic, Topics
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.lab.paper.induction import PaperInduction
from arcaneqa.language.expression import Class, Entity, Relation, Value
from arcaneqa.language.steps import Function, Symbol, Variable
from tests.induction.plain import EX, PlainKb

KB = PlainKb(
    [
        ("ridley", "people.person.films", "alien"),
        ("ridley", "people.person.films", "gladiator"),
        ("alien", "film.film.studio", "fox"),
        ("alien", "film.film.seen_by", "ann"),
        ("alien", "film.film.first_shown", Literal("1979-05-25", XSD + "date")),
        ("gladiator", "film.film.studio", "fox"),
        ("alien", "type", "film.film"),
        ("gladiator", "type", "film.film"),
    ]
)
FILMS = Relation(EX + "people.person.films", True)


def films(machine: Machine) -> Partial:
    """Behind `( JOIN #0 films_inv )`."""
    words = scorer.TopicWords("ridley", 0, 6, 0)
    state = machine.start(Topics((Topic(Entity(Iri(EX + "ridley")), words),)))
    for token in (Symbol.OPEN, Function.JOIN, Variable(0), FILMS, Symbol.CLOSE):
        state = machine.advance(state, token)
    return state


def spelled(machine: Machine, state: Partial) -> dict[str, str]:
    options = machine.options(state)
    return {str(token): one.text for token, one in zip(options.tokens, options.candidates, strict=True)}


def after(machine: Machine, state: Partial, *tokens: object) -> Partial:
    for token in tokens:
        state = machine.advance(state, token)  # type: ignore[arg-type]
    return state


def test_names_are_whole_and_functions_as_in_programs() -> None:
    machine = PaperInduction(KB).machine()
    state = films(machine)
    assert set(spelled(machine, state).values()) == {"(", "@end@"}
    opened = after(machine, state, Symbol.OPEN)
    functions = set(spelled(machine, opened).values())
    assert functions == {"JOIN", "AND", "ARGMAX", "ARGMIN", "COUNT", "CONS", "TC"}
    joins = machine.options(after(machine, opened, Function.JOIN, Variable(1))).candidates
    assert {"film film studio inv", "people person films"} <= {one.text for one in joins}
    own = Induction(KB, has_forms=False).machine()
    plain = own.options(after(own, films(own), Symbol.OPEN, Function.JOIN, Variable(1))).candidates
    assert {one.types for one in joins} == {one.types for one in plain}, "for who measures them"
    (klass,) = machine.options(after(machine, opened, Function.AND, Variable(1))).candidates
    assert klass.text == "film film"


def test_comparisons_are_spelled_in_lower_case() -> None:
    machine = PaperInduction(KB).machine()
    date = Literal("1990-01-01", XSD + "date")
    start = machine.start(Topics((Topic(Value(date), scorer.TopicWords("1990", 0, 4, 0)),)))
    functions = spelled(machine, machine.advance(start, Symbol.OPEN)).values()
    assert {"lt", "le"} <= set(functions)


def test_every_fact_of_a_member_is_a_constraint() -> None:
    """CONS: {(r, t) | h in #, (h, r, t) in K}."""
    machine = PaperInduction(KB).machine()
    consed = after(machine, films(machine), Symbol.OPEN, Function.CONS, Variable(1))
    relations = [token for token in machine.options(consed).tokens if isinstance(token, Relation)]
    pairs = {
        (relation.iri.rpartition(".")[2], term.term.value.removeprefix(EX))
        for relation in relations
        for term in machine.options(machine.advance(consed, relation)).tokens
        if isinstance(term, Entity) and isinstance(term.term, Iri)
    }
    assert pairs == {("studio", "fox"), ("seen_by", "ann")}
    assert Relation(EX + "film.film.first_shown") in relations, "literals are constraints, too"


def test_otherwise_only_closed_ranges_are() -> None:
    machine = Induction(KB).machine()
    opened = after(machine, films(machine), Symbol.OPEN)
    assert Function.CONS not in machine.options(opened).tokens


def test_any_relation_that_dates_a_member_is_a_constraint_in_time() -> None:
    """TC: {(r, t) | h in #, (h, r, t) in K, t is temporal}, though no profile pairs this relation."""
    for induction, has_it in ((PaperInduction(KB), True), (Induction(KB), False)):
        machine = induction.machine()
        opened = after(machine, films(machine), Symbol.OPEN)
        assert (Function.TC in machine.options(opened).tokens) == has_it


def test_the_same_constraint_is_not_stacked_twice() -> None:
    machine = PaperInduction(KB).machine()
    fox, studio = Entity(Iri(EX + "fox")), Relation(EX + "film.film.studio")
    state = after(
        machine,
        films(machine),
        Symbol.OPEN,
        Function.CONS,
        Variable(1),
        studio,
        fox,
        Symbol.CLOSE,
        Symbol.OPEN,
    )
    again = machine.options(after(machine, state, Function.CONS, Variable(2))).tokens
    assert studio not in again
    assert Relation(EX + "film.film.seen_by") in again


def test_classes_are_told_by_their_whole_name() -> None:
    machine = PaperInduction(KB).machine()
    start = machine.start(Topics())
    starts = machine.options(after(machine, start, Symbol.OPEN, Function.ARGMAX))
    assert starts.tokens == [Class(EX + "film.film")]
