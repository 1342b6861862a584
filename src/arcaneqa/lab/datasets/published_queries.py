"""Questions published with SPARQL: every query that can be becomes a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from arcaneqa.kb.profile import Profile
from arcaneqa.kb.schema import Schema
from arcaneqa.kb.short_names import Names
from arcaneqa.lab.datasets.draft import DraftQuestion, NameLookup, Parse
from arcaneqa.lab.datasets.graph import program_of
from arcaneqa.lab.datasets.query import Query, read_query
from arcaneqa.language.expression import Expression
from arcaneqa.support.errors import ProgramError

NamesEntity = Callable[[Query, str, list[str]], bool]
"""Whether a question names an entity, given its query, the entity's IRI and what it is called."""


@dataclass(frozen=True)
class Publication:
    """What reading a query needs to know of a knowledge base; names and schema where there is one."""

    profile: Profile
    lookup: NameLookup
    schema: Schema | None = None

    def draft(
        self,
        id: str,
        question: str,
        queries: Sequence[str],
        answers: Sequence[tuple[str, ...] | None],
        names: dict[str, list[str]],
        names_entity: NamesEntity,
    ) -> DraftQuestion:
        """`answers` are those of each query; `names` is what the dataset calls entities, by short form."""
        parses: list[Parse] = []
        excluded, wider, reason = False, False, "no query is given"
        for text, published in zip(queries, answers, strict=True):
            program: Expression | None = None
            try:
                query = read_query(text)
                named = partial(self._is_named, query, names, names_entity)
                program, excludes, leaves_out = program_of(query, self.profile, named, self.schema)
            except ProgramError as error:
                reason = str(error)
            else:
                # The first parse decides: it is the one whose answers count.
                if not any(parse.program for parse in parses):
                    excluded, wider = excludes, leaves_out
            parses.append(Parse(text, program, published))
        programs = tuple(dict.fromkeys(parse.program for parse in parses if parse.program is not None))
        return DraftQuestion(
            id,
            question,
            programs,
            None if programs else reason,
            parses[0].answers if parses else None,
            names,
            exclude_mentioned=excluded,
            must_agree=wider,
            parses=tuple(parses),
        )

    def _is_named(
        self, query: Query, names: dict[str, list[str]], names_entity: NamesEntity, iri: str
    ) -> bool:
        entity = Names(self.profile).short(iri)
        known = [*names.get(entity, ()), *self.lookup(entity)]
        # Nothing known of it: then nothing says that it is only implied.
        return not known or names_entity(query, iri, known)
