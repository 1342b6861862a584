"""Loops over large sets, compiled on first use (and kept on disk). Small sets never come here."""

from __future__ import annotations

import numpy as np

from arcaneqa.kb.index.store import Array
from arcaneqa.support.compiled import compiled


def _keep_freed_memory() -> None:
    """GNU's C library gives large arrays back to the system as soon as they are freed, and to get them again,
    page by page, takes longer than to fill them. It keeps up to twice the largest block that was ever freed:
    here one as large as the arrays of half a million nodes."""
    np.empty(1 << 22, np.uint8)


_keep_freed_memory()

# Large sets are spread over far more memory than the caches hold, so what counts is how many reads are under
# way at once. Hence short loops that only read, without branches, over a piece of the set at a time: the loop
# that then does the work finds everything in the cache.
_PIECE = 512
# A digit's counts fit into the first cache.
_DIGIT = 12


@compiled
def mark_codes(
    nodes: Array, first: int, last: int, step: int, offsets: Array, codes: Array, seen: Array, most: int
) -> None:
    """Mark every code in the lists of these nodes, from the `first` to before the `last` that is looked at,
    each being `step` places from the one before. `most` marks in all are all there can be."""
    if not len(codes):
        return
    starts, ends = np.empty(_PIECE, np.uint64), np.empty(_PIECE, np.uint64)
    piece, read = np.empty(_PIECE, np.uint64), np.empty(_PIECE, np.uint64)
    place, size = first * step % len(nodes), 64  # a few nodes may have them all
    while first < last:
        count = min(size, last - first)
        for at in range(count):
            piece[at] = nodes[place]
            place += step
            place -= len(nodes) if place >= len(nodes) else 0
        for at in range(count):
            starts[at] = offsets[piece[at]]
        for at in range(count):
            ends[at] = offsets[piece[at] + np.uint64(1)]
        for at in range(count):
            read[at] = codes[min(starts[at], np.uint64(len(codes) - 1))]
        for at in range(count):
            seen[read[at]] |= starts[at] < ends[at]
            for other in range(starts[at] + np.uint64(1), ends[at]):
                seen[codes[other]] = True
        marked = 0
        for code in range(len(seen)):  # numba's own counting takes longer to load than all of this
            marked += seen[code]
        if marked == most:
            return
        first, size = first + count, min(2 * size, _PIECE)


@compiled
def mark_present(codes: Array, seen: Array) -> None:
    """Mark every code of these."""
    for code in codes:
        seen[code] = True


@compiled
def ranked(nodes: Array, words: Array, ranks: Array, first: int) -> Array:
    """For those nodes whose bit is set, how many set bits are before it, counted from `first`."""
    found = np.empty(len(nodes) + 1, np.int64)
    count = 0
    # Unsigned places: else it would be asked each time whether they are negative. And counts only for those
    # that are there, as a rule a minority.
    for node in nodes:
        found[count] = node
        count += int((words[np.uint64(node) >> np.uint64(6)] >> np.uint64(node & 63)) & np.uint64(1))
    for at in range(count):
        place = np.uint64(found[at]) >> np.uint64(6)
        below = (np.uint64(1) << np.uint64(found[at] & 63)) - np.uint64(1)
        found[at] = first + np.int64(ranks[place]) + _bits(words[place] & below)
    return found[:count]


