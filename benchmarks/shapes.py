"""The same books in ten shapes that people keep data in, asked the same questions.

`python -m benchmarks shapes` prints, for each shape, how many questions are answered right, and how many of
those that the plainest shape answers.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from arcaneqa.answer.answer import Answer
from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.kb.build import build_index
from arcaneqa.support.terminal import say
from benchmarks.app import app


@dataclass(frozen=True)
class Book:
    title: str
    authors: tuple[str, ...]
    editor: str
    translator: str | None
    publisher: str
    year: int
    pages: int
    price: float
    in_print: bool
    language: str


_PERSONS = {
    "Ada Fenwick": (1931, "Lisbon"),
    "Bruno Halloran": (1944, "Dublin"),
    "Clara Ostrander": (1950, "Oslo"),
    "Dmitri Vasko": (1938, "Prague"),
    "Elena Marchetti": (1962, "Turin"),
    "Farid Benali": (1957, "Tunis"),
    "Greta Lindqvist": (1949, "Oslo"),
    "Hugo Castellan": (1970, "Lisbon"),
    "Ines Dorado": (1966, "Seville"),
    "Jonas Weidner": (1941, "Prague"),
}
"""Who was born when and where."""
_COUNTRIES = {
    "Lisbon": "Portugal",
    "Dublin": "Ireland",
    "Oslo": "Norway",
    "Prague": "Czechia",
    "Turin": "Italy",
    "Tunis": "Tunisia",
    "Seville": "Spain",
}
_PUBLISHERS = {"Copperbeech Press": "Dublin", "Nightjar Books": "Oslo", "Meridian House": "Lisbon"}


def _books() -> Iterator[Book]:
    for line in _LIST.splitlines():
        title, authors, editor, translator, publisher, year, pages, price, in_print, language = line.split(
            "|"
        )
        numbers = int(year), int(pages), float(price)
        persons = tuple(authors.split("; ")), editor, translator or None
        yield Book(title, *persons, publisher, *numbers, in_print == "yes", language)


_LIST = """\
The Salt Orchard|Ada Fenwick|Ines Dorado||Nightjar Books|1971|212|11.5|yes|English
Winter Ferries|Bruno Halloran|Ada Fenwick|Jonas Weidner|Copperbeech Press|1983|340|14.0|no|English
A Map of Quarries|Clara Ostrander|Ines Dorado|Hugo Castellan|Nightjar Books|1990|188|9.9|yes|Norwegian
Glass Harvest|Dmitri Vasko; Elena Marchetti|Bruno Halloran||Meridian House|1996|405|22.0|yes|Italian
The Long Meridian|Ada Fenwick|Farid Benali|Greta Lindqvist|Meridian House|1988|276|13.25|no|English
Letters to a Lighthouse|Farid Benali|Greta Lindqvist||Copperbeech Press|2003|154|8.75|yes|French
Nocturne for Two Rivers|Greta Lindqvist|Ines Dorado|Jonas Weidner|Nightjar Books|2009|298|16.4|no|Norwegian
The Beekeeper's Ledger|Hugo Castellan|Ada Fenwick||Meridian House|2012|361|18.9|yes|Portuguese
Alder Row|Bruno Halloran; Ines Dorado|Farid Benali|Clara Ostrander|Copperbeech Press|1999|250|12.6|yes|English
Stone Lullaby|Jonas Weidner|Bruno Halloran||Copperbeech Press|1979|130|7.2|no|Czech
The Glassblower's Son|Elena Marchetti|Greta Lindqvist|Farid Benali|Nightjar Books|2015|323|19.5|yes|Italian
Harbour Without Names|Ada Fenwick|Hugo Castellan||Copperbeech Press|1994|239|10.3|no|English
"""
_BOOKS = list(_books())


def _titles(which: Callable[[Book], bool]) -> list[str]:
    return [book.title for book in _BOOKS if which(book)]


def _book(title: str) -> Book:
    return next(book for book in _BOOKS if book.title == title)


def questions() -> list[tuple[str, list[str]]]:
    """What is asked of every shape, and what is right."""
    asked: list[tuple[str, list[str]]] = []
    for title in ("Winter Ferries", "Glass Harvest", "Stone Lullaby"):
        asked.append((f"Who wrote {title}?", list(_book(title).authors)))
    for person in ("Ada Fenwick", "Greta Lindqvist"):
        asked.append((f"Which books did {person} write?", _titles(lambda b, p=person: p in b.authors)))  # type: ignore[misc]
        asked.append((f"Where was {person} born?", [_PERSONS[person][1]]))
    for title in ("The Salt Orchard", "Letters to a Lighthouse"):
        asked.append((f"Who edited {title}?", [_book(title).editor]))
        asked.append((f"Who is the publisher of {title}?", [_book(title).publisher]))
        asked.append((f"How many pages does {title} have?", [str(_book(title).pages)]))
    for person in ("Ines Dorado", "Bruno Halloran"):
        asked.append((f"Which books did {person} edit?", _titles(lambda b, p=person: p == b.editor)))  # type: ignore[misc]
    asked.append(("Who translated The Long Meridian?", ["Greta Lindqvist"]))
    asked.append(
        ("Which books did Jonas Weidner translate?", _titles(lambda b: b.translator == "Jonas Weidner"))
    )
    for title in ("A Map of Quarries", "The Beekeeper's Ledger"):
        asked.append((f"When was {title} published?", [str(_book(title).year)]))
    for name in ("Copperbeech Press", "Meridian House"):
        asked.append((f"Which books were published by {name}?", _titles(lambda b, n=name: b.publisher == n)))  # type: ignore[misc]
    asked.append(("How many books did Ada Fenwick write?", ["3"]))
    asked.append(("Which book has the most pages?", ["Glass Harvest"]))
    asked.append(("Which book is the cheapest?", ["Stone Lullaby"]))
    asked.append(("What is the price of Glass Harvest?", ["22"]))
    asked.append(("Which books were published after 2000?", _titles(lambda b: b.year > 2000)))
    asked.append(("Which books are in print?", _titles(lambda b: b.in_print)))
    asked.append(("Which books are not in print?", _titles(lambda b: not b.in_print)))
    asked.append(("Which books are in Italian?", _titles(lambda b: b.language == "Italian")))
    asked.append(("What is the language of Stone Lullaby?", ["Czech"]))
    asked.append(("Who was born in Prague?", [p for p, (_, city) in _PERSONS.items() if city == "Prague"]))
    return asked


# Graphs.


_PREFIXES = """@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


