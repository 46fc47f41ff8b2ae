"""Imports of logs of any size. Each file is passed to the core in pieces."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ._json import loads, loads_verbatim
from ._logs import log_files
from ._native import ImportStream, to_json

if TYPE_CHECKING:
    from .types import ImportReport, Lint

__all__ = ["ImportResult", "import_log"]


class ImportResult:
    """What logs contain: the report as ``value`` and as JSON ``text``, and the ``lints``."""

    def __init__(self, around: str, pieces: list[str], lints: str) -> None:
        self._around = around
        self._pieces = pieces
        #: Warnings about the files.
        self.lints: list[Lint] = loads(lints)

    @cached_property
    def value(self) -> ImportReport:
        """The report."""
        report: ImportReport = _report(self._around, self._pieces, loads)
        return report

    @property
    def text(self) -> str:
        """The report as JSON text, with every digit."""
        return to_json(_report(self._around, self._pieces, loads_verbatim))

    def __repr__(self) -> str:
        return f"<ImportResult of {len(self.value['sessions'])} sessions>"


def import_log(
    *sources: str | os.PathLike[str] | tuple[str, bytes], models: Mapping[str, Any] | None = None
) -> ImportResult:
    """Reads logs: files, folders, archives (zip, gzip), or pairs of a name and bytes.

    A file in a folder that cannot be read is skipped with a warning. ``models`` is a table of models
    of your own, as for ``open``: its facts replace those of the shared table.
    """
    return import_files(sources, _warn, models)


def import_files(
    sources: Iterable[Any], note: Callable[[str], None], models: Mapping[str, Any] | None = None
) -> ImportResult:
    """Reads logs. ``note`` receives the reason for each file that is skipped."""
    return import_chunks(log_files(sources, note), models)


def import_chunks(
    files: Iterable[tuple[str, int, Iterable[bytes]]], models: Mapping[str, Any] | None = None
) -> ImportResult:
    """Reads files in chunks: the name, the approximate size, and the chunks of each."""
    stream = ImportStream(os.urandom(32), None if models is None else to_json(models))
    for name, size, chunks in files:
        stream.begin(_shown(name), size)
        for chunk in chunks:
            stream.push(chunk)
        stream.end()
    around, lints = stream.finish()
    return ImportResult(around, list(iter(stream.piece, None)), lints)


def _report(around: str, pieces: list[str], parse: Callable[[str], Any]) -> Any:
    """Joins the pieces of the core. It sends a list `unknown` only if it differs from the last."""
    sessions: list[Any] = []
    last: Any = []
    for text in pieces:
        piece = parse(text)
        requests = piece if isinstance(piece, list) else piece["requests"]
        for request in requests:
            if request["unknown"] is None:
                request["unknown"] = last
            else:
                last = request["unknown"]
        if isinstance(piece, list):
            sessions[-1]["requests"].extend(piece)
        else:
            sessions.append(piece)
    whole = parse(around)
    return {
        "files": whole["files"],
        "sessions": sessions,
        "notes": whole["notes"],
        "calibration": whole["calibration"],
    }


def read_files(
    sources: Iterable[Any], note: Callable[[str], None] | None = None
) -> list[dict[str, str]]:
    """Reads logs as files of the operation `import`: text, or base64 of other bytes."""
    found = []
    for name, _, chunks in log_files(sources, note or _warn):
        data = b"".join(chunks)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            from base64 import b64encode

            found.append({"name": _shown(name), "base64": b64encode(data).decode()})
        else:
            found.append({"name": _shown(name), "text": text})
    return found


def _warn(note: str) -> None:
    import warnings

    warnings.warn(note, RuntimeWarning, stacklevel=2)


def _shown(name: str) -> str:
    """Returns the name of a file as text. Names can have bytes that are not UTF-8."""
    return name.encode("utf-8", "replace").decode()
