"""Adapters for agent frameworks. Each puts the context of a project before the framework's messages.

The arguments of an adapter are a project and the arguments of ``payload``, such as ``box_id`` or
``turn``. The context is built before every request. ``docs/how-to/use-python-frameworks.md`` shows
each adapter.
"""

from __future__ import annotations

import inspect
from typing import Any

from .._error import TuckboxError

__all__: list[str] = []


def context_body(project: Any, provider: str, context: Any) -> Any:
    """Returns the body of the request with the context of a project."""
    payload = project.payload({"model": "unknown", **context, "provider": provider})
    if inspect.isawaitable(payload):
        close = getattr(payload, "close", None)
        if callable(close):
            close()
        message = "the project is asynchronous; use the asynchronous methods of the framework"
        raise TuckboxError("bad_request", message, path="project")
    return payload["body"]


async def context_body_async(project: Any, provider: str, context: Any) -> Any:
    """Returns the body of the request with the context of a project, also of an asynchronous one."""
    payload = project.payload({"model": "unknown", **context, "provider": provider})
    if inspect.isawaitable(payload):
        payload = await payload
    return payload["body"]
