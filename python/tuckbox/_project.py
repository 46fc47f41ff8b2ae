"""An open project. Data that was read stays in the core, so calls send little."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from typing import Any

from ._answers import as_sent
from ._error import TuckboxError
from ._json import loads, unicode_text
from ._ledger import Ledger
from ._methods import METHODS
from ._native import Run, Workspace, to_json

__all__ = [
    "AsyncPreview",
    "AsyncProject",
    "Preview",
    "Project",
    "open",
    "open_async",
]

#: One request to the store: the method, the subject as JSON text. The store's answer comes back.
Request = tuple[str, str]

Now = int | Callable[[], int]
Entropy = bytes | Callable[[], bytes]


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


def _random() -> bytes:
    return os.urandom(32)


def _given(name: str, source: Any) -> Any:
    """Returns an option, or what its function returns."""
    if not callable(source):
        return source
    try:
        return source()
    except Exception as cause:
        message = f"the function `{name}` raised `{type(cause).__name__}`"
        raise TuckboxError("bad_request", message, path=name) from cause


class _Options:
    """The clock and the random bytes of calls."""

    def __init__(self, now: Now | None, entropy: Entropy | None) -> None:
        self.now: Now = _milliseconds if now is None else now
        self.entropy: Entropy = _random if entropy is None else entropy

    def environment(self, now: Now | None, entropy: Entropy | None) -> tuple[int, bytes]:
        clock = self.now if now is None else now
        at = _given("now", clock)
        if not isinstance(at, int) or isinstance(at, bool) or not -(2**53) < at < 2**53:
            message = "`now` must be a whole number of milliseconds since 1970"
            raise TuckboxError("bad_request", message, path="now")
        source = self.entropy if entropy is None else entropy
        random = _given("entropy", source)
        if not isinstance(random, (bytes, bytearray)) or len(random) != 32:
            raise TuckboxError("bad_request", "`entropy` must be 32 bytes", path="entropy")
        return at, bytes(random)


def _call(op: Any, args: Any, more: Mapping[str, Any]) -> tuple[str, str]:
    """Returns the operation and the JSON text of its arguments."""
    if not isinstance(op, str):
        if args is not None or more:
            message = "pass the name of an operation and its arguments, or one call with `op`"
            raise TuckboxError("bad_request", message, path="op")
        return "", to_json(as_sent(op.get("op"), op) if isinstance(op, dict) else op)
    given: Any = more if args is None else args
    if args is not None and more:
        if not isinstance(args, Mapping):
            message = "keyword arguments need a mapping as the first argument, or none"
            raise TuckboxError("bad_request", message)
        given = {**args, **more}
    text = to_json(as_sent(op, given))
    if not text.lstrip().startswith("{"):
        message = "pass the arguments by name, as in `box_id=..`, or one mapping"
        raise TuckboxError("bad_request", message)
    return unicode_text(op, "bad_request", "op"), text


def _failed(method: str, thrown: Exception) -> TuckboxError:
    """Returns an exception of the store as an error with a code."""
    if isinstance(thrown, TuckboxError):
        return thrown
    if getattr(thrown, "code", None) == "conflict":
        return TuckboxError("conflict", str(thrown))
    try:
        shown = str(thrown) or repr(thrown)
    except Exception:
        shown = type(thrown).__name__
    message = f"the store's `{method}` failed: {shown}"
    return TuckboxError("store", message, path=f"store.{method}")


def _answer_bytes(answers: Any) -> bytes:
    """Returns the answers of a store as the bytes of JSON text."""
    if isinstance(answers, (bytes, bytearray)):
        return bytes(answers)
    if isinstance(answers, str):
        return unicode_text(answers, "store", "answers").encode()
    return to_json(answers, "store", "answers").encode()


class _Core:
    """The steps of calls and commits, without the store: each yields what to ask the store for."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def started(
        self, op: str, call: str, now: int, entropy: bytes
    ) -> Generator[Request, Any, Run]:
        """Runs a call to its end: every host of the core has this loop."""
        run, reads = self.workspace.start(op, call, now, entropy)
        while reads is not None:
            answers = yield "read", reads
            reads = self.workspace.answer(run, _answer_bytes(answers))
        return run

    def committed(self, run: Run) -> Generator[Request, Any, Any]:
        if run.writes_nothing():
            return {"operation_id": run.operation_id(), "repeated": False, "boxes": []}
        try:
            receipt = yield "commit", run.writes()
            if isinstance(receipt, str):
                text = unicode_text(receipt, "store", "receipt")
            else:
                text = to_json(receipt, "store", "receipt")
            return loads(self.workspace.committed(run, text))
        except BaseException:
            self.workspace.refused(run)
            raise


