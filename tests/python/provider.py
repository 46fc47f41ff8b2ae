"""A server that answers as the providers of models do: first with a call of a tool, if the request has one."""

from __future__ import annotations

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: The text of an answer, and the arguments of a call.
TEXT = "To point to food."
ARGUMENTS = {"at": "hive"}

#: The path of each API. That of Gemini has a version and the model before it.
CHAT = "/v1/chat/completions"
RESPONSES = "/v1/responses"
ANTHROPIC = "/v1/messages"
GEMINI = "generateContent"


def _chat(tool: str | None) -> Any:
    message: dict[str, Any] = {"role": "assistant", "content": TEXT}
    if tool is not None:
        function = {"name": tool, "arguments": json.dumps(ARGUMENTS)}
        message["content"] = None
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
    reason = "stop" if tool is None else "tool_calls"
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-5-mini",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
    }


def _responses(tool: str | None) -> Any:
    text = {"type": "output_text", "text": TEXT, "annotations": []}
    item: dict[str, Any] = {"type": "message", "id": "m1", "role": "assistant", "content": [text]}
    if tool is not None:
        arguments = json.dumps(ARGUMENTS)
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": tool, "arguments": arguments}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-5-mini",
        "status": "completed",
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "output": [{**item, "status": "completed"}],
        "usage": {
            "input_tokens": 9,
            "output_tokens": 4,
            "total_tokens": 13,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def _anthropic(tool: str | None) -> Any:
    block: Any = {"type": "text", "text": TEXT}
    if tool is not None:
        block = {"type": "tool_use", "id": "call_1", "name": tool, "input": ARGUMENTS}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [block],
        "stop_reason": "end_turn" if tool is None else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 4},
    }


def _gemini(tool: str | None) -> Any:
    part: Any = {"text": TEXT}
    if tool is not None:
        # bytes, which the client library decodes
        part = {"functionCall": {"name": tool, "args": ARGUMENTS}, "thoughtSignature": "+/8="}
    return {
        "candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13},
        "modelVersion": "gemini-2.5-flash",
    }


ANSWERS = {CHAT: _chat, RESPONSES: _responses, ANTHROPIC: _anthropic, GEMINI: _gemini}


def _tool(path: str, body: Any) -> str | None:
    """Returns the first tool of a request that does not end with a result."""
    tools = body.get("tools") or []
    if not tools:
        return None
    last = (body.get("messages") or body.get("input") or body.get("contents"))[-1]
    if path == CHAT:
        return None if last["role"] == "tool" else tools[0]["function"]["name"]
    if path == RESPONSES:
        return None if last.get("type") == "function_call_output" else tools[0]["name"]
    if path == ANTHROPIC:
        is_result = isinstance(last["content"], list) and last["content"][-1]["type"] == "tool_result"
        return None if is_result else tools[0]["name"]
    is_result = "functionResponse" in last["parts"][-1]
    return None if is_result else tools[0]["functionDeclarations"][0]["name"]


def _stream(path: str) -> str:
    """Returns an answer in text as the events of a stream."""
    if path == ANTHROPIC:
        begun = {**_anthropic(None), "content": [], "stop_reason": None}
        events: list[Any] = [
            {"type": "message_start", "message": begun},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": TEXT}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
            {"type": "message_stop"},
        ]
        return "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)
    if path == GEMINI:
        return f"data: {json.dumps(_gemini(None))}\n\n"
    frame = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-5-mini"}
    deltas = [{"role": "assistant", "content": TEXT[:5]}, {"content": TEXT[5:]}, {}]
    choices = [{"index": 0, "delta": each, "finish_reason": None if each else "stop"} for each in deltas]
    events = [{**frame, "choices": [each]} for each in choices]
    return "".join(f"data: {json.dumps(each)}\n\n" for each in events) + "data: [DONE]\n\n"


class _Handler(BaseHTTPRequestHandler):
    bodies: list[tuple[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = self.path.partition("?")[0]
        is_stream = body.get("stream") or ":streamGenerateContent" in path
        path = GEMINI if path.lower().endswith(GEMINI.lower()) else path
        self.bodies.append((path, body))
        # the tools of an agent that streams are its own
        data = _stream(path) if is_stream else json.dumps(ANSWERS[path](_tool(path, body)))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if is_stream else "application/json")
        self.send_header("content-length", str(len(data.encode())))
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, *_: Any) -> None:
        pass


class Provider:
    """A running server. ``bodies`` has the path and the body of each request."""

    def __init__(self, test: unittest.TestCase) -> None:
        self.bodies: list[tuple[str, Any]] = []
        handler = type("Handler", (_Handler,), {"bodies": self.bodies})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        test.addCleanup(server.server_close)
        test.addCleanup(thread.join)
        test.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_port}"
        #: The settings of the providers' packages.
        self.env = {
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": "none",
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "none",
        }
