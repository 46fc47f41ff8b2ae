"""Real packages: pydantic models as values, and the clients of providers against a server of this test."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from typing import Any

import tuckbox
from provider import ANTHROPIC, ARGUMENTS, CHAT, GEMINI, RESPONSES, TEXT, Provider
from support import DEEP, ROOT, opened
from tuckbox._native import to_json

LOOK = {
    "name": "look",
    "description": "Looks from a place.",
    "parameters": {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]},
}


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

    def test_dataclasses_of_pydantic_are_dataclasses(self) -> None:
        import pydantic.dataclasses

        @pydantic.dataclasses.dataclass
        class Part:
            kind: str

        self.assertEqual(to_json({"part": Part("note")}), '{"part":{"kind":"note"}}')

    def test_the_first_request_of_the_guide_is_sent_with_openai(self) -> None:
        page = (ROOT / "docs/how-to/use-from-python.md").read_text(encoding="utf-8")
        program = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
        lines = [line for line in program.splitlines() if line and not line.startswith("import ")]
        self.assertLessEqual(len(lines), 10)
        provider = Provider(self)
        env = {**os.environ, **provider.env, "PYTHONPATH": str(ROOT / "python")}
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [sys.executable, "-c", program], cwd=folder, env=env, capture_output=True, text=True
            )
        self.assertEqual((done.returncode, done.stdout), (0, f"{TEXT}\n"), done.stderr)
        sent = {"model": "gpt-5-mini", "messages": [{"role": "user", "content": "Why do bees dance?"}]}
        self.assertEqual(provider.bodies, [(CHAT, sent)])


def as_documented(sent: Any) -> Any:
    """Removes what `google-genai` adds: an empty configuration, and one key in snake case."""
    if sent.get("generationConfig") == {}:
        del sent["generationConfig"]
    for tool in sent.get("tools", []):
        for declared in tool.get("functionDeclarations", []):
            declared["parametersJsonSchema"] = declared.pop("parameters_json_schema")
    return sent


@unittest.skipUnless(DEEP, "deep: installs packages")
class Clients(unittest.TestCase):
    """Conversations with a tool: each body goes straight into the client, and each answer is read as it returns."""

    maxDiff = None

    def talk(self, provider: str, model: str, path: str, connect: Callable[[Provider], Callable[[Any], Any]]) -> None:
        _, project = opened()
        server = Provider(self)
        send = connect(server)
        messages: list[Any] = [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Where is food?"},
        ]
        read: list[Any] = []
        for number in range(2):
            request = {"provider": provider, "model": model, "messages": messages, "tools": [LOOK]}
            body = project.payload(request, form="client")["body"]
            answer = project.prompt.read_response(provider=provider, response=send(body), tools=[LOOK])
            # the server has what the preview shows
            expected = project.payload(request)["body"]
            sent_path, sent = server.bodies[number]
            self.assertEqual((sent_path, as_documented(sent)), (path, expected))
            read.append(answer)
            messages.append(answer["message"])
            for call in answer["message"].get("tool_calls", []):
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": "North."})
        (call,) = read[0]["message"]["tool_calls"]
        self.assertEqual(call["function"]["name"], "look")
        self.assertEqual(tuckbox._json.loads(call["function"]["arguments"]), ARGUMENTS)
        self.assertEqual(read[1]["message"]["content"], TEXT)
        for answer in read:
            self.assertEqual((answer["usage"]["input_tokens"], answer["usage"]["output_tokens"]), (9, 4))

    def test_openai_chat(self) -> None:
        import openai

        def connect(server: Provider) -> Callable[[Any], Any]:
            client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none")
            self.addCleanup(client.close)
            return lambda body: client.chat.completions.create(**body)

        self.talk("openai_chat", "gpt-5-mini", CHAT, connect)

    def test_openai_responses(self) -> None:
        import openai

        def connect(server: Provider) -> Callable[[Any], Any]:
            client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none")
            self.addCleanup(client.close)
            return lambda body: client.responses.create(**body)

        self.talk("openai_responses", "gpt-5-mini", RESPONSES, connect)

    def test_anthropic(self) -> None:
        import anthropic

        def connect(server: Provider) -> Callable[[Any], Any]:
            client = anthropic.Anthropic(base_url=server.url, api_key="none")
            self.addCleanup(client.close)
            return lambda body: client.messages.create(**body)

        self.talk("anthropic", "claude-opus-5-5", ANTHROPIC, connect)

    def test_google_genai(self) -> None:
        from google import genai

        def connect(server: Provider) -> Callable[[Any], Any]:
            client = genai.Client(api_key="none", http_options={"base_url": server.url})
            self.addCleanup(client.close)
            return lambda body: client.models.generate_content(**body)

        self.talk("gemini", "gemini-2.5-flash", GEMINI, connect)


    def assert_read(self, provider: str, events: list[Any]) -> None:
        _, project = opened()
        answer = project.prompt.read_response(provider=provider, events=events)
        self.assertEqual(answer["message"]["content"], TEXT)
        deltas = [each for event in events for each in project.prompt.read_deltas(provider=provider, events=[event])["deltas"]]
        self.assertEqual("".join(each["text"] for each in deltas if each["type"] == "text"), TEXT)

    def test_streams(self) -> None:
        import anthropic
        import openai
        from google import genai

        server = Provider(self)
        messages: Any = [{"role": "user", "content": "Why?"}]
        with openai.OpenAI(base_url=f"{server.url}/v1", api_key="none") as client:
            events: Any = client.chat.completions.create(model="gpt-5-mini", messages=messages, stream=True)
            self.assert_read("openai_chat", list(events))
        with anthropic.Anthropic(base_url=server.url, api_key="none") as client:
            events = client.messages.create(model="m", max_tokens=9, messages=messages, stream=True)
            self.assert_read("anthropic", list(events))
        client = genai.Client(api_key="none", http_options={"base_url": server.url})
        self.addCleanup(client.close)
        events = client.models.generate_content_stream(model="gemini-2.5-flash", contents="Why?")
        self.assert_read("gemini", list(events))


if __name__ == "__main__":
    unittest.main()