def _ask(store: Any, request: Request) -> Any:
    """Calls the store. A store can take text, which saves a conversion."""
    method, text = request
    direct = getattr(store, f"{method}_text", None)
    return direct(text) if callable(direct) else getattr(store, method)(loads(text))


def _drive(store: Any, steps: Generator[Request, Any, Any]) -> Any:
    try:
        request = next(steps)
        while True:
            try:
                answer = _ask(store, request)
                if isinstance(answer, Awaitable):
                    close = getattr(answer, "close", None)
                    if callable(close):
                        close()
                    message = f"the store's `{request[0]}` is asynchronous; use `open_async`"
                    raise TuckboxError("bad_request", message, path=f"store.{request[0]}")
            except Exception as thrown:
                error = _failed(request[0], thrown)
                if error is not thrown:
                    error.__cause__ = thrown
                request = steps.throw(error)
            else:
                request = steps.send(answer)
    except StopIteration as done:
        return done.value
    finally:
        steps.close()


async def _drive_async(store: Any, steps: Generator[Request, Any, Any]) -> Any:
    try:
        request = next(steps)
        while True:
            try:
                answer = _ask(store, request)
                if isinstance(answer, Awaitable):
                    answer = await answer
            except Exception as thrown:
                error = _failed(request[0], thrown)
                if error is not thrown:
                    error.__cause__ = thrown
                request = steps.throw(error)
            else:
                request = steps.send(answer)
    except StopIteration as done:
        return done.value
    finally:
        steps.close()


class _Outcome:
    """What a preview knows. Its parts are read from the core on first use."""

    def __init__(self, project: _Base, run: Run) -> None:
        self._project = project
        self._run = run
        self._seen: dict[str, Any] = {}

    def _once(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self._seen:
            self._seen[name] = make()
        return self._seen[name]

    @property
    def value(self) -> Any:
        """The answer of the operation."""
        return self._once("value", lambda: loads(self._run.value()))

    @property
    def value_text(self) -> str:
        """The answer as JSON text, with every digit."""
        return self._run.value()

    @property
    def writes(self) -> Any:
        """The batch that a commit sends."""
        return self._once("writes", lambda: loads(self._run.writes()))

    @property
    def writes_text(self) -> str:
        """The batch as JSON text, with every digit."""
        return self._run.writes()

    @property
    def operation_id(self) -> str:
        """The id of the batch. A store applies each id once."""
        return self._run.operation_id()

    @property
    def lints(self) -> list[Any]:
        """Warnings about accepted values."""
        found: list[Any] = self._once("lints", lambda: loads(self._run.part("lints")))
        return found

    @property
    def content_hash(self) -> str:
        """The hash of the cards and boxes that a commit creates."""
        found: str = self._once("hash", self._run.content_hash)
        return found

    @property
    def ledger(self) -> Ledger:
        """The reason for each card."""
        found: Ledger = self._once("ledger", lambda: Ledger(self._run))
        return found

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.operation_id}>"

    def _repr_html_(self) -> str:
        from ._html import preview_html

        return preview_html(self)


class Preview(_Outcome):
    """The preview of a commit."""

    _project: Project

    def commit(self) -> Any:
        """Sends the writes unchanged to the store and returns the receipt."""
        project = self._project
        return _drive(project._store, project._core.committed(self._run))

    def after(self) -> Project:
        """Returns the project as if the writes were committed."""
        project = self._project
        view = project._core.workspace.after(self._run)
        return Project(project._store, view, project._options, project._recipes)


class AsyncPreview(_Outcome):
    """The preview of a commit, for ``asyncio``."""

    _project: AsyncProject

    async def commit(self) -> Any:
        """Sends the writes unchanged to the store and returns the receipt."""
        project = self._project
        return await _drive_async(project._store, project._core.committed(self._run))

    def after(self) -> AsyncProject:
        """Returns the project as if the writes were committed."""
        project = self._project
        view = project._core.workspace.after(self._run)
        return AsyncProject(project._store, view, project._options, project._recipes)


class _Namespace:
    """The methods of a namespace: ``project.boxes.fork``."""

    def __init__(self, project: Any, namespace: str, methods: Mapping[str, str]) -> None:
        self._namespace = namespace
        for name, op in methods.items():
            setattr(self, name, _method(project, name, op))

    def __getattr__(self, name: str) -> Any:
        raise _missing(f"`project.{self.__dict__.get('_namespace')}`", name, vars(self))

    def __repr__(self) -> str:
        methods = ", ".join(name for name in vars(self) if not name.startswith("_"))
        return f"<project.{self._namespace}: {methods}>"


def _missing(owner: str, name: str, known: Iterable[str]) -> AttributeError:
    """Returns the error for an unknown method, with a method of a similar name."""
    from difflib import get_close_matches

    similar = get_close_matches(name, [each for each in known if not each.startswith("_")], 1)
    hint = f"; did you mean `{similar[0]}`?" if similar else ""
    return AttributeError(f"{owner} has no method `{name}`{hint}")


