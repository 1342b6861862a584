import pytest

from arcaneqa.sayable import unsayable


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Why is the sky blue?", "why"),
        ("how to boil an egg", "how to"),
        ("How do I get to Lisbon?", "how to"),
        ("Was Einstein born in Ulm?", "yes/no"),
        ("isn't lisbon the capital of portugal", "yes/no"),
    ],
)
def test_kinds_without_a_program_are_named(question: str, kind: str) -> None:
    assert kind in (unsayable(question) or "")


@pytest.mark.parametrize(
    "question",
    [
        "how did elvis die?",
        "how many countries are there",
        "Can you name the rivers of Texas?",
        "do you know who wrote hamlet",
        "is gold or silver what is denser",
        "whyalla is in which state",
        "island in the pacific",
        "",
    ],
)
def test_questions_a_program_may_answer_pass(question: str) -> None:
    assert unsayable(question) is None
