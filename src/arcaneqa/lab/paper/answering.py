"""Questions asked of the published model."""

from __future__ import annotations

from pathlib import Path

from arcaneqa.answer.arcaneqa import ArcaneQA
from arcaneqa.induction.induction import Induction
from arcaneqa.induction.learned import Learned
from arcaneqa.induction.search import SearchSettings
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.open import open_kb
from arcaneqa.lab.paper.induction import PaperInduction
from arcaneqa.lab.paper.scorer import PaperScorer
from arcaneqa.linking.features import LinkerWeights
from arcaneqa.linking.linker import Linker
from arcaneqa.support.errors import InputError
from arcaneqa.verdict.fitted import Fitted


class PaperQA(ArcaneQA):
    """The paper's beam; every admissible candidate is read."""

    def _opened(self) -> Induction:
        return PaperInduction(self.kb, self.settings.learned)

    @classmethod
    def load(
        cls,
        kb: str | Path | KnowledgeBase | None = None,
        model: str | Path | None = None,
        beam: int | None = None,
        exact: bool = True,  # noqa: ARG003 - nothing is ever shortlisted
        device: str = "cpu",
        glossary: str | Path | None = None,  # noqa: ARG003 - the paper reads questions as they are
    ) -> PaperQA:
        if model is None:
            raise InputError("no replica of the paper's model is bundled: name the folder of one")
        folder = Path(model)
        opened = kb if isinstance(kb, KnowledgeBase) else open_kb(kb)
        scorer = PaperScorer.load(folder, device)
        settings = SearchSettings(beam or scorer.config.beam, True, None, Learned.of_model(folder))
        linker = Linker(opened, LinkerWeights.of_model(folder))
        return cls(opened, scorer, Fitted.of_model(folder), linker, settings)
