"""Sessions of the Claude Agent SDK in a project."""

from __future__ import annotations

import inspect
import os
from collections.abc import AsyncIterable, AsyncIterator, Callable
from pathlib import Path
from typing import Any, TypeVar

from .._error import TuckboxError
from .._imports import read_files

__all__ = ["capture", "session_files"]

M = TypeVar("M")


async def capture(
    project: Any,
    messages: AsyncIterable[M],
    on_import: Callable[[Any], object] | None = None,
) -> AsyncIterator[M]:
    """Yields the messages of ``query`` unchanged. At each result, imports the log of the session.

    ``on_import`` receives the report of each import.
    """
    async for message in messages:
        # only a result has the cost of the session
        if hasattr(message, "total_cost_usd"):
            session_id: str = getattr(message, "session_id")
            logs = session_files(session_id)
            files = read_files((log.name, log.read_bytes()) for log in logs)
            report = project.call({"op": "import", "files": files})
            if inspect.isawaitable(report):
                report = await report
            if on_import is not None:
                on_import(report)
        yield message


def session_files(session_id: str) -> list[Path]:
    """Returns the logs of a session: its own, and those of its subagents."""
    home = os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude"
    found = sorted(Path(home, "projects").glob(f"*/{session_id}*.jsonl"))
    if not found:
        message = f"there is no log of the session `{session_id}` in `{home}`"
        raise TuckboxError("not_found", message, path="session_id")
    return [*found, *sorted(Path(home, "projects").glob(f"*/{session_id}/**/*.jsonl"))]
