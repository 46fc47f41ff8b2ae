"""A store in memory, for tests, previews and small tools."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from .._error import TuckboxError
from .._json import loads, unicode_text
from .._native import MemoryRows, to_json

__all__ = ["MemoryProject", "MemoryStore", "memory_store"]


class MemoryProject:
    """The tables of one project, to fill them by hand. Rows are stored verbatim."""

    def __init__(self, rows: MemoryRows, project_id: str, hands: count[int]) -> None:
        self._rows = rows
        self._project_id = project_id
        self._hands = hands

    def add_row(self, table: str, row: Any, version: str | None = None) -> MemoryProject:
        """Adds a row of a declared table."""
        if version is None:
            version = f"by hand {next(self._hands)}"
        unicode_text(table, "bad_request", "table")
        unicode_text(version, "bad_request", "version")
        self._rows.put(self._project_id, table, to_json(row), version)
        return self

    def add_profile(self, row: Any) -> MemoryProject:
        """Registers a profile: ``{"name": .., "profile_box_id": ..}``."""
        return self.add_row("project_profiles", row)

    def add_agent(self, row: Any) -> MemoryProject:
        """Adds an agent: ``{"agent_id": .., "profile_box_id": ..}``."""
        return self.add_row("project_agents", row)

    def add_box(self, row: Any) -> MemoryProject:
        """Adds a box: ``{"box_id": .., "card_ids": [..]}``. Its version is 1 by default."""
        return self.add_row("boxes", row)

    def add_card(self, row: Any) -> MemoryProject:
        """Adds a card: ``{"card_id": .., "content": .., "metadata": ..}``."""
        return self.add_row("cards", row)

    def add_file(self, row: Any) -> MemoryProject:
        """Adds a file: ``{"path": .., "text": ..}``."""
        return self.add_row("files", row)


class MemoryStore:
    """A store in memory. Projects are isolated from each other; threads can share it."""

    def __init__(self) -> None:
        self._rows = MemoryRows()
        self._hands = count(1)

    def project(self, project_id: str) -> MemoryProject:
        """Returns the tables of a project, to fill them by hand."""
        if not isinstance(project_id, str) or not project_id:
            message = "the id of a project must be a string that is not empty"
            raise TuckboxError("bad_request", message, path="project_id")
        unicode_text(project_id, "bad_request", "project_id")
        return MemoryProject(self._rows, project_id, self._hands)

    def read(self, reads: Mapping[str, Any]) -> str:
        """Answers every requested key, as a row or as missing."""
        return self.read_text(to_json(reads, "store", "reads"))

    def commit(self, writes: Mapping[str, Any]) -> Any:
        """Applies the whole batch, or nothing."""
        return loads(self.commit_text(to_json(writes, "store", "writes")))

    def read_text(self, reads: str) -> str:
        """Answers reads in JSON text."""
        return self._rows.read(reads)

    def commit_text(self, writes: str) -> str:
        """Applies a batch in JSON text."""
        return self._rows.commit(writes)

    def __repr__(self) -> str:
        return "<MemoryStore>"


def memory_store() -> MemoryStore:
    """Returns an empty store in memory."""
    return MemoryStore()
