"""A store in PostgreSQL, on the tables of the npm package: Python and Node processes share a project.

``postgres.json`` has the statements, which a test writes from those of the npm package. The database
decides a commit in one function, so a commit is one statement.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import random
import re
import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import Any

from .._error import TuckboxError
from .._json import loads, loads_verbatim
from .._native import place_row, to_json

__all__ = ["AsyncPostgresStore", "PostgresStore", "async_postgres_store", "postgres_store"]

#: A statement and its parameters. It returns one text, or nothing.
Query = tuple[str, Sequence[str]]

#: A name in the schema of the written statements, also inside of JSON.
PLACED = re.compile(r'(\\?)"tuckbox_place\1"\.(\w+)')

#: The kinds of rows that are read by key, in the order of the parts of a statement.
KINDS = ("profiles", "boxes", "cards", "agents", "files", "profiles_by_box", "directories", "operations")

#: The maximum number of tries of a statement. A serialization failure or a deadlock applied nothing.
MAX_TRIES = 40
RETRIED = ("40001", "40P01")

#: The states of an unknown table, column or function, and of a column of another type.
UNKNOWN = ("42P01", "42703", "42883", "3F000")

#: The states of values that the database cannot store, by the code of the error.
REFUSED = {
    **dict.fromkeys(("22P05", "22021", "22P02", "23502"), "invalid_content"),
    **dict.fromkeys(("54000", "22003", "22008"), "limit"),
}


@cache
def _written() -> Any:
    return json.loads(Path(__file__).with_name("postgres.json").read_text(encoding="utf-8"))


class _Statements:
    """The statements for one schema. They run in the driver, and their answers return here."""

    def __init__(self, schema: str | None) -> None:
        written = _written()
        #: The schema as an identifier.
        self.quoted = None if schema is None else '"' + schema.replace('"', '""') + '"'
        self._documented = written["documented"]
        makes = written["schemas"] if self.quoted is None else [self.quoted]
        creates = "\n  ".join(f"create schema if not exists {name};" for name in makes)
        self.migration = self.placed(written["migration"]).replace("$schemas", creates)
        self.version = self.placed(written["version"])
        self._commit = self.placed(written["commit"])
        self._kinds = {kind: self.placed(text) for kind, text in written["kinds"].items()}
        self._tables = written["tables"]

    def placed(self, text: str) -> str:
        """Returns a statement with the names of this schema."""

        def name(found: re.Match[str]) -> str:
            escape, bare = found.groups()
            if self.quoted is None:
                return str(self._documented.get(bare, bare))
            return self.quoted.replace('"', escape + '"') + "." + bare

        return PLACED.sub(name, text)

    def read(self, text: str) -> Generator[Query, str, str]:
        """Reads everything in one statement. Reads that follow from rows come in the next round."""
        reads = loads(text)
        rows, lists = reads.get("rows", []), reads.get("lists", [])
        asked: dict[str, list[Any]] = {}
        parts: list[tuple[str, str]] = []
        impossible: dict[str, list[str]] = {}
        for kind in KINDS:
            keys = reads.get(kind, [])
            if not keys:
                continue
            # PostgreSQL has no text with this character
            impossible[kind] = [key for key in keys if "\0" in key]
            possible = [key for key in keys if "\0" not in key]
            asked[kind] = [[key, _folded(key)] for key in possible] if kind == "profiles" else possible
            parts.append((kind, self._kinds[kind]))
        tables = list(dict.fromkeys(row["table"] for row in rows))
        for at, table in enumerate(tables):
            keys = [row["key"] for row in rows if row["table"] == table and self._fits(table, row["key"])]
            asked[f"rows_{at}"] = [[*key, _folded(key[0])] for key in keys] if table == PROFILES else keys
            parts.append((f"rows_{at}", self.placed(self._table(table)["text"]).replace("'rows_0'", f"'rows_{at}'")))
        places = self._list_parts(lists, asked, parts)
        if not parts:
            return _answers({}, {}, reads, tables, places)
        columns = ",\n".join(f"{name} as ({text})" for name, text in parts)
        wholes = " || ',' || ".join(
            f"""'"{name}":' || {name}.found::text || ',"missing_{name}":' || {name}.missing::text"""
            for name, _ in parts
        )
        names = ", ".join(name for name, _ in parts)
        statement = f"with {columns}\nselect '{{' || {wholes} || '}}' as answers from {names}"
        found = yield statement, [to_json(asked), reads["project_id"]]
        if not rows and not lists and not any(impossible.values()):
            return found
        return _answers(loads_verbatim(found), impossible, reads, tables, places)

    def commit(self, text: str) -> Generator[Query, str, Any]:
        writes = loads(text)
        folds = {
            change["key"][0]: _folded(change["key"][0])
            for change in [*writes.get("expects", []), *writes.get("rows", [])]
            if change["table"] in ("profiles", PROFILES)
        }
        answer = yield self._commit, [writes["project_id"], text, to_json(folds)]
        return _receipt(writes["operation_id"], loads(answer))

    def _table(self, name: str) -> Any:
        if name not in self._tables:
            raise TuckboxError("bad_request", f"`{name}` is not a table", path="table")
        return self._tables[name]

    def _fits(self, table: str, key: Sequence[str]) -> bool:
        return all(map(_is_value, self._table(table)["types"], key))

    def _list_parts(
        self, lists: Any, asked: dict[str, list[Any]], parts: list[tuple[str, str]]
    ) -> list[tuple[str, int] | None]:
        """Adds one part for each index. Returns the part and the position of each list."""
        names: dict[tuple[str, str, bool], str] = {}
        places: list[tuple[str, int] | None] = []
        for wanted in lists:
            found = self._table(wanted["table"])["lists"].get(wanted["index"])
            if found is None:
                message = f"`{wanted['table']}` has no list `{wanted['index']}`"
                raise TuckboxError("bad_request", message, path="lists")
            if not all(map(_is_value, found["types"], wanted["of"])):
                places.append(None)
                continue
            skips = bool(wanted.get("skip_locked", False))
            group = (wanted["table"], wanted["index"], skips)
            if group not in names:
                name = names[group] = f"list_{len(names)}"
                skip = " for share skip locked" if skips else ""
                text = self.placed(found["text"]).replace("'list_0'", f"'{name}'")
                parts.append((name, text.replace("$skip", skip)))
                asked[name] = []
            keys = asked[names[group]]
            places.append((names[group], len(keys)))
            keys.append([*wanted["of"], wanted["limit"]])
        return places


PROFILES = "project_profiles"


def _folded(name: str) -> str:
    """Returns the name of a profile as the core compares it."""
    _, key, _ = place_row(PROFILES, to_json({"name": name, "profile_box_id": ""}), "")
    folded: list[str] = loads(key)
    return folded[0]


def _is_value(kind: str, text: str) -> bool:
    """Returns true if a column can have a value."""
    if kind == "integer":
        return re.fullmatch(r"-?[0-9]{1,18}", text) is not None
    return text in ("true", "false") if kind == "boolean" else "\0" not in text


def _answers(
    found: dict[str, Any],
    impossible: Mapping[str, list[str]],
    reads: Any,
    tables: Sequence[str],
    places: Sequence[tuple[str, int] | None],
) -> str:
    """Returns the answers of the store from those of the statement."""
    for kind, keys in impossible.items():
        missing = {*found[f"missing_{kind}"], *keys}
        found[f"missing_{kind}"] = [key for key in reads[kind] if key in missing]
    lists = {name: rows for name, rows in found.items() if name.startswith("list_")}
    known: dict[tuple[str, ...], Any] = {}
    for at, table in enumerate(tables):
        width = len(_written()["tables"][table]["types"])
        for row in found[f"rows_{at}"]:
            key = (table, *row.pop("asked")[:width])
            known[key] = {"table": table, **row}
    out = {
        name: rows
        for name, rows in found.items()
        if not name.startswith(("list_", "rows_", "missing_list_", "missing_rows_"))
    }
    rows = reads.get("rows", [])
    if rows:
        each = [(row, known.get((row["table"], *row["key"]))) for row in rows]
        out["rows"] = [answer for _, answer in each if answer is not None]
        out["missing_rows"] = [
            {"table": row["table"], "key": row["key"]} for row, answer in each if answer is None
        ]
    if places:
        out["lists"] = [
            {
                **{name: wanted[name] for name in ("table", "index", "of", "limit")},
                "rows": [] if place is None else lists[place[0]][place[1]],
            }
            for wanted, place in zip(reads["lists"], places, strict=True)
        ]
    return to_json(out, "store", "answers")


def _receipt(operation_id: str, answer: Any) -> Any:
    """Returns the receipt of a commit, or raises the conflict that the database found."""
    fault = answer.get("fault")
    if fault is None:
        return {"operation_id": operation_id, "repeated": answer["repeated"], "boxes": answer["boxes"]}
    if fault == "version":
        raise _other_version(answer["found"])
    if fault == "not_uuid":
        message = f"box ids of this database must be uuids, found `{answer['box_id']}`"
        details = {"box_id": answer["box_id"]}
        raise TuckboxError("bad_request", message, path="boxes", details=details)
    message, details = _conflict(operation_id, fault, answer)
    raise TuckboxError("conflict", message, details=details)


def _conflict(operation_id: str, fault: str, answer: Any) -> tuple[str, dict[str, Any]]:
    of: Callable[..., dict[str, Any]] = lambda *names: {name: answer.get(name) for name in names}  # noqa: E731
    key = "`, `".join(answer.get("key") or ())
    if fault == "stale_row" and answer["table"] == "boxes":
        fault, answer = "stale", {**answer, "box_id": answer["key"][0]}
    if fault == "stale":
        expected, found = answer.get("expected"), answer.get("found")
        now = "is missing" if found is None else f"is at version {found}"
        before = "" if expected is None else f" was read at version {expected} and now"
        details = {"box_id": answer["box_id"], "expected": expected, "found": found}
        return f"box `{answer['box_id']}`{before} {now}", details
    if fault == "stale_row":
        before = _state(answer.get("expected"), "absent")
        now = _state(answer.get("found"), "missing")
        message = f"{answer['table']} `{key}` was {before} when it was read and now is {now}"
        return message, of("table", "key", "expected", "found")
    if fault in ("row_taken", "twice"):
        message = f"the row `{key}` of `{answer['table']}` cannot be kept: its key or a value in it is taken"
        return message, of("table", "key")
    if fault == "not_unique":
        return f"a row of `{answer['table']}` already has the same value in a unique index", of("table")
    if fault == "other_batch":
        message = f"operation `{operation_id}` was already applied with another batch"
        return message, {"operation_id": operation_id}
    if fault == "exists":
        return f"box `{answer['box_id']}` already exists", of("box_id")
    if fault == "taken":
        message = f"card `{answer['card_id']}` exists with other content; cards are immutable, create a new one"
        return message, of("card_id")
    if fault == "other_text":
        return f"file `{answer['path']}` already exists with other text", of("path")
    message = f"unknown answer `{fault}` of the function for commits"
    raise TuckboxError("store", message, path="store.commit")


def _state(version: Any, absent: str) -> str:
    if version is None:
        return absent
    return f"at version {version}" if isinstance(version, int) else f"at version `{version}`"


def _other_version(found: int) -> TuckboxError:
    expected = _written()["number"]
    this = f"this package has version {expected}"
    is_newer = found > expected
    message = (
        f"the tables of the database have version {found}, made by a newer version of this package; {this}: use a newer one"
        if is_newer
        else f"the tables of the database have version {found}, and {this}; call `migrate()` of the store once"
    )
    details = {"reason": "newer" if is_newer else "not_migrated", "found": found, "expected": expected}
    return TuckboxError("store", message, path="store", details=details)


def _sqlstate(error: BaseException) -> str:
    return str(getattr(error, "sqlstate", None) or "")


def _pause(error: BaseException, tried: int) -> float | None:
    """Returns the seconds to wait before a statement is sent again; nothing if it failed."""
    if _sqlstate(error) not in RETRIED or tried >= MAX_TRIES:
        return None
    # a random time, so that the same transactions do not meet again
    longest: int = min(2**tried, 100)
    return random.random() * longest / 1000


def _failure(method: str, error: Exception) -> TuckboxError:
    if isinstance(error, TuckboxError):
        return error
    state, path = _sqlstate(error), f"store.{method}"
    if state in UNKNOWN:
        message = (
            "a table or function does not exist in the database, or has columns of another type; call "
            "`migrate()` of the store once, with a role that can create tables"
        )
        details: dict[str, Any] = {"reason": "not_migrated", "sqlstate": state}
        return TuckboxError("store", message, path="store", details=details)
    details = {"sqlstate": state} if state else {}
    if state in REFUSED:
        message = f"the database cannot store it: {error}"
        return TuckboxError(REFUSED[state], message, path=path, details=details)
    return TuckboxError("store", f"the database failed: {error}", path=path, details=details)


class _Base:
    def __init__(self, source: Any, schema: str | None) -> None:
        if schema is not None and (not isinstance(schema, str) or not re.fullmatch(r"[^\0'\\]+", schema)):
            message = "`schema` must be the name of a schema, without `'` and `\\`"
            raise TuckboxError("bad_request", message, path="schema")
        self._statements = _Statements(schema)
        self._source: Any = source

    def __repr__(self) -> str:
        # a URL can have a password
        return f"<{type(self).__name__}>"

    def _refused(self, method: str, error: Exception) -> Generator[Query, str, TuckboxError]:
        """Returns the error of a statement. A function is missing if the tables have another version."""
        if _sqlstate(error) in UNKNOWN:
            try:
                answer = loads((yield self._statements.version, []))
            except Exception:
                return _failure(method, error)
            if answer.get("found", 0) > 0:
                return _other_version(answer["found"])
        return _failure(method, error)

    def _steps(self, method: str, steps: Generator[Query, str, Any]) -> Generator[Query, str, Any]:
        try:
            return (yield from steps)
        except Exception as error:
            refused = yield from self._refused(method, error)
            if refused is error:
                raise
            raise refused from error


class PostgresStore(_Base):
    """A store over psycopg 3. Threads can share it if they can share its source."""

    def __init__(self, source: Any, *, schema: str | None = None) -> None:
        super().__init__(source, schema)
        if _is_async(source):
            message = "the source is asynchronous; use `async_postgres_store` and `open_async`"
            raise TuckboxError("bad_request", message, path="source")
        if isinstance(source, str):
            self._source = _Connections(source)
        elif not callable(getattr(source, "connection", None)) and not callable(getattr(source, "cursor", None)):
            raise _no_source()

    def read(self, reads: Mapping[str, Any]) -> str:
        """Answers every requested key, as a row or as missing."""
        return self.read_text(to_json(reads, "store", "reads"))

    def commit(self, writes: Mapping[str, Any]) -> Any:
        """Applies the whole batch, or nothing."""
        return self.commit_text(to_json(writes, "store", "writes"))

    def read_text(self, reads: str) -> str:
        """Answers reads in JSON text."""
        answers: str = self._run("read", self._statements.read(reads))
        return answers

    def commit_text(self, writes: str) -> Any:
        """Applies a batch in JSON text."""
        return self._run("commit", self._statements.commit(writes))

    def migrate(self) -> None:
        """Creates or updates the tables, also those of the npm package. It can be repeated."""
        self._run("migrate", _only(self._statements.migration))

    def close(self) -> None:
        """Closes the connection of this thread, if the store made it. Another call opens it again."""
        if isinstance(self._source, _Connections):
            self._source.close()

    def _run(self, method: str, steps: Generator[Query, str, Any]) -> Any:
        steps = self._steps(method, steps)
        try:
            query = next(steps)
            while True:
                try:
                    answer = self._sent(*query)
                except Exception as error:
                    query = steps.throw(error)
                else:
                    query = steps.send(answer)
        except StopIteration as done:
            return done.value

    def _sent(self, text: str, values: Sequence[str]) -> Any:
        for tried in range(1, MAX_TRIES + 1):
            try:
                return self._query(text, values)
            except Exception as error:
                pause = _pause(error, tried)
                if pause is None:
                    raise
                time.sleep(pause)

    def _query(self, text: str, values: Sequence[str]) -> Any:
        source: Any = self._source
        is_pool = callable(getattr(source, "connection", None))
        with source.connection() if is_pool else nullcontext(source) as connection:
            from psycopg import RawCursor
            from psycopg.rows import tuple_row

            with nullcontext() if connection.autocommit else connection.transaction():
                with RawCursor(connection, row_factory=tuple_row) as cursor:
                    cursor.execute(text.encode(), values or None)
                    row = cursor.fetchone() if cursor.description else None
                    return None if row is None else row[0]


class AsyncPostgresStore(_Base):
    """A store over asyncpg, or over the asynchronous form of psycopg 3."""

    def __init__(self, source: Any, *, schema: str | None = None) -> None:
        super().__init__(source, schema)
        if not _is_async(source):
            raise _no_source()
        # one connection runs one statement at a time
        is_pool = callable(getattr(source, "acquire", None)) or callable(getattr(source, "connection", None))
        self._alone: Any = nullcontext() if is_pool else asyncio.Lock()

    async def read(self, reads: Mapping[str, Any]) -> str:
        """Answers every requested key, as a row or as missing."""
        return await self.read_text(to_json(reads, "store", "reads"))

    async def commit(self, writes: Mapping[str, Any]) -> Any:
        """Applies the whole batch, or nothing."""
        return await self.commit_text(to_json(writes, "store", "writes"))

    async def read_text(self, reads: str) -> str:
        """Answers reads in JSON text."""
        answers: str = await self._run("read", self._statements.read(reads))
        return answers

    async def commit_text(self, writes: str) -> Any:
        """Applies a batch in JSON text."""
        return await self._run("commit", self._statements.commit(writes))

    async def migrate(self) -> None:
        """Creates or updates the tables, also those of the npm package. It can be repeated."""
        await self._run("migrate", _only(self._statements.migration))

    async def _run(self, method: str, steps: Generator[Query, str, Any]) -> Any:
        steps = self._steps(method, steps)
        try:
            query = next(steps)
            while True:
                try:
                    answer = await self._sent(*query)
                except Exception as error:
                    query = steps.throw(error)
                else:
                    query = steps.send(answer)
        except StopIteration as done:
            return done.value

    async def _sent(self, text: str, values: Sequence[str]) -> Any:
        for tried in range(1, MAX_TRIES + 1):
            try:
                async with self._alone:
                    return await self._query(text, values)
            except Exception as error:
                pause = _pause(error, tried)
                if pause is None:
                    raise
                await asyncio.sleep(pause)

    async def _query(self, text: str, values: Sequence[str]) -> Any:
        source = self._source
        if callable(getattr(source, "fetchval", None)):
            return await source.fetchval(text, *values)
        if callable(getattr(source, "connection", None)):
            async with source.connection() as connection:
                return await self._on(connection, text, values)
        return await self._on(source, text, values)

    async def _on(self, connection: Any, text: str, values: Sequence[str]) -> Any:
        from psycopg import AsyncRawCursor
        from psycopg.rows import tuple_row

        async with nullcontext() if connection.autocommit else connection.transaction():
            async with AsyncRawCursor(connection, row_factory=tuple_row) as cursor:
                await cursor.execute(text.encode(), values or None)
                row = await cursor.fetchone() if cursor.description else None
                return None if row is None else row[0]


class _Connections:
    """One connection of psycopg for each thread. A forked process opens its own."""

    def __init__(self, conninfo: str) -> None:
        self._conninfo = conninfo
        self._local = threading.local()

    def connection(self) -> Any:
        """Returns the connection of this thread as a context."""
        known = getattr(self._local, "connection", None)
        if known is None or known.closed or self._local.process != os.getpid():
            try:
                import psycopg
            except ImportError as cause:
                message = "PostgreSQL needs a driver: `pip install 'psycopg[binary]'`"
                raise TuckboxError("store", message, path="store") from cause
            known = psycopg.connect(self._conninfo, autocommit=True)
            self._local.connection, self._local.process = known, os.getpid()
        return nullcontext(known)

    def close(self) -> None:
        known = getattr(self._local, "connection", None)
        if known is not None and self._local.process == os.getpid():
            known.close()
        self._local.connection = None


def _only(text: str) -> Generator[Query, str, None]:
    yield text, []


def _is_async(source: Any) -> bool:
    methods = (getattr(source, name, None) for name in ("fetchval", "execute", "open"))
    return any(inspect.iscoroutinefunction(method) for method in methods)


def _no_source() -> TuckboxError:
    message = (
        "pass a URL, or a connection or a pool of psycopg 3, to `postgres_store`; pass a pool or a connection "
        "of asyncpg, or an asynchronous one of psycopg 3, to `async_postgres_store`"
    )
    return TuckboxError("bad_request", message, path="source")


def postgres_store(source: Any, *, schema: str | None = None) -> PostgresStore:
    """Returns a store over psycopg 3: over a URL, a ``Connection`` or a ``ConnectionPool``.

    ``schema`` is the schema of the tables. Without it, they have the documented names.
    """
    return PostgresStore(source, schema=schema)


def async_postgres_store(source: Any, *, schema: str | None = None) -> AsyncPostgresStore:
    """Returns a store for ``open_async``, over asyncpg or psycopg 3.

    ``source`` is a pool or a connection of asyncpg, an ``AsyncConnection`` or an ``AsyncConnectionPool``.
    """
    return AsyncPostgresStore(source, schema=schema)
