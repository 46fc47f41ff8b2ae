"""Shared code of the tests."""

from __future__ import annotations

from typing import Any

import tuckbox

#: A fixed time and fixed random bytes.
ENV: dict[str, Any] = {"now": 1_767_522_600_000, "entropy": bytes([7] * 32)}


def opened(**more: Any) -> tuple[tuckbox.MemoryStore, Any]:
    """Returns a store in memory, and a project in it."""
    store = tuckbox.memory_store()
    return store, tuckbox.open(store, project_id="p1", **more)
