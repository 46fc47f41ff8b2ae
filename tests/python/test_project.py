"""Projects: previews, commits, namespaces, ledgers and options."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import pickle
import re
import signal
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path
from typing import Any

import tuckbox
from support import ENV, opened
from tuckbox.__main__ import main



class Projects(unittest.TestCase):
    def test_a_preview_writes_nothing_and_a_commit_writes_what_it_shows(self) -> None:
        store, project = opened()
        preview = project.preview("create_box", {"box_id": "notes", "card_ids": ["n1"]}, **ENV)
        self.assertEqual(preview.value["box_id"], "notes")
        self.assertEqual(preview.writes["boxes"][0]["change"], "create")
        self.assertTrue(preview.content_hash)
        other = tuckbox.open(store, project_id="p1")
        self.assertEqual(other.boxes.get(box_ids=["notes"])["boxes"], [])
        receipt = preview.commit()
        self.assertEqual(receipt["operation_id"], preview.operation_id)
        self.assertEqual(receipt["boxes"], [{"box_id": "notes", "version": 1}])
        self.assertTrue(preview.commit()["repeated"])
        found = tuckbox.open(store, project_id="p1").boxes.get({"box_ids": ["notes"]})
        self.assertEqual(found["boxes"][0]["card_ids"], ["n1"])

    def test_a_clock_that_raises_is_a_typed_error(self) -> None:
        for name in ("now", "entropy"):
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                opened()[1].preview("create_box", {"card_ids": []}, **{**ENV, name: type})
            self.assertEqual((raised.exception.code, raised.exception.path), ("bad_request", name))
            self.assertIsInstance(raised.exception.__cause__, TypeError)

    def test_the_same_time_and_entropy_give_the_same_bytes(self) -> None:
        def text() -> str:
            return opened()[1].preview("create_box", {"card_ids": ["n1"]}, **ENV).writes_text

        self.assertEqual(text(), text())

    def test_methods_are_in_namespaces_and_take_keywords_or_a_mapping(self) -> None:
        _, project = opened()
        project.boxes.create(box_id="b1", card_ids=["c1", "c2"])
        forked = project.boxes.fork({"box_id": "b1"}, take=1)
        self.assertEqual(project.boxes.get(box_ids=[forked["box_id"]])["boxes"][0]["card_ids"], ["c1"])
        self.assertIn("boxes", dir(project))
        self.assertEqual(len(tuckbox.operations()), sum(map(len, methods().values())))
        for get, message in [
            (lambda: project.bxes, "a project has no method `bxes`; did you mean `boxes`?"),
            (lambda: project.boxes.forkk, "`project.boxes` has no method `forkk`; did you mean `fork`?"),
            (lambda: project.boxes.zzz, "`project.boxes` has no method `zzz`"),
        ]:
            with self.assertRaises(AttributeError) as raised:
                get()
            self.assertEqual(str(raised.exception), message)
        self.assertIn("fork", repr(project.boxes))

    def test_every_method_is_an_operation(self) -> None:
        known = set(tuckbox.operations())
        self.assertEqual(known, {op for space in methods().values() for op in space.values()})

    def test_a_ledger_is_a_sequence_that_creates_entries_on_access(self) -> None:
        store, project = opened()
        ids = [f"c{number}" for number in range(2500)]
        store.project("p1").add_profile({"name": "Writer", "profile_box_id": "pb"})
        store.project("p1").add_box({"box_id": "notes", "card_ids": ids})
        arguments = {"profile_name": "Writer", "instruction": "Draft.", "boxes": ["notes"]}
        call = {"tool_suffix": "t", "source_agent_id": "a", "arguments": arguments}
        handover = {
            "target_profile_config": {"profile_name_arg": "profile_name"},
            "context_packing_config": {
                "pack_arguments": [{"arg_key": "instruction"}],
                "inherit_context": {"include_boxes_from_args": ["boxes"]},
            },
        }
        preview = project.preview("pack_context", {**call, "handover": handover})
        (account,) = preview.ledger.boxes
        self.assertEqual(len(account), len(preview.value["attached_card_ids"]))
        entries = list(account)
        self.assertEqual([entry["position"] for entry in entries], list(range(len(account))))
        self.assertEqual(account[-1], entries[-1])
        self.assertEqual(account[10:20], entries[10:20])
        self.assertEqual(account[10:20:3], entries[10:20:3])
        self.assertIn(entries[3], account)
        with self.assertRaises(IndexError):
            account[len(account)]
        self.assertEqual(entries[-1]["cause"]["kind"], "inherited")

    def test_a_notebook_shows_escaped_cards_with_their_causes(self) -> None:
        store, project = opened()
        store.project("p1").add_profile({"name": "Writer", "profile_box_id": "pb"})
        store.project("p1").add_box({"box_id": "<b>", "card_ids": ["<script>"]})
        preview = project.preview(
            "pack_context_with_instruction",
            {
                "tool_suffix": "t",
                "source_agent_id": "a",
                "profile_name": "Writer",
                "instruction": "Draft.",
                "inherit_box_ids": ["<b>"],
            },
        )
        html = preview._repr_html_()
        self.assertIn("&lt;script&gt;", html)
        self.assertIn("inherited", html)
        self.assertNotIn("<script>", html)
        plain = project.preview("text_form", {"value": "<i>"})._repr_html_()
        self.assertIn("&lt;i&gt;", plain)

    def test_the_project_after_a_preview_has_its_writes(self) -> None:
        _, project = opened()
        preview = project.preview("create_box", {"box_id": "b1", "card_ids": []})
        self.assertEqual(len(preview.after().boxes.get(box_ids=["b1"])["boxes"]), 1)
        self.assertEqual(project.boxes.get(box_ids=["b1"])["boxes"], [])

    def test_errors_have_code_path_and_details(self) -> None:
        _, project = opened()
        with self.assertRaises(tuckbox.TuckboxError) as raised:
            project.boxes.create(card_ids=["c1", 7])
        error = raised.exception
        self.assertEqual((error.code, error.path), ("bad_request", "card_ids[1]"))
        self.assertIn("card_ids[1]", str(error))
        copy = pickle.loads(pickle.dumps(error))
        self.assertEqual((copy.code, copy.path, copy.message), (error.code, error.path, error.message))
        for op, path in [("pack_contxt", "op"), ("", "op")]:
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                project.preview(op, {})
            self.assertEqual((raised.exception.code, raised.exception.path), ("bad_request", path))

    def test_settings_are_checked(self) -> None:
        for settings, path in [
            ({"project_id": ""}, "project_id"),
            ({"project_id": "p", "dialect": "v9"}, "dialect"),
            ({"project_id": "p", "dialct": "v1r4"}, "dialct"),
            ({"project_id": "p", "limits": {"max_color": 1}}, "limits.max_color"),
        ]:
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                tuckbox.open(tuckbox.memory_store(), **settings)
            self.assertEqual((raised.exception.code, raised.exception.path), ("bad_request", path))
        for store, path in [(object(), "store.read"), (None, "store.read")]:
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                tuckbox.open(store, project_id="p")
            self.assertEqual(raised.exception.path, path)

    def test_the_version_is_that_of_the_crate(self) -> None:
        manifest = Path(__file__).parent.parent.parent.joinpath("Cargo.toml").read_text()
        self.assertIn(f'\nversion = "{tuckbox.__version__}"\n', manifest)

    def test_the_example_of_the_readme_runs(self) -> None:
        readme = Path(__file__).parent.parent.parent.joinpath("README.md").read_text(encoding="utf-8")
        (program,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
        out = io.StringIO()
        names: dict[str, Any] = {}
        with contextlib.redirect_stdout(out):
            exec(program, names)
        found = names["project"].boxes.get(box_ids=["notes"])
        self.assertEqual(found["boxes"][0]["card_ids"], ["n1", "n2"])
        self.assertIn("create", out.getvalue())

    def test_the_clock_and_the_random_bytes_are_checked(self) -> None:
        _, project = opened()
        for options, path in [
            ({"now": 1.5}, "now"),
            ({"now": True}, "now"),
            ({"now": 2**60}, "now"),
            ({"entropy": b"short"}, "entropy"),
            ({"entropy": "x" * 32}, "entropy"),
        ]:
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                project.preview("create_box", {"card_ids": []}, **options)
            self.assertEqual((raised.exception.code, raised.exception.path), ("bad_request", path))

    def test_logs_are_imported(self) -> None:
        line = b'{"type":"user","sessionId":"s","uuid":"u","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"hi"}}\n'
        result = tuckbox.import_log(("log.jsonl", line))
        self.assertEqual(set(result.value), {"files", "sessions", "notes", "calibration"})
        said = {
            "role": "assistant",
            "content": [{"type": "text", "text": "a"}],
            "model": "claude-house",
            "usage": {"input": 1000, "output": 10},
        }
        rows = [
            {"type": "session", "id": "s", "cwd": "/"},
            {"type": "message", "id": "a", "parentId": None, "message": {"role": "user", "content": "q"}},
            {"type": "message", "id": "b", "parentId": "a", "message": said},
        ]
        log = "\n".join(json.dumps(row) for row in rows).encode()

        def of(models: dict[str, object] | None) -> object:
            found = tuckbox.import_log(("s.jsonl", log), models=models)
            return found.value["sessions"][0]["requests"][0]["cost"]

        price = {"input": 2, "output": 10}
        house = {"provider": "anthropic", "model": "claude-house", "price": price}
        self.assertEqual((of(None), of({"version": "1", "models": [house]})), (None, 0.0021))
        with self.assertRaises(tuckbox.TuckboxError) as raised:
            of({"version": 7, "models": []})
        self.assertEqual((raised.exception.code, raised.exception.path), ("bad_request", "version"))
        with self.assertRaises(tuckbox.TuckboxError) as raised:
            tuckbox.import_log("no-such-file")
        self.assertEqual(raised.exception.code, "not_found")


class Commands(unittest.TestCase):
    LINE = (
        '{"type":"user","sessionId":"s","uuid":"u","timestamp":"2026-01-01T00:00:00Z",'
        '"message":{"role":"user","content":"hi"}}\n'
    )

    def run_command(self, *arguments: str) -> tuple[int, str, str]:
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = main(arguments)
        return code, out.getvalue(), errors.getvalue()

    def test_logs_are_printed_as_json(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "log.jsonl").write_text(self.LINE)
            Path(folder, "log.jsonl.gz").write_bytes(gzip.compress(self.LINE.encode()))
            for command in ("import", "cache", "compaction"):
                code, out, _ = self.run_command(command, folder)
                self.assertEqual(code, 0)
                self.assertIn("sessions", json.loads(out))
            requests = Path(folder, "requests.json")
            request = {"messages": [{"role": "user", "content": "hi"}], "model": "m"}
            requests.write_text(json.dumps({"requests": [{"body": request}]}))
            code, out, errors = self.run_command("cache", str(requests), "--provider", "openai_chat")
            self.assertEqual((code, errors), (0, ""))
            self.assertIn("requests", json.loads(out))

    def test_errors_are_printed_with_their_code(self) -> None:
        code, out, errors = self.run_command("import", "no-such-file")
        self.assertEqual((code, out), (1, ""))
        self.assertIn("not_found", errors)


class Threads(unittest.TestCase):
    def test_other_threads_run_while_a_rule_runs(self) -> None:
        _, project = opened()
        project.boxes.create(box_id="b1", card_ids=[f"c{number}" for number in range(20_000)])
        is_inside = threading.Event()
        seen = threading.Event()
        guard = time.monotonic() + 120

        def work() -> None:
            while not seen.is_set() and time.monotonic() < guard:
                is_inside.set()
                project._core.workspace.start("fork_box", '{"box_id":"b1"}', 0, bytes(32))
                is_inside.clear()
                time.sleep(0)

        # threads switch only where the lock is released
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)
        try:
            thread = threading.Thread(target=work)
            thread.start()
            while thread.is_alive():
                if is_inside.is_set():
                    seen.set()
                time.sleep(0)
            thread.join()
        finally:
            sys.setswitchinterval(interval)
        self.assertTrue(seen.is_set())

    @unittest.skipIf(sys.platform == "win32", "Windows does not fork")
    def test_a_fork_waits_for_threads_that_work(self) -> None:
        _, project = opened()
        project.boxes.create(box_id="b1", card_ids=[f"c{number}" for number in range(20_000)])
        stop = threading.Event()

        def work() -> None:
            while not stop.is_set():
                project.preview("fork_box", box_id="b1")

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(10):
                with warnings.catch_warnings():
                    # newer versions of Python warn about threads
                    warnings.simplefilter("ignore", DeprecationWarning)
                    child = os.fork()
                if child == 0:
                    try:
                        # ends a child that waits for a thread of its parent
                        signal.alarm(60)
                        project.preview("fork_box", box_id="b1")
                        os._exit(0)
                    finally:
                        os._exit(1)
                self.assertEqual(os.waitpid(child, 0)[1], 0)
        finally:
            stop.set()
            for thread in threads:
                thread.join()

    def test_threads_share_a_project(self) -> None:
        store, project = opened()
        project.boxes.create(box_id="b1", card_ids=[])
        failed = []

        def work(name: int) -> None:
            for number in range(5):
                try:
                    own = tuckbox.open(store, project_id="p1")
                    own.boxes.create(box_id=f"b-{name}-{number}", card_ids=["c"])
                    project.boxes.get(box_ids=["b1", f"b-{name}-{number}"])
                except Exception as error:
                    failed.append(error)

        threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])


def methods() -> dict[str, dict[str, str]]:
    from tuckbox._methods import METHODS

    return METHODS


if __name__ == "__main__":
    unittest.main()