def _local(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace("'", "").split())


def _node(name: str) -> str:
    return f"ex:{_local(name)}"


def _said(node: str, kind: str, name: str, *facts: str) -> str:
    return " ;\n  ".join((f"{node} a ex:{kind}", f'rdfs:label "{name}"', *facts)) + " .\n"


def _things() -> list[str]:
    """What is said alike in the shapes that are about contributions."""
    lines = [_said(_node(city), "City", city, f'ex:country "{land}"') for city, land in _COUNTRIES.items()]
    lines += [
        _said(_node(name), "Person", name, f"ex:birthPlace {_node(city)}", f"ex:birthYear {year}")
        for name, (year, city) in _PERSONS.items()
    ]
    lines += [
        _said(_node(name), "Publisher", name, f"ex:city {_node(city)}") for name, city in _PUBLISHERS.items()
    ]
    languages = sorted({book.language for book in _BOOKS})
    lines += [_said(_node(language), "Language", language) for language in languages]
    return lines


def _attributes(book: Book) -> list[str]:
    return [
        f"ex:pages {book.pages}",
        f"ex:price {book.price}",
        f"ex:inPrint {str(book.in_print).lower()}",
        f"ex:language {_node(book.language)}",
    ]


def _turtle(folder: Path, lines: Iterable[str]) -> Path:
    path = folder / "kb.ttl"
    path.write_text(_PREFIXES + "".join(lines), encoding="utf-8")
    return path


def _contributions(book: Book) -> list[tuple[str, str]]:
    found = [("author", person) for person in book.authors] + [("editor", book.editor)]
    return found + ([("translator", book.translator)] if book.translator else [])


def plain(folder: Path) -> Path:
    def told(book: Book) -> str:
        people = [f"ex:{role} {_node(person)}" for role, person in _contributions(book)]
        more = [f"ex:publisher {_node(book.publisher)}", f"ex:published {book.year}", *_attributes(book)]
        return _said(_node(book.title), "Book", book.title, *people, *more)

    return _turtle(folder, [*_things(), *map(told, _BOOKS)])


def roles(folder: Path) -> Path:
    """Contributions with a role, and publications."""
    lines = _things()
    lines += [_said(_node(role), "Role", role) for role in ("author", "editor", "translator")]
    for number, book in enumerate(_BOOKS):
        lines.append(_said(_node(book.title), "Book", book.title, *_attributes(book)))
        lines += [
            f"ex:contribution{number}_{place} a ex:Contribution ; ex:work {_node(book.title)} ; "
            f"ex:agent {_node(person)} ; ex:role {_node(role)} .\n"
            for place, (role, person) in enumerate(_contributions(book))
        ]
        lines.append(
            f"ex:publication{number} a ex:Publication ; ex:work {_node(book.title)} ; "
            f"ex:publisher {_node(book.publisher)} ; ex:year {book.year} .\n"
        )
    return _turtle(folder, lines)


