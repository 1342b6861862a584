"""The expansion rules against their slow twin: try every token there is and keep what denotes something."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import pytest

from arcaneqa.induction import scorer
from arcaneqa.induction.expansions import constraints_of
from arcaneqa.induction.induction import Induction, Machine
from arcaneqa.induction.results import Partial
from arcaneqa.induction.topics import Topic, Topics
from arcaneqa.induction.vocabulary import DecisionForm, Token, Vocabulary
from arcaneqa.kb.interface import Comparison, NodeSet, Step
from arcaneqa.kb.schema import ValueKind
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.language import expression as ex
from arcaneqa.language.check import fault
from arcaneqa.language.run import execute
from arcaneqa.language.steps import Function, Symbol
from tests.induction.plain import EX, PROFILE, PlainKb
from tests.induction.randomness import random_kb, random_topics

PAPER = frozenset(
    Function(name)
    for name in ["JOIN", "AND", "ARGMAX", "ARGMIN", "LT", "LE", "GT", "GE", "COUNT", "CONS", "TC"]
)


def offered(machine: Machine, state: Partial) -> set[ex.Expression]:
    """Every subprogram that can be built next, as the program it gives."""
    found: set[ex.Expression] = set()
    stack = [machine.advance(state, Symbol.OPEN)] if Symbol.OPEN in machine.options(state).tokens else []
    while stack:
        state = stack.pop()
        for token in machine.options(state).tokens:
            if not is_plain(state, token):
                continue
            after = machine.advance(state, token)
            if token is Symbol.CLOSE:
                assert after.top is not None
                found.add(after.top.expression)
            else:
                stack.append(after)
    return found


def is_plain(state: Partial, token: Token) -> bool:
    """Whether a token is of the paper's functions; the others have walks and searches of their own."""
    if isinstance(token, DecisionForm):
        return False
    return not isinstance(token, Function) or (token in PAPER and state.function is None)


def possible(kb: PlainKb, vocabulary: Vocabulary, state: Partial) -> Iterator[ex.Expression]:
    """Every well-typed subprogram over the visible schema, faithful or not, while no branch waits."""
    relations = [ex.Relation(relation.iri) for relation in kb.schema.relations if not relation.hidden]
    inverses = [ex.Relation(relation.iri, True) for relation in relations]
    classes = [ex.Class(klass.iri) for klass in kb.schema.classes if not klass.hidden]
    free = [t.term for i, t in enumerate(state.topics.items) if not state.excluded >> i & 1]
    literals = [term for term in free if isinstance(term, ex.Value)]
    if state.top is None:
        for topic in free:
            yield from (ex.Join(relation, topic) for relation in relations + inverses)
        for literal in literals:
            for relation in relations:
                signs = (sign for sign in Comparison if sign is not Comparison.EQ)
                yield from (ex.Compare(sign, relation, literal) for sign in signs)
        for klass in classes:
            yield ex.Count(klass)
            yield from superlatives(kb, klass, relations, inverses)
        return
    top = state.top.expression
    if isinstance(top, ex.Count):
        return
    yield from (ex.Join(relation, top) for relation in relations + inverses)
    yield ex.Count(top)
    if not state.top.meaning.has_entities:
        if len(state.top.meaning.nodes) > 1:
            yield from superlatives(kb, top, relations, inverses)
        return
    taken = {part for part in conjuncts(top) if isinstance(part, ex.Class)}
    yield from (ex.And(klass, top) for klass in classes if klass not in taken)
    yield from superlatives(kb, top, relations, inverses)
    for closed in sorted(vocabulary.closed):
        for term in kb._terms:
            constant = ex.Value(term) if isinstance(term, Literal) else ex.Entity(term)
            relation_token = ex.Relation(kb.schema.relations[closed].iri)
            if (relation_token, constant) not in constraints_of(top):
                yield ex.Cons(top, relation_token, constant)
    for start in kb.schema.time_pairs:
        relation_token = ex.Relation(kb.schema.relations[start].iri)
        has_times = ValueKind.TIME in kb.schema.relations[start].kinds
        if relation_token in relations and has_times and dated(kb, state, start):
            yield from (ex.During(top, relation_token, moment) for moment in literals)
            yield ex.During(top, relation_token, ex.NOW)


def superlatives(
    kb: PlainKb, source: ex.Expression, relations: list[ex.Relation], inverses: list[ex.Relation]
) -> Iterator[ex.Expression]:
    for hops in range(kb.profile.path_hops):
        for steps in product(relations + inverses, repeat=hops):
            if not goes_on(kb, source, steps):
                continue
            for last in relations:
                yield from (ex.Extreme(direction, source, (*steps, last)) for direction in ex.Direction)


