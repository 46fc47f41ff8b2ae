"""The arguments and the answers of every operation, for type checkers: see ``types.pyi``.

At run time, every name is :data:`typing.Any`, because values are plain dictionaries and lists.
"""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    return Any
