"""N-Triples is accepted and refused as its grammar says."""

from __future__ import annotations

from pathlib import Path

import pytest

from arcaneqa.kb.build.sources import Skipped, Source
from arcaneqa.support.errors import InputError

S, P, T = "<http://a.example/s>", "<http://a.example/p>", "<http://a.example/o>"

# text → number of statements
GOOD = {
    "": 0,
    "\n\n": 0,
    "# only a comment": 0,
    "# one\n  # two\n": 0,
    f"{S} {P} {T} .": 1,
    f"{S} {P} {T} .\n": 1,
    f"{S}\t{P}\t{T}\t.": 1,
    f"  {S}   {P}   {T}   .   ": 1,
    f"{S}{P}{T}.": 1,
    f"{S} {P} {T} . # a comment": 1,
    f"{S} {P} {T} .\n# between\n{S} {P} {T} .\n": 2,
    f"{S} {P} {T} .\r\n{S} {P} {T} .\r\n": 2,
    f"{S} {P} {T} .\n\n\n{S} {P} {T} .": 2,
    f"_:a {P} {T} .": 1,
    f"{S} {P} _:a .": 1,
    f"_:a {P} _:b .": 1,
    f"_:1a {P} {T} .": 1,
    f"_:a.b {P} {T} .": 1,
    f"_:a-b_c {P} {T} .": 1,
    f"_:é {P} {T} .": 1,
    f'{S} {P} "text" .': 1,
    f'{S} {P} "" .': 1,
    f'{S} {P} "it\'s" .': 1,
    f'{S} {P} "a # b" .': 1,
    f'{S} {P} "é 漢 😀" .': 1,
    f'{S} {P} "\\t\\b\\n\\r\\f\\"\\\'\\\\" .': 1,
    f'{S} {P} "\\u00E9" .': 1,
    f'{S} {P} "\\U0001F600" .': 1,
    f'{S} {P} "tab\there" .': 1,
    f'{S} {P} "x"@en .': 1,
    f'{S} {P} "x"@en-GB .': 1,
    f'{S} {P} "x"@zh-Hant-TW .': 1,
    f'{S} {P} "1"^^<http://www.w3.org/2001/XMLSchema#integer> .': 1,
    f'{S} {P} "one"^^<http://www.w3.org/2001/XMLSchema#integer> .': 1,
    f'{S} {P} "x"^^<http://a.example/own> .': 1,
    f'{S} {P} "\x7f" .': 1,
    f'{S} {P} "\x01" .': 1,
    "<http://a.example/\\u00E9> <scheme:p> <urn:uuid:0> .": 1,
    "<http://a.example/é?q=1#f> <mailto:a@b.example> <tag:x,2020:y> .": 1,
}
BAD = [
    f"{S} {P} {T}",
    f"{S} {P} .",
    f"{S} {P} {T} {T} .",
    f"{S} {P} {T} , {S} .",
    f"{S} {P} {T} ; {P} {S} .",
    f"{S} {P} {T} . {S} {P} {T} .",
    f"{S}\n{P} {T} .",
    f"{S} _:a {T} .",
    f'{S} "p" {T} .',
    f'"s" {P} {T} .',
    f"{S} a {T} .",
    f"<s> {P} {T} .",
    f"{S} <p> {T} .",
    f"{S} {P} <o> .",
    f'{S} {P} "1"^^<int> .',
    f"<http://a.example/\\u00ZZ> {P} {T} .",
    f"<http://a.example/\\U00ZZ1111> {P} {T} .",
    f"<http://a.example/\\n> {P} {T} .",
    f"<http://a.example/\\/> {P} {T} .",
    f"<http://a.example/s {P} {T} .",
    "@prefix x: <http://a.example/> .",
    "@base <http://a.example/> .",
    f"x:s {P} {T} .",
    f'{S} {P} "text .',
    f"{S} {P} 'text' .",
    f'{S} {P} """text""" .',
    f"{S} {P} text .",
    f"{S} {P} 1 .",
    f"{S} {P} 1.0 .",
    f"{S} {P} 1.0e1 .",
    f"{S} {P} true .",
    f'{S} {P} "\\a" .',
    f'{S} {P} "\\u00Z9" .',
    f'{S} {P} "\\U00110000" .',
    f'{S} {P} "\\x41" .',
    f'{S} {P} "x"@ .',
    f'{S} {P} "x"^^ .',
    f'{S} {P} "x"^^"y" .',
    f'{S} {P} "x"^<http://a.example/t> .',
    f'{S} {P} "x"en .',
    f"_: {P} {T} .",
    f"_:-a {P} {T} .",
    f"[] {P} {T} .",
    f"{S} {P} ( ) .",
    f'{S} {P} "a\nb" .',
]
ODD = [
    f"<http://a.example/ s> {P} {T} .",
    f"<http://a.example/\\u0020> {P} {T} .",
    f"<http://a.example/{{x}}> {P} {T} .",
    f'{S} {P} "x"@1 .',
    f'{S} {P} "x"@en- .',
]


def read(tmp_path: Path, text: str | bytes, skipped: Skipped | None = None) -> int:
    path = tmp_path / "case.nt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return sum(1 for _ in Source(path, skipped).statements())


@pytest.mark.parametrize("text", GOOD)
def test_accepted(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text) == GOOD[text]


@pytest.mark.parametrize("text", BAD)
def test_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"case\.nt, line [12]: "):
        read(tmp_path, text)


@pytest.mark.parametrize("text", ODD)
def test_odd_terms_are_told(tmp_path: Path, text: str) -> None:
    """Nothing is wrong with the line but how it writes a term."""
    path = tmp_path / "case.nt"
    path.write_text(text)
    source = Source(path, None)
    assert sum(1 for _ in source.statements()) == 1
    assert source.odd.count == 1


@pytest.mark.parametrize("text", BAD)
def test_lenient_keeps_the_neighbours(tmp_path: Path, text: str) -> None:
    skipped = Skipped()
    assert read(tmp_path, f"{S} {P} _:before .\n{text}\n{S} {P} _:after .\n", skipped) == 2
    assert skipped.count in (1, 2)
    assert "case.nt, line 2: " in skipped.first[0]


def test_not_utf8(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 2: .*UTF-8"):
        read(tmp_path, f"{S} {P} {T} .\n{S} {P} ".encode() + b'"\xff" .\n')


def test_the_line_is_counted_through_the_whole_file(tmp_path: Path) -> None:
    good = f"{S} {P} {T} .\n" * 120_000
    with pytest.raises(InputError, match="line 120001: "):
        read(tmp_path, f"{good}{S} {P} .\n{good}")