def goes_on(kb: PlainKb, source: ex.Expression, steps: Sequence[ex.Relation]) -> bool:
    """Whether every step of a path, and what follows it, leads from something else than numbers or times."""
    nodes = execute(source, kb).nodes
    for relation in steps:
        if are_measures(kb, nodes):
            return False
        nodes = kb.walk(Step(kb.schema.relation_ids[relation.iri], relation.inverse), nodes)
    return not are_measures(kb, nodes)


def are_measures(kb: PlainKb, nodes: NodeSet) -> bool:
    kinds = {kb._kind(node) for node in nodes.ids.tolist()} - {ValueKind.TEXT}
    return bool(kb.are_literals(nodes.ids).all()) and kinds in ({ValueKind.NUMBER}, {ValueKind.TIME})


def conjuncts(program: ex.Expression) -> Iterator[ex.Expression]:
    if isinstance(program, ex.And):
        yield from conjuncts(program.left)
        yield from conjuncts(program.right)
    elif isinstance(program, ex.Cons):
        yield from conjuncts(program.argument)
    else:
        yield program


def dated(kb: PlainKb, state: Partial, start: int) -> bool:
    assert state.top is not None
    end = kb.schema.time_pairs[start]
    values = [
        value
        for relation in (start, end)
        if relation is not None and not kb.schema.relations[relation].hidden
        for value in kb.values(relation, state.top.meaning.nodes).objects.tolist()
    ]
    return any(kb._kind(value) is ValueKind.TIME for value in values)


def faithful(kb: PlainKb, program: ex.Expression) -> bool:
    if fault(program, Names(kb.profile), kb.schema) is not None:
        return False
    result = execute(program, kb)
    return result.value is not None or len(result.nodes) > 0


