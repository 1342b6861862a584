"""Program text as tokens with their positions: parentheses, names in <…> or bare, and literals."""

from __future__ import annotations

import re
from dataclasses import dataclass

from arcaneqa.errors import InputError, ProgramError
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import RDF_LANG_STRING, XSD, XSD_STRING, Literal

MAX_DEPTH = 200
"""Far beyond any question, and shallow enough for every walk over a program."""

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<open>\() | (?P<close>\))
    | (?P<text>"(?:[^"\\]|\\.)*"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^(?:<[^<>\s]*>|[^\s()<>"]+))?)
    | (?P<typed>[^\s()<>"]+\^\^<[^<>\s]*>)
    | (?P<iri><[^<>\s]*>(?:_inv)?)
    | (?P<word>[^\s()<>"]+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@(.*)|\^\^(.*))?', re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\\ud800-\udfff]')
_BARE_LEXICAL = re.compile(r'[^\s()<>"^\\#_][^\s()<>"^\\]*')
NUMBER = re.compile(r"[+-]?\d[\d.,eE+-]*")
_BARE_VALUES = (
    (re.compile(r"[+-]?[0-9]+"), "integer"),
    (re.compile(r"[+-]?[0-9]+\.[0-9]+"), "decimal"),
    (re.compile(r"[+-]?[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+"), "double"),
    (re.compile(r"true|false"), "boolean"),
)
_BARE_DATATYPE = re.compile(r'https?://[^\s()<>"^]+')


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is open, close, word (a name or keyword), iri (with its brackets) or literal."""

    kind: str
    text: str
    position: int


def tokens(text: str) -> list[Token]:
    """All tokens; raises ProgramError where a character fits none, or parentheses nest too deep."""
    if broken := _SURROGATE.search(text):
        reason = f"half a character (U+{ord(broken[0]):04X}) stands at character {broken.start() + 1}"
        raise ProgramError(reason, broken.start())
    found: list[Token] = []
    position, depth = 0, 0
    end = len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            start = position + len(text[position:]) - len(text[position:].lstrip())
            what = "an unfinished quotation" if text[start] == '"' else f"an unexpected {text[start]!r}"
            raise ProgramError(f"there is {what} at character {start + 1}", start)
        kind = match.lastgroup
        start = match.start(kind)
        depth += (kind == "open") - (kind == "close")
        if depth > MAX_DEPTH:
            reason = f"the program is nested more than {MAX_DEPTH} deep at character {start + 1}"
            raise ProgramError(reason, start)
        if kind in ("text", "typed") or (kind == "word" and "^^" in match[kind]):
            kind = "literal"
        found.append(Token(kind, match[match.lastgroup], start))
        position = match.end()
    return found


def read_literal(text: str, names: Names) -> Literal:
    """A literal from `"text"`, `"text"@en`, `"1999"^^xsd:gYear` or `1999^^http://…#gYear`."""
    if text.startswith('"'):
        found = _QUOTED.fullmatch(text)
        assert found is not None, "the lexer lets no other quotation through"
        lexical, language, datatype = _unescaped(found[1]), found[2], found[3]
        if language:
            return Literal(lexical, RDF_LANG_STRING, language)
        if datatype is None:
            return Literal(lexical, XSD_STRING)
    else:
        lexical, _, datatype = text.rpartition("^^")
    try:
        return Literal(lexical, checked_iri(names.expand(datatype)))
    except InputError as error:
        raise ProgramError(f"the datatype of {text} is not clear: {error}") from error


def bare_literal(text: str) -> Literal | None:
    """What `3`, `8.5`, `1e9` or `true` stands for where a value may stand; None for anything else."""
    for form, datatype in _BARE_VALUES:
        if form.fullmatch(text):
            return Literal(text, XSD + datatype)
    return None


def write_literal(literal: Literal, names: Names) -> str:
    """GrailQA's bare form where it is safe to read back, quoted otherwise."""
    if literal.language:
        return f'"{_escaped(literal.lexical)}"@{literal.language}'
    if literal.datatype == XSD_STRING:
        return f'"{_escaped(literal.lexical)}"'
    if _BARE_LEXICAL.fullmatch(literal.lexical) and _BARE_DATATYPE.fullmatch(literal.datatype):
        return f"{literal.lexical}^^{literal.datatype}"
    return f'"{_escaped(literal.lexical)}"^^{names.short(literal.datatype)}'


def checked_iri(iri: str) -> str:
    """The IRI itself, if it can stand in <…> without changing what is around it."""
    if not iri or (found := _NOT_IN_IRI.search(iri)):
        problem = f"it holds {found[0]!r}" if iri and found else "it is empty"
        raise ProgramError(f"<{iri}> is not an IRI: {problem}")
    return iri


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    text = text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return "".join(c if c.isprintable() or c == " " else f"\\U{ord(c):08X}" for c in text)


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) == 1:
            if code not in _ESCAPES:
                raise ProgramError(f"\\{code} is not an escape; write \\\\ for a backslash")
            return _ESCAPES[code]
        number = int(code[1:], 16)
        if number > 0x10FFFF or 0xD800 <= number < 0xE000:
            raise ProgramError(f"\\{code} is not a character")
        return chr(number)

    return _ESCAPE.sub(character, text)
