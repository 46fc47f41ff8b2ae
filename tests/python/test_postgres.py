"""The stores in PostgreSQL: the contract, projects shared with Node, and failures."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import tuckbox
from support import DEEP, ROOT
from tuckbox import testing

HELPER = str(ROOT / "tests/python/postgres.mjs")
HAS_DRIVERS = all(importlib.util.find_spec(name) for name in ("psycopg", "psycopg_pool", "asyncpg"))

server: subprocess.Popen[str] | None = None
url = ""


def setUpModule() -> None:
    global server, url
    if not (DEEP and HAS_DRIVERS):
        raise unittest.SkipTest("deep: needs psycopg, asyncpg and PostgreSQL")
    server = subprocess.Popen(["node", HELPER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    if not url:
        raise AssertionError("PostgreSQL did not start")
    store = tuckbox.postgres_store(url)
    store.migrate()
    store.close()


def tearDownModule() -> None:
    if server is not None:
        server.communicate()


class InLoop:
    """An asynchronous store, called from another thread by the contract."""

    def __init__(self, store: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.store = store
        self.loop = loop

    def read(self, reads: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(self.store.read(reads), self.loop).result()

    def commit(self, writes: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(self.store.commit(writes), self.loop).result()


def renamed(make: Any, prefix: str) -> Any:
    """Returns stores with projects of their own, because all tests share the tables."""

    class Renamed:
        def read(self, reads: Any) -> Any:
            answers = json.loads(make.read({**reads, "project_id": prefix + reads["project_id"]}))
            for row in [*answers.get("boxes", []), *answers.get("cards", [])]:
                row["tenant_id"] = row["tenant_id"].removeprefix(prefix)
            return answers

        def commit(self, writes: Any) -> Any:
            return make.commit({**writes, "project_id": prefix + writes["project_id"]})

    return Renamed


class Psycopg(unittest.TestCase):
    def store(self, **more: Any) -> tuckbox.PostgresStore:
        store = tuckbox.postgres_store(url, **more)
        self.addCleanup(store.close)
        return store

    def test_the_store_keeps_the_contract_over_each_source(self) -> None:
        import psycopg
        from psycopg_pool import ConnectionPool

        testing.check_store(renamed(self.store(), "url-"))
        with psycopg.connect(url) as connection:
            testing.check_store(renamed(tuckbox.postgres_store(connection), "connection-"))
        with ConnectionPool(url, min_size=1, max_size=2, open=True) as pool:
            testing.check_store(renamed(tuckbox.postgres_store(pool), "pool-"))

    def test_a_schema_has_its_own_tables(self) -> None:
        store = self.store(schema='own "schema"')
        project = tuckbox.open(store, project_id="p1")
        with self.assertRaises(tuckbox.TuckboxError) as raised:
            project.boxes.get(box_ids=["b1"])
        self.assertEqual(raised.exception.details["reason"], "not_migrated")
        store.migrate()
        store.migrate()
        testing.check_store(renamed(store, "schema-"))
        project.boxes.create(box_id="b1", card_ids=["c1"])
        self.assertEqual(tuckbox.open(self.store(), project_id="p1").boxes.get(box_ids=["b1"])["boxes"], [])

    def test_a_node_process_and_a_python_process_share_a_project(self) -> None:
        store = self.store()
        tuckbox.open(store, project_id="shared").boxes.create(box_id="log", card_ids=["first"])
        cards = [f"node-{number}" for number in range(10)]
        with subprocess.Popen(
            ["node", HELPER, "append", url, "log", *cards], stdout=subprocess.PIPE, text=True
        ) as node:
            for number in range(10):
                while True:
                    try:
                        project = tuckbox.open(store, project_id="shared")
                        project.boxes.append(box_id="log", card_ids=[f"python-{number}"])
                        break
                    except tuckbox.TuckboxError as error:
                        self.assertEqual(error.code, "conflict", error)
            output, _ = node.communicate()
        self.assertEqual(node.returncode, 0)
        seen = json.loads(output)
        self.assertLess({"first", *cards}, {*seen, "end"})
        box = tuckbox.open(store, project_id="shared").boxes.get(box_ids=["log"])["boxes"][0]
        self.assertEqual(len(box["card_ids"]), 21)
        self.assertEqual(len(set(box["card_ids"])), 21)

    def test_profiles_and_numbers_survive(self) -> None:
        project = tuckbox.open(self.store(), project_id="values")
        digits = {"__type__": "JsonContent", "data": {"n": 12345678901234567890123}}
        project.cards.put(cards=[{"card_id": "c1", "type": "x", "author_id": "a", "content": digits}])
        fresh = tuckbox.open(self.store(), project_id="values")
        card = fresh.cards.get(card_ids=["c1", "none"])
        self.assertEqual(card["cards"][0]["content"]["data"]["n"], 12345678901234567890123)
        self.assertEqual([each["id"] for each in card["missing_cards"]], ["none"])
        # the names of profiles ignore case, also outside of ASCII; PostgreSQL has no text with U+0000
        row = {"name": "Ärztin", "profile_box_id": "pb"}
        rows = [{"table": "project_profiles", "key": ["Ärztin"], "row": row}]
        batch = {"project_id": "values", "operation_id": "op", "at": "2026-01-04T10:30:00.000Z", "rows": rows}
        self.assertFalse(self.store().commit(batch)["repeated"])
        answers = json.loads(self.store().read({"project_id": "values", "profiles": ["äRZTIN", "a\0b"]}))
        self.assertEqual([row["profile_box_id"] for row in answers["profiles"]], ["pb"])
        self.assertEqual(answers["missing_profiles"], ["a\0b"])

    def test_threads_share_a_store(self) -> None:
        store = self.store()
        tuckbox.open(store, project_id="threads").boxes.create(box_id="log", card_ids=[])

        def work(name: int) -> None:
            for number in range(5):
                while True:
                    try:
                        project = tuckbox.open(store, project_id="threads")
                        project.boxes.append(box_id="log", card_ids=[f"{name}-{number}"])
                        break
                    except tuckbox.TuckboxError as error:
                        if error.code != "conflict":
                            raise
            store.close()

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, range(4)))
        box = tuckbox.open(store, project_id="threads").boxes.get(box_ids=["log"])["boxes"][0]
        self.assertEqual(len(set(box["card_ids"])), 20)

    def test_lost_connections_and_other_databases_are_errors(self) -> None:
        import psycopg

        store = self.store()
        project = tuckbox.open(store, project_id="lost")
        project.boxes.create(box_id="b1", card_ids=[])
        with psycopg.connect(url, autocommit=True) as other:
            other.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'"
            )
        with self.assertRaises(tuckbox.TuckboxError) as raised:
            project.boxes.append(box_id="b1", card_ids=["c1"])
        self.assertEqual(raised.exception.code, "store")
        # the next call connects again
        self.assertEqual(project.boxes.append(box_id="b1", card_ids=["c1"])["version"], 2)
        for source in (None, 5, object()):
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                tuckbox.postgres_store(source)
            self.assertEqual(raised.exception.code, "bad_request")
        with self.assertRaises(tuckbox.TuckboxError) as raised:
            tuckbox.open(tuckbox.postgres_store("postgresql://127.0.0.1:1/x"), project_id="p").boxes.get(box_ids=["b"])
        self.assertEqual(raised.exception.code, "store")
        with self.assertRaises(tuckbox.TuckboxError) as raised:
            self.store(schema="a'b")
        self.assertEqual(raised.exception.path, "schema")

    def test_tables_of_a_newer_version_are_refused(self) -> None:
        import psycopg

        store = self.store(schema="newer")
        store.migrate()
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("insert into newer.tuckbox_schema (version) values (99)")
        with self.assertRaises(tuckbox.TuckboxError) as raised:
            tuckbox.open(store, project_id="p").boxes.create(box_id="b1", card_ids=[])
        self.assertEqual(raised.exception.details["reason"], "newer")
        with self.assertRaises(tuckbox.TuckboxError):
            store.migrate()


class Asynchronous(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        # reports of slow steps depend on the machine
        asyncio.get_running_loop().set_debug(False)

    async def sources(self) -> Any:
        import asyncpg
        import psycopg
        from psycopg_pool import AsyncConnectionPool

        pool = await asyncpg.create_pool(url, min_size=1, max_size=4)
        self.addAsyncCleanup(pool.close)
        alone = await asyncpg.connect(url)
        self.addAsyncCleanup(alone.close)
        connection = await psycopg.AsyncConnection.connect(url, autocommit=True)
        self.addAsyncCleanup(connection.close)
        other = AsyncConnectionPool(url, min_size=1, max_size=4, open=False)
        await other.open()
        self.addAsyncCleanup(other.close)
        return {"pool": pool, "alone": alone, "connection": connection, "psycopg": other}

    async def test_the_store_keeps_the_contract_over_each_source(self) -> None:
        loop = asyncio.get_running_loop()
        for name, source in (await self.sources()).items():
            store = InLoop(tuckbox.async_postgres_store(source), loop)
            await asyncio.to_thread(testing.check_store, renamed(store, f"async-{name}-"))

    async def test_tasks_run_at_the_same_time(self) -> None:
        for name, source in (await self.sources()).items():
            store = tuckbox.async_postgres_store(source)
            project = tuckbox.open_async(store, project_id=f"tasks-{name}")
            made = (project.boxes.create(box_id=f"b{number}", card_ids=["c"]) for number in range(20))
            self.assertEqual(len(await asyncio.gather(*made)), 20)

    async def test_a_canceled_commit_writes_all_or_nothing(self) -> None:
        import asyncpg

        pool = await asyncpg.create_pool(url, min_size=1, max_size=2)
        self.addAsyncCleanup(pool.close)
        store = tuckbox.async_postgres_store(pool)
        project = tuckbox.open_async(store, project_id="canceled")
        await project.boxes.create(box_id="log", card_ids=[])
        # another transaction holds the box, so the commit waits
        async with pool.acquire() as holder, holder.transaction():
            await holder.fetch("select from card_boxes where tenant_id = 'canceled' for update")
            task = asyncio.create_task(project.boxes.append(box_id="log", card_ids=["c1"]))
            while not await holder.fetchval("select count(*) > 0 from pg_locks where not granted"):
                await asyncio.sleep(0.01)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
        found = await project.boxes.get(box_ids=["log"])
        self.assertEqual(found["boxes"][0]["card_ids"], [])
        await project.boxes.append(box_id="log", card_ids=["c1"])

    async def test_the_wrong_kind_of_source_is_named(self) -> None:
        sources = await self.sources()
        for source in sources.values():
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                tuckbox.postgres_store(source)
            self.assertIn("async_postgres_store", raised.exception.message)
        with self.assertRaises(tuckbox.TuckboxError):
            tuckbox.async_postgres_store(url)


if __name__ == "__main__":
    unittest.main()
