"""The context of a project for agents of LangChain 1 and LangGraph, as a middleware."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import BaseMessage, convert_to_messages

from . import context_body, context_body_async

__all__ = ["ContextMiddleware", "context_messages"]


def context_messages(project: Any, /, **context: Any) -> list[BaseMessage]:
    """Returns the context of a project as messages, for the state of a graph."""
    return list(convert_to_messages(context_body(project, "openai_chat", context)["messages"]))


class ContextMiddleware(AgentMiddleware[Any, Any, Any]):
    """Puts the context of a project before the messages of each model call."""

    def __init__(self, project: Any, /, **context: Any) -> None:
        super().__init__()
        self._project = project
        self._context = context

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        """Calls the model with the context. The state of the agent does not change."""
        body = context_body(self._project, "openai_chat", self._context)
        return handler(_with_context(request, body))

    async def awrap_model_call(
        self, request: Any, handler: Callable[[Any], Awaitable[Any]]
    ) -> Any:
        """Calls the model with the context. The project can be asynchronous."""
        body = await context_body_async(self._project, "openai_chat", self._context)
        return await handler(_with_context(request, body))


def _with_context(request: Any, body: Any) -> Any:
    messages = [*convert_to_messages(body["messages"]), *request.messages]
    return request.override(messages=messages)
