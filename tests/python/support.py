"""Shared code of the tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import tuckbox

#: True in the long form of the tests, which installs packages.
DEEP = os.environ.get("TUCKBOX_DEEP") is not None

#: The root of the repository.
ROOT = Path(__file__).parent.parent.parent

#: A fixed time and fixed random bytes.
ENV: dict[str, Any] = {"now": 1_767_522_600_000, "entropy": bytes([7] * 32)}


def opened(**more: Any) -> tuple[tuckbox.MemoryStore, Any]:
    """Returns a store in memory, and a project in it."""
    store = tuckbox.memory_store()
    return store, tuckbox.open(store, project_id="p1", **more)