def reified(folder: Path) -> Path:
    """A nameless node for every contribution, of a kind of its own."""

    def told(book: Book) -> str:
        kinds = {"author": "Authorship", "editor": "Editorship", "translator": "Translation"}
        people = [
            f"ex:has{kinds[role]} [ a ex:{kinds[role]} ; ex:{role} {_node(person)} ; ex:position {place} ]"
            for place, (role, person) in enumerate(_contributions(book), 1)
        ]
        by = _node(book.publisher)
        published = f"ex:hasPublication [ a ex:Publication ; ex:publisher {by} ; ex:year {book.year} ]"
        return _said(_node(book.title), "Book", book.title, *people, published, *_attributes(book))

    return _turtle(folder, [*_things(), *map(told, _BOOKS)])


def events(folder: Path) -> Path:
    """Who did what to which thing and when, in the manner of CIDOC; names are things as well."""
    kinds = {"author": "Writing", "editor": "Editing", "translator": "Translation"}

    def named(node: str, kind: str, name: str) -> str:
        return (
            f"{node} a ex:{kind} ; ex:P1_is_identified_by [ a ex:E41_Appellation ; "
            f'ex:P190_has_symbolic_content "{name}" ] .\n'
        )

    lines = [named(f"ex:place{n}", "E53_Place", city) for n, city in enumerate(_COUNTRIES)]
    places = {city: f"ex:place{n}" for n, city in enumerate(_COUNTRIES)}
    persons = {name: f"ex:actor{n}" for n, name in enumerate((*_PERSONS, *_PUBLISHERS))}
    lines += [named(persons[name], "E21_Person", name) for name in _PERSONS]
    lines += [named(persons[name], "Publisher", name) for name in _PUBLISHERS]
    lines += [
        f"ex:birth{n} a ex:Birth ; ex:brought_into_life {persons[name]} ; ex:took_place_at {places[city]} ; "
        f"ex:has_time_span [ a ex:Time_Span ; ex:at_some_time_within {year} ] .\n"
        for n, (name, (year, city)) in enumerate(_PERSONS.items())
    ]
    languages = sorted({book.language for book in _BOOKS})
    lines += [_said(_node(language), "Language", language) for language in languages]
    for number, book in enumerate(_BOOKS):
        node = f"ex:work{number}"
        lines.append(named(node, "Book", book.title))
        lines.append(" ;\n  ".join((node, *_attributes(book))).replace(" ;\n", " ", 1) + " .\n")
        lines += [
            f"ex:event{number}_{place} a ex:{kinds[role]} ; ex:carried_out_by {persons[person]} ; "
            f"ex:has_worked_on {node} .\n"
            for place, (role, person) in enumerate(_contributions(book))
        ]
        lines.append(
            f"ex:publishing{number} a ex:Publication ; ex:has_published {node} ; "
            f"ex:carried_out_by {persons[book.publisher]} ; "
            f"ex:has_time_span [ a ex:Time_Span ; ex:at_some_time_within {book.year} ] .\n"
        )
    return _turtle(folder, lines)


def measurements(folder: Path) -> Path:
    """Values with a unit, things called by a property of the file's own, and codes for IRIs, as in Brick."""
    lines = [f'ex:Y{n} a ex:City ; ex:name "{city}" .\n' for n, city in enumerate(_COUNTRIES)]
    cities = {city: f"ex:Y{n}" for n, city in enumerate(_COUNTRIES)}
    people = {name: f"ex:P{n}" for n, name in enumerate(_PERSONS)}
    houses = {name: f"ex:H{n}" for n, name in enumerate(_PUBLISHERS)}
    lines += [
        f'{people[name]} a ex:Person ; ex:name "{name}" ; ex:hasBirthPlace {cities[city]} .\n'
        for name, (_, city) in _PERSONS.items()
    ]
    lines += [
        f'{houses[name]} a ex:Publisher ; ex:name "{name}" ; ex:hasLocation {cities[city]} .\n'
        for name, city in _PUBLISHERS.items()
    ]
    for number, book in enumerate(_BOOKS):
        told = [f"ex:B{number:02} a ex:Book", f'ex:name "{book.title}"']
        told += [f"ex:has{role.capitalize()} {people[person]}" for role, person in _contributions(book)]
        told += [
            f"ex:hasPublisher {houses[book.publisher]}",
            f"ex:yearPublished [ ex:value {book.year} ]",
            f"ex:pages [ ex:value {book.pages} ; ex:hasUnit ex:PAGE ]",
            f"ex:price [ ex:value {book.price} ; ex:hasUnit ex:EUR ]",
            f"ex:inPrint [ ex:value {str(book.in_print).lower()} ]",
            f'ex:language "{book.language}"',
        ]
        lines.append(" ; ".join(told) + " .\n")
    return _turtle(folder, lines)


