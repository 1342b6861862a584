"""Names from the facts: the text attributes that behave like names, judged by words and samples."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from arcaneqa.kb.build.classes import Classes
from arcaneqa.kb.build.sorted_facts import SortedFacts
from arcaneqa.kb.index.store import Array
from arcaneqa.support.ragged import offsets_of, ranges

# Attributes that say what something is called, judged by their words and by samples of their texts.


NAMING = frozenset(("name", "title", "label", "caption", "heading", "headline"))
_NAME_OF_IT = 3
"""Words, at least, of a name that says whose it is."""
_ARTICLES = frozenset(("a", "an", "the"))
_PLAIN = frozenset(("full", "display", "preferred", "official", "main", "complete", "proper", "whole"))
"""What may stand before "name" and changes nothing."""
_SHOWN = frozenset(("display", "displayed"))
"""What is made to be shown is the name, though there be another for machines: `golden_carrot`."""
_USUAL = frozenset(
    ("common", "primary", "english", "original", "long", "short", "local", "native", "scientific")
)
_FIRST = frozenset(
    ("first name", "given name", "forename", "fname", "f name", "firstname", "givenname", "name first")
)
_LAST = frozenset(
    ("last name", "family name", "surname", "lname", "l name", "lastname", "familyname", "name last")
)


_MAKER = frozenset(("make", "maker", "manufacturer", "brand"))
_MODEL = frozenset(("model", "model name"))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_PERSONS = _words(
    "contact manager owner author creator director representative parent agent editor user login middle "
    "maiden file domain host alternative alternate other former old second"
)
"""Whose name is another's, or not the usual one."""
_NUMBERS = _words("number no nr num")
_LONGER = _words("description desc details detail address text summary date")
"""Texts that name something only where nothing else does, and only if they are short."""
_SLUGS = _words("identifier slug handle")
"""Written for machines, and yet the only name that some tables have: `karate-chop`."""
_NEVER = _words(
    "id ids code key number no nr num time day month year hour email mail phone fax tel url uri "
    "homepage website web link password hash comment note notes remark remarks abstract status state type "
    "kind category class group gender sex color colour location place country city region county street zip "
    "postcode language languages nationality size unit format path file image photo picture icon version "
    "price currency score result rank grade level position job role religion nickname username filename "
    "hostname theme topic subject genre"
)


_THINGS = _words(
    "country city region county state street place location language nationality religion job role genre"
)
"""What is said of other things and is a name of its own: the city of cities."""


class Worth(IntEnum):
    """How much the words of an attribute say for its being the name; more is better."""

    NEVER = 0
    DATE = 1
    OWN_NUMBER = 2
    """The flight number of a flight, where it is more than a number."""
    LAST_RESORT = 3
    SLUG = 4
    """An identifier, where its texts are words."""
    UNIQUE_TEXT = 5
    """Only its texts speak for it."""
    ABOUT_IT = 6
    """So do its texts, and it has a word of the class."""
    NAME_OF_OTHERS = 7
    NAME_OF_A_PART = 8
    ITS_KIND = 9
    """It is called as the class is: the device of a device."""
    USUAL_NAME = 10
    NAME = 11
    ITS_NAME = 12

    @property
    def is_named(self) -> bool:
        """Whether words alone make it a name, where its texts are not all alike."""
        return self >= Worth.NAME_OF_OTHERS


def worth(attribute: str, klass: str, others: frozenset[str]) -> Worth:
    """Of an attribute for a class, both as words; `others` are words of all classes."""
    words = [singular(word) for word in _headed(attribute.split())]
    own = {singular(word) for word in klass.split()}
    rest = list(words)
    for word in klass.split():  # `student l name` of students is their `l name`
        if rest and rest[0] == singular(word) and len(rest) > 1:
            rest = rest[1:]
    last = words[-1] if words else ""
    if last in _NUMBERS and own & set(words[:-1]):
        return Worth.OWN_NUMBER
    if rest and rest[0] in NAMING and set(rest[1:]) and set(rest[1:]) <= _USUAL | _PLAIN:
        return Worth.USUAL_NAME  # `name.common`, as tables made from nested data write it
    is_its_kind = set(words) == own or (klass and words == [singular(klass.split()[-1])])
    if last in _NEVER and not (is_its_kind and last in _THINGS):
        return Worth.NEVER
    if last in NAMING or last.endswith("name"):
        if set(rest[:-1]) & _SHOWN and set(rest[:-1]) <= _SHOWN | _PLAIN | own:
            return Worth.ITS_NAME
        before = set(rest[:-1]) - _PLAIN
        if last not in NAMING and last.removesuffix("name") not in own | {"full"}:
            before |= {last.removesuffix("name")}
        if not before:
            return Worth.ITS_NAME if len(rest) < len(words) else Worth.NAME
        if before <= own:
            return Worth.ITS_NAME
        if before - own <= _USUAL:
            return Worth.USUAL_NAME
        return Worth.NAME_OF_OTHERS if before & (_PERSONS | others) else Worth.NAME_OF_A_PART
    if is_its_kind:
        return Worth.ITS_KIND
    if last in _SLUGS:
        return Worth.SLUG
    if last in _LONGER:
        return Worth.DATE if last == "date" else Worth.LAST_RESORT
    return Worth.ABOUT_IT if own & set(words) else Worth.UNIQUE_TEXT


