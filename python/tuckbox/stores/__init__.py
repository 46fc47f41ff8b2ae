"""Stores: the rows of projects, in memory, in a file of SQLite and in PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._memory import MemoryProject, MemoryStore, memory_store

if TYPE_CHECKING:
    from .postgres import AsyncPostgresStore, PostgresStore, async_postgres_store, postgres_store
    from .sqlite import SqliteStore, sqlite_store

__all__ = [
    "AsyncPostgresStore",
    "MemoryProject",
    "MemoryStore",
    "PostgresStore",
    "SqliteStore",
    "async_postgres_store",
    "memory_store",
    "postgres_store",
    "sqlite_store",
]

#: The module of each name, which is loaded on first use.
MODULES = {
    "AsyncPostgresStore": "postgres",
    "PostgresStore": "postgres",
    "async_postgres_store": "postgres",
    "postgres_store": "postgres",
    "SqliteStore": "sqlite",
    "sqlite_store": "sqlite",
}


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module `tuckbox.stores` has no `{name}`")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
