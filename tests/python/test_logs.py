"""Files of logs: in folders and archives, with the names and the content that the npm package reads."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import Any
from unittest import mock

import tuckbox
from support import DEEP, ROOT
from tuckbox import _logs
from tuckbox.__main__ import main
from tuckbox._imports import read_files

LINE = (
    b'{"type":"user","sessionId":"s","uuid":"u","timestamp":"2026-01-01T00:00:00Z",'
    b'"message":{"role":"user","content":"hi"}}\n'
)


def zipped(entries: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return out.getvalue()


def encrypted(data: bytes) -> bytes:
    """Sets the flag of an encrypted entry in an archive with one entry."""
    changed = bytearray(data)
    changed[6] |= 1
    changed[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(changed)


def read(*sources: Any) -> list[tuple[str, bytes]]:
    found = _logs.log_files(sources, lambda note: None)
    return [(name, b"".join(chunks)) for name, _, chunks in found]


class Logs(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_archives_in_archives_are_opened(self) -> None:
        inner = zipped({"b/c.jsonl": LINE, "folder/": b"", "ü.txt": b"text"})
        data = gzip.compress(zipped({"a.zip": inner, "d.jsonl.gz": gzip.compress(LINE)}))
        self.assertEqual(
            read(("x.zip.gz", data)),
            [("x.zip/a.zip/b/c.jsonl", LINE), ("x.zip/a.zip/ü.txt", b"text"), ("x.zip/d.jsonl", LINE)],
        )
        deep = LINE
        for _ in range(_logs.MAX_DEPTH + 1):
            deep = gzip.compress(deep)
        self.assertEqual(read(("deep", deep)), [("deep", gzip.compress(LINE))])

    def test_what_cannot_be_unpacked_is_reported_packed(self) -> None:
        packed = gzip.compress(LINE * 1000)
        archive = zipped({"a.jsonl": LINE})
        wrong = bytearray(archive)
        # the checksum in the directory
        wrong[archive.index(b"PK\x01\x02") + 16] ^= 1
        for data in (packed[:-20], packed[:50], archive[:-8], zipped({"a": LINE}, zipfile.ZIP_LZMA), encrypted(archive), bytes(wrong)):
            ((_, content),) = read(("log", data))
            self.assertTrue(data.startswith(content[:4]))
            report = tuckbox.import_log(("log", data)).value
            self.assertIsNone(report["files"][0]["format"])
            self.assertNotEqual(report["notes"], [])
        # two entries with the same bytes
        first = zipped({"a.jsonl": LINE})
        at = first.index(b"PK\x01\x02")
        directory = first[at : first.index(b"PK\x05\x06")]
        end = bytearray(first[at + len(directory) :])
        end[8] = end[10] = 2
        end[12:16] = (2 * len(directory)).to_bytes(4, "little")
        self.assertEqual(len(read(("bomb.zip", first[:at] + directory * 2 + bytes(end)))), 1)

    def test_an_import_unpacks_a_limited_number_of_bytes(self) -> None:
        big = zipped({f"{number}.txt": bytes(10_000) for number in range(20)})
        with mock.patch.object(_logs, "MAX_BYTES", 50_000):
            sizes = [len(content) for _, content in read(("a.zip", big), ("b.gz", gzip.compress(bytes(10_000))))]
        self.assertEqual(sizes.count(10_000), 4)
        self.assertEqual(len(sizes), 21)
        self.assertLess(sum(sizes), 50_000)

    def test_folders_are_read_in_order_without_what_is_not_a_log(self) -> None:
        for name in ("b/1.jsonl", "a.jsonl", "node_modules/x.jsonl", ".git/y", "b/meta.json"):
            path = self.folder / "logs" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(LINE)
        Path(self.folder, "outside.jsonl").write_bytes(LINE)
        notes: list[str] = []
        if sys.platform != "win32":
            Path(self.folder, "logs/out").symlink_to(self.folder / "outside.jsonl")
            Path(self.folder, "logs/cycle").symlink_to(self.folder / "logs")
            Path(self.folder, "logs/broken").symlink_to(self.folder / "none")
            os.mkfifo(self.folder / "logs/pipe")
        logs = str(self.folder / "logs")
        found = [name for name, _, _ in _logs.log_files([logs], notes.append)]
        self.assertEqual(found, [os.path.join(logs, name) for name in ("a.jsonl", os.path.join("b", "1.jsonl"))])
        if sys.platform != "win32":
            self.assertEqual(len(notes), 3, notes)
            with self.assertWarns(RuntimeWarning):
                tuckbox.import_log(logs)

    def test_other_sources_are_typed_errors(self) -> None:
        sources: list[Any] = ["no-such-file", "a\0b", 7, None, ("name",), ("name", "text"), (b"name", b""), "/dev/null"]
        for source in sources:
            with self.assertRaises(tuckbox.TuckboxError, msg=repr(source)) as raised:
                tuckbox.import_log(source)
            self.assertEqual(raised.exception.path, "files")

    def test_files_that_are_not_text_are_read(self) -> None:
        database = ROOT / "tests/imports/chats.sqlite"
        (file,) = read_files([database])
        self.assertEqual(set(file), {"name", "base64"})
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(main(["cache", str(database)]), 0)
        self.assertNotEqual(json.loads(out.getvalue())["sessions"], [])

    @unittest.skipUnless(DEEP, "deep: needs the npm package")
    def test_commands_print_what_the_npm_package_prints(self) -> None:
        folder = ROOT / "tests/imports"
        archive = self.folder / "logs.zip"
        archive.write_bytes(zipped({"chats.sqlite": (folder / "chats.sqlite").read_bytes(), "l.jsonl": LINE}))
        for path in (folder / "chats.sqlite", folder, archive):
            for command in ("import", "cache", "compaction"):
                out = io.StringIO()
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
                    self.assertEqual(main([command, str(path)]), 0)
                program = ["node", str(ROOT / "pkg/bin/tuckbox.js"), command, str(path), "--json"]
                done = subprocess.run(program, capture_output=True, text=True, check=True)
                self.assertEqual(json.loads(out.getvalue()), json.loads(done.stdout)["value"], (path, command))


if __name__ == "__main__":
    unittest.main()
