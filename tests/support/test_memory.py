"""A process that answers thousands of questions must not grow by each of them."""

from __future__ import annotations

import gc
import os
import platform
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.lab.synthesis.synthesize import synthesize
from arcaneqa.model.config import ModelConfig
from arcaneqa.model.word_pieces import KnownPieces, WordPieces
from tests.tiny import tokenizer


def _resident() -> float:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_strings_met_before_are_forgotten_in_time() -> None:
    known = KnownPieces(WordPieces(tokenizer(), ModelConfig()), limit=100)
    for number in range(1_000):
        asked = known.asked(f"which city {number}", f"join {number}", ())
        known.pack([asked._replace(candidates=((f"town {number}", "city"), ("end", "")))])
    assert known.size <= 110


HEAPS = """
import ctypes, sys, tempfile, threading
from pathlib import Path
from arcaneqa.support.memory import share_one_heap

if sys.argv[1] == "shared":
    share_one_heap()
everybody = threading.Barrier(4)

def hold():
    some = [bytes(1000) for _ in range(100)]
    everybody.wait()

threads = [threading.Thread(target=hold) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
library = ctypes.CDLL(None)
library.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as file:
    stream = ctypes.c_void_p(library.fopen(file.name.encode(), b"w"))
    library.malloc_info(0, stream)
    library.fclose(stream)
    print(Path(file.name).read_text().count("<heap nr"))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks GNU's C library for its heaps")
def test_threads_of_the_service_share_one_heap() -> None:
    def heaps(how: str) -> int:
        ran = subprocess.run([sys.executable, "-c", HEAPS, how], check=True, capture_output=True, text=True)
        return int(ran.stdout)

    assert heaps("shared") == 1 < heaps("apart")


HOLES = """
from pathlib import Path
from arcaneqa.support.memory import give_back

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1])

pieces = [bytes(8_000) for _ in range(10_000)]
del pieces[:-1]  # what is behind the holes keeps the heap where it is
before = resident()
give_back()
print((before - resident()) * 4096 // 1_000_000)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="asks GNU's C library to let go")
def test_holes_in_the_heap_are_given_back() -> None:
    ran = subprocess.run([sys.executable, "-c", HOLES], check=True, capture_output=True, text=True)
    assert int(ran.stdout) > 60, "of 80 MB that nobody needs any more"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from /proc")
def test_many_different_questions_leave_no_trace() -> None:
    qa = ArcaneQA.load()
    questions = (question.question for question in synthesize(qa.kb, 2_000))
    sizes = []
    for _ in range(4):
        for question in islice(questions, 150):
            qa.ask(question)
        sizes.append(_resident())
    # Caches fill up at first; what every question left behind would show again and again.
    assert sizes[-1] - sizes[-2] < 12, sizes
