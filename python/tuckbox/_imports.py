"""Imports of logs of any size. Each file is passed to the core in pieces."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._error import TuckboxError
from ._json import loads, loads_verbatim
from ._native import ImportStream, to_json

if TYPE_CHECKING:
    from gzip import GzipFile
    from typing import IO

    from .types import ImportReport, Lint

__all__ = ["ImportResult", "import_log"]

#: The number of bytes that the core reads at once.
CHUNK = 1 << 20


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

    ``models`` is a table of models of your own, as for ``open``: its prices and limits win.
    """
    return import_chunks(_files(sources), models)


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


def read_files(sources: Iterable[Any]) -> list[dict[str, str]]:
    """Reads logs as files of the operation `import`. Files that are not text are omitted."""
    found = []
    for name, _, chunks in _files(sources):
        try:
            found.append({"name": _shown(name), "text": b"".join(chunks).decode()})
        except UnicodeDecodeError:
            continue
    return found


def _files(sources: Iterable[Any]) -> Iterator[tuple[str, int, Iterable[bytes]]]:
    for source in sources:
        if isinstance(source, tuple):
            name, data = source
            yield name, len(data), [data]
            continue
        path = Path(source)
        if path.is_dir():
            for inner in sorted(path.rglob("*")):
                if inner.is_file():
                    yield from _opened(inner, str(inner.relative_to(path)))
        elif path.exists():
            yield from _opened(path, path.name)
        else:
            raise TuckboxError("not_found", f"there is no file `{path}`", path="files")


def _opened(path: Path, name: str) -> Iterator[tuple[str, int, Iterable[bytes]]]:
    # loaded on first use: they take a quarter of the time of `import tuckbox`
    import gzip
    import zipfile

    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for entry in archive.infolist():
                if not entry.is_dir():
                    with archive.open(entry) as inner:
                        yield entry.filename, entry.file_size, _chunks(inner)
        return
    with path.open("rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        if is_gzip:
            with gzip.open(file) as inner:
                yield name.removesuffix(".gz"), 0, _chunks(inner)
        else:
            yield name, path.stat().st_size, _chunks(file)


def _shown(name: str) -> str:
    """Returns the name of a file as text. Names can have bytes that are not UTF-8."""
    return name.encode("utf-8", "replace").decode()


def _chunks(file: IO[bytes] | GzipFile) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        yield chunk
