"""The paper's functions, its table of expansion rules, and tokens spelled as it spells them."""

from __future__ import annotations

from arcaneqa.induction.induction import Induction, Machine
from arcaneqa.induction.learned import Learned
from arcaneqa.induction.meaning import Meanings
from arcaneqa.induction.paths import Starts
from arcaneqa.induction.results import Partial
from arcaneqa.induction.vocabulary import Options, Vocabulary
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.schema import ValueKind
from arcaneqa.lab.paper.spelling import Spelling


class PaperVocabulary(Vocabulary):
    """CONS and TC as the paper's table has them, whatever the facts or training programs say of a relation's
    range: any fact of a member is a constraint, any date of one a constraint in time."""

    def __init__(self, kb: KnowledgeBase, learned: Learned | None = None) -> None:
        super().__init__(kb, learned, has_forms=False)
        shown = [relation for relation in kb.schema.relations if not relation.hidden]
        self.dated = {relation.id: None for relation in shown if ValueKind.TIME in relation.kinds}
        self.closed = frozenset(relation.id for relation in shown)
        self.taught = {}


class PaperInduction(Induction):
    def __init__(self, kb: KnowledgeBase, learned: Learned | None = None) -> None:
        super().__init__(kb, learned, has_forms=False)
        self._spelling = Spelling(kb.schema)

    def _vocabulary(self, learned: Learned | None, has_forms: bool) -> Vocabulary:  # noqa: ARG002
        return PaperVocabulary(self.kb, learned)

    def machine(self) -> Machine:
        return PaperMachine(self.meanings(), self.starts, self._spelling)


class PaperMachine(Machine):
    def __init__(self, meanings: Meanings, starts: Starts, spelling: Spelling) -> None:
        super().__init__(meanings, starts)
        self._spelling = spelling

    def options(self, state: Partial) -> Options:
        return self._spelling.options(super().options(state))
