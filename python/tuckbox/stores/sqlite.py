"""A store in one file of SQLite, which processes of every language can share.

The file has one table, `tuckbox_rows`. `docs/reference/sqlite.md` describes it. Python's own module
``sqlite3`` reads and writes the file; the core decides what a commit writes.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any

from .._error import TuckboxError
from .._json import loads
from .._native import commit_rows, place_row, read_rows, to_json

__all__ = ["SqliteStore", "sqlite_store"]

#: The version of the schema, as `user_version` of the file.
SCHEMA_VERSION = 1

#: The mark of our files, as `application_id`: the characters `tkbx`.
APPLICATION_ID = 0x746B6278

SCHEMA = """
create table tuckbox_rows (
  project_id text not null,
  shelf text not null,
  key text not null,
  text text not null,
  primary key (project_id, shelf, key)
)
"""

FIND = "select text from tuckbox_rows where project_id = ? and shelf = ? and key = ?"
ALL = "select text from tuckbox_rows where project_id = ? and shelf = ?"
PATHS = "select key from tuckbox_rows where project_id = ? and shelf = 'files'"
DELETE = "delete from tuckbox_rows where project_id = ? and shelf = ? and key = ?"
PUT = """
insert into tuckbox_rows (project_id, shelf, key, text) values (?, ?, ?, ?)
on conflict (project_id, shelf, key) do update set text = excluded.text
"""


class _Shelves:
    """The rows of one project inside a transaction."""

    def __init__(self, connection: sqlite3.Connection, project_id: str) -> None:
        self._connection = connection
        self._project_id = project_id

    def find(self, shelf: str, key: str) -> str | None:
        row = self._connection.execute(FIND, (self._project_id, shelf, key)).fetchone()
        return None if row is None else row[0]

    def all(self, shelf: str) -> list[str]:
        return [row[0] for row in self._connection.execute(ALL, (self._project_id, shelf))]

    def paths(self) -> list[str]:
        return [row[0] for row in self._connection.execute(PATHS, (self._project_id,))]


class SqliteStore:
    """A store in a file of SQLite. Threads and processes can share the file."""

    def __init__(self, path: str | os.PathLike[str], *, timeout: float = 30.0) -> None:
        self._path = os.fspath(path)
        self._timeout = timeout
        self._local = threading.local()
        with self._transaction("begin"):
            pass

    def read(self, reads: Mapping[str, Any]) -> str:
        """Answers every requested key, as a row or as missing."""
        return self.read_text(to_json(reads, "store", "reads"))

    def commit(self, writes: Mapping[str, Any]) -> Any:
        """Applies the whole batch, or nothing."""
        return loads(self.commit_text(to_json(writes, "store", "writes")))

    def read_text(self, reads: str) -> str:
        """Answers reads in JSON text."""
        with self._transaction("begin") as connection:
            return read_rows(_Shelves(connection, _project_of(reads)), reads)

    def commit_text(self, writes: str) -> str:
        """Applies a batch in JSON text. One writer at a time decides on the rows that it reads."""
        project_id = _project_of(writes)
        with self._transaction("begin immediate") as connection:
            receipt, changes = commit_rows(_Shelves(connection, project_id), writes)
            self._put(connection, project_id, changes)
        if '"erase_cards"' in writes:
            # the log has the content until a checkpoint; a reader can delay it
            connection.execute("pragma wal_checkpoint(truncate)").fetchall()
        return receipt

    def add_row(self, project_id: str, table: str, row: Any, version: str = "by hand") -> None:
        """Adds a row verbatim: a card, a box, a file, or a row of a declared table."""
        change = place_row(table, to_json(row), version)
        with self._transaction("begin immediate") as connection:
            self._put(connection, project_id, [change])

    def projects(self) -> list[str]:
        """Returns the ids of the projects in the file."""
        query = "select distinct project_id from tuckbox_rows order by project_id"
        with self._transaction("begin") as connection:
            return [row[0] for row in connection.execute(query)]

    def close(self) -> None:
        """Closes the connection of this thread. Another call opens it again."""
        connection = getattr(self._local, "connection", None)
        if connection is not None and self._local.process == os.getpid():
            connection.close()
        self._local.connection = None

    def __repr__(self) -> str:
        return f"SqliteStore({self._path!r})"

    @staticmethod
    def _put(
        connection: sqlite3.Connection,
        project_id: str,
        changes: list[tuple[str, str, str | None]],
    ) -> None:
        for shelf, key, text in changes:
            if text is None:
                connection.execute(DELETE, (project_id, shelf, key))
            else:
                connection.execute(PUT, (project_id, shelf, key, text))

    @contextmanager
    def _transaction(self, begin: str) -> Generator[sqlite3.Connection, None, None]:
        try:
            connection = self._opened()
            connection.execute(begin)
        except sqlite3.Error as cause:
            raise _failed(self._path, cause) from cause
        try:
            # another process can have migrated the file meanwhile
            _check_version(connection, self._path)
            yield connection
            connection.execute("commit")
        except sqlite3.Error as cause:
            raise _failed(self._path, cause) from cause
        finally:
            # after an error, and after an exception of the caller
            if connection.in_transaction:
                connection.rollback()

    def _opened(self) -> sqlite3.Connection:
        """Returns the connection of this thread. A forked process opens its own."""
        known: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if known is not None and self._local.process == os.getpid():
            return known
        connection = sqlite3.connect(self._path, timeout=self._timeout, isolation_level=None)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._local.connection = connection
        self._local.process = os.getpid()
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        # before `wal`, so that the file has its mark and not only the log
        if _schema_version(connection) == 0:
            connection.execute("begin immediate")
            try:
                if _schema_version(connection) == 0:
                    _create(connection, self._path)
                connection.execute("commit")
            finally:
                if connection.in_transaction:
                    connection.rollback()
        if connection.execute("pragma application_id").fetchone()[0] != APPLICATION_ID:
            raise _other_program(self._path)
        _check_version(connection, self._path)
        # fails at once, without the timeout, while another process uses the file
        self._patient(lambda: connection.execute("pragma journal_mode = wal").fetchone())
        connection.execute("pragma synchronous = full")
        # freed pages keep no content
        connection.execute("pragma secure_delete = on").fetchall()

    def _patient(self, work: Callable[[], Any]) -> None:
        end = time.monotonic() + self._timeout
        while True:
            try:
                work()
                return
            except sqlite3.OperationalError:
                if time.monotonic() >= end:
                    raise
                time.sleep(0.01)


def _schema_version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("pragma user_version").fetchone()[0]
    return version


def _check_version(connection: sqlite3.Connection, path: str) -> None:
    version = _schema_version(connection)
    if version == SCHEMA_VERSION:
        return
    message = (
        f"`{path}` has schema version {version}, made by a newer version of this "
        f"package; expected {SCHEMA_VERSION}: use a newer version"
    )
    raise TuckboxError("store", message, details={"reason": "newer", "schema_version": version})


def _other_program(path: str) -> TuckboxError:
    return TuckboxError("store", f"`{path}` is a database of another program")


def _create(connection: sqlite3.Connection, path: str) -> None:
    tables: int = connection.execute("select count(*) from sqlite_master").fetchone()[0]
    if tables > 0:
        raise _other_program(path)
    connection.execute(SCHEMA)
    connection.execute(f"pragma application_id = {APPLICATION_ID}")
    connection.execute(f"pragma user_version = {SCHEMA_VERSION}")


def _project_of(text: str) -> str:
    project_id = loads(text).get("project_id")
    if not isinstance(project_id, str):
        raise TuckboxError("store", "the project is missing", path="project_id")
    return project_id


def _failed(path: str, cause: sqlite3.Error) -> TuckboxError:
    return TuckboxError("store", f"SQLite cannot use `{path}`: {cause}")


def sqlite_store(path: str | os.PathLike[str], *, timeout: float = 30.0) -> SqliteStore:
    """Opens a file of SQLite, and creates it if it does not exist.

    ``timeout`` is the number of seconds that a call waits for another writer.
    """
    return SqliteStore(path, timeout=timeout)
