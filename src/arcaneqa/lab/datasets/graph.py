"""From a published query to a program: its triples as a tree that hangs from the variable asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import Schema, ValueKind
from arcaneqa.kb.terms import Iri, Literal
from arcaneqa.lab.datasets.query import Atom, Conditions, Query, Triple, Var, conditions, moment, ordered_by
from arcaneqa.language import expression as ex
from arcaneqa.language.rewrite import canonical
from arcaneqa.support.errors import ProgramError


def program_of(
    query: Query, profile: Profile, named: Callable[[str], bool], schema: Schema | None = None
) -> tuple[ex.Expression, bool, bool]:
    """The program of a query, whether the query leaves the entities it names out of its answers, and whether
    it has a filter that the program leaves out: then only equal answers tell that it is the same.

    `named` says of an entity whether the question names it; a condition on one it does not name
    becomes a CONS. Raises ProgramError, its text a reason to count, for what no program expresses.
    """
    if query.group.unions:
        raise ProgramError("the query has alternatives")
    found = conditions(query)
    triples = _folded(_without_inverses(set(query.group.triples), schema), _fixed(query, found))
    builder = _Builder(query, found, triples, profile, named, schema)
    program = builder.build(query.target, None)
    if builder.left:
        raise ProgramError("the query has parts that do not hang together")
    return canonical(ex.Count(program) if query.counted else program), bool(found.excluded), found.apart


def _fixed(query: Query, found: Conditions) -> set[Atom]:
    """Variables that filters or the order speak of: they stand for themselves."""
    order = ordered_by(query)
    return {query.target, *found.compared, *found.dated, *([order[0]] if order else ())}


def _without_inverses(triples: set[Triple], schema: Schema | None) -> set[Triple]:
    """A fact and its inverse are one condition where the schema says that the relations are inverse."""
    if schema is None:
        return triples
    kept: set[Triple] = set()
    for subject, relation, value in sorted(triples, key=repr):
        id = schema.relation_ids.get(relation.value)
        inverse = None if id is None else schema.relations[id].inverse
        if inverse is None or (value, Iri(schema.relations[inverse].iri), subject) not in kept:
            kept.add((subject, relation, value))
    return kept


def _folded(triples: set[Triple], fixed: set[Atom]) -> set[Triple]:
    """Without the variables whose every condition some other node meets already: the answers are the same."""
    while True:
        nodes = {node for subject, _, value in triples for node in (subject, value)}
        for variable in sorted((n for n in nodes if isinstance(n, Var) and n not in fixed), key=repr):
            touching = {triple for triple in triples if variable in (triple[0], triple[2])}
            if any(_moved(touching, variable, other) <= triples for other in nodes - {variable}):
                triples = triples - touching
                break
        else:
            return triples


def _moved(triples: set[Triple], old: Atom, new: Atom) -> set[Triple]:
    return {(new if s == old else s, relation, new if o == old else o) for s, relation, o in triples}


class _Builder:
    def __init__(
        self,
        query: Query,
        found: Conditions,
        triples: set[Triple],
        profile: Profile,
        named: Callable[[str], bool],
        schema: Schema | None,
    ) -> None:
        self.conditions = found
        self.order = ordered_by(query)
        # In the order of the query, so that one query gives one program.
        self.left = [triple for triple in dict.fromkeys(query.group.triples) if triple in triples]
        self.profile = profile
        self.named = named
        self.schema = schema
        self.visited: set[Var] = set()

    def build(self, node: Var, along: ex.Relation | None) -> ex.Expression:
        """The set a variable stands for, apart from the way `along` which it was reached."""
        if node in self.visited:
            raise ProgramError("the query has a cycle")
        self.visited.add(node)
        sets: list[ex.Expression] = []
        implied: list[tuple[ex.Relation, ex.Entity]] = []
        classes: list[ex.Class] = []
        ranked: tuple[ex.Relation, ex.Expression, ex.Relation] | None = None
        own_rank: ex.Relation | None = None
        for relation, other in self.edges(node):
            match other:
                case Iri(iri) if relation.iri in self.profile.type and not relation.inverse:
                    classes.append(ex.Class(iri))
                case Iri(iri):
                    if self.named(iri):
                        sets.append(ex.Join(relation, ex.Entity(other)))
                    else:
                        implied.append((relation, ex.Entity(other)))
                case Literal():
                    sets.append(ex.Join(relation, ex.Value(other)))
                case Var() if self.is_value(other):
                    if self.order is not None and other == self.order[0]:
                        own_rank = relation
                    compared = self.conditions.compared.get(other, ())
                    sets += [ex.Compare(comparison, relation, value) for comparison, value in compared]
                case Var():
                    rank = self.rank_of(other)
                    child = self.build(other, relation)
                    if rank is None:
                        sets.append(ex.Join(relation, child))
                    else:
                        ranked = (relation, child, rank)
        result = self.narrowed(node, self.joined(sets, classes, implied, along, ranked is not None))
        if ranked is not None:
            result = self.superlative(result, *ranked)
        if result is None:
            raise ProgramError("the query has a variable without conditions")
        if own_rank is not None and along is None:
            result = ex.Extreme(self.direction(), result, (own_rank,))
        return result

    def edges(self, node: Var) -> Iterable[tuple[ex.Relation, Atom]]:
        mine = [triple for triple in self.left if node in (triple[0], triple[2])]
        self.left = [triple for triple in self.left if triple not in mine]
        neighbours = [value if subject == node else subject for subject, _, value in mine]
        variables = [neighbour for neighbour in neighbours if isinstance(neighbour, Var)]
        if node in variables or len(set(variables)) < len(variables):
            raise ProgramError("the query has a cycle")
        for subject, relation, value in mine:
            inverse = value == node
            yield ex.Relation(relation.value, inverse), subject if inverse else value

    def is_value(self, variable: Var) -> bool:
        """Whether a variable is only there to be compared or ordered by."""
        ordered = self.order is not None and variable == self.order[0]
        touching = sum(variable in (triple[0], triple[2]) for triple in self.left)
        return touching == 0 and (ordered or variable in self.conditions.compared)

    def rank_of(self, variable: Var) -> ex.Relation | None:
        """The relation of a variable to what the query orders by, if it is next to it."""
        if self.order is None:
            return None
        for subject, relation, value in self.left:
            if (subject, value) == (variable, self.order[0]):
                return ex.Relation(relation.value)
        return None

    def direction(self) -> ex.Direction:
        return ex.Direction.LARGEST if self.order is not None and self.order[1] else ex.Direction.SMALLEST

    def joined(
        self,
        sets: list[ex.Expression],
        classes: list[ex.Class],
        implied: list[tuple[ex.Relation, ex.Entity]],
        along: ex.Relation | None,
        may_be_open: bool,
    ) -> ex.Expression | None:
        """The conjunction of all conditions on a node; None where there are none, if that may be."""
        if not sets and not classes and not implied:
            return None if may_be_open else self.range_of(along)
        if not sets and not classes:
            sets.append(ex.Join(*implied.pop(0)))
        result: ex.Expression = sets[0] if sets else classes.pop(0)
        for other in sets[1:]:
            result = ex.And(result, other)
        for klass in classes:
            result = ex.And(klass, result)
        for relation, entity in implied:
            result = ex.Cons(result, relation, entity)
        return result

    def range_of(self, along: ex.Relation | None) -> ex.Expression | None:
        """Some value, any value: the class that the schema gives for what the relation leads to."""
        if along is None or self.schema is None or along.iri not in self.schema.relation_ids:
            return None
        relation = self.schema.relations[self.schema.relation_ids[along.iri]]
        klass = relation.domain if along.inverse else relation.range
        return None if klass is None else ex.Class(self.schema.classes[klass].iri)

    def narrowed(self, node: Var, result: ex.Expression | None) -> ex.Expression | None:
        """A set within its time, if the conditions name one and the knowledge base has dates for it."""
        if result is None or node not in self.conditions.dated:
            return result
        start, end, when = moment(self.conditions.dated[node], self.profile)
        if self.schema is not None:
            known = [self.schema.relation_ids.get(iri) for iri in (start, end)]
            if not any(i is not None and ValueKind.TIME in self.schema.relations[i].kinds for i in known):
                return result
        return ex.During(result, ex.Relation(start), when)

    def superlative(
        self, rest: ex.Expression | None, along: ex.Relation, child: ex.Expression, rank: ex.Relation
    ) -> ex.Expression:
        """The node next to the best of its neighbours, among neighbours of what else is asked of it."""
        if rest is None:
            return ex.Join(along, ex.Extreme(self.direction(), child, (rank,)))
        within = ex.And(child, ex.Join(ex.Relation(along.iri, not along.inverse), rest))
        return ex.And(rest, ex.Join(along, ex.Extreme(self.direction(), within, (rank,))))