@compiled
def _bits(word: np.uint64) -> int:
    """How many are set: by twos, fours and eights, then all eights at once. One instruction, compiled."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def marked_places(keys: Array, words: Array) -> Array:
    """Places of those keys whose bit is set."""
    found = np.empty(len(keys) + 1, np.int64)
    count = 0
    for place in range(len(keys)):
        key = np.int64(keys[place])
        # No branch depends on the data, so the processor has nothing to mispredict.
        found[count] = place
        count += int((words[key >> 6] >> np.uint64(key & 63)) & np.uint64(1))
    return found[:count]


@compiled
def mark_values(rows: Array, offsets: Array, values: Array, words: Array) -> None:
    """Set the bit of every value in these rows."""
    starts, ends = np.empty(_PIECE, np.int64), np.empty(_PIECE, np.int64)
    firsts = np.empty(_PIECE, np.int64)
    for first in range(0, len(rows), _PIECE):
        piece = rows[first : first + _PIECE]
        for at in range(len(piece)):
            starts[at] = offsets[piece[at]]
        for at in range(len(piece)):
            ends[at] = offsets[piece[at] + 1]
        for at in range(len(piece)):
            firsts[at] = values[starts[at]]
        longer = 0
        for at in range(len(piece)):
            words[firsts[at] >> 6] |= np.uint64(1) << np.uint64(firsts[at] & 63)
            second, end = starts[at] + 1, ends[at]
            starts[longer], ends[longer] = second, end
            longer += second < end
        for at in range(longer):
            for place in range(starts[at], ends[at]):
                value = np.int64(values[place])
                words[value >> 6] |= np.uint64(1) << np.uint64(value & 63)


@compiled
def mark_each(values: Array, words: Array) -> None:
    """Set the bit of every value."""
    for one in values:
        value = np.int64(one)
        words[value >> 6] |= np.uint64(1) << np.uint64(value & 63)


@compiled
def set_bits(words: Array) -> Array:
    """The numbers of the set bits, in order."""
    # How many bits a word has cannot be guessed, so branches on it would be costly: first those with any are
    # listed, then a second bit is taken from each, there or not. More are rare.
    used = np.empty(len(words) + 1, np.int64)
    uses = count = 0
    for number in range(len(words)):
        used[uses] = number
        uses += words[number] != 0
        count += _bits(words[number])
    found = np.empty(count + 1, np.int64)
    place = 0
    for number in used[:uses]:
        word, base = words[number], number << 6
        found[place] = base + _lowest(word)
        place += 1
        word &= word - np.uint64(1)
        found[place] = base + _lowest(word)
        place += word != 0
        word &= word - np.uint64(1)
        while word:
            found[place] = base + _lowest(word)
            place += 1
            word &= word - np.uint64(1)
    return found[:count]


@compiled
def _lowest(word: np.uint64) -> int:
    """The number of the lowest set bit: how many are below it. One instruction, compiled."""
    return _bits(~word & (word - np.uint64(1)))


@compiled
def sorted_values(values: Array, below: int) -> Array:
    """In order and without repeats, all being below a bound: by their digits, the last one first."""
    width = digits = 0
    while below >> width:
        width += 1
    digits = (width + _DIGIT - 1) // _DIGIT
    width = (width + digits - 1) // digits
    mask = (1 << width) - 1
    one, other = values.astype(np.int64), np.empty(len(values), np.int64)
    for digit in range(digits):
        ends = np.zeros((1 << width) + 1, np.int64)
        for value in one:
            ends[((value >> (digit * width)) & mask) + 1] += 1
        for number in range(1 << width):
            ends[number + 1] += ends[number]
        for value in one:
            place = (value >> (digit * width)) & mask
            other[ends[place]] = value
            ends[place] += 1
        one, other = other, one
    count = 0
    for at in range(len(one)):
        other[count] = one[at]
        count += at + 1 == len(one) or one[at] != one[at + 1]
    return other[:count]


@compiled
def bounds(rows: Array, offsets: Array, values: Array, low: int, high: int) -> tuple[int, int]:
    """The smallest and the largest value of these rows from `low` to below `high`; crossed where none is."""
    starts, ends = np.empty(_PIECE, np.int64), np.empty(_PIECE, np.int64)
    read = np.empty(_PIECE, np.int64)
    least, greatest = high, low - 1
    for first in range(0, len(rows), _PIECE):
        piece = rows[first : first + _PIECE]
        for at in range(len(piece)):
            starts[at] = offsets[piece[at]]
        for at in range(len(piece)):
            ends[at] = offsets[piece[at] + 1]
        for at in range(len(piece)):
            read[at] = values[starts[at]]
        for at in range(len(piece)):
            # A row is in order, and as a rule all of it is between the bounds.
            start, end = starts[at], ends[at] - 1
            while start <= end and values[start] < low:
                start += 1
            while start <= end and values[end] >= high:
                end -= 1
            if start <= end:
                least, greatest = min(least, int(values[start])), max(greatest, int(values[end]))
    return least, greatest


@compiled
def count_marked(rows: Array, offsets: Array, values: Array, words: Array) -> Array:
    """How many values of each of these rows have their bit set."""
    counts = np.zeros(len(rows), np.int64)
    starts, ends = np.empty(_PIECE, np.int64), np.empty(_PIECE, np.int64)
    beyond = len(words) << 6
    for first in range(0, len(rows), _PIECE):
        piece = rows[first : first + _PIECE]
        for at in range(len(piece)):
            starts[at] = offsets[piece[at]]
        for at in range(len(piece)):
            ends[at] = offsets[piece[at] + 1]
        for at in range(len(piece)):
            count = 0
            for place in range(starts[at], ends[at]):
                value = np.int64(values[place])
                if value >= beyond:  # a row is in order
                    break
                count += int((words[value >> 6] >> np.uint64(value & 63)) & np.uint64(1))
            counts[first + at] = count
    return counts


@compiled
def onwards(
    nodes: Array, words: Array, ranks: Array, first: int, offsets: Array, values: Array, most: int
) -> tuple[Array, Array, Array]:
    """Places of those nodes whose bit is set, how many values their rows have, and all of these values, or
    none where they are more than `most`. A node's row is `first` and how many set bits are before its own."""
    rows, places = np.empty(len(nodes) + 1, np.int64), np.empty(len(nodes) + 1, np.int64)
    count = 0
    for at in range(len(nodes)):
        node = nodes[at]
        word = node >> 6
        if word < len(words) and (words[word] >> np.uint64(node & 63)) & np.uint64(1):
            below = (np.uint64(1) << np.uint64(node & 63)) - np.uint64(1)
            rows[count] = first + np.int64(ranks[word]) + _bits(words[word] & below)
            places[count] = at
            count += 1
    lengths = np.empty(count, np.int64)
    total = np.int64(0)
    for at in range(count):
        lengths[at] = np.int64(offsets[rows[at] + 1]) - np.int64(offsets[rows[at]])
        total += lengths[at]
    if total > most:
        return places[:count], lengths, np.empty(0, np.int64)
    ends = np.empty(total, np.int64)
    filled = 0
    for at in range(count):
        start = np.int64(offsets[rows[at]])
        for place in range(start, start + lengths[at]):
            ends[filled] = values[place]
            filled += 1
    return places[:count], lengths, ends


