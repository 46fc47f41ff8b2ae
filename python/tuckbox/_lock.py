"""Contexts and their lockfile: the config, the entries, and the comparison.

``docs/how-to/lock-the-context.md`` describes the lockfile. The core makes and compares its entries.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import runpy
import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from ._error import TuckboxError
from ._files import change_text, read_text
from ._imports import read_files
from ._project import Project, open
from .stores import memory_store

__all__ = ["LockFile", "compare_context", "context_failures"]

#: The names of a config, in the order in which they are searched.
CONFIG_NAMES = ("tuckbox_config.py", "tuckbox.config.json")

#: Files that show the root of a project.
ROOTS = (*CONFIG_NAMES, "tuckbox.lock", "pyproject.toml")

def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _is_time(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < float("inf")


#: The keys of ``lock`` in a config, with what each must be.
KEYS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "file": (lambda value: isinstance(value, str) and value != "", "the path of a file"),
    "entries": (lambda value: isinstance(value, Mapping), "contexts by name"),
    "volatile": (_is_list, "a list of slots"),
    "assertions": (_is_list, "a list of assertions"),
    "redact": (lambda value: isinstance(value, bool), "true or false"),
    "timeoutMs": (_is_time, "a number of milliseconds greater than 0"),
    "now": (lambda value: isinstance(value, str), "a time as RFC 3339"),
}

#: How long a config and the function of a context can take, in milliseconds.
TIMEOUT_MS = 10_000

#: The time of every entry, 2026-01-01, and its random bytes: two builds make the same ids.
FIXED_NOW = 1_767_225_600_000
ENTROPY = bytes(32)

#: The type of the card that has the body of an imported request.
REQUEST_TYPE = "import.request"


def empty_project() -> Project:
    """Returns a project without rows, for contexts that need none."""
    return open(memory_store(), project_id="lock")


class LockFile:
    """The contexts of a folder, and their lockfile."""

    def __init__(
        self,
        folder: str | os.PathLike[str] = ".",
        *,
        config: str | None = None,
        file: str | None = None,
        redact: bool | None = None,
        project: Project | None = None,
        on_late: Callable[[str], None] | None = None,
    ) -> None:
        start = Path(folder).absolute()
        #: Called in another thread if the config or a function of it takes too long.
        self.on_late = on_late
        with self._limited("the config", TIMEOUT_MS):
            self.config_path, self.config = _config(start, config)
        self.folder = start if self.config_path is None else self.config_path.parent
        self.path = self.folder / (self.config.get("file") or "tuckbox.lock")
        if file is not None:
            self.path = start / file
        self.redact = bool(self.config.get("redact")) if redact is None else redact
        self.project = empty_project() if project is None else project
        self.shown_path = Path(os.path.relpath(self.path, start)).as_posix()

    @contextmanager
    def _limited(self, what: str, limit: float) -> Generator[None, None, None]:
        """Reports a block that takes more than ``limit`` milliseconds. Python cannot interrupt it."""
        if self.on_late is None:
            yield
            return
        message = f"{what} took more than {limit:g} ms; see `lock.timeoutMs`"
        timer = threading.Timer(limit / 1000, self.on_late, [message])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def text(self) -> str | None:
        """Returns the text of the lockfile, or `None` if it does not exist."""
        return read_text(self.path)

    def value(self, op: str, args: Mapping[str, Any]) -> Any:
        """Returns the answer of an operation on entries."""
        given = {name: value for name, value in args.items() if value is not None}
        return self.project.preview({**given, "op": op}).value

    def check(self, names: Sequence[str] = (), formats: Sequence[str] = ()) -> Any:
        """Compares the contexts of the config with the lockfile: the answer of `lock_check`."""
        lock = self.text()
        entries, errors = self._build(names, lock)
        args = {
            "lock": lock,
            "entries": entries,
            "errors": errors,
            "assertions": self.config.get("assertions", []),
            "complete": not names,
            "file": self.shown_path,
        }
        verdict = self.value("lock_check", {**args, "formats": formats})
        changed = [entry["name"] for entry in verdict["entries"]]
        if not changed:
            return verdict
        more = {"texts": self._texts(), "again": self._again(changed), "formats": formats}
        return self.value("lock_check", {**args, **more})

    def update(self, names: Sequence[str] = ()) -> Any:
        """Writes the contexts of the config to the lockfile: the answer of `lock_update`."""
        entries, errors = self._build(names, self.text())
        if errors:
            shown = "; ".join(f"`{error['name']}`: {error['message']}" for error in errors)
            raise TuckboxError("bad_request", shown)
        answer: Any = None
        args = {"entries": entries, "prune": not names}
        first = self.value("lock_update", {**args, "lock": self.text()})
        again = self._again([*first["added"], *first["changed"]])

        def change(lock: str | None) -> str:
            nonlocal answer
            answer = self.value("lock_update", {**args, "lock": lock, "again": again})
            text: str = answer["lock"]
            return text

        change_text(self.path, change)
        return answer

    def entry(self, name: str, context: Any) -> Any:
        """Returns the entry of a context."""
        own = {key: value for key, value in context.items() if key != "project"}
        project: Project = context.get("project") or self.project
        shared = [*self.config.get("volatile", []), *own.get("shared_volatile", [])]
        call = {**own, "op": "lock_entry", "name": name, "shared_volatile": shared, "redact": self.redact}
        return project.preview(call, now=self._now(), entropy=ENTROPY).value

    def _now(self) -> int:
        given = self.config.get("now")
        if given is None:
            return FIXED_NOW
        try:
            # Python 3.10 does not read `Z`
            at = datetime.fromisoformat(re.sub("[Zz]$", "+00:00", given))
            return round(at.timestamp() * 1000)
        except (TypeError, ValueError) as cause:
            message = f"`lock.now` must be a time as RFC 3339, found `{given}`"
            raise TuckboxError("bad_request", message) from cause

    def _build(self, patterns: Sequence[str], lock: str | None) -> tuple[list[Any], list[Any]]:
        """Returns the entries of the config and of recorded requests, and what failed."""
        configured: Mapping[str, Any] = self.config.get("entries", {})
        locked = [] if lock is None else self.value("lock_read", {"lock": lock})["entries"]
        recorded = {
            entry["name"]: entry["from"]
            for entry in locked
            if not entry.get("from", "test:").startswith("test:") and entry["name"] not in configured
        }
        if self.config_path is None and not recorded:
            shown = " or ".join(CONFIG_NAMES)
            raise TuckboxError("bad_request", f"no config; expected {shown} in `{self.folder}`")
        wanted = _wanted(patterns, [*configured, *recorded])
        entries: list[Any] = []
        errors: list[Any] = []
        for name in wanted:
            try:
                entries.append(
                    self._configured(name) if name in configured else self._recorded(name, recorded[name])
                )
            except Exception as error:
                errors.append({"name": name, "message": _described(error)})
        return entries, errors

    def _again(self, names: Iterable[str]) -> list[Any]:
        """Builds contexts of functions once more, to find slots that are not stable."""
        entries = self.config.get("entries", {})
        return [self._configured(name) for name in names if callable(entries.get(name))]

    def _configured(self, name: str) -> Any:
        given = self.config["entries"][name]
        what = f"the function of `{name}`"
        with self._limited(what, self.config.get("timeoutMs", TIMEOUT_MS)):
            try:
                context = given(self.project) if callable(given) else given
            except SystemExit as cause:
                # it must not end a check
                raise TuckboxError("bad_request", f"{what} called `sys.exit({cause.code!r})`") from cause
        if not isinstance(context, Mapping):
            message = "a context must be a mapping with `context` or `request`, or a function that returns one"
            raise TuckboxError("bad_request", message)
        return self.entry(name, context)

    def _recorded(self, name: str, source: str) -> Any:
        """Returns the entry of a request in a log: ``PATH``, or ``PATH#NUMBER``."""
        path, _, number = source.partition("#")
        project = open(memory_store(), project_id="recorded")
        log = self.folder / path
        try:
            files = read_files([(log.name, log.read_bytes())])
        except OSError as cause:
            raise TuckboxError("bad_request", f"`{path}` cannot be read: {cause}") from cause
        report = project.call({"op": "import", "files": files})
        requests = [request for session in report["sessions"] for request in session["requests"]]
        last = number in ("", "last")
        found = requests[-1:] if last else [each for each in requests if str(each["request"]) == number]
        if not found:
            message = f"`{path}` has no request `{number or 'last'}`; it has {len(requests)}"
            raise TuckboxError("not_found", message)
        box_id = found[0]["box_id"]
        cards: list[Any] = project.call("get_box_cards", {"box_id": box_id})["cards"]
        card = cards[-1] if cards else {}
        context: dict[str, Any] = {"context": {"box_id": box_id, "provider": "neutral"}}
        if card.get("metadata", {}).get("type") == REQUEST_TYPE:
            sent = card["content"]["arguments"]
            context = {"request": {"provider": sent.get("provider"), "body": sent.get("body")}}
        return self.entry(name, {**context, "from": source, "project": project})

    def _texts(self) -> Any:
        """Returns the texts that the npm package keeps, to show the words that differ."""
        try:
            cache = self.folder / "node_modules/.cache/tuckbox/lock.json"
            return json.loads(cache.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}


