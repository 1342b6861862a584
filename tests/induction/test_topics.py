"""From what a linker found to the first variables of a program."""

from __future__ import annotations

from dataclasses import replace

from arcaneqa.induction.topics import topics_from_gold, topics_from_links
from arcaneqa.kb.terms import XSD, Iri, Literal
from arcaneqa.language.expression import Entity, Value
from arcaneqa.links import EntityCandidate, Links, LiteralLink, MentionLink
from arcaneqa.record import Mention
from tests.induction.plain import EX, PlainKb

KB = PlainKb(
    [
        ("paris", "type", "City"),
        ("paris", "type", "Thing"),
        ("texas", "type", "Thing"),
        ("paris", "in", "france"),
        ("paris_texas", "in", "texas"),
    ]
)


def link(start: int, end: int, score: float, *names: str) -> MentionLink:
    nodes = [KB.node(Iri(EX + name)) for name in names]
    candidates = [
        EntityCandidate(node, name, -float(rank))
        for rank, (node, name) in enumerate(zip(nodes, names, strict=True))
        if node is not None
    ]
    return MentionLink(start, end, "", score, tuple(candidates))


def test_candidates_of_a_mention_exclude_each_other_and_what_overlaps() -> None:
    links = Links("is paris texas in france?", (link(3, 14, -0.5, "paris_texas"), link(3, 8, 0.0, "paris")))
    topics = topics_from_links(links, KB)
    assert [topic.term for topic in topics.items] == [
        Entity(Iri(EX + "paris_texas")),
        Entity(Iri(EX + "paris")),
    ]
    assert topics.excluded_by == (3, 3)
    assert [topic.words.text for topic in topics.items] == ["paris_texas", "paris (city)"]
    assert [topic.prior for topic in topics.items] == [-0.5, 0.0]


def test_a_mention_apart_is_not_excluded() -> None:
    links = Links("paris or texas", (link(0, 5, 0.0, "paris"), link(9, 14, 0.0, "texas", "france")))
    assert topics_from_links(links, KB).excluded_by == (1, 6, 6)


def test_readings_of_a_number_are_told_apart_by_value_and_kind() -> None:
    readings = (
        Literal("1999", XSD + "integer"),
        Literal("1999", XSD + "gYear"),
        Literal("1999.0", XSD + "float"),
    )
    topics = topics_from_links(Links("in 1999", (), (LiteralLink(3, 7, "1999", readings),)), KB)
    assert [topic.words.text for topic in topics.items] == ["1999 (number)", "1999 (year)"]
    assert [topic.term for topic in topics.items] == [Value(readings[0]), Value(readings[1])]
    assert topics.excluded_by == (3, 3)


def test_overlapping_gold_mentions_stay_together_beside_a_number_that_does_not() -> None:
    given = [Mention(f"ex:{name}", start=3, end=end) for name, end in (("paris_texas", 14), ("paris", 8))]
    named = topics_from_gold(given, KB, "is paris texas 1999 in france?")
    literals = (LiteralLink(9, 19, "texas 1999", (Literal("1999", XSD + "gYear"),)),)
    (value,) = topics_from_links(Links("", (), literals), KB).items
    topics = replace(named, items=(*named.items, replace(value, words=replace(value.words, group=9))))
    paris, together, year = topics.excluded_by
    assert (paris, together) in ((0b001, 0b110), (0b101, 0b010)), "each rules out itself, not the other"
    assert year in (0b101, 0b110), "the number overlaps one of them"