@compiled
def collect(rows: Array, offsets: Array, values: Array) -> Array:
    """Every value in these rows, one row after the other."""
    total = np.int64(0)
    for row in rows:
        total += np.int64(offsets[row + 1]) - np.int64(offsets[row])
    found = np.empty(total, np.int64)
    starts, ends = np.empty(_PIECE, np.int64), np.empty(_PIECE, np.int64)
    count = 0
    for first in range(0, len(rows), _PIECE):
        piece = rows[first : first + _PIECE]
        are_neighbours = True  # as in a set that is a whole group
        for at in range(1, len(piece)):
            are_neighbours &= piece[at] == piece[at - 1] + 1
        if are_neighbours:
            start, end = int(offsets[piece[0]]), int(offsets[piece[-1] + 1])
            found[count : count + end - start] = values[start:end]
            count += end - start
            continue
        for at in range(len(piece)):
            starts[at] = offsets[piece[at]]
        for at in range(len(piece)):
            ends[at] = offsets[piece[at] + 1]
        for at in range(len(piece)):
            for place in range(starts[at], ends[at]):
                found[count] = values[place]
                count += 1
    return found


@compiled
def gather(rows: Array, offsets: Array, values: Array, keys: Array) -> tuple[Array, Array]:
    """Key and value of every fact in these rows."""
    total = np.int64(0)
    for row in rows:
        total += np.int64(offsets[row + 1]) - np.int64(offsets[row])
    subjects, objects = np.empty(total, np.int64), np.empty(total, np.int64)
    starts, ends = np.empty(_PIECE, np.int64), np.empty(_PIECE, np.int64)
    owners, read = np.empty(_PIECE, np.int64), np.empty(_PIECE, np.int64)
    count = 0
    for first in range(0, len(rows), _PIECE):
        piece = rows[first : first + _PIECE]
        for at in range(len(piece)):
            starts[at] = offsets[piece[at]]
        for at in range(len(piece)):
            ends[at] = offsets[piece[at] + 1]
        for at in range(len(piece)):
            owners[at] = keys[piece[at]]
        for at in range(len(piece)):
            read[at] = values[starts[at]]
        for at in range(len(piece)):
            for place in range(starts[at], ends[at]):
                subjects[count], objects[count] = owners[at], values[place]
                count += 1
    return subjects, objects


@compiled
def meet(left: Array, right: Array) -> bool:
    """Whether two sets in order, neither empty, have anything in common: each in turn leaps to where the
    other has come."""
    at = low = 0
    while True:
        low = _leap(right, low, left[at])
        if low == len(right) or right[low] == left[at]:
            return low < len(right)
        at = _leap(left, at, right[low])
        if at == len(left) or left[at] == right[low]:
            return at < len(left)


@compiled
def _leap(values: Array, low: int, wanted: int) -> int:
    """The first place from `low` on whose value is not below the wanted one."""
    step = 1
    while low + step < len(values) and values[low + step] < wanted:
        low += step
        step *= 2
    high = min(low + step, len(values))
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low
