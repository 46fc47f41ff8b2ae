"""The context of a project for Pydantic AI, as a processor of the history."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from pydantic_ai.messages import (
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from .._error import TuckboxError
from . import context_body_async

__all__ = ["history_processor"]

#: The mark of the context: Pydantic AI keeps what a processor returns as the history, and joins
#: requests, so that only their parts and answers keep a mark.
TIME = datetime(1970, 1, 1, tzinfo=timezone.utc)


def history_processor(
    project: Any, /, **context: Any
) -> Callable[[list[ModelMessage]], Awaitable[list[ModelMessage]]]:
    """Returns a processor that puts the context before the history, for ``ProcessHistory``."""

    async def process(messages: list[ModelMessage]) -> list[ModelMessage]:
        body = await context_body_async(project, "openai_chat", context)
        return [*_messages(body["messages"]), *_own(messages)]

    return process


def _own(messages: list[ModelMessage]) -> list[ModelMessage]:
    """Returns the history without the context of an earlier request."""
    own: list[ModelMessage] = []
    for message in messages:
        if isinstance(message, ModelResponse):
            if message.timestamp != TIME:
                own.append(message)
            continue
        parts = [part for part in message.parts if getattr(part, "timestamp", None) != TIME]
        if parts or not message.parts:
            own.append(replace(message, parts=parts))
    return own


def _messages(given: list[Any]) -> list[ModelMessage]:
    """Returns messages of chat completions as messages of Pydantic AI."""
    names: dict[str, str] = {}
    made: list[ModelMessage] = []
    for index, message in enumerate(given):
        place = f"messages[{index}]"
        if message["role"] == "assistant":
            calls = [
                ToolCallPart(each["function"]["name"], each["function"]["arguments"], each["id"])
                for each in message.get("tool_calls", [])
            ]
            names.update({call.tool_call_id: call.tool_name for call in calls})
            content = message.get("content")
            # an empty text is a text, and the model gets it
            text = [] if content is None else [TextPart(_text(content, place))]
            made.append(ModelResponse(parts=[*text, *calls], timestamp=TIME))
            continue
        if message["role"] in ("system", "developer"):
            part: Any = SystemPromptPart(_text(message["content"], place), timestamp=TIME)
        elif message["role"] == "tool":
            call_id = message["tool_call_id"]
            content = _text(message["content"], place)
            part = ToolReturnPart(names.get(call_id, ""), content, call_id, timestamp=TIME)
        else:
            part = UserPromptPart(_content(message["content"], place), timestamp=TIME)
        made.append(ModelRequest(parts=[part]))
    return made


def _content(content: Any, place: str) -> Any:
    """Returns the content of a user's message: text, or a list of texts and images."""
    if isinstance(content, str):
        return content
    parts = []
    for part in content:
        if part["type"] == "image_url":
            parts.append(ImageUrl(part["image_url"]["url"]))
        else:
            parts.append(_text([part], place))
    return parts


def _text(content: Any, place: str) -> str:
    if isinstance(content, str):
        return content
    for part in content:
        if part["type"] != "text":
            message = f"a part of type `{part['type']}` has no form in Pydantic AI"
            raise TuckboxError("invalid_content", message, path=place)
    return "".join(part["text"] for part in content)
