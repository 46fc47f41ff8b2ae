"""Stores: the rows of projects, in memory and in a file of SQLite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._memory import MemoryProject, MemoryStore, memory_store

if TYPE_CHECKING:
    from .sqlite import SqliteStore, sqlite_store

__all__ = ["MemoryProject", "MemoryStore", "SqliteStore", "memory_store", "sqlite_store"]


def __getattr__(name: str) -> Any:
    # the module `sqlite3` is loaded on first use
    if name in ("SqliteStore", "sqlite_store"):
        from . import sqlite

        return getattr(sqlite, name)
    raise AttributeError(name)
