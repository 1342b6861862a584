"""Tokens spelled as the published model reads them: whole names, and functions as they stand in programs.

A relation is all of its name ("people person place of birth"), with "inv" behind it where the token says so.
The classes it leads from and to stay beside it, for who measures what they are worth (`types`); the published
model does not read them. Where names are codes, labels say more and take their place.
"""

from __future__ import annotations

from dataclasses import replace

from arcaneqa.induction.scorer import Candidate
from arcaneqa.induction.vocabulary import COMPARATIVES, Options, Token
from arcaneqa.kb.names.words import label_from_iri
from arcaneqa.kb.schema import Schema
from arcaneqa.language.expression import Class, Now, Relation
from arcaneqa.language.steps import Function, Symbol

_END = "@end@"


class Spelling:
    """Spells the tokens of one knowledge base; a spelled candidate is made once."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._known: dict[Token, Candidate] = {}

    def options(self, options: Options) -> Options:
        pairs = zip(options.tokens, options.candidates, strict=True)
        return Options(options.tokens, [self._spelled(token, candidate) for token, candidate in pairs])

    def _spelled(self, token: Token, candidate: Candidate) -> Candidate:
        text = self._text(token)
        if text is None:
            return candidate
        found = self._known.get(token)
        if found is None:
            found = self._known[token] = replace(candidate, text=text)
        return found

    def _text(self, token: Token) -> str | None:
        match token:
            case Relation(iri, inverse):
                name = self._name(iri, self._schema.relations[self._schema.relation_ids[iri]].label)
                return f"{name} inv" if inverse else name
            case Class(iri):
                return self._name(iri, self._schema.classes[self._schema.class_ids[iri]].label)
            case Function():
                return token.value.lower() if token in COMPARATIVES else token.value
            case Symbol.END:
                return _END
            case Now():
                return "NOW"
            case _:
                return None

    def _name(self, iri: str, label: str) -> str:
        spelled = label_from_iri(iri)
        is_code = not any(len(part) > 1 and part.isalpha() for part in spelled.split())
        return label if is_code else spelled
