"""Real packages: pydantic models as values, and the `openai` package against a server of this test."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from support import DEEP, ROOT
from tuckbox._native import to_json

ANSWER = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-5-mini",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "To point to food."},
        }
    ],
    "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
}


class Handler(BaseHTTPRequestHandler):
    bodies: list[Any] = []

    def do_POST(self) -> None:
        self.bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        body = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@unittest.skipUnless(DEEP, "deep: installs packages")
class Packages(unittest.TestCase):
    def test_pydantic_models_are_their_own_json(self) -> None:
        from datetime import datetime, timezone

        import pydantic

        class Part(pydantic.BaseModel):
            at: datetime
            kind: str = pydantic.Field(alias="type")

        part = Part(at=datetime(2026, 1, 2, tzinfo=timezone.utc), type="note")
        self.assertEqual(to_json([part]), '[{"at":"2026-01-02T00:00:00Z","type":"note"}]')

    def test_the_first_request_of_the_guide_is_sent_with_openai(self) -> None:
        page = (ROOT / "docs/how-to/use-from-python.md").read_text(encoding="utf-8")
        program = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
        server = HTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        url = f"http://127.0.0.1:{server.server_port}/v1"
        env = {**os.environ, "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
        env["PYTHONPATH"] = str(ROOT / "python")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-c", program], cwd=folder, env=env, capture_output=True, text=True
            )
        self.assertEqual((done.returncode, done.stdout), (0, "To point to food.\n"), done.stderr)
        sent = {"model": "gpt-5-mini", "messages": [{"role": "user", "content": "Why do bees dance?"}]}
        self.assertEqual(Handler.bodies, [sent])


if __name__ == "__main__":
    unittest.main()
