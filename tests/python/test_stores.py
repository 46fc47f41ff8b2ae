"""Stores: the contract, stores in Python, and what a broken store causes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any, Callable

import tuckbox
from support import DEEP, ROOT
from tuckbox import testing
from tuckbox._json import loads

#: The example `append` of the Rust store, if it is built.
RUST_WRITER = os.environ.get("TUCKBOX_RUST_WRITER")


class Wrapped:
    """A store in Python around another one."""

    def __init__(self) -> None:
        self.inner = tuckbox.memory_store()
        self.calls: list[str] = []

    def read(self, reads: Any) -> Any:
        self.calls.append("read")
        return loads(self.inner.read(reads))

    def commit(self, writes: Any) -> Any:
        self.calls.append("commit")
        return self.inner.commit(writes)


class Asynchronous(Wrapped):
    async def read(self, reads: Any) -> Any:
        await asyncio.sleep(0)
        return super().read(reads)

    async def commit(self, writes: Any) -> Any:
        await asyncio.sleep(0)
        return super().commit(writes)


class Broken(Wrapped):
    """A store with one defect."""

    def __init__(self, method: str, defect: Callable[[Any], Any]) -> None:
        super().__init__()
        self.method = method
        self.defect = defect

    def read(self, reads: Any) -> Any:
        answer = super().read(reads)
        return self.defect(answer) if self.method == "read" else answer

    def commit(self, writes: Any) -> Any:
        receipt = super().commit(writes)
        return self.defect(receipt) if self.method == "commit" else receipt


def raising(error: Exception) -> Callable[[Any], Any]:
    def defect(_: Any) -> Any:
        raise error

    return defect


class Contract(unittest.TestCase):
    def test_the_memory_store_keeps_the_contract(self) -> None:
        testing.check_store(tuckbox.memory_store)

    def test_a_store_in_python_keeps_the_contract(self) -> None:
        testing.check_store(Wrapped)

    def test_a_store_that_forgets_commits_breaks_the_contract(self) -> None:
        class Forgetful(Wrapped):
            def read(self, reads: Any) -> Any:
                return loads(tuckbox.memory_store().read(reads))

        self.assertGreater(len(list(testing.broken_cases(Forgetful))), 5)
        with self.assertRaises(AssertionError):
            testing.check_store(Forgetful)


class PythonStores(unittest.TestCase):
    def test_a_call_reads_and_commits(self) -> None:
        store = Wrapped()
        project = tuckbox.open(store, project_id="p1")
        project.boxes.create(box_id="b1", card_ids=["c1"])
        self.assertEqual(store.calls, ["read", "commit"])
        project.boxes.append(box_id="b1", card_ids=["c2"])
        found = tuckbox.open(store, project_id="p1").boxes.get(box_ids=["b1"])
        self.assertEqual(found["boxes"][0]["card_ids"], ["c1", "c2"])

    def test_answers_can_be_text_or_bytes(self) -> None:
        for convert in (str, str.encode, bytearray):
            class Text(Wrapped):
                def read(self, reads: Any) -> Any:
                    text = self.inner.read(reads)
                    return bytearray(text.encode()) if convert is bytearray else convert(text)

            project = tuckbox.open(Text(), project_id="p1")
            self.assertEqual(project.boxes.get(box_ids=["b"])["missing_boxes"][0]["id"], "b")

    def test_broken_stores_cause_errors_and_write_nothing_more(self) -> None:
        foreign = {"boxes": [{"box_id": "b1", "tenant_id": "other", "card_ids": []}]}
        loop: list[Any] = []
        loop.append(loop)
        for method, defect, code in [
            ("read", lambda _: {}, "store"),
            ("read", lambda _: None, "store"),
            ("read", lambda _: 5, "store"),
            ("read", lambda _: loop, "store"),
            ("read", lambda _: "{", "store"),
            ("read", lambda _: "\ud800", "store"),
            ("read", lambda _: b"\xff", "store"),
            ("read", lambda _: {"boxes": [float("nan")]}, "store"),
            ("read", lambda _: foreign, "store"),
            ("read", lambda answer: {**answer, "missing_cards": ["c9"]}, "store"),
            ("read", raising(ValueError("no disk")), "store"),
            ("read", raising(tuckbox.TuckboxError("auth_failed", "no")), "auth_failed"),
            ("commit", lambda _: {}, "store"),
            ("commit", lambda _: None, "store"),
            ("commit", lambda _: {"operation_id": "other", "repeated": False, "boxes": []}, "store"),
            ("commit", raising(OSError("no disk")), "store"),
            ("commit", raising(tuckbox.TuckboxError("conflict", "changed")), "conflict"),
        ]:
            store = Broken(method, defect)
            project = tuckbox.open(store, project_id="p1")
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                project.boxes.create(box_id="b1", card_ids=[])
            self.assertEqual(raised.exception.code, code, raised.exception.message)
            # the project stays usable
            store.defect = lambda answer: answer
            found = project.boxes.get(box_ids=["b1"])
            self.assertEqual(len(found["boxes"]), 0 if method == "read" else 1)

    def test_the_exception_of_a_store_is_the_cause(self) -> None:
        project = tuckbox.open(Broken("read", raising(ValueError("no disk"))), project_id="p1")
        with self.assertRaises(tuckbox.TuckboxError) as raised:
            project.boxes.get(box_ids=["b1"])
        self.assertEqual(raised.exception.path, "store.read")
        self.assertIsInstance(raised.exception.__cause__, ValueError)

    def test_an_asynchronous_store_needs_open_async(self) -> None:
        project = tuckbox.open(Asynchronous(), project_id="p1")
        with self.assertRaises(tuckbox.TuckboxError) as raised:
            project.boxes.get(box_ids=["b1"])
        self.assertIn("open_async", raised.exception.message)


class AsyncStores(unittest.IsolatedAsyncioTestCase):
    async def test_calls_wait_for_the_store(self) -> None:
        for store in (Asynchronous(), Wrapped(), tuckbox.memory_store()):
            project = tuckbox.open_async(store, project_id="p1")
            preview = await project.preview("create_box", {"box_id": "b1", "card_ids": ["c1"]})
            await preview.commit()
            found = await project.boxes.get(box_ids=["b1"])
            self.assertEqual(found["boxes"][0]["card_ids"], ["c1"])
            many = await asyncio.gather(
                *(project.boxes.create(box_id=f"m{number}", card_ids=[]) for number in range(10))
            )
            self.assertEqual(len(many), 10)

    async def test_a_canceled_task_leaves_the_project_usable(self) -> None:
        started = asyncio.Event()

        class Hanging(Asynchronous):
            is_hanging = True

            async def commit(self, writes: Any) -> Any:
                if self.is_hanging:
                    started.set()
                    await asyncio.Event().wait()
                return await super().commit(writes)

        store = Hanging()
        project = tuckbox.open_async(store, project_id="p1")
        task = asyncio.create_task(project.boxes.create(box_id="b1", card_ids=[]))
        await started.wait()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        store.is_hanging = False
        self.assertEqual((await project.boxes.get(box_ids=["b1"]))["boxes"], [])
        await project.boxes.create(box_id="b1", card_ids=[])


WRITER = """
import itertools, sys, tuckbox
project = tuckbox.open(tuckbox.sqlite_store(sys.argv[1]), project_id="p1")
for number in itertools.count():
    card_id = f"{sys.argv[2]}-{number}"
    while True:
        try:
            project.boxes.append(box_id="log", card_ids=[card_id])
            break
        except tuckbox.TuckboxError as error:
            if error.code != "conflict":
                raise
    print(card_id, flush=True)
