"""The context of a project for the OpenAI Agents SDK, as an input filter."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any

from . import context_body_async

__all__ = ["input_filter"]


def input_filter(project: Any, /, **context: Any) -> Callable[[Any], Awaitable[Any]]:
    """Returns a ``call_model_input_filter`` that puts the context before the items of the run.

    The context replaces the instructions of the agent if it has a system prompt.
    """

    async def filter(data: Any) -> Any:
        body = await context_body_async(project, "openai_responses", context)
        given = data.model_data
        instructions = body.get("instructions", given.instructions)
        items = [*body["input"], *given.input]
        return dataclasses.replace(given, input=items, instructions=instructions)

    return filter
