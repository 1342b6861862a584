"""Every program of a dataset through the whole language: text, steps, execution and SPARQL."""

from __future__ import annotations

import bz2
import gzip
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pyoxigraph

from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.profile import Profile
from arcaneqa.kb.short_names import Names
from arcaneqa.kb.terms import XSD
from arcaneqa.lab.datasets.draft import DraftQuestion
from arcaneqa.language.expression import Class, Expression
from arcaneqa.language.rewrite import canonical
from arcaneqa.language.run import answer_terms, execute, same_answers
from arcaneqa.language.sparql import to_sparql
from arcaneqa.language.steps import from_steps, to_steps
from arcaneqa.language.text import parse, print_program
from arcaneqa.support.errors import InputError, ProgramError

_OPENERS = {".gz": gzip.open, ".bz2": bz2.open}


def load(facts: Path) -> pyoxigraph.Store:
    """The facts of an index once more, in the store that answers SPARQL."""
    store = pyoxigraph.Store()
    try:
        with _OPENERS.get(facts.suffix, open)(facts, "rb") as file:  # type: ignore[operator]
            store.bulk_load(file, format=pyoxigraph.RdfFormat.N_TRIPLES)
    except (OSError, SyntaxError, EOFError) as error:
        raise InputError(f"{facts}: cannot be read as N-Triples ({error}).") from error
    return store


def report(drafts: Iterable[DraftQuestion], kb: KnowledgeBase, store: pyoxigraph.Store | None) -> str:
    """A Markdown table: how many programs pass each check, and how long they take."""
    tally = _Tally(kb, store)
    for draft in drafts:
        tally.add(draft)
    return tally.table()


class _Tally:
    def __init__(self, kb: KnowledgeBase, store: pyoxigraph.Store | None) -> None:
        self.kb = kb
        self.store = store
        self.names = Names(kb.profile)
        # Published text spells IRIs out: with no prefixes but the base, so does the printer.
        self.plain = Names(Profile("plain", (), (), (), base=kb.profile.base))
        self.questions = 0
        self.passed: Counter[str] = Counter()
        self.tried: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.seconds: dict[str, list[float]] = {"parse": [], "execute": []}

    def check(self, name: str, passes: bool) -> None:
        self.tried[name] += 1
        self.passed[name] += passes

    def add(self, draft: DraftQuestion) -> None:
        self.questions += 1
        self.check("converts", bool(draft.programs))
        published = self.published(draft)
        if not draft.programs:
            self.reasons[draft.reason or "no program is given"] += 1
            if draft.answers is not None:
                self.check("finds the published answers", False)
            if published is not None:
                self.check("finds the answers of the published SPARQL", False)
            return
        program = draft.programs[0]
        self.text(program, draft.source)
        if not isinstance(program, Class):
            self.check("survives the steps", from_steps(to_steps(program)) == program)
            settled = canonical(program)
            self.check("survives the canonical steps", from_steps(to_steps(settled)) == settled)
        begun = time.perf_counter()
        try:
            result = execute(program, self.kb, exclude_mentioned=draft.exclude_mentioned)
        except ProgramError as error:
            self.reasons[str(error)] += 1
            self.check("executes", False)
            return
        self.seconds["execute"].append(time.perf_counter() - begun)
        self.check("executes", True)
        found = answer_terms(result, self.kb)
        if draft.answers is not None:
            self.check("finds the published answers", same_answers(found, draft.answers, self.names))
        if published is not None:
            self.check("finds the answers of the published SPARQL", set(found) == published)
        if self.store is not None:
            query = to_sparql(program, self.kb.profile, self.kb.schema, draft.exclude_mentioned)
            self.check("compiles to SPARQL with the same answers", set(found) == self.ask(query))

    def text(self, program: Expression, source: str | None) -> None:
        printed = print_program(program, self.names)
        begun = time.perf_counter()
        again = parse(printed, self.names)
        self.seconds["parse"].append(time.perf_counter() - begun)
        self.check("parses back from canonical text", again == program)
        if source is not None:
            same = source in (print_program(program, names, "grailqa") for names in (self.names, self.plain))
            self.check("prints the published text byte for byte", same)

    def published(self, draft: DraftQuestion) -> set[str] | None:
        if self.store is None or not draft.parses:
            return None
        return self.ask(_standard(draft.parses[0].query))

    def ask(self, query: str) -> set[str]:
        assert self.store is not None
        solutions = self.store.query(query)
        assert isinstance(solutions, pyoxigraph.QuerySolutions)
        terms = (solution[0] for solution in solutions)
        return {
            self.names.short(term.value) if isinstance(term, pyoxigraph.NamedNode) else str(term.value)
            for term in terms
            if isinstance(term, pyoxigraph.NamedNode | pyoxigraph.Literal)
        }

    def table(self) -> str:
        rows = ["| check | programs | of | share |", "|---|---|---|---|"]
        for name, tried in self.tried.items():
            share = f"{100 * self.passed[name] / tried:.2f}%"
            rows.append(f"| {name} | {self.passed[name]:,} | {tried:,} | {share} |")
        rows.append("")
        for name, seconds in self.seconds.items():
            if seconds:
                median, worst = statistics.median(seconds), max(seconds)
                rows.append(
                    f"- to {name} a program: median {1000 * median:.3f} ms, longest {1000 * worst:.1f} ms"
                )
        rows += [f"- not converted, {count:,}: {reason}" for reason, count in self.reasons.most_common()]
        return "\n".join(rows)


def _standard(query: str) -> str:
    """A published query as SPARQL 1.1: see `arcaneqa.lab.datasets.query` for how it differs."""
    prefixes = dict(re.findall(r"PREFIX\s+(\w+):\s*<([^>]*)>", query)) | {"xsd": XSD}

    def full(name: re.Match[str]) -> str:
        local = name[2].rstrip(".")
        dots = name[2][len(local) :]
        return f"<{prefixes[name[1]]}{local}>{dots}" if name[1] in prefixes else name[0]

    body = re.sub(r"PREFIX\s+\w+:\s*<[^>]*>", "", query)
    body = re.sub(r"\bOR\b", "||", body).replace("xsd:datetime", "xsd:dateTime")
    return re.sub(r"\b(\w+):([\w.]+)", full, body)
