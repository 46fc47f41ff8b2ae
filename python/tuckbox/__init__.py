"""Assembles, previews and explains the context that LLM agents receive.

>>> import tuckbox
>>> project = tuckbox.open(tuckbox.memory_store(), project_id="demo")
>>> made = project.boxes.create(box_id="notes", card_ids=["n1"])
>>> preview = project.preview("append_to_box", {"box_id": "notes", "card_ids": ["n2"]})
>>> preview.commit()["boxes"]
[{'box_id': 'notes', 'version': 2}]
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _native
from ._error import TuckboxError
from ._imports import ImportResult, import_log
from ._json import JsonText, json_text
from ._ledger import BoxLedger, Ledger
from ._native import operations
from ._project import AsyncPreview, AsyncProject, Preview, Project, open, open_async
from .stores import MemoryProject, MemoryStore, memory_store

if TYPE_CHECKING:
    from . import testing, types
    from .stores.postgres import (
        AsyncPostgresStore,
        PostgresStore,
        async_postgres_store,
        postgres_store,
    )
    from .stores.sqlite import SqliteStore, sqlite_store

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_native.before_fork,
        after_in_parent=_native.after_fork,
        after_in_child=_native.after_fork,
    )

__version__ = "0.1.0"

__all__ = [
    "AsyncPostgresStore",
    "AsyncPreview",
    "AsyncProject",
    "BoxLedger",
    "ImportResult",
    "JsonText",
    "Ledger",
    "MemoryProject",
    "MemoryStore",
    "PostgresStore",
    "Preview",
    "Project",
    "SqliteStore",
    "TuckboxError",
    "async_postgres_store",
    "import_log",
    "json_text",
    "memory_store",
    "open",
    "open_async",
    "operations",
    "postgres_store",
    "sqlite_store",
    "testing",
    "types",
]


def __getattr__(name: str) -> Any:
    # loaded on first use
    if name in __all__ and name not in ("testing", "types"):
        from . import stores

        return getattr(stores, name)
    if name in ("testing", "types"):
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module `tuckbox` has no `{name}`")
