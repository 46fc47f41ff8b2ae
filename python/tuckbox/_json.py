"""JSON text without losses."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from ._error import TuckboxError

__all__ = ["JsonText", "json_text", "loads", "loads_verbatim", "unicode_text"]


class JsonText:
    """JSON text that a call passes to the core verbatim, with every digit and the order of keys."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TuckboxError("invalid_content", "JSON text must be a string")
        try:
            text.encode()
            # the text can have integers of any size
            json.loads(text, parse_int=str, parse_float=str, parse_constant=_refuse)
        except (ValueError, RecursionError) as cause:
            raise TuckboxError("invalid_content", f"not JSON: {cause}") from cause
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"JsonText({self._text!r})"


def json_text(text: str) -> JsonText:
    """Marks JSON text, so that a call passes it to the core verbatim."""
    return JsonText(text)


def unicode_text(text: str, code: str, path: str) -> str:
    """Returns text for the core. Text with a lone surrogate is an error."""
    try:
        text.encode()
    except UnicodeEncodeError as cause:
        raise TuckboxError(code, "the text contains a lone surrogate", path=path) from cause
    return text


def loads(text: str) -> Any:
    """Returns the value of JSON text of the core. Integers of any size are kept."""
    try:
        return json.loads(text)
    except ValueError:
        # Python refuses integers of more than 4300 digits
        return json.loads(text, parse_int=_whole)


def loads_verbatim(text: str) -> Any:
    """Returns the value of JSON text of the core, with numbers as text that is written verbatim."""
    return json.loads(text, parse_int=_verbatim, parse_float=_verbatim)


def _verbatim(digits: str) -> JsonText:
    number = JsonText.__new__(JsonText)
    number._text = digits
    return number


def _whole(digits: str) -> int:
    return int(digits) if len(digits) < 4000 else int(Decimal(digits))


def _refuse(constant: str) -> Any:
    raise ValueError(f"`{constant}` is not a number in JSON")