# Tables.


def _write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    def cell(value: object) -> str:
        text = "" if value is None else str(value)
        return f'"{text}"' if "," in text else text

    lines = [",".join(header), *(",".join(map(cell, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def wide(folder: Path) -> Path:
    """One table, with what is known of the author beside the book; several authors in one cell."""
    header = ("title", "author", "author_birthplace", "editor", "translator", "publisher", "publisher_city")
    rows = [
        (
            *(
                book.title,
                "; ".join(book.authors),
                _PERSONS[book.authors[0]][1],
                book.editor,
                book.translator,
            ),
            *(book.publisher, _PUBLISHERS[book.publisher], book.year, book.pages, book.price),
            *("yes" if book.in_print else "no", book.language),
        )
        for book in _BOOKS
    ]
    path = folder / "books.csv"
    _write_table(path, (*header, "year_published", "pages", "price", "in_print", "language"), rows)
    return path


def _numbers(names: Iterable[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names, 1)}


def normalised(folder: Path) -> Path:
    """A database with keys, where who did what to a book is a table of its own."""
    path = folder / "library.sqlite"
    cities, people, houses = _numbers(_COUNTRIES), _numbers(_PERSONS), _numbers(_PUBLISHERS)
    languages = _numbers(sorted({book.language for book in _BOOKS}))
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(
            """
            CREATE TABLE city (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
            CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, birth_year INTEGER,
                birthplace_id INTEGER REFERENCES city(id));
            CREATE TABLE publisher (id INTEGER PRIMARY KEY, name TEXT, city_id INTEGER REFERENCES city(id));
            CREATE TABLE language (id INTEGER PRIMARY KEY, name TEXT);
            CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT,
                publisher_id INTEGER REFERENCES publisher(id), year_published INTEGER,
                pages INTEGER, price REAL, in_print BOOLEAN,
                language_id INTEGER REFERENCES language(id));
            CREATE TABLE contribution (book_id INTEGER REFERENCES book(id),
                person_id INTEGER REFERENCES person(id), role TEXT, PRIMARY KEY (book_id, person_id, role));
            """
        )
        database.executemany(
            "INSERT INTO city VALUES (?, ?, ?)",
            [(cities[city], city, land) for city, land in _COUNTRIES.items()],
        )
        database.executemany(
            "INSERT INTO person VALUES (?, ?, ?, ?)",
            [(people[name], name, year, cities[city]) for name, (year, city) in _PERSONS.items()],
        )
        database.executemany(
            "INSERT INTO publisher VALUES (?, ?, ?)",
            [(houses[p], p, cities[c]) for p, c in _PUBLISHERS.items()],
        )
        database.executemany(
            "INSERT INTO language VALUES (?, ?)", [(n, name) for name, n in languages.items()]
        )
        for number, book in enumerate(_BOOKS, 1):
            row = (
                number,
                book.title,
                houses[book.publisher],
                book.year,
                book.pages,
                book.price,
                book.in_print,
            )
            database.execute(
                "INSERT INTO book VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*row, languages[book.language])
            )
            database.executemany(
                "INSERT INTO contribution VALUES (?, ?, ?)",
                [(number, people[person], role) for role, person in _contributions(book)],
            )
    return path


def _people_and_cities(folder: Path) -> None:
    _write_table(folder / "cities.csv", ("city", "country"), _COUNTRIES.items())
    rows = [(n, name, *_PERSONS[name]) for name, n in _numbers(_PERSONS).items()]
    _write_table(folder / "people.csv", ("person_id", "name", "birth_year", "birthplace"), rows)


def flags(folder: Path) -> Path:
    """Yes and no for everything that may be so."""
    _people_and_cities(folder)
    people = _numbers(_PERSONS)
    languages = sorted({book.language for book in _BOOKS})
    header = ("book_id", "title", "publisher", "year_published", "pages", "price", "in_print", *languages)
    _write_table(
        folder / "books.csv",
        header,
        [
            (
                *(number, book.title, book.publisher, book.year, book.pages, book.price),
                "Y" if book.in_print else "N",
                *("Y" if book.language == language else "N" for language in languages),
            )
            for number, book in enumerate(_BOOKS, 1)
        ],
    )
    rows = []
    for number, book in enumerate(_BOOKS, 1):
        for person in dict.fromkeys(person for _, person in _contributions(book)):
            did = {role for role, one in _contributions(book) if one == person}
            marks = ("Y" if role in did else "N" for role in ("author", "editor", "translator"))
            rows.append((number, people[person], *marks))
    _write_table(
        folder / "contributions.csv", ("book_id", "person_id", "author", "editor", "translator"), rows
    )
    return folder


_CODES = {"author": "AUT", "editor": "EDT", "translator": "TRL"}


def coded(folder: Path) -> Path:
    """Codes in the columns, and tables that say what they mean."""
    _people_and_cities(folder)
    people = _numbers(_PERSONS)
    languages = {name: name[:2].upper() for name in sorted({book.language for book in _BOOKS})}
    _write_table(
        folder / "languages.csv", ("language_code", "language"), [(c, n) for n, c in languages.items()]
    )
    _write_table(folder / "roles.csv", ("role_code", "role"), [(c, n) for n, c in _CODES.items()])
    _write_table(
        folder / "availability.csv",
        ("availability_code", "availability"),
        [("P", "in print"), ("O", "out of print")],
    )
    header = (
        "book_id",
        "title",
        "publisher",
        "year_published",
        "pages",
        "price",
        "availability_code",
        "language_code",
    )
    rows = [
        (n, b.title, b.publisher, b.year, b.pages, b.price, "P" if b.in_print else "O", languages[b.language])
        for n, b in enumerate(_BOOKS, 1)
    ]
    _write_table(folder / "books.csv", header, rows)
    _write_table(
        folder / "contributions.csv",
        ("book_id", "person_id", "role_code"),
        [(n, people[p], _CODES[r]) for n, b in enumerate(_BOOKS, 1) for r, p in _contributions(b)],
    )
    return folder


def nested(folder: Path) -> Path:
    """Records within records."""

    def person(name: str) -> dict[str, object]:
        year, city = _PERSONS[name]
        return {"name": name, "birth_year": year, "birthplace": city}

    records = [
        {
            "title": book.title,
            "authors": [person(name) for name in book.authors],
            "editor": person(book.editor),
            "translator": person(book.translator) if book.translator else None,
            "publisher": {"name": book.publisher, "city": _PUBLISHERS[book.publisher]},
            "year_published": book.year,
            "pages": book.pages,
            "price": book.price,
            "in_print": book.in_print,
            "language": book.language,
        }
        for book in _BOOKS
    ]
    path = folder / "books.json"
    path.write_text(json.dumps(records, indent=1), encoding="utf-8")
    return path


SHAPES: tuple[Callable[[Path], Path], ...] = (
    *(plain, roles, reified, events, measurements),
    *(wide, normalised, flags, coded, nested),
)


def is_right(answer: Answer, expected: Sequence[str]) -> bool:
    """Every thing that is right, by its name or value, and no other."""
    got = {_plain(str(item.label if item.value is None else item.value)) for item in answer.items}
    return got == set(map(_plain, expected))


def _plain(text: str) -> str:
    try:
        return f"{float(text):g}"
    except ValueError:
        return text.casefold()


def ask(shape: Callable[[Path], Path]) -> dict[str, tuple[bool, str]]:
    """Each question with whether its answer is right, and the program that gave it."""
    with tempfile.TemporaryDirectory() as work:
        source, index = Path(work) / "source", Path(work) / "index"
        source.mkdir()
        build_index([shape(source)], index)
        qa = ArcaneQA.load(index)
        found = {}
        for question, expected in questions():
            answer = qa.ask(question)
            found[question] = is_right(answer, expected), answer.program or answer.reason or ""
        return found


@app.command("shapes")
def main() -> None:
    """The same books in ten shapes, asked the same questions."""
    best: set[str] = set()
    kept = wanted = 0
    for shape in SHAPES:
        right = {question for question, (is_it, _) in ask(shape).items() if is_it}
        best = best or right
        kept += len(right & best)
        wanted += len(best)
        say(f"{shape.__name__:13} {len(right):3} of {len(questions())}, {len(right & best):3} of {len(best)}")
    say(f"all           {100 * kept / wanted:.1f}% of what the plainest shape answers")
