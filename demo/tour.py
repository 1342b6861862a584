"""A short tour of the bundled knowledge base with the bundled model: `python demo/tour.py [--svg FILE]`.

The picture in the README is made by it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.console import Console
from rich.text import Text

from arcaneqa import ArcaneQA
from arcaneqa.answer.explain import draw_answer

QUESTIONS = (
    "what is the capital of Mongolia?",
    "how many countries border Germany",
    "Which planets have a diameter of more than 100,000 km?",
    "what is the highest mountain in Nepal?",
    "which countries that border Brazil speak Spanish?",
    "What is the melting point of tungsten?",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--svg", type=Path, help="also save the tour as a picture")
    svg = parser.parse_args().svg
    console = Console(record=svg is not None, width=100)
    qa = ArcaneQA.load()
    for question in QUESTIONS:
        console.print(Text(f"\n$ arcaneqa ask {question!r}", style="bold blue"))
        draw_answer(console, qa.ask(question))
    if svg is not None:
        svg.parent.mkdir(parents=True, exist_ok=True)
        console.save_svg(str(svg), title="ArcaneQA")


if __name__ == "__main__":
    main()
