"""Programs as S-expressions: parse both dialects, print either.

A bare name is an entity where JOIN, CONS, OR, MEET or NOT's second argument looks for one and a class where a
set is expected; where a program means it the other way round, canonical text says `(CLASS c)` or
`(ENTITY e)`. Where a value may stand, a bare `3`, `8.5` or `true` is one.
"""

from __future__ import annotations

from typing import Literal as Choice

from arcaneqa.kb.schema import Schema
from arcaneqa.kb.short_names import Names
from arcaneqa.program.expression import Expression
from arcaneqa.program.parser import Parser
from arcaneqa.program.printer import Printer

Dialect = Choice["canonical", "grailqa"]


def parse(text: str, names: Names, schema: Schema | None = None) -> Expression:
    """The program a text stands for; raises ProgramError with the position of what is wrong.

    With a schema, relations and classes it does not have are rejected, and so is ordering by a
    relation without values; a class is then recognised as JOIN's argument too.
    """
    return Parser(text, names, schema).program()


def print_program(program: Expression, names: Names, dialect: Dialect = "canonical") -> str:
    """The program as text: `canonical` (`r_inv`), or as GrailQA writes it (`(R r)`, lower-case `ge`)."""
    return Printer(names, dialect == "grailqa").write(program)
