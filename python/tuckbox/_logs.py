"""The files of logs: below folders, and inside gzip and zip files.

The npm package has the same rules in ``pkg/lib/cli/logs.js`` and ``pkg/lib/import/open.js``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ._error import TuckboxError

if TYPE_CHECKING:
    from gzip import GzipFile
    from typing import IO
    from zipfile import ZipFile, ZipInfo

__all__ = ["log_files"]

#: A file: its name, its approximate size, and its bytes in chunks.
LogFile = tuple[str, int, Iterable[bytes]]

#: The number of bytes that are read at once.
CHUNK = 1 << 20

#: The maximum size of all unpacked files of one import, in bytes of content and names.
MAX_BYTES = 1 << 30

#: The maximum number of archives around a file.
MAX_DEPTH = 8

#: The bytes that an unpacked file takes from the budget besides its content and its name.
FILE_BYTES = 64

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"

#: Files that describe a test case next to its log, and folders without logs.
NOT_LOGS = ("truth.json", "meta.json")
NOT_FOLDERS = ("node_modules", ".git")


class _Budget:
    """The bytes that an import can still unpack."""

    def __init__(self) -> None:
        self.left = MAX_BYTES

    def takes(self, size: int) -> bool:
        """Takes bytes. Returns false if there are fewer, and then takes all: the rest is not unpacked."""
        is_enough = size <= self.left
        self.left = self.left - size if is_enough else 0
        return is_enough


def log_files(sources: Iterable[Any], note: Callable[[str], None]) -> Iterator[LogFile]:
    """Yields each file below paths, and pairs of a name and bytes, unpacked.

    A path must be readable. What is below it and cannot be read is skipped with a note.
    """
    budget = _Budget()
    for source in sources:
        if isinstance(source, tuple):
            name, data = _pair(source)
            yield from _whole(name, data, budget)
            continue
        try:
            path = os.fsdecode(source)
        except TypeError as cause:
            message = "a log must be a path, or a pair of a name and bytes"
            raise TuckboxError("bad_request", message, path="files") from cause
        try:
            root = os.path.realpath(path)
            mode = os.stat(root).st_mode
            if stat.S_ISDIR(mode):
                yield from _below(root, root, path, set(), budget, note)
            elif stat.S_ISREG(mode):
                yield from _opened(root, path, budget)
            else:
                message = f"`{path}` cannot be read: it is neither a file nor a folder"
                raise TuckboxError("bad_request", message, path="files")
        except FileNotFoundError as cause:
            raise TuckboxError("not_found", f"there is no file `{path}`", path="files") from cause
        except (OSError, ValueError) as cause:
            message = f"`{path}` cannot be read: {cause}"
            raise TuckboxError("bad_request", message, path="files") from cause


def _pair(source: tuple[Any, ...]) -> tuple[str, bytes]:
    if len(source) == 2:
        name, data = source
        if isinstance(name, str) and isinstance(data, (bytes, bytearray)):
            return name, bytes(data)
    message = "a log must be a path, or a pair of a name and bytes"
    raise TuckboxError("bad_request", message, path="files")


def _below(
    root: str, folder: str, name: str, visited: set[str], budget: _Budget, note: Callable[[str], None]
) -> Iterator[LogFile]:
    # links inside of the folder can form a cycle
    if folder in visited:
        return
    visited.add(folder)
    for entry in sorted(os.listdir(folder)):
        inner = os.path.join(name, entry)
        try:
            path = os.path.realpath(os.path.join(folder, entry))
            mode = os.stat(path).st_mode
            if os.path.commonpath([root, path]) != root:
                note(f"`{inner}` is skipped: the link leads out of the folder")
            elif stat.S_ISDIR(mode):
                if entry not in NOT_FOLDERS:
                    yield from _below(root, path, inner, visited, budget, note)
            elif not stat.S_ISREG(mode):
                note(f"`{inner}` is skipped: it is not a regular file")
            elif entry not in NOT_LOGS:
                yield from _opened(path, inner, budget)
        except (OSError, ValueError) as cause:
            note(f"`{inner}` is skipped: {cause}")


def _opened(path: str, name: str, budget: _Budget) -> Iterator[LogFile]:
    """Yields a file in chunks, or the files that are packed in it."""
    if os.path.basename(path) in NOT_LOGS:
        return
    # another process can replace the file; a pipe does not block `open`
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(path, "rb", opener=lambda path, _: os.open(path, flags)) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            return
        if _is_packed(file.peek(len(ZIP) + 1)):
            yield from _whole(name, file.read(), budget)
        else:
            yield name, status.st_size, _chunks(file, name)


def _chunks(file: IO[bytes], name: str) -> Iterator[bytes]:
    try:
        while chunk := file.read(CHUNK):
            yield chunk
    except OSError as cause:
        message = f"`{name}` cannot be read: {cause}"
        raise TuckboxError("bad_request", message, path="files") from cause


def _is_packed(head: bytes) -> bool:
    return any(head.startswith(magic) and len(head) > len(magic) for magic in (GZIP, ZIP))


def _whole(name: str, data: bytes, budget: _Budget) -> Iterator[LogFile]:
    for inner, content in _unpacked(name, data, budget, 0):
        yield inner, len(content), [content]


def _unpacked(name: str, data: bytes, budget: _Budget, depth: int) -> Iterator[tuple[str, bytes]]:
    """Yields the files in a file: itself, its decompressed content, or the entries of an archive.

    A file that cannot be unpacked is yielded packed, and the core reports it.
    """
    if not _is_packed(data[: len(ZIP) + 1]) or depth >= MAX_DEPTH:
        yield name, data
    elif data.startswith(GZIP):
        plain = name[:-3] if name.lower().endswith(".gz") else name
        content = _gunzipped(data, budget) if budget.takes(len(plain) + FILE_BYTES) else None
        if content is None:
            yield name, data
        else:
            yield from _unpacked(plain, content, budget, depth + 1)
    else:
        yield from _entries(name, data, budget, depth)


def _gunzipped(data: bytes, budget: _Budget) -> bytes | None:
    # loaded on first use: they take a quarter of the time of `import tuckbox`
    import gzip
    import io
    import zlib

    try:
        with gzip.open(io.BytesIO(data)) as file:
            return _limited(file, budget.left, budget)
    except (OSError, EOFError, zlib.error):
        return None


def _limited(file: IO[bytes] | GzipFile, most: int, budget: _Budget) -> bytes | None:
    """Reads at most so many bytes, and takes them from the budget."""
    chunks = []
    length = 0
    while chunk := file.read(CHUNK):
        length += len(chunk)
        if not budget.takes(len(chunk)) or length > most:
            return None
        chunks.append(chunk)
    return b"".join(chunks)


def _entries(name: str, data: bytes, budget: _Budget, depth: int) -> Iterator[tuple[str, bytes]]:
    import io
    import zipfile

    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        spans = [_span(data, entry) for entry in archive.infolist()]
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        yield name, data
        return
    # a small archive could otherwise contain the same data thousands of times
    starts = sorted(start for start, _ in spans)[1:] + [archive.start_dir]
    if any(end > start for (_, end), start in zip(sorted(spans), starts)):
        yield name, data
        return
    for entry, (start, end) in zip(archive.infolist(), spans):
        if entry.is_dir():
            continue
        within = f"{name}/{_entry_name(entry)}"
        is_taken = budget.takes(len(within) + FILE_BYTES)
        content = _content(archive, entry, budget) if is_taken else None
        if content is None:
            # its header makes the core report a packed file
            yield within, data[start:end]
        else:
            yield from _unpacked(within, content, budget, depth + 1)


def _span(data: bytes, entry: ZipInfo) -> tuple[int, int]:
    """Returns the first byte of an entry with its header, and the first byte after it."""
    head = entry.header_offset
    if data[head : head + 4] != ZIP or head + 30 > len(data):
        raise ValueError("the directory of the archive is wrong")
    sizes = (data[head + at] + 256 * data[head + at + 1] for at in (26, 28))
    return head, head + 30 + sum(sizes) + entry.compress_size


def _entry_name(entry: ZipInfo) -> str:
    if entry.flag_bits & 0x800:
        return entry.filename
    # the names of most programs are UTF-8 also without this flag
    return entry.filename.encode("cp437", "replace").decode(errors="replace")


def _content(archive: ZipFile, entry: ZipInfo, budget: _Budget) -> bytes | None:
    import zipfile
    import zlib

    if entry.file_size > budget.left:
        budget.takes(entry.file_size)
        return None
    if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return None
    try:
        with archive.open(entry) as file:
            content = _limited(file, entry.file_size, budget)
    # also encrypted entries
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, NotImplementedError, ValueError):
        return None
    return content if content is not None and len(content) == entry.file_size else None