"""


class Sqlite(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.made = 0

    def store(self) -> tuckbox.SqliteStore:
        self.made += 1
        store = tuckbox.sqlite_store(self.folder / f"{self.made}.db")
        self.addCleanup(store.close)
        return store

    def test_the_store_keeps_the_contract(self) -> None:
        store = self.store()
        testing.check_store(lambda: store)

    def test_the_file_has_the_documented_schema(self) -> None:
        import sqlite3

        self.store().close()
        connection = sqlite3.connect(self.folder / "1.db")
        self.addCleanup(connection.close)
        value = lambda sql: connection.execute(sql).fetchone()[0]  # noqa: E731
        self.assertEqual(value("pragma user_version"), 1)
        self.assertEqual(value("pragma application_id"), 0x746B6278)
        self.assertEqual(value("pragma journal_mode"), "wal")
        columns = [row[1] for row in connection.execute("pragma table_info(tuckbox_rows)")]
        self.assertEqual(columns, ["project_id", "shelf", "key", "text"])

    def test_files_of_other_programs_and_versions_are_refused(self) -> None:
        import sqlite3

        other = self.folder / "other.db"
        for statement, message in [
            ("create table users (id)", "another program"),
            ("pragma user_version = 1", "another program"),
            ("pragma user_version = 9", "another program"),
            ("pragma application_id = 1953194616", "schema version 9"),
        ]:
            connection = sqlite3.connect(other)
            connection.execute(statement)
            connection.commit()
            connection.close()
            before = other.read_bytes()
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                tuckbox.sqlite_store(other)
            self.assertEqual(raised.exception.code, "store")
            self.assertIn(message, raised.exception.message)
            self.assertEqual(other.read_bytes(), before)
        (self.folder / "text.db").write_text("not a database, but long enough to be read" * 9)
        for path in (self.folder / "text.db", self.folder / "no" / "folder.db"):
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                tuckbox.sqlite_store(path, timeout=0.1)
            self.assertEqual(raised.exception.code, "store")

    def test_a_file_that_a_newer_version_migrated_is_refused_although_it_is_open(self) -> None:
        import sqlite3

        store = self.store()
        connection = sqlite3.connect(self.folder / "1.db")
        self.addCleanup(connection.close)
        connection.execute("pragma user_version = 9")
        at = "2026-01-04T10:30:00.000Z"
        writes = {"project_id": "p", "operation_id": "o", "at": at, "files": [{"path": "f", "text": "x"}]}
        for work in (lambda: store.commit(writes), lambda: store.read({"project_id": "p", "files": ["f"]})):
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                work()
            self.assertIn("schema version 9", raised.exception.message)
        self.assertEqual(connection.execute("select count(*) from tuckbox_rows").fetchone()[0], 0)

    def test_files_of_every_release_open(self) -> None:
        for fixture in sorted(Path("tests/upgrades").glob("*/project.db")):
            path = self.folder / "released.db"
            path.write_bytes(fixture.read_bytes())
            project = tuckbox.open(tuckbox.sqlite_store(path), project_id="demo")
            cards = project.boxes.get_cards(box_id="notes")["cards"]
            self.assertEqual([card["card_id"] for card in cards], ["n1", "n2"], fixture)
            project.boxes.append(box_id="notes", card_ids=["n1"])

    def test_threads_write_one_at_a_time(self) -> None:
        store = self.store()
        tuckbox.open(store, project_id="p1").boxes.create(box_id="log", card_ids=[])
        failed: list[Exception] = []

        def work(name: str) -> None:
            project = tuckbox.open(store, project_id="p1")
            for number in range(5):
                try:
                    while True:
                        try:
                            project.boxes.append(box_id="log", card_ids=[f"{name}-{number}"])
                            break
                        except tuckbox.TuckboxError as error:
                            if error.code != "conflict":
                                raise
                except Exception as error:
                    failed.append(error)
            store.close()

        threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])
        box = tuckbox.open(store, project_id="p1").boxes.get(box_ids=["log"])["boxes"][0]
        self.assertEqual(len(set(box["card_ids"])), 15)

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_forked_process_opens_its_own_connection(self) -> None:
        store = self.store()
        project = tuckbox.open(store, project_id="p1")
        project.boxes.create(box_id="b1", card_ids=[])
        child = os.fork()
        if child == 0:
            code = 1
            try:
                tuckbox.open(store, project_id="p1").boxes.create(box_id="b2", card_ids=[])
                code = 0
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(len(project.boxes.get(box_ids=["b1", "b2"])["boxes"]), 2)

    def killed(self, commands: list[list[str]], rounds: int) -> None:
        """Starts the commands together and kills them after some commits, again and again.

        Each command appends to one box and prints what was committed. Nothing of that may be lost.
        """
        path = self.folder / "kills.db"
        store = tuckbox.sqlite_store(path)
        self.addCleanup(store.close)
        tuckbox.open(store, project_id="p1").boxes.create(box_id="log", card_ids=[])
        answered: list[str] = []
        for number in range(rounds):
            children = [
                subprocess.Popen([*command, str(path), f"w{at}-{number}"], stdout=subprocess.PIPE, text=True)
                for at, command in enumerate(commands)
            ]
            for at, child in enumerate(children):
                assert child.stdout is not None
                for commit in range(1 + number % 5):
                    self.assertEqual(child.stdout.readline(), f"w{at}-{number}-{commit}\n")
                    answered.append(f"w{at}-{number}-{commit}")
            for child in children:
                child.kill()
            for child in children:
                assert child.stdout is not None
                with child:
                    answered.extend(line.strip() for line in child.stdout if line.endswith("\n"))
        found = tuckbox.open(store, project_id="p1").boxes.get(box_ids=["log"])["boxes"][0]["card_ids"]
        self.assertEqual(len(found), len(set(found)))
        self.assertLessEqual(set(answered), set(found))
        # a killed process had at most one commit without its answer
        self.assertLessEqual(len(found) - len(answered), rounds * len(commands))

    @unittest.skipUnless(DEEP, "deep: kills 200 processes")
    def test_killed_processes_lose_nothing_that_was_answered(self) -> None:
        self.killed([[sys.executable, "-c", WRITER]], 200)

    @unittest.skipUnless(RUST_WRITER, "deep: kills 200 processes of Node, Python and Rust")
    def test_killed_processes_of_three_languages_lose_nothing(self) -> None:
        assert RUST_WRITER is not None
        node = ["node", "--no-warnings", str(ROOT / "tests/stores/sqlite_host.mjs")]
        self.killed([node, [sys.executable, "-c", WRITER], [RUST_WRITER]], 67)


if __name__ == "__main__":
    unittest.main()
