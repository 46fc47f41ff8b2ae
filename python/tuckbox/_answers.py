"""Answers of providers, as their packages return them."""

from __future__ import annotations

from typing import Any

from ._error import TuckboxError

__all__ = ["as_sent"]

OPERATIONS = ("read_response", "read_deltas")


def as_sent(op: Any, args: Any) -> Any:
    """Returns the arguments of a call, where models of a provider's package have what the provider sent.

    These models have many more members, which are `None`.
    """
    if not isinstance(op, str) or op not in OPERATIONS or not isinstance(args, dict):
        return args
    changed = {}
    if "response" in args:
        changed["response"] = _members(args["response"], "response")
    if isinstance(args.get("events"), (list, tuple)):
        events = enumerate(args["events"])
        changed["events"] = [_members(event, f"events[{at}]") for at, event in events]
    return {**args, **changed}


def _members(answer: Any, path: str) -> Any:
    if not hasattr(type(answer), "model_dump"):
        return answer
    try:
        return answer.model_dump(mode="json", by_alias=True, exclude_unset=True, warnings=False)
    except Exception as cause:
        message = f"the value cannot be read: {type(cause).__name__}"
        raise TuckboxError("bad_request", message, path=path) from cause