def _method(project: Any, name: str, op: str) -> Callable[..., Any]:
    def method(args: Any = None, /, **more: Any) -> Any:
        return project.call(op, args, **more)

    method.__name__ = name
    method.__doc__ = f"Runs the operation `{op}` and commits its writes."
    return method


class _Base:
    def __init__(
        self, store: Any, workspace: Workspace, options: _Options, recipes: tuple[str, ...]
    ) -> None:
        self._store = store
        self._core = _Core(workspace)
        self._options = options
        self._recipes = recipes

    def __getattr__(self, name: str) -> Any:
        if name in METHODS[""]:
            made: Any = _method(self, name, METHODS[""][name])
        elif name and name in METHODS:
            host = {op: op for op in self._recipes} if name == "recipes" else {}
            made = _Namespace(self, name, {**host, **METHODS[name]})
        else:
            raise _missing("a project", name, dir(self))
        setattr(self, name, made)
        return made

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *METHODS[""], *filter(None, METHODS)]

    def refresh(self) -> None:
        """Discards all rows that can change, so that the next call reads them again."""
        self._core.workspace.refresh()

    def stats(self) -> Any:
        """Returns the number of rows in memory."""
        return loads(self._core.workspace.stats())

    def _steps(
        self, op: Any, args: Any, more: Mapping[str, Any], now: Now | None, entropy: Entropy | None
    ) -> Generator[Request, Any, Run]:
        name, text = _call(op, args, more)
        return self._core.started(name, text, *self._options.environment(now, entropy))


class Project(_Base):
    """An open project. Every operation is a method: ``project.pack``, ``project.boxes.fork``."""

    def preview(
        self,
        op: Any,
        args: Any = None,
        /,
        *,
        now: Now | None = None,
        entropy: Entropy | None = None,
        **more: Any,
    ) -> Preview:
        """Decides a call and returns what a commit writes. Nothing is written yet."""
        return Preview(self, _drive(self._store, self._steps(op, args, more, now, entropy)))

    def call(
        self,
        op: Any,
        args: Any = None,
        /,
        *,
        now: Now | None = None,
        entropy: Entropy | None = None,
        **more: Any,
    ) -> Any:
        """Decides a call, commits its writes and returns its value."""
        preview = Preview(self, _drive(self._store, self._steps(op, args, more, now, entropy)))
        value = preview.value
        preview.commit()
        return value


class AsyncProject(_Base):
    """An open project for ``asyncio``. Its store can be asynchronous."""

    async def preview(
        self,
        op: Any,
        args: Any = None,
        /,
        *,
        now: Now | None = None,
        entropy: Entropy | None = None,
        **more: Any,
    ) -> AsyncPreview:
        """Decides a call and returns what a commit writes. Nothing is written yet."""
        steps = self._steps(op, args, more, now, entropy)
        return AsyncPreview(self, await _drive_async(self._store, steps))

    async def call(
        self,
        op: Any,
        args: Any = None,
        /,
        *,
        now: Now | None = None,
        entropy: Entropy | None = None,
        **more: Any,
    ) -> Any:
        """Decides a call, commits its writes and returns its value."""
        steps = self._steps(op, args, more, now, entropy)
        preview = AsyncPreview(self, await _drive_async(self._store, steps))
        value = preview.value
        await preview.commit()
        return value


def _opened(
    store: Any, project_id: str, now: Now | None, entropy: Entropy | None, settings: dict[str, Any]
) -> tuple[Any, Workspace, _Options, tuple[str, ...]]:
    for method in ("read", "commit"):
        if not callable(getattr(store, method, None)):
            message = f"a store must have a method `{method}`"
            raise TuckboxError("bad_request", message, path=f"store.{method}")
    given = {name: value for name, value in settings.items() if value is not None}
    text = to_json({"project_id": project_id, **given})
    workspace = Workspace(text)
    recipes = tuple(recipe["name"] for recipe in loads(text).get("recipes", []))
    return store, workspace, _Options(now, entropy), recipes


def open(
    store: Any,
    *,
    project_id: str,
    now: Now | None = None,
    entropy: Entropy | None = None,
    **settings: Any,
) -> Project:
    """Opens a project in a store. The settings are those of ``Settings`` in ``_project.pyi``."""
    return Project(*_opened(store, project_id, now, entropy, settings))


def open_async(
    store: Any,
    *,
    project_id: str,
    now: Now | None = None,
    entropy: Entropy | None = None,
    **settings: Any,
) -> AsyncProject:
    """Opens a project for ``asyncio``. The store's methods can be coroutines."""
    return AsyncProject(*_opened(store, project_id, now, entropy, settings))