def _config(folder: Path, named: str | None) -> tuple[Path | None, Mapping[str, Any]]:
    """Returns the path of the config, and its ``lock``."""
    paths = [folder / name for name in (CONFIG_NAMES if named is None else [named])]
    path = next((path for path in paths if path.exists()), None if named is None else paths[0])
    if path is None:
        return None, {}
    try:
        if path.suffix == ".json":
            config = json.loads(path.read_text(encoding="utf-8"))
        else:
            config = runpy.run_path(str(path))
    except (Exception, SystemExit) as cause:
        message = f"`{path}` cannot be loaded: {_described(cause)}"
        raise TuckboxError("bad_request", message) from cause
    lock = config.get("lock", {}) if isinstance(config, dict) else None
    if not isinstance(lock, Mapping):
        raise TuckboxError("bad_request", f"`lock` in `{path}` must be a mapping")
    for key, value in lock.items():
        if key not in KEYS:
            shown = ", ".join(f"`{each}`" for each in KEYS)
            message = f"unknown key `lock.{key}` in `{path}`; expected one of {shown}"
            raise TuckboxError("bad_request", message)
        fits, expected = KEYS[key]
        if not fits(value):
            raise TuckboxError("bad_request", f"`lock.{key}` in `{path}` must be {expected}")
    return path, lock


