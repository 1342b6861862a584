"""Nobody is looked up and nothing is connected to while a question is answered."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
met = []
sys.addaudithook(lambda event, given: met.append((event, given)) if event in WATCHED else None)
from arcaneqa import ArcaneQA
answer = ArcaneQA.load().ask("What is the capital of Australia?")
assert answer.program is not None
print(met)
print(sorted({name.partition(".")[0] for name in sys.modules} & MINDFUL_OF_THEIR_MAKERS))
"""
WATCHED = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
MINDFUL_OF_THEIR_MAKERS = {"onnxruntime", "openvino", "openvino_telemetry", "torch", "transformers"}
"""Libraries that look up or write down things of their own, some of it in native code that no hook sees."""


def test_asking_is_nobody_elses_business() -> None:
    program = f"WATCHED, MINDFUL_OF_THEIR_MAKERS = {WATCHED!r}, {MINDFUL_OF_THEIR_MAKERS!r}\n{PROGRAM}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.split("\n")[:2], ran.stderr) == (0, ["[]", "[]"], "")
