"""The index against the contract."""

from __future__ import annotations

from pathlib import Path

from arcaneqa.kb.build import build_index
from arcaneqa.kb.index import Index
from arcaneqa.kb.interface import KnowledgeBase
from arcaneqa.kb.profile import Profile
from tests.cases import KnowledgeBaseCases


class TestIndexContract(KnowledgeBaseCases):
    @classmethod
    def make_kb(cls, path: Path, profile: Profile) -> KnowledgeBase:
        build_index([path], path.parent / "index", profile=profile)
        return Index(path.parent / "index")
