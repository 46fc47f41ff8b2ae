"""The error of every failed call."""

from __future__ import annotations

import json
from typing import Any, Mapping

__all__ = ["TuckboxError"]


class TuckboxError(Exception):
    """A failed call: a stable ``code``, the ``path`` of the value, a message and ``details``."""

    code: str
    path: str
    message: str
    details: Mapping[str, Any]

    def __init__(
        self,
        code: str,
        message: str,
        *,
        path: str = "",
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.path = path
        self.message = message
        self.details = {} if details is None else details

    @classmethod
    def _of(cls, code: str, message: str, path: str, details: str) -> TuckboxError:
        return cls(code, message, path=path, details=json.loads(details))

    def __str__(self) -> str:
        at = f" (at {self.path})" if self.path else ""
        return f"{self.code}: {self.message}{at}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_made, (self.code, self.message, self.path, dict(self.details)))


def _made(code: str, message: str, path: str, details: dict[str, Any]) -> TuckboxError:
    return TuckboxError(code, message, path=path, details=details)
