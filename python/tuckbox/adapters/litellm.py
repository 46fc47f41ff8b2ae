"""Records of LiteLLM in a project, as a callback. A request is ``completion(**payload["body"])``."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from datetime import datetime
from itertools import count
from typing import Any

from litellm.integrations.custom_logger import CustomLogger

__all__ = ["Recorder"]


class Recorder(CustomLogger):
    """Imports every answered request into a project: ``litellm.callbacks = [Recorder(project)]``.

    Requests and answers are stored verbatim. ``on_import`` receives the report of each import.
    """

    def __init__(
        self,
        project: Any,
        name: str = "litellm",
        on_import: Callable[[Any], object] | None = None,
    ) -> None:
        super().__init__()
        self._on_import = on_import
        self._project = project
        self._name = name
        self._numbers = count(1)

    def log_success_event(
        self, kwargs: Any, response_obj: Any, start_time: datetime, end_time: datetime
    ) -> None:
        """Imports a request of ``completion``."""
        report = self._project.call(self._imported(kwargs, response_obj, start_time))
        if self._on_import is not None:
            self._on_import(report)

    async def async_log_success_event(
        self, kwargs: Any, response_obj: Any, start_time: datetime, end_time: datetime
    ) -> None:
        """Imports a request of ``acompletion``. The project can be asynchronous."""
        report = self._project.call(self._imported(kwargs, response_obj, start_time))
        if inspect.isawaitable(report):
            report = await report
        if self._on_import is not None:
            self._on_import(report)

    def _imported(self, kwargs: Any, response: Any, start: datetime) -> dict[str, Any]:
        """Returns the call that imports the sent body and its answer."""
        at = start.astimezone().isoformat()
        sent = kwargs["additional_args"]["complete_input_dict"]
        body = {"model": kwargs["model"], **(json.loads(sent) if isinstance(sent, str) else sent)}
        record = {"at": at, "request": body, "response": json.loads(response.model_dump_json())}
        name = f"{self._name}-{at}-{next(self._numbers)}.jsonl"
        return {"op": "import", "files": [{"name": name, "text": json.dumps(record)}]}
