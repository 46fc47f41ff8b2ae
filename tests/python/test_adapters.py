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
import unittest
from pathlib import Path
from typing import Any

import tuckbox
from provider import ANTHROPIC, CHAT, RESPONSES, TEXT, Provider
from support import DEEP, ROOT

MESSAGE = {"role": "assistant", "content": TEXT}

#: Prints whether an imported request has the question or the context.
FOUND = """
requests = [each for session in REPORTS[-1]["sessions"] for each in session["requests"]]
print(any("Why?" in str(card) or "Bees dance." in str(card)
    for each in requests for card in project.boxes.get_cards(box_id=each["box_id"])["cards"]))
"""


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


class WithProvider(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        self.provider = Provider(self)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.env = {
            **os.environ,
            **self.provider.env,
            "PYTHONPATH": str(ROOT / "python"),
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
            "CLAUDE_CONFIG_DIR": str(Path(self.folder, "claude")),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        }


@unittest.skipUnless(DEEP, "deep: installs frameworks")
class Frameworks(WithProvider):
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
        ((sent_path, sent),) = self.provider.bodies
        self.assertEqual((sent_path, {key: sent.get(key) for key in body}), (path, body))

    def test_openai_agents_sends_the_previewed_body(self) -> None:
        self.assertEqual(self.run_program("OpenAI Agents SDK"), [TEXT])
        self.assert_sent(RESPONSES, self.previewed(provider="openai_responses"))

    def test_pydantic_ai_sends_the_previewed_body(self) -> None:
        self.assertEqual(self.run_program("Pydantic AI"), [TEXT])
        self.assert_sent(CHAT, self.previewed(provider="openai_chat"))

    def test_pydantic_ai_has_the_context_once_in_a_longer_conversation(self) -> None:
        again = 'agent.run_sync("And?", message_history=agent.run_sync("Why?").all_messages())'
        self.run_program("Pydantic AI", again)
        (_, body) = self.provider.bodies[-1]
        expected = [*self.previewed(provider="openai_chat")["messages"], MESSAGE]
        self.assertEqual(body["messages"], [*expected, {"role": "user", "content": "And?"}])

    def test_langchain_sends_the_previewed_body(self) -> None:
        self.assertEqual(self.run_program("LangChain and LangGraph"), [TEXT])
        self.assert_sent(CHAT, self.previewed(provider="openai_chat"))

    def test_langchain_sends_the_context_of_an_asynchronous_project(self) -> None:
        store = "project = tuckbox.open_async(project._store, project_id='demo')\n"
        program = programs()["LangChain and LangGraph"].partition("print(")[0]
        call = 'import asyncio; asyncio.run(agent.ainvoke({"messages": [("user", "Why?")]}))'
        program = "\n".join([programs()[""], store, program, call])
        subprocess.run([sys.executable, "-c", program], env=self.env, check=True)
        self.assert_sent(CHAT, self.previewed(provider="openai_chat"))

    def test_litellm_sends_the_previewed_body_and_records_it(self) -> None:
        wait = (
            "import time\n"
            "end = time.monotonic() + 300\n"
            "while not REPORTS and time.monotonic() < end:\n"
            "    time.sleep(0.05)\n"
        )
        done = self.run_program("LiteLLM", wait + FOUND, ("(project)]", "(project, on_import=REPORTS.append)]"))
        self.assertEqual(done, [TEXT, "True"])
        self.assert_sent(CHAT, self.previewed(False, provider="openai_chat"))

    def test_a_session_of_the_claude_agent_sdk_is_captured(self) -> None:
        done = self.run_program("Claude Agent SDK", FOUND, ("=1))):", "=1)), REPORTS.append):"))
        self.assertEqual(done, [TEXT, "True"])

    def test_anthropic_sends_the_previewed_body(self) -> None:
        self.assertEqual(self.run_program("openai, anthropic and google-genai"), [TEXT])
        body = self.previewed(
            False, provider="anthropic", model="claude-opus-5-5", max_output_tokens=100
        )
        self.assertEqual(self.provider.bodies, [(ANTHROPIC, body)])


#: The context of a conversation with a tool, and the tool.
HISTORY = """
call = {"id": "call_0", "type": "function", "function": {"name": "look", "arguments": '{"at":"nest"}'}}
history = [
    card("n1", "system", "Be brief."), card("n2", "user", "Where is food?"),
    {**card("n3", "assistant", ""), "tool_calls": [call]}, {**card("n4", "tool", "East."), "tool_call_id": "call_0"},
    card("n5", "assistant", "In the east."),
]
project.cards.put(cards=[{**each, "card_id": "h" + each["card_id"]} for each in history])
project.boxes.create(box_id="history", card_ids=["hn1", "hn2", "hn3", "hn4", "hn5"])
"""
LOOK = """
def look(at: str) -> str:
    "Looks from a place."
    return "North."
"""

#: A program with a tool for each framework: what differs from the program of the page.
TOOLS = {
    "OpenAI Agents SDK": ("from agents import function_tool\nlook = function_tool(look)", 'model="gpt-5-mini"', 'model="gpt-5-mini", tools=[look]'),
    "Pydantic AI": ("", "capabilities=", "tools=[look], capabilities="),
    "LangChain and LangGraph": ("", "[], middleware", "[look], middleware"),
}


def written(value: Any) -> Any:
    """Returns messages as LangChain writes them: `null` for an empty text next to calls, and spaces in arguments."""
    for message in value:
        for call in message.get("tool_calls", []):
            message["content"] = message["content"] or None
            call["function"]["arguments"] = json.dumps(json.loads(call["function"]["arguments"]))
    return value


@unittest.skipUnless(DEEP, "deep: installs frameworks")
class Conversations(WithProvider):
    """Conversations with tools, in the context and in the framework.

    A program runs with its adapter and without it. With it, each request has the previewed messages, and
    then everything that the framework sends without it.
    """

    def run_both(self, title: str, adapter: str, **preview: Any) -> tuple[Any, Any]:
        """Returns the previewed body, and the bodies with and without the adapter."""
        before, old, new = TOOLS[title]
        program = programs()[title].replace('box_id="notes"', 'box_id="history"')
        for text in (adapter, old):
            self.assertIn(text, program)
        program = "\n".join([programs()[""], HISTORY, LOOK, before, program.replace(old, new)])
        for each in (program, program.replace(adapter, "")):
            command = [sys.executable, "-c", each]
            done = subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, f"{TEXT}\n"), done.stderr)
        names: dict[str, Any] = {}
        exec(programs()[""] + HISTORY, names)
        body = names["project"].payload(preview, box_id="history", model="gpt-5-mini")["body"]
        bodies = [sent for _, sent in self.provider.bodies]
        # a question, and the result of the tool
        self.assertEqual(len(bodies), 4)
        return body, list(zip(bodies[:2], bodies[2:], strict=True))

    def test_openai_agents(self) -> None:
        body, pairs = self.run_both("OpenAI Agents SDK", ", run_config=config", provider="openai_responses")
        for sent, alone in pairs:
            self.assertEqual(sent, {**alone, "input": [*body["input"], *alone["input"]]})

    def test_pydantic_ai(self) -> None:
        body, pairs = self.run_both("Pydantic AI", ", capabilities=[context]", provider="openai_chat")
        for sent, alone in pairs:
            self.assertEqual(sent, {**alone, "messages": [*body["messages"], *alone["messages"]]})

    def test_langchain(self) -> None:
        body, pairs = self.run_both("LangChain and LangGraph", ", middleware=[context]", provider="openai_chat")
        for sent, alone in pairs:
            self.assertEqual(sent, {**alone, "messages": [*written(body["messages"]), *alone["messages"]]})

    def test_litellm(self) -> None:
        tools = "tools = [{'name': 'look', 'parameters': {'type': 'object', 'properties': {}}}]"
        program = programs()["LiteLLM"].replace('box_id="notes"', 'box_id="history", tools=tools')
        program = program.replace("print(", "import json; print(json.dumps(payload['body']))\nprint(")
        program = "\n".join([programs()[""], HISTORY, tools, program.replace(".content)", ".tool_calls[0].function.name)")])
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        body, name = done.stdout.splitlines()
        self.assertEqual(name, "look")
        self.assertEqual(self.provider.bodies, [(CHAT, json.loads(body))])


if __name__ == "__main__":
    unittest.main()