def _headed(words: list[str]) -> list[str]:
    """A "name of the covered entity" is a covered entity's name: whose it is stands first."""
    if len(words) < _NAME_OF_IT or words[1] != "of" or singular(words[0]) not in NAMING:
        return words
    return [*(word for word in words[2:] if word not in _ARTICLES), words[0]]


def is_thing(attribute: str) -> bool:
    """Whether it says by one word which place, language or job something has, or is."""
    return attribute in _THINGS


def is_first_name(attribute: str, klass: str) -> bool:
    return _is_part(attribute, klass, _FIRST)


def is_last_name(attribute: str, klass: str) -> bool:
    return _is_part(attribute, klass, _LAST)


def is_maker(attribute: str, klass: str) -> bool:
    return _is_part(attribute, klass, _MAKER)


def is_model(attribute: str, klass: str) -> bool:
    return _is_part(attribute, klass, _MODEL)


def _is_part(attribute: str, klass: str, parts: frozenset[str]) -> bool:
    return attribute in parts or attribute.removeprefix(klass).strip() in parts


def singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    )


_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_DATE = re.compile(
    rf"\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}|\b{_MONTH}[a-z]*\.? \d|\d {_MONTH}", re.IGNORECASE
)
_LINK = re.compile(r"\S+@\S+\.\S+|[a-z]+://\S*|www\.\S+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_CODE = re.compile(r"[A-Z]{1,6}[-_.:/]?\d[\dA-Z\-_.:/]*")
"""`TOY0008` tells articles apart, and is what none of them is called."""
_SLUG = re.compile(r"[^\W\d_]+(?:[-_. ][^\W_]+)*\d?")
"""Words and numbers with marks between them, as in addresses of pages: `generation-iii`, `water1`."""
_LONGEST_NAME = 100
"""Characters, on average: longer texts are descriptions."""
_LONGEST_WEAK_NAME = 40
"""Characters, on average, where nothing but uniqueness speaks for a name."""

_LONGEST_DESIGNATION = 20
"""Characters: a longer text is no number of a kind."""


def read_as_names(texts: Sequence[str], of_worth: Worth) -> bool:
    """Whether texts are such as people use for names: words, not codes, and short."""
    count = len(texts)
    if not count or sum(map(len, texts)) > _LONGEST_NAME * count:
        return False
    if sum(bool(_LINK.fullmatch(text.strip())) for text in texts) * 2 > count:
        return False
    if of_worth.is_named:
        return sum(any(map(str.isalpha, text)) for text in texts) * 2 > count
    if sum(map(len, texts)) > _LONGEST_WEAK_NAME * count:
        return False
    dates = sum(bool(_DATE.search(text)) for text in texts)
    wordy = sum(bool(_WORD.search(text)) and not _CODE.fullmatch(text.strip()) for text in texts)
    if of_worth is Worth.SLUG:
        return 5 * sum(bool(_SLUG.fullmatch(text) and _WORD.search(text)) for text in texts) >= 4 * count
    if of_worth is Worth.OWN_NUMBER:
        return all(any(map(str.isalpha, text)) for text in texts)
    # What only has a date is called by it.
    return (dates * 5 < count or of_worth is Worth.DATE) and wordy * 5 >= 4 * count


def read_as_designations(texts: Sequence[str]) -> bool:
    """Whether texts are such as tell things apart, words or not: short, no links, and more than a number."""
    short = [
        text for text in texts if len(text) <= _LONGEST_DESIGNATION and not _LINK.fullmatch(text.strip())
    ]
    return len(short) == len(texts) and sum(text.strip().isdecimal() for text in texts) * 2 <= len(texts)


# Names from the facts: class by class, the text attributes that behave like names.


_NAMELESS = 0.5
"""A class is looked into where known predicates name fewer of its members than this share."""
_HAVE_IT = 0.8
"""Share of the members that must have an attribute whose words do not say that it is a name."""
_HAVE_A_NAME = 0.5
"""Share of the members that must have an attribute whose words say that it is a name."""
_DIFFER = 0.4
"""Namesakes are common; but an attribute with fewer distinct values than this share is about other things."""
_DIFFER_AT_ALL = 0.1
"""A section's title is its title, though many are called Introduction."""
_DIFFER_ALWAYS = 0.95
"""Share of the values that must differ where an attribute's words do not say that it is a name of these
members."""
_DIFFER_MOSTLY = 0.8
_MANY = 50
"""Of at least so many members most texts differ by no chance: a few opponents of one season do."""
_MOST_NAMESAKES = 9
"""More than so many things of one text are of one kind rather than namesakes."""
_FEW = 4
"""Of fewer members than this, texts that all differ say nothing."""
_SAMPLE = 200
"""Values that are looked at to see whether they read like names."""


@dataclass(frozen=True)
class NameRule:
    """Members of the class (None: entities without one) are called by these attributes, joined."""

    klass: int | None
    relations: tuple[int, ...]


@dataclass(frozen=True)
class Attributes:
    """What naming looks at: which relations may be asked for, words of the schema, and texts by node."""

    facts: SortedFacts
    classes: Classes
    hidden_classes: Array
    hidden_relations: Array
    first_text: int
    entities: int
    class_words: Sequence[str]
    relation_words: Callable[[int], str]
    texts: Callable[[Array], list[str]]
    are_codes: Callable[[Array], bool]
    """Whether the IRIs of these entities say nothing."""
    are_keys: Callable[[Array, Sequence[str]], bool]
    """Whether these entities are rows of a table, and these texts, one of each, their keys."""


def find_name_rules(given: Attributes, is_named: Array, is_schema: Array) -> list[NameRule]:
    """Small classes first: what a small class says of its members is said best."""
    spoken = [
        relation
        for relation in np.flatnonzero(~given.hidden_relations).tolist()
        if _has_text(given, relation)
    ]
    groups = _nameless(given, is_named, is_schema) if spoken else None
    if groups is None or not groups.classes:
        return []
    candidates: list[list[int]] = [[] for _ in groups.classes]
    for relation in spoken:
        rows = given.facts.rows("out", relation)
        counts = groups.counted(rows.keys[rows.any(rows.values >= given.first_text)])
        for group in np.flatnonzero(counts >= _HAVE_A_NAME * groups.sizes).tolist():
            candidates[group].append(relation)
    words = frozenset(word for label in given.class_words for word in label.split())
    rules = []
    for group in np.argsort(groups.sizes, kind="stable").tolist():
        found = candidates[group]
        members, klass = groups.members(group), groups.classes[group]
        while found and (rule := _rule(given, klass, members, found, words)) is not None:
            rules.append(rule)
            if klass is not None:
                break
            # Things without a class may be of several kinds: the others have something else in common.
            members = _without(given, members, rule.relations)
            found = _common(given, spoken, members) if len(members) else []
    return rules


def _without(given: Attributes, members: Array, relations: Sequence[int]) -> Array:
    """Members that have none of these attributes."""
    subjects = [given.facts.rows("out", relation).keys for relation in relations]
    return members[~np.isin(members, np.concatenate(subjects))]


def _common(given: Attributes, spoken: Sequence[int], members: Array) -> list[int]:
    """Attributes that enough of the members have as a text."""
    is_member = np.zeros(given.entities, bool)
    is_member[members] = True
    found = []
    for relation in spoken:
        rows = given.facts.rows("out", relation)
        texts = rows.keys[rows.any(rows.values >= given.first_text)]
        if np.count_nonzero(is_member[texts]) >= _HAVE_A_NAME * len(members):
            found.append(relation)
    return found


def _has_text(given: Attributes, relation: int) -> bool:
    values = given.facts.rows("in", relation).keys
    return bool(len(values) and values[-1] >= given.first_text)


class _Groups:
    """Classes whose members have no names yet, and after them the entities without a class."""

    def __init__(self, classes: list[int | None], nodes: Array, groups: Array, entities: int) -> None:
        self.classes = classes
        if np.any(nodes[1:] < nodes[:-1]):
            order = np.argsort(nodes, kind="stable")
            nodes, groups = nodes[order], groups[order]
        self.sizes = np.bincount(groups, minlength=len(classes))
        self._offsets = offsets_of(np.bincount(nodes, minlength=entities))
        self._groups = groups
        self._by_group = nodes[np.argsort(groups, kind="stable")]
        self._ends = np.cumsum(self.sizes)

    def members(self, group: int) -> Array:
        return self._by_group[self._ends[group] - self.sizes[group] : self._ends[group]]

    def counted(self, nodes: Array) -> Array:
        """How many of these nodes are in each group."""
        wide = nodes.astype(np.int64)
        starts = self._offsets[wide]
        places = ranges(starts, self._offsets[wide + 1] - starts)
        return np.bincount(self._groups[places], minlength=len(self.classes))


def _nameless(given: Attributes, is_named: Array, is_schema: Array) -> _Groups:
    nodes, codes = given.classes.nodes, given.classes.classes
    sizes = np.bincount(codes, minlength=len(given.classes.iris))
    named = np.bincount(codes, weights=is_named[nodes], minlength=len(given.classes.iris))
    chosen = (sizes > 0) & (named < _NAMELESS * sizes) & ~given.hidden_classes
    classes: list[int | None] = list(np.flatnonzero(chosen).tolist())
    places = np.cumsum(chosen) - 1
    kept = chosen[codes] & ~is_schema[nodes]
    nodes, groups = nodes[kept], places[codes[kept]]
    loose = ~is_schema
    loose[given.classes.nodes] = False
    if loose.any():
        described = np.zeros(given.entities, bool)
        for relation in np.flatnonzero(~given.hidden_relations).tolist():
            described[given.facts.rows("out", relation).keys] = True
        loose &= described
        if int((loose & is_named).sum()) < _NAMELESS * int(loose.sum()):
            nodes = np.concatenate((nodes, np.flatnonzero(loose)))
            groups = np.concatenate((groups, np.full(int(loose.sum()), len(classes))))
            classes.append(None)
    return _Groups(classes, nodes, groups, given.entities)


def _rule(
    given: Attributes,
    klass: int | None,
    members: Array,
    candidates: list[int],
    words: frozenset[str],
) -> NameRule | None:
    own = "" if klass is None else given.class_words[klass]
    others = words - set(own.split())
    firsts = [relation for relation in candidates if is_first_name(given.relation_words(relation), own)]
    lasts = [relation for relation in candidates if is_last_name(given.relation_words(relation), own)]
    parts = {*firsts, *lasts} if firsts and lasts else set()
    judged = []
    for relation in candidates:
        of_worth = worth(given.relation_words(relation), own, others)
        if relation not in parts and of_worth and _names(given, relation, members, of_worth):
            judged.append((of_worth, -len(given.relation_words(relation).split()), relation))
    best = max(judged, default=None, key=lambda found: (found[0], found[1], -found[2]))
    if best is not None and best[0] is Worth.UNIQUE_TEXT:
        # The song of a volume is not what the volume is called, where each has a "volume issue".
        about = [one for one in candidates if worth(given.relation_words(one), own, others) is Worth.ABOUT_IT]
        best = next((found for one in about if (found := _designation(given, one, members))), best)
    if parts and (best is None or best[0] < Worth.USUAL_NAME):
        return NameRule(klass, (firsts[0], lasts[0]))
    if best is not None and (best[0].is_named or given.are_codes(members)):
        return NameRule(klass, (best[2],))
    keyed = _by_key(given, klass, members, candidates)
    if keyed is None and best is None:
        keyed = _by_make_and_model(given, klass, candidates, own)
    return keyed or _by_the_only_names(given, klass, members, candidates, others)


def _by_key(
    given: Attributes, klass: int | None, members: Array, candidates: Sequence[int]
) -> NameRule | None:
    """Rows that are told apart by a text in words are called by it: a table of regions may have a country a
    row, be it their key or what stands beside a code."""
    for relation in candidates:
        texts = _differing(given, relation, members, Worth.UNIQUE_TEXT)
        if texts is None or not read_as_names(texts, Worth.UNIQUE_TEXT):
            continue
        rows = given.facts.rows("out", relation)
        some = members[:: max(1, len(members) // _SAMPLE)][:_SAMPLE]
        places = np.searchsorted(rows.keys, some.astype(rows.keys.dtype))
        have = rows.keys[np.minimum(places, len(rows.keys) - 1)] == some
        values = rows.values[rows.offsets[places[have] + 1] - 1]
        is_told = is_thing(given.relation_words(relation)) and given.are_codes(members)
        if have.all() and (is_told or given.are_keys(some, given.texts(values))):
            return NameRule(klass, (relation,))
    return None


def _by_the_only_names(
    given: Attributes, klass: int | None, members: Array, candidates: Sequence[int], others: frozenset[str]
) -> NameRule | None:
    """Who was seen twice is in two rows of a register, and still the only one in it with a name."""
    if len(members) < _MANY or not given.are_codes(members):
        return None
    own = "" if klass is None else given.class_words[klass]
    naming = [
        relation
        for relation in candidates
        if Worth.UNIQUE_TEXT <= worth(given.relation_words(relation), own, others) <= Worth.ABOUT_IT
        and _are_mostly_names(given, relation, members)
    ]
    return NameRule(klass, (naming[0],)) if len(naming) == 1 else None


def _are_mostly_names(given: Attributes, relation: int, members: Array) -> bool:
    values = _last_values(given, relation, members)
    _, counts = np.unique(values, return_counts=True)
    if len(values) < _HAVE_IT * len(members) or len(counts) < _DIFFER_MOSTLY * len(values):
        return False
    texts = given.texts(_some(values))
    written = sum(text[:1].isupper() for text in texts)
    return (
        int(counts.max()) <= _MOST_NAMESAKES
        and written >= _DIFFER_MOSTLY * len(texts)
        and read_as_names(texts, Worth.UNIQUE_TEXT)
    )


def _by_make_and_model(
    given: Attributes, klass: int | None, candidates: Sequence[int], own: str
) -> NameRule | None:
    """Where nothing else names them: a GT is known as a Ford GT."""
    makers, models = (
        [relation for relation in candidates if is_one(given.relation_words(relation), own)]
        for is_one in (is_maker, is_model)
    )
    return NameRule(klass, (makers[0], models[0])) if makers and models else None


def _designation(given: Attributes, relation: int, members: Array) -> tuple[Worth, int, int] | None:
    """An attribute of the class's own words by which its members are told apart, in figures perhaps."""
    texts = _differing(given, relation, members, Worth.ABOUT_IT)
    is_one = texts is not None and read_as_designations(texts)
    return (Worth.ABOUT_IT, 0, relation) if is_one else None


def _names(given: Attributes, relation: int, members: Array, of_worth: Worth) -> bool:
    texts = _differing(given, relation, members, of_worth)
    return texts is not None and read_as_names(texts, of_worth)


def _differing(given: Attributes, relation: int, members: Array, of_worth: Worth) -> list[str] | None:
    """Some texts of an attribute that members have and differ in as much as names do; None of another one."""
    values = _last_values(given, relation, members)
    size = len(members)
    distinct = len(np.unique(values))
    if of_worth.is_named:
        is_its_own = of_worth in (Worth.ITS_NAME, Worth.USUAL_NAME)
        wanted = (_DIFFER_AT_ALL if is_its_own else _DIFFER) * len(values)
        # Not a foreign key: others' names repeat where their own are nearly all different.
        if of_worth is Worth.NAME_OF_OTHERS:
            wanted = _DIFFER_ALWAYS * len(values) - 1
    else:
        if len(values) < _HAVE_IT * size or (size < _FEW and of_worth is Worth.UNIQUE_TEXT):
            return None
        wanted = _DIFFER_ALWAYS * len(values)
    if distinct < wanted or (distinct == 1 and len(values) > 1):
        return None
    return given.texts(_some(values))


def _last_values(given: Attributes, relation: int, members: Array) -> Array:
    """A value of each member that has any: a text, where there is one."""
    rows = given.facts.rows("out", relation)
    places = np.searchsorted(rows.keys, members.astype(rows.keys.dtype))
    places = places[rows.keys[np.minimum(places, len(rows.keys) - 1)] == members]
    values: Array = rows.values[rows.offsets[places + 1] - 1]
    return values


def _some(values: Array) -> Array:
    return values[:: max(1, len(values) // _SAMPLE)][:_SAMPLE]