def _wanted(patterns: Sequence[str], known: Sequence[str]) -> list[str]:
    """Returns the names that match a pattern; `*` is any text. Without patterns, all names."""
    if not patterns:
        return list(known)
    found: set[str] = set()
    for pattern in patterns:
        # only `*` is special
        escaped = re.sub(r"([\[?])", r"[\1]", pattern)
        matches = [name for name in known if fnmatch.fnmatchcase(name, escaped)]
        if not matches:
            raise TuckboxError("not_found", f"no context has the name `{pattern}`")
        found.update(matches)
    return [name for name in known if name in found]


def _described(error: BaseException) -> str:
    if isinstance(error, TuckboxError):
        return f"{error.path}: {error.message}" if error.path else error.message
    return f"{type(error).__name__}: {error}"


def context_of(given: Any) -> dict[str, Any]:
    """Returns what a test locks: arguments of `lock_entry`, an answer of `payload`, or a body."""
    if not isinstance(given, Mapping):
        raise TuckboxError("bad_request", "a context must be a mapping")
    if "context" in given or "request" in given:
        return dict(given)
    if not isinstance(given.get("body"), Mapping):
        return {"request": {"body": given}}
    request = {"body": given["body"]}
    # other formats are recognized by their keys
    if given.get("provider") not in (None, "neutral", "ai_sdk"):
        request["provider"] = given["provider"]
    if isinstance(given.get("model"), str):
        request["model"] = given["model"]
    return {"request": request}


def root_of(start: Path) -> Path:
    """Returns the folder of the nearest config, lockfile or manifest."""
    for folder in (start, *start.parents):
        if any(folder.joinpath(name).exists() for name in ROOTS):
            return folder
    return start


def is_ci() -> bool:
    """Returns true if the environment has `CI`."""
    return os.environ.get("CI", "") not in ("", "0", "false")


def compare_context(
    given: Any,
    name: str,
    *,
    mode: str,
    test: str | os.PathLike[str] | None,
    file: str | None = None,
) -> str | None:
    """Compares a context with the lockfile. Returns the report of what differs, or `None`.

    The mode `new` adds a missing entry, `all` also replaces one that changed, `none` writes nothing.
    """
    start = Path.cwd() if test is None else Path(test).absolute().parent
    lock = LockFile(root_of(start), file=file)
    source = "" if test is None else Path(os.path.relpath(test, lock.folder)).as_posix()
    entry = lock.entry(name, {**context_of(given), "from": f"test:{source}"})
    checked = {"entries": [entry], "complete": False, "formats": ["text"]}
    verdict = lock.value("lock_check", {"lock": lock.text(), **checked})
    if verdict["exit_code"] == 0:
        return None
    if mode == "all" or (mode == "new" and verdict["added"]):
        _add(lock, entry)
        return None
    report: str = verdict["reports"][0]["text"]
    return report.rstrip()


def _add(lock: LockFile, entry: Any) -> None:
    def change(text: str | None) -> str:
        changed: str = lock.value("lock_update", {"lock": text, "entries": [entry]})["lock"]
        return changed

    change_text(lock.path, change)


def context_failures(given: Any, assertion: Mapping[str, Any]) -> list[str]:
    """Returns the failures of an assertion about a context."""
    context = context_of(given)
    if assertion.get("legal_for"):
        context["legal_for"] = assertion["legal_for"]
    project = empty_project()
    call = {**context, "op": "lock_entry", "name": "context"}
    entry = project.preview(call, now=FIXED_NOW, entropy=ENTROPY).value
    check = {"op": "lock_check", "entries": [entry], "assertions": [assertion], "complete": False}
    failures: list[Any] = project.preview(check).value["failures"]
    return [
        f"{each['assertion']}{' at ' + each['slot'] if 'slot' in each else ''}: {each['message']}"
        for each in failures
    ]
