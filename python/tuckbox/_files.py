"""Text files that processes change one after another.

The lock of ``FILE`` is the folder ``FILE.lock`` with one file. The owner writes the new content into
that file and renames it to ``FILE``: one step that commits and ends the lock. Another process takes
the lock over by deleting the file, and then the rename of the former owner fails. The npm package
uses the same lock.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from ._error import TuckboxError

__all__ = ["change_text", "read_text"]

#: The seconds after which a lock without changes is taken over.
TAKE_OVER = 5.0

#: The seconds that a change waits for other processes.
MAX_WAIT = 60.0


def read_text(path: Path) -> str | None:
    """Returns the text of a file, or `None` if it does not exist."""
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as cause:
        raise TuckboxError("bad_request", f"`{path}` cannot be read: {cause}") from cause


def change_text(path: Path, change: Callable[[str | None], str]) -> None:
    """Replaces a file by the text that ``change`` returns for its text."""
    try:
        while not _try_change(path, _take(path), change):
            pass
    except OSError as cause:
        raise TuckboxError("bad_request", f"`{path}` cannot be written: {cause}") from cause


def _try_change(path: Path, owner: Path, change: Callable[[str | None], str]) -> bool:
    """Returns false if another process took the lock over: then nothing changed."""
    try:
        before = read_text(path)
        text = change(before)
        if text == before:
            return True
        # `r+b`: never creates a file
        with owner.open("r+b") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        if before is not None:
            owner.chmod(path.stat().st_mode & 0o7777)
        os.replace(owner, path)
        return True
    except FileNotFoundError:
        if owner.exists():
            raise
        return False
    finally:
        owner.unlink(missing_ok=True)
        _remove_empty(owner.parent)


def _take(path: Path) -> Path:
    """Waits for the lock of a file, and returns the file of its owner."""
    folder = path.with_name(f"{path.name}.lock")
    seen, unchanged, waited = "", 0.0, 0.0
    while True:
        marks = _marks(folder)
        if not marks or unchanged >= TAKE_OVER:
            for name in marks:
                # the name is unique: this deletes nothing of a later owner
                folder.joinpath(name).unlink(missing_ok=True)
            owner = _create(path, folder)
            if owner is not None:
                return owner
        if waited > MAX_WAIT:
            raise TuckboxError("bad_request", f"`{path}` is locked by another process")
        pause = 0.005 + random.random() * 0.02
        time.sleep(pause)
        waited += pause
        now = repr(sorted(marks.items()))
        seen, unchanged = (seen, unchanged + pause) if now == seen else (now, 0.0)


def _marks(folder: Path) -> dict[str, int]:
    """Returns the time of each file in a lock, by name."""
    marks = {}
    try:
        for entry in os.scandir(folder):
            marks[entry.name] = entry.stat().st_mtime_ns
    except FileNotFoundError:
        pass
    return marks


def _create(path: Path, folder: Path) -> Path | None:
    """Creates the lock with its owner in one step, unless another process is first."""
    early = path.with_name(f"{path.name}.{uuid.uuid4()}.new")
    name = str(uuid.uuid4())
    early.mkdir()
    try:
        early.joinpath(name).touch()
        if os.name == "nt":
            # Windows does not replace an empty folder
            _remove_empty(folder)
        early.rename(folder)
        return folder / name
    except OSError as error:
        shutil.rmtree(early, ignore_errors=True)
        # another process had the lock, also if it has released it since
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) and not folder.is_dir():
            raise
        return None


def _remove_empty(folder: Path) -> None:
    try:
        folder.rmdir()
    except OSError:
        # another process has the lock, or removed the folder
        pass
