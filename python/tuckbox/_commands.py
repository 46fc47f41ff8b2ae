"""The commands ``lock`` and ``pack``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from ._error import TuckboxError
from ._json import loads_verbatim
from ._lock import LockFile, is_ci
from ._native import to_json
from ._project import Preview, open
from .stores import MemoryStore, SqliteStore, memory_store, sqlite_store

__all__ = ["LIMITS", "add_lock", "add_pack", "read_object", "run_lock", "run_pack"]

FORMATS = ("text", "markdown", "junit", "annotations", "sarif", "json")

#: The first bytes of a file of SQLite.
SQLITE_MAGIC = b"SQLite format 3\0"

#: The limits of commands, which are high, because the user owns the data. The npm package has the same.
LIMITS = {
    "max_ids": 10_000_000,
    "max_requests": 10_000_000,
    "max_values": 10_000_000,
    "max_messages": 10_000_000,
    "max_read_bytes": 2**31,
    "max_answer_bytes": 2**31,
}

#: The tables of a JSON file of a project that have their own list.
LISTED = {"profiles": "project_profiles", "agents": "project_agents"}


def add_lock(command: argparse.ArgumentParser) -> None:
    """Declares the arguments of ``lock``."""
    command.add_argument("action", choices=["check", "update"])
    command.add_argument("names", nargs="*", metavar="NAME", help="a context; `*` is any text")
    command.add_argument("--config", metavar="FILE", help="tuckbox_config.py or tuckbox.config.json")
    command.add_argument("--lock", metavar="FILE", help="the lockfile; tuckbox.lock by default")
    command.add_argument("--redact", action="store_true", default=None, help="write no text")
    command.add_argument(
        "--reporter",
        metavar="NAME[=FILE]",
        action="append",
        help=f"{', '.join(FORMATS)}; can be repeated",
    )
    command.add_argument("--force-in-ci", action="store_true", help="allow `update` if `CI` is set")
    _add_store(command)


def _end_late(message: str) -> None:
    """Ends the process: Python cannot interrupt the main thread everywhere."""
    sys.stderr.write(f"tuckbox: {message}\n")
    sys.stderr.flush()
    os._exit(2)


def run_lock(given: argparse.Namespace) -> int:
    """Runs ``lock``. The exit code is 0 the same, 1 changed, 2 not decided."""
    try:
        reporters = [each.partition("=") for each in given.reporter or ["text"]]
        for name, _, _ in reporters:
            if name not in FORMATS:
                expected = ", ".join(FORMATS)
                message = f"unknown reporter `{name}`; expected one of {expected}"
                raise TuckboxError("bad_request", message)
        store, project_id = _opened(given)
        project = open(store, project_id=project_id, limits=LIMITS)
        options = {"config": given.config, "file": given.lock, "redact": given.redact}
        lock = LockFile(**options, project=project, on_late=_end_late)
        if given.action == "update":
            return _update(lock, given)
        formats = [name for name, _, _ in reporters if name != "json"]
        verdict = lock.check(given.names, list(dict.fromkeys(formats)))
    except TuckboxError as error:
        # a broken config or lockfile is never "the same"
        path = f"{error.path}: " if error.path not in ("", "lock") else ""
        sys.stderr.write(f"tuckbox: {path}{error.message}\n")
        return 2
    texts = {report["format"]: report["text"] for report in verdict.pop("reports")}
    texts["json"] = json.dumps(verdict, indent=2, ensure_ascii=False) + "\n"
    for name, _, file in reporters:
        if not file:
            sys.stdout.write(texts[name])
            continue
        try:
            Path(file).write_text(texts[name], encoding="utf-8")
        except OSError as cause:
            sys.stderr.write(f"tuckbox: the report cannot be written: {cause}\n")
            return 2
    code: int = verdict["exit_code"]
    return code


def _update(lock: LockFile, given: argparse.Namespace) -> int:
    if is_ci() and not given.force_in_ci:
        message = (
            "`CI` is set, so the lockfile is not written; run `python -m tuckbox lock update` and "
            "commit the result, or pass `--force-in-ci`"
        )
        raise TuckboxError("bad_request", message)
    answer = lock.update(given.names)
    lines = [f"{verb} {name}" for verb in ("added", "changed", "removed") for name in answer[verb]]
    for each in answer["unstable"]:
        place = f"{each['name']} {each['slot']}"
        lines.append(f"unstable {place} differs between two builds; declare `{each['suggestion']}`")
    for each in answer["unmatched"]:
        lines.append(f"volatile {each['name']}: no slot matches the declared `{each['slot']}`")
    counts = [f"{len(answer[verb])} {verb}" for verb in ("added", "changed", "removed")]
    sys.stdout.write("\n".join([*lines, f"{lock.shown_path}: {', '.join(counts)}"]) + "\n")
    return 0


def add_pack(command: argparse.ArgumentParser) -> None:
    """Declares the arguments of ``pack``."""
    command.add_argument("call", nargs="?", metavar="CALL.json", help="arguments of `pack_context`")
    command.add_argument("--to", metavar="PROFILE", help="name of the receiving profile")
    command.add_argument("--instruction", "-i", metavar="TEXT", help="instruction for the receiver")
    command.add_argument(
        "--from", dest="boxes", metavar="BOX", action="append", default=[], help="box to inherit"
    )
    command.add_argument("--by", metavar="AGENT", default="cli", help="sending agent")
    command.add_argument("--commit", action="store_true", help="write to the store")
    _add_store(command)


def run_pack(given: argparse.Namespace) -> str:
    """Runs ``pack``. Returns the preview as JSON text, and the receipt after a commit."""
    if given.call is not None:
        args = read_object(given.call)
        args.setdefault("op", "pack_context")
    elif given.to is None or given.instruction is None:
        raise TuckboxError("bad_request", "pass a call, or `--to` and `--instruction`")
    else:
        args = {
            "op": "pack_context_with_instruction",
            "tool_suffix": "cli",
            "source_agent_id": given.by,
            "profile_name": given.to,
            "instruction": given.instruction,
            "inherit_box_ids": given.boxes,
        }
    store, project_id = _opened(given)
    if given.commit and not isinstance(store, SqliteStore):
        raise TuckboxError("bad_request", "`--commit` needs a file of SQLite as `--store`")
    preview = open(store, project_id=project_id, limits=LIMITS).preview(args)
    return preview_text(preview, preview.commit() if given.commit else None)


def preview_text(preview: Preview[Any], receipt: Any) -> str:
    """Returns a whole preview as JSON text, with exact numbers."""
    ledger = preview.ledger
    boxes = [
        {"box_id": account.box_id, "swallowed": account.swallowed, "entries": account[:]}
        for account in ledger.boxes
    ]
    return to_json(
        {
            "value": loads_verbatim(preview.value_text),
            "writes": loads_verbatim(preview.writes_text),
            "ledger": {
                "boxes": boxes,
                "dropped": ledger.dropped,
                "audit": ledger.audit,
                "transitions": ledger.transitions,
            },
            "lints": preview.lints,
            "content_hash": preview.content_hash,
            "receipt": receipt,
        }
    )


def read_object(path: str) -> dict[str, Any]:
    """Returns the object in a JSON file, with numbers verbatim. `-` is standard input."""
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8-sig")
        value = loads_verbatim(text)
    except (OSError, ValueError, RecursionError) as cause:
        raise TuckboxError("bad_request", f"`{path}` cannot be read: {cause}") from cause
    if not isinstance(value, dict):
        raise TuckboxError("bad_request", f"`{path}` must have an object")
    return value


def _add_store(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--store", "-s", metavar="FILE", help="a file of SQLite, or a JSON file (read only)"
    )
    command.add_argument("--project", "-p", metavar="ID", help="by default the only project of a file")


def _opened(given: argparse.Namespace) -> tuple[MemoryStore | SqliteStore, str]:
    """Returns the store of a command, and the id of the project."""
    store, projects = _store(given.store)
    named = given.project or os.environ.get("TUCKBOX_PROJECT")
    if named is None and len(projects) > 1:
        known = ", ".join(f"`{name}`" for name in projects)
        message = f"the project is missing: `--project ID`; expected one of {known}"
        raise TuckboxError("bad_request", message)
    return store, named or next(iter(projects), "none")


def _store(path: str | None) -> tuple[MemoryStore | SqliteStore, list[str]]:
    """Opens a store. Returns it with the ids of its projects."""
    if path is None:
        return memory_store(), []
    try:
        with Path(path).open("rb") as file:
            is_sqlite = file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC
    except OSError as cause:
        raise TuckboxError("bad_request", f"`{path}` cannot be read: {cause}") from cause
    if is_sqlite:
        sqlite = sqlite_store(path)
        return sqlite, sqlite.projects()
    try:
        return _loaded(read_object(path))
    except (AttributeError, KeyError, TypeError) as cause:
        message = f"`{path}` is not an export of a store: {cause!r}"
        raise TuckboxError("bad_request", message) from cause


def _loaded(exported: dict[str, Any]) -> tuple[MemoryStore, list[str]]:
    """Returns the rows of a JSON file in memory, and the ids of the projects."""
    store = memory_store()
    ids: list[str] = []
    for project in exported["projects"]:
        tables = store.project(project["project_id"])
        ids.append(project["project_id"])
        for name, table in LISTED.items():
            for row in project.get(name, []):
                version = row.pop("version", None)
                tables.add_row(table, row, None if version is None else str(version))
        for table in ("boxes", "cards", "files"):
            for row in project.get(table, []):
                tables.add_row(table, row)
        for row in project.get("rows", []):
            tables.add_row(row["table"], row["row"], row["version"])
    return store, ids
