"""Lockfiles of contexts, the commands `lock` and `pack`, and the plugin of pytest."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import tuckbox
from support import DEEP, ROOT
from tuckbox.__main__ import main
from tuckbox._files import change_text, read_text
from tuckbox.testing import assert_context, assert_that_context

CONFIG = """
def greeting(project):
    return {"request": {"provider": "openai_chat", "body": body("Hello")}}

def body(text):
    return {"model": "gpt-5", "messages": [{"role": "user", "content": text}]}

lock = {"entries": {"greeting": greeting, "other": {"request": {"body": body("Bye")}}}}
"""

TEST = """
def test_greeting(context_lock):
    body = {"model": "gpt-5", "messages": [{"role": "user", "content": TEXT}]}
    context_lock.assert_context(body, "greeting")
    context_lock.assert_that(body, max_tokens=100)
"""


def body(text: str) -> dict[str, Any]:
    return {"model": "gpt-5", "messages": [{"role": "user", "content": text}]}


class Case(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        here = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, here)
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        for name in ("CI", "TUCKBOX_LOCK", "TUCKBOX_PROJECT"):
            os.environ.pop(name, None)

    def run_command(self, *arguments: str) -> tuple[int, str, str]:
        out, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = main(arguments)
        return code, out.getvalue(), errors.getvalue()


class Locks(Case):
    def test_a_check_detects_a_changed_context(self) -> None:
        Path("tuckbox_config.py").write_text(CONFIG)
        code, out, _ = self.run_command("lock", "update")
        self.assertEqual((code, out), (0, "added greeting\nadded other\ntuckbox.lock: 2 added, 0 changed, 0 removed\n"))
        self.assertEqual(self.run_command("lock", "check")[0], 0)
        Path("tuckbox_config.py").write_text(CONFIG.replace("Hello", "Good day"))
        code, out, _ = self.run_command("lock", "check", "--reporter", "text", "--reporter", "json=report.json")
        self.assertEqual(code, 1)
        self.assertIn("user message edited: 1 context", out)
        self.assertEqual(json.loads(Path("report.json").read_text())["entries"][0]["name"], "greeting")
        self.assertEqual(self.run_command("lock", "check", "oth*")[0], 0)

    def test_a_context_that_changes_with_each_build_is_reported(self) -> None:
        config = CONFIG.replace('body("Hello")', 'body(str(next(numbers)))')
        Path("tuckbox_config.py").write_text(f"import itertools\nnumbers = itertools.count(1000)\n{config}")
        code, out, _ = self.run_command("lock", "update")
        self.assertEqual(code, 0)
        self.assertIn("unstable greeting", out)

    def test_what_cannot_be_decided_is_never_the_same(self) -> None:
        for text, message in [
            (None, "no config"),
            ("1 / 0", "division by zero"),
            ("lock = 1", "must be a mapping"),
            ("lock = {'entrys': {}}", "unknown key `lock.entrys`"),
            ("lock = {'entries': []}", "must be contexts by name"),
            ("lock = {'volatile': '/system/0'}", "must be a list of slots"),
            ("lock = {'timeoutMs': 'soon'}", "must be a number of milliseconds"),
            ("import sys; sys.exit(0)", "SystemExit"),
            ("lock = {'entries': {'a': lambda project: exit(0)}}", "called `sys.exit(0)`"),
            ("lock = {'entries': {'a': {'request': {'body': {}}}}, 'now': 'soon'}", "RFC 3339"),
        ]:
            if text is not None:
                Path("tuckbox_config.py").write_text(text)
            code, out, errors = self.run_command("lock", "check")
            self.assertIn(message, out + errors)
            self.assertEqual(code, 2)
        Path("tuckbox_config.py").write_text(CONFIG)
        Path("tuckbox.lock").write_text("not a lockfile")
        self.assertEqual(self.run_command("lock", "check")[0], 2)
        Path("tuckbox.lock").unlink()
        self.assertIn("no context has the name", self.run_command("lock", "check", "x")[2])
        self.assertIn("unknown reporter", self.run_command("lock", "check", "--reporter", "x")[2])
        os.environ["CI"] = "true"
        self.assertIn("`CI` is set", self.run_command("lock", "update")[2])
        self.assertFalse(Path("tuckbox.lock").exists())

    def test_a_function_that_never_returns_ends_with_an_error(self) -> None:
        text = "def loop(project):\n    while True: pass\nlock = {'timeoutMs': 50, 'entries': {'a': loop}}\n"
        Path("tuckbox_config.py").write_text(text)
        found = [str(Path(tuckbox.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
        ran = subprocess.run(
            [sys.executable, "-m", "tuckbox", "lock", "update"],
            capture_output=True,
            text=True,
            env={**os.environ, "CI": "", "PYTHONPATH": os.pathsep.join(found)},
        )
        self.assertEqual((ran.returncode, ran.stdout), (2, ""))
        self.assertIn("the function of `a` took more than 50 ms; see `lock.timeoutMs`", ran.stderr)
        self.assertFalse(Path("tuckbox.lock").exists())

    def test_an_assertion_of_a_test_adds_and_compares_an_entry(self) -> None:
        test = str(self.folder / "test_it.py")
        assert_context(body("Hello"), "greeting", test=test)
        self.assertIn('"greeting"', Path("tuckbox.lock").read_text())
        assert_context({"request": {"body": body("Hello")}}, "greeting", test=test)
        with self.assertRaises(AssertionError) as raised:
            assert_context(body("Bye"), "greeting", test=test)
        self.assertIn("user message edited", str(raised.exception))
        assert_context(body("Bye"), "greeting", test=test, update=True)
        os.environ["CI"] = "1"
        assert_context(body("Bye"), "greeting", test=test)
        with self.assertRaises(AssertionError):
            assert_context(body("Bye"), "new", test=test)
        assert_that_context(body("Bye"), max_tokens=10)
        with self.assertRaises(AssertionError):
            assert_that_context(body("Bye"), max_tokens=0)
        with self.assertRaises(tuckbox.TuckboxError):
            assert_that_context("text", max_tokens=0)

    def test_threads_change_a_file_one_after_another(self) -> None:
        path = self.folder / "count"

        def work() -> None:
            for _ in range(5):
                change_text(path, lambda text: str(int(text or "0") + 1))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((read_text(path), os.listdir(self.folder)), ("20", ["count"]))

    def test_a_change_fails_if_another_process_takes_the_lock_over(self) -> None:
        path = self.folder / "file"
        tries = []

        def change(text: str | None) -> str:
            tries.append(text)
            if len(tries) == 1:
                (owner,) = Path("file.lock").iterdir()
                owner.unlink()
                path.write_text("by another process")
            return f"{text}!"

        change_text(path, change)
        self.assertEqual((tries, read_text(path)), ([None, "by another process"], "by another process!"))


class Packs(Case):
    def test_a_call_is_packed_from_a_file_of_sqlite_or_json(self) -> None:
        row = {"name": "Writer", "profile_box_id": "pb"}
        box = {"box_id": "notes", "card_ids": ["n1"]}
        store = tuckbox.sqlite_store("project.db")
        self.addCleanup(store.close)
        store.add_row("p1", "project_profiles", row)
        store.add_row("p1", "boxes", box)
        exported = {"projects": [{"project_id": "p1", "profiles": [row], "boxes": [box]}]}
        Path("project.json").write_text(json.dumps(exported))
        for file in ("project.db", "project.json"):
            options = ["--store", file, "--to", "Writer", "--instruction", "Draft.", "--from", "notes"]
            code, out, errors = self.run_command("pack", *options)
            self.assertEqual((code, errors), (0, ""))
            preview = json.loads(out)
            entries = preview["ledger"]["boxes"][0]["entries"]
            self.assertIn("n1", [entry["card_id"] for entry in entries])
            self.assertIsNone(preview["receipt"])
        self.assertEqual(self.run_command("pack", *options, "--commit")[0], 1)
        options[1] = "project.db"
        code, out, _ = self.run_command("pack", *options, "--commit")
        made = json.loads(out)
        self.assertEqual(made["receipt"]["operation_id"], made["writes"]["operation_id"])
        Path("call.json").write_text('{"op": "fork_box", "box_id": "notes"}')
        self.assertEqual(self.run_command("pack", "call.json", "--store", "project.db")[0], 0)

    def test_wrong_files_are_errors(self) -> None:
        Path("bad.json").write_text('{"projects": [1]}')
        Path("list.json").write_text("[]")
        call = ["--to", "a", "--instruction", "b"]
        for arguments, message in [
            ([], "pass a call"),
            ([*call, "--store", "missing.db"], "cannot be read"),
            ([*call, "--store", "bad.json"], "not an export"),
            (["list.json"], "must have an object"),
        ]:
            code, _, errors = self.run_command("pack", *arguments)
            self.assertIn(message, errors)
            self.assertEqual(code, 1)


@unittest.skipUnless(DEEP, "deep: installs pytest")
class Others(Case):
    def pytest(self, text: str, *options: str) -> subprocess.CompletedProcess[str]:
        Path("test_it.py").write_text(TEST.replace("TEXT", repr(text)))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "tuckbox.pytest_plugin", *options]
        env = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
        return subprocess.run(command, env=env, capture_output=True, text=True)

    def test_the_fixture_of_pytest_compares_contexts(self) -> None:
        self.assertEqual(self.pytest("Hello").returncode, 0)
        self.assertIn('from "test:test_it.py"', Path("tuckbox.lock").read_text())
        done = self.pytest("Bye")
        self.assertEqual(done.returncode, 1)
        self.assertIn("user message edited", done.stdout)
        self.assertEqual(self.pytest("Bye", "--update-context-lock").returncode, 0)
        self.assertEqual(self.pytest("Bye").returncode, 0)

    def test_the_npm_package_accepts_the_lockfile(self) -> None:
        entry = {"request": {"provider": "openai_chat", "body": body("Hello")}}
        Path("tuckbox.config.json").write_text(json.dumps({"lock": {"entries": {"greeting": entry}}}))
        self.assertEqual(self.run_command("lock", "update")[0], 0)
        program = ["node", str(ROOT / "pkg/bin/tuckbox.js"), "lock", "check"]
        done = subprocess.run(program, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
