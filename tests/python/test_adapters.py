"""Adapters of frameworks, with the real packages, against a server of this test.

The programs of `docs/how-to/use-python-frameworks.md` run as they are. The server compares what
arrives with the payload of the context and the question.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import tuckbox
from support import DEEP, ROOT

TEXT = "To point to food."
MESSAGE = {"role": "assistant", "content": TEXT}
CHAT = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-5-mini",
    "choices": [{"index": 0, "finish_reason": "stop", "message": MESSAGE}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
}
OUTPUT_TEXT = {"type": "output_text", "text": TEXT, "annotations": []}
RESPONSES = {
    "id": "resp_1",
    "object": "response",
    "created_at": 1,
    "model": "gpt-5-mini",
    "status": "completed",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {
            "type": "message",
            "id": "m1",
            "role": "assistant",
            "status": "completed",
            "content": [OUTPUT_TEXT],
        }
    ],
    "usage": {
        "input_tokens": 9,
        "output_tokens": 4,
        "total_tokens": 13,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    },
}
ANTHROPIC = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-opus-5-5",
    "content": [{"type": "text", "text": TEXT}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 9, "output_tokens": 4},
}
EVENTS: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**ANTHROPIC, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": TEXT}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
    {"type": "message_stop"},
]

#: Prints whether an imported request has the question or the context.
FOUND = """
requests = [each for session in REPORTS[-1]["sessions"] for each in session["requests"]]
print(any("Why?" in str(card) or "Bees dance." in str(card)
    for each in requests for card in project.boxes.get_cards(box_id=each["box_id"])["cards"]))
"""


class Provider(BaseHTTPRequestHandler):
    bodies: list[tuple[str, Any]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = self.path.partition("?")[0]
        self.bodies.append((path, body))
        answers = {"/v1/responses": RESPONSES, "/v1/messages": ANTHROPIC}
        data = json.dumps(answers.get(path, CHAT))
        kind = "application/json"
        if path == "/v1/messages" and body.get("stream"):
            kind = "text/event-stream"
            data = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in EVENTS)
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data.encode())))
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, *_: Any) -> None:
        pass


def programs() -> dict[str, str]:
    """Returns the program of each section of the page, after the one of the project."""
    page = (ROOT / "docs/how-to/use-python-frameworks.md").read_text(encoding="utf-8")
    (project,) = re.findall(r"```python\n(.*?)```", page.split("\n## ")[0], re.DOTALL)
    sections = {"": project}
    for section in page.split("\n## ")[1:]:
        title = section.partition("\n")[0]
        (sections[title],) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    return sections


class Adapters(unittest.TestCase):
    def test_each_program_has_at_most_ten_lines(self) -> None:
        found = programs()
        self.assertEqual(len(found), 7)
        for title, program in found.items():
            lines = [line for line in program.splitlines() if line]
            self.assertLessEqual(len(lines), 10, title)


@unittest.skipUnless(DEEP, "deep: installs frameworks")
class Frameworks(unittest.TestCase):
    def setUp(self) -> None:
        server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(server.server_close)
        self.addCleanup(thread.join)
        self.addCleanup(server.shutdown)
        Provider.bodies.clear()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        url = f"http://127.0.0.1:{server.server_port}"
        self.env = {
            **os.environ,
            "PYTHONPATH": str(ROOT / "python"),
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_KEY": "none",
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CONFIG_DIR": str(Path(self.folder, "claude")),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }

    def run_program(
        self, title: str, more: str = "", change: tuple[str, str] = ("", "")
    ) -> list[str]:
        """Runs the program of a section, and returns the lines that it prints."""
        program = "\n".join([programs()[""], "REPORTS = []", programs()[title], more])
        if change[0]:
            self.assertIn(change[0], program)
            program = program.replace(*change)
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def previewed(self, question: bool = True, **arguments: Any) -> Any:
        """Returns the payload of the notes, and of the question."""
        names: dict[str, Any] = {}
        exec(programs()[""], names)
        project: tuckbox.Project = names["project"]
        if question:
            project.cards.put(cards=[names["card"]("n4", "user", "Why?")])
            project.boxes.append(box_id="notes", card_ids=["n4"])
        return project.payload({"box_id": "notes", "model": "gpt-5-mini", **arguments})["body"]

    def assert_sent(self, path: str, body: Any) -> None:
        """Compares the only sent request: each key of the preview arrives unchanged."""
        ((sent_path, sent),) = Provider.bodies
        self.assertEqual((sent_path, {key: sent.get(key) for key in body}), (path, body))

    def test_openai_agents_sends_the_previewed_body(self) -> None:
        self.assertEqual(self.run_program("OpenAI Agents SDK"), [TEXT])
        self.assert_sent("/v1/responses", self.previewed(provider="openai_responses"))

    def test_pydantic_ai_sends_the_previewed_body(self) -> None:
        self.assertEqual(self.run_program("Pydantic AI"), [TEXT])
        self.assert_sent("/v1/chat/completions", self.previewed(provider="openai_chat"))

    def test_pydantic_ai_has_the_context_once_in_a_longer_conversation(self) -> None:
        again = 'agent.run_sync("And?", message_history=agent.run_sync("Why?").all_messages())'
        self.run_program("Pydantic AI", again)
        (_, body) = Provider.bodies[-1]
        expected = [*self.previewed(provider="openai_chat")["messages"], MESSAGE]
        self.assertEqual(body["messages"], [*expected, {"role": "user", "content": "And?"}])

    def test_langchain_sends_the_previewed_body(self) -> None:
        self.assertEqual(self.run_program("LangChain and LangGraph"), [TEXT])
        self.assert_sent("/v1/chat/completions", self.previewed(provider="openai_chat"))

    def test_langchain_sends_the_context_of_an_asynchronous_project(self) -> None:
        store = "project = tuckbox.open_async(project._store, project_id='demo')\n"
        program = programs()["LangChain and LangGraph"].partition("print(")[0]
        call = 'import asyncio; asyncio.run(agent.ainvoke({"messages": [("user", "Why?")]}))'
        program = "\n".join([programs()[""], store, program, call])
        subprocess.run([sys.executable, "-c", program], env=self.env, check=True)
        self.assert_sent("/v1/chat/completions", self.previewed(provider="openai_chat"))

    def test_litellm_sends_the_previewed_body_and_records_it(self) -> None:
        wait = (
            "import time\n"
            "end = time.monotonic() + 300\n"
            "while not REPORTS and time.monotonic() < end:\n"
            "    time.sleep(0.05)\n"
        )
        done = self.run_program("LiteLLM", wait + FOUND, ("(project)]", "(project, on_import=REPORTS.append)]"))
        self.assertEqual(done, [TEXT, "True"])
        self.assert_sent("/v1/chat/completions", self.previewed(False, provider="openai_chat"))

    def test_a_session_of_the_claude_agent_sdk_is_captured(self) -> None:
        done = self.run_program("Claude Agent SDK", FOUND, ("=1))):", "=1)), REPORTS.append):"))
        self.assertEqual(done, [TEXT, "True"])

    def test_anthropic_sends_the_previewed_body(self) -> None:
        self.assertEqual(self.run_program("openai and anthropic"), [TEXT])
        body = self.previewed(
            False, provider="anthropic", model="claude-opus-5-5", max_output_tokens=100
        )
        self.assertEqual(Provider.bodies, [("/v1/messages", body)])


if __name__ == "__main__":
    unittest.main()
