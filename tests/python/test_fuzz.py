"""Random bad input at every public function: a typed error, and never the end of the interpreter.

`DEEP` runs more rounds. A failed round names its seed.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import dataclasses
import os
import random
import sys
import tempfile
import threading
import unittest
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import tuckbox
from support import DEEP
from tuckbox._native import run_contract_case

ROUNDS = 20_000 if DEEP else 150

#: Keys of arguments and answers.
KEYS = (
    "op", "project_id", "box_id", "box_ids", "card_id", "card_ids", "cards", "boxes", "rows", "content",
    "metadata", "messages", "role", "provider", "model", "body", "arguments", "handover", "entries", "lock",
    "files", "name", "text", "requests", "key", "version", "profiles", "agents", "expects", "operation_id",
)  # fmt: skip

TEXTS = ("", "a", "p1", "b1", "user", "openai_chat", "\0", "\ud800", "a\udfff", "\u2028", "é" * 50, "{}", "1" * 5000)

NUMBERS = (0, -1, 1, 2**31, 2**63, -(2**64), 10**5000, 0.1, -0.0, 1e308, float("nan"), float("inf"))


class Raises:
    """An object whose methods raise."""

    def __iter__(self) -> Iterator[Any]:
        raise ValueError("no items")

    def __len__(self) -> int:
        raise OSError("no length")

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


class BadMapping(Mapping[str, Any]):
    """A mapping that has a key without a value."""

    def __getitem__(self, key: str) -> Any:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(["a"])

    def __len__(self) -> int:
        return -1


class BadText(str):
    def __str__(self) -> str:
        raise RuntimeError("no text")

    def __hash__(self) -> int:
        return 1


class BadNumber(int):
    def __index__(self) -> int:
        raise RuntimeError("no number")

    __int__ = __index__


@dataclasses.dataclass
class Data:
    text: Any


def cycle() -> Any:
    value: dict[str, Any] = {"a": []}
    value["a"].append(value)
    return value


def deep() -> Any:
    value: Any = []
    for _ in range(5000):
        value = [value]
    return value


SPECIAL: tuple[Callable[[], Any], ...] = (
    Raises, BadMapping, object, cycle, deep, lambda: BadText("a"), lambda: BadNumber(7), lambda: b"\xff",
    lambda: bytearray(3), lambda: {1: 2}, lambda: {"\ud800": 1}, lambda: {1, 2}, lambda: range(3), lambda: iter([1]),
    lambda: Decimal("NaN"), lambda: Decimal("1E+400"), lambda: datetime(2026, 1, 1), lambda: date(2026, 1, 1),
    lambda: datetime.now(timezone.utc), lambda: Data(Raises()), lambda: 1j, lambda: print, lambda: type, lambda: ...,
)  # fmt: skip


def value(source: random.Random, depth: int = 0) -> Any:
    """Returns a random value: mostly JSON, sometimes not."""
    kind = source.randrange(10 if depth < 4 else 6)
    if kind == 0:
        return source.choice([None, True, False])
    if kind <= 2:
        return source.choice(TEXTS)
    if kind == 3:
        return source.choice(NUMBERS)
    if kind <= 5:
        return source.choice(SPECIAL)() if source.random() < 0.3 else source.choice(KEYS)
    if kind == 6:
        return [value(source, depth + 1) for _ in range(source.randrange(4))]
    return {source.choice(KEYS): value(source, depth + 1) for _ in range(source.randrange(5))}


class BadStore:
    """A store that sometimes raises, or answers too little, too much, or anything."""

    def __init__(self, source: random.Random) -> None:
        self.inner = tuckbox.memory_store()
        self.source = source
        self.is_bad = True

    def read(self, reads: Any) -> Any:
        return self._changed(self.inner.read(reads))

    def commit(self, writes: Any) -> Any:
        return self._changed(self.inner.commit(writes))

    def _changed(self, answer: Any) -> Any:
        if not self.is_bad:
            return answer
        kind = self.source.randrange(5)
        if kind == 0:
            raise self.source.choice([ValueError("no"), KeyError(), OSError("x"), StopIteration(), GeneratorExit()])
        if kind == 1:
            return value(self.source)
        if kind == 2 and isinstance(answer, str):
            return answer[: self.source.randrange(len(answer) + 1)]
        changed = tuckbox._json.loads(answer) if isinstance(answer, str) else copy.deepcopy(answer)
        if isinstance(changed, dict) and changed and kind == 3:
            changed[self.source.choice(list(changed))] = value(self.source)
        return changed


#: What bad input raises. `GeneratorExit` comes from the store itself.
EXPECTED = (tuckbox.TuckboxError, GeneratorExit)


class Fuzz(unittest.TestCase):
    def rounds(self, work: Callable[[random.Random], None], rounds: int = ROUNDS) -> None:
        """Runs rounds of work. Any other exception than those of bad input is a failure."""
        for seed in range(rounds):
            source = random.Random(f"{self.id()} {seed}")
            try:
                with contextlib.suppress(*EXPECTED):
                    work(source)
            except BaseException as error:
                raise AssertionError(f"round {seed} raised {type(error).__name__}") from error

    def test_calls_with_random_arguments(self) -> None:
        store = tuckbox.memory_store()
        project = tuckbox.open(store, project_id="p1")
        project.boxes.create(box_id="b1", card_ids=["c1"])
        operations = tuckbox.operations()

        def work(source: random.Random) -> None:
            given = value(source)
            if source.random() < 0.2:
                project.preview(given)
            elif not isinstance(given, dict) or source.random() < 0.3:
                project.preview(source.choice(operations), given)
            else:
                names = {key: each for key, each in given.items() if isinstance(key, str)}
                project.preview({**names, "op": source.choice(operations)})

        self.rounds(work)
        self.assertEqual(project.boxes.get(box_ids=["b1"])["boxes"][0]["card_ids"], ["c1"])

    def test_settings_times_and_random_bytes(self) -> None:
        store = tuckbox.memory_store()

        def work(source: random.Random) -> None:
            names = ("dialect", "limits", "recipes", "composer", "models", "authority", "reference_behavior")
            chosen: Any = {name: value(source) for name in source.sample(names, 2)}
            project_id = source.choice(["p1", value(source)])
            project = tuckbox.open(store, project_id=project_id, **chosen)
            project.preview({"op": "create_box", "card_ids": []}, now=value(source), entropy=value(source))

        self.rounds(work)

    def test_rows_text_and_logs(self) -> None:
        store = tuckbox.memory_store()

        def work(source: random.Random) -> None:
            with contextlib.suppress(*EXPECTED):
                tuckbox.json_text(value(source))
            table = source.choice(["boxes", "cards", "files", "project_agents", "pointers", "other"])
            with contextlib.suppress(*EXPECTED):
                row, version = value(source), source.choice([None, *TEXTS])
                store.project(source.choice(TEXTS)).add_row(source.choice([table, *TEXTS]), row, version)
            text = "".join(source.choice(TEXTS) for _ in range(3)).encode("utf-8", "surrogatepass")
            tuckbox.import_log((source.choice(TEXTS), text)).value

        self.rounds(work)

    def test_stores_that_answer_anything_leave_a_usable_project(self) -> None:
        def work(source: random.Random) -> None:
            store = BadStore(source)
            project = tuckbox.open(store, project_id="p1")
            for number in range(3):
                with contextlib.suppress(*EXPECTED):
                    project.boxes.create(box_id=f"b{number}", card_ids=["c"])
                with contextlib.suppress(*EXPECTED):
                    project.boxes.get(box_ids=[f"b{number}"])
            store.is_bad = False
            project.refresh()
            kept = tuckbox.open(store.inner, project_id="p1").boxes.get(box_ids=["b0", "b1", "b2"])
            self.assertEqual(project.boxes.get(box_ids=["b0", "b1", "b2"]), kept)
            # a batch is whole or missing
            for box in kept["boxes"]:
                self.assertEqual((box["card_ids"], box["version"]), (["c"], 1))

        self.rounds(work)

    def test_the_contract_reports_a_store_that_answers_anything(self) -> None:
        names = [name for _, name in tuckbox._native.contract_cases()]

        def work(source: random.Random) -> None:
            run_contract_case(source.choice(names), BadStore(source), "p1")

        self.rounds(work, ROUNDS // 5)

    def test_canceled_tasks_leave_a_usable_project(self) -> None:
        class Slow(BadStore):
            async def read(self, reads: Any) -> Any:
                await asyncio.sleep(0)
                return super().read(reads)

            async def commit(self, writes: Any) -> Any:
                await asyncio.sleep(0)
                return super().commit(writes)

        async def run(source: random.Random) -> None:
            store = Slow(source)
            store.is_bad = False
            project = tuckbox.open_async(store, project_id="p1")
            tasks = [
                asyncio.ensure_future(project.boxes.create(box_id=f"b{number}", card_ids=[]))
                for number in range(4)
            ]
            for task in tasks:
                for _ in range(source.randrange(4)):
                    await asyncio.sleep(0)
                if source.random() < 0.5:
                    task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            ids = [f"b{number}" for number in range(4)]
            project.refresh()
            kept = tuckbox.open(store.inner, project_id="p1").boxes.get(box_ids=ids)
            self.assertEqual(await project.boxes.get(box_ids=ids), kept)

        self.rounds(lambda source: asyncio.run(run(source)), ROUNDS // 5)

    def test_threads_with_bad_input_share_a_project(self) -> None:
        project = tuckbox.open(tuckbox.memory_store(), project_id="p1")
        failed: list[BaseException] = []

        def work(name: int) -> None:
            source = random.Random(name)
            for number in range(ROUNDS // 10):
                try:
                    with contextlib.suppress(*EXPECTED):
                        project.preview(source.choice(tuckbox.operations()), value(source))
                    project.boxes.create(box_id=f"b-{name}-{number}", card_ids=[])
                except BaseException as error:
                    failed.append(error)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])

    @unittest.skipIf(sys.platform == "win32", "Windows does not fork")
    def test_a_forked_process_uses_the_project(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            store = tuckbox.sqlite_store(Path(folder, "project.db"))
            self.addCleanup(store.close)
            project = tuckbox.open(store, project_id="p1")
            project.boxes.create(box_id="b1", card_ids=["c1"])
            child = os.fork()
            if child == 0:
                try:
                    project.boxes.append(box_id="b1", card_ids=["c2"])
                    with contextlib.suppress(tuckbox.TuckboxError):
                        project.preview("fork_box", cycle())
                    os._exit(0)
                finally:
                    os._exit(1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            project.refresh()
            self.assertEqual(project.boxes.get(box_ids=["b1"])["boxes"][0]["card_ids"], ["c1", "c2"])


if __name__ == "__main__":
    unittest.main()