@pytest.mark.parametrize("block", range(4))
def test_what_is_offered_is_exactly_what_denotes_something(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        rng = random.Random(seed)
        kb = random_kb(seed)
        kb.profile = replace(kb.profile, both_ways=True, path_hops=3 if seed % 12 == 5 else 1 + seed % 2)
        induction = Induction(kb)
        machine = induction.machine()
        topics = max(random_topics(seed), key=lambda topics: len(topics.items))
        state = machine.start(topics)
        for _ in range(3):
            expected = {p for p in possible(kb, induction.vocabulary, state) if faithful(kb, p)}
            found = {program for program in offered(machine, state) if is_of_the_paper(program, state)}
            if state.top is not None:
                found = {program for program in found if grows(program, state.top.expression)}
            assert found == expected
            state = step(machine, state, rng)


def is_of_the_paper(program: ex.Expression, state: Partial) -> bool:
    """Whether it is of what `possible` knows."""
    if isinstance(program, ex.Compare):
        return isinstance(program.value, ex.Value)
    if isinstance(program, ex.Extreme) and (program.first, program.last) != (1, 1):
        return False
    return state.top is not None or not isinstance(program, ex.Cons)


def grows(program: ex.Expression, top: ex.Expression) -> bool:
    """Whether a subprogram goes on from the newest set rather than starting a second branch."""
    match program:
        case ex.And(_, right):
            return right == top
        case ex.Join(_, argument) | ex.Extreme(_, argument, _) | ex.Count(argument):
            return argument == top
        case ex.Cons(argument, _, _) | ex.During(argument, _, _):
            return argument == top
        case _:
            return False


def step(machine: Machine, state: Partial, rng: random.Random) -> Partial:
    """One more subprogram at random, without opening a branch beside the newest set."""
    best = state
    for _ in range(20):
        trial = state
        while Symbol.END not in (options := machine.options(trial)).tokens or trial.closed == state.closed:
            tokens = [t for t in options.tokens if t is not Symbol.END and is_plain(trial, t)]
            if not tokens or trial.waiting is not None:
                break
            trial = machine.advance(trial, rng.choice(tokens))
        if trial.waiting is None and not trial.is_open and trial.closed > state.closed:
            best = trial
            break
    return best


def topic(name: str, start: int = 0, end: int = 0, group: int = 0) -> Topic:
    return Topic(ex.Entity(Iri(EX + name)), scorer.TopicWords(name, start, end, group))


def year(value: int, group: int = 9) -> Topic:
    return Topic(ex.Value(Literal(str(value), XSD + "gYear")), scorer.TopicWords(str(value), 0, 0, group))


FILMS = PlainKb(
    [
        ("alien", "type", "Film"),
        ("brazil", "type", "Film"),
        ("alien", "director", "ridley"),
        ("brazil", "director", "terry"),
        ("alien", "actor", "sigourney"),
        ("brazil", "actor", "jonathan"),
        ("alien", "length", Literal("117", XSD + "integer")),
        ("brazil", "length", Literal("142", XSD + "integer")),
        ("ridley", "born_in", "england"),
        ("ridley", "type", "Person"),
    ]
)


def texts(machine: Machine, state: Partial) -> list[str]:
    return [candidate.text for candidate in machine.options(state).candidates]


def after(machine: Machine, state: Partial, *words: str) -> Partial:
    """Take the candidates with these words, one after the other."""
    for word in words:
        position = texts(machine, state).index(word)
        state = machine.advance(state, machine.options(state).tokens[position])
    return state


def test_a_second_branch_must_meet_the_first() -> None:
    machine = Induction(FILMS).machine()
    topics = Topics((topic("ridley", group=0), topic("sigourney", group=1), topic("jonathan", group=2)))
    state = after(machine, machine.start(topics), "(", "follow", "ridley", "whose director is", ")", "(")
    state = after(machine, state, "follow")
    assert texts(machine, state) == ["sigourney", "whose director is ridley"], "jonathan is out of reach"
    state = after(machine, state, "sigourney", "whose actor is", ")")
    assert texts(machine, state) == ["("], "a waiting branch must be joined before the end"
    state = after(machine, state, "(", "and", "whose actor is sigourney", "whose director is ridley", ")")
    assert "end" in texts(machine, state)


def test_choosing_a_reading_rules_out_the_others_and_what_overlaps() -> None:
    machine = Induction(FILMS).machine()
    topics = Topics((topic("ridley", 0, 6, 0), topic("sigourney", 0, 6, 0), topic("jonathan", 4, 9, 1)))
    state = after(machine, machine.start(topics), "(", "follow", "ridley", "whose director is", ")", "(")
    assert texts(machine, after(machine, state, "follow")) == ["whose director is ridley"]


def test_a_number_can_only_end() -> None:
    machine = Induction(FILMS).machine()
    state = after(machine, machine.start(Topics()), "(", "how many", "film", ")")
    assert texts(machine, state) == ["end"]


def test_values_are_counted_or_walked_back_from() -> None:
    machine = Induction(FILMS).machine()
    state = after(
        machine, machine.start(Topics((topic("alien"),))), "(", "follow", "alien", "length", ")", "("
    )
    assert texts(machine, state) == ["follow", "at most", "more than", "at least", "how many"]
    assert texts(machine, after(machine, state, "follow", "length of alien")) == ["whose length is"]


def test_a_superlative_may_follow_one_relation_before_the_attribute() -> None:
    machine = Induction(FILMS).machine()
    state = after(machine, machine.start(Topics()), "(", "largest", "person", "whose director is")
    assert texts(machine, state) == ["length"]
    assert texts(machine, after(machine, state, "length")) == [")"]


def test_an_unknown_topic_offers_nothing() -> None:
    kb = PlainKb([("a", "r", "b")], hidden=["r"])
    machine = Induction(kb).machine()
    assert not len(machine.options(machine.start(Topics((topic("nowhere"), year(1999))))))


def test_a_declared_inverse_is_offered_once_where_the_profile_says_so() -> None:
    facts: list[tuple[str, str, str | Literal]] = [
        ("alien", "director", "ridley"),
        ("ridley", "directed", "alien"),
        ("brazil", "director", "terry"),
    ]
    for both_ways in (True, False):
        profile = replace(PROFILE, both_ways=both_ways)
        kb = PlainKb(facts, inverses={"director": "directed"}, profile=profile)
        machine = Induction(kb).machine()
        ridley, terry = (
            after(machine, machine.start(Topics((topic(name),))), "(", "follow", name)
            for name in ("ridley", "terry")
        )
        expected = ["directed", "whose director is"] if both_ways else ["directed"]
        assert texts(machine, ridley) == expected
        assert texts(machine, terry) == ["whose director is"], "where only one of the two is in the facts"


def test_a_profile_can_name_relations_with_constants() -> None:
    profile = replace(PROFILE, constants=("ex:dir*",))
    for kb in (FILMS, PlainKb([("alien", "director", "ridley"), ("alien", "actor", "sam")], profile=profile)):
        machine = Induction(kb).machine()
        name = "sigourney" if kb is FILMS else "sam"
        start = machine.start(Topics((topic(name),)))
        state = after(machine, start, "(", "follow", name, "whose actor is", ")", "(")
        assert ("only those with" in texts(machine, state)) == (kb is not FILMS)
