"""A program that type checkers must accept: answers have types, and wrong calls are errors."""

from __future__ import annotations

from typing import Any

import tuckbox
from tuckbox.types import ForkBox, Packed, Provider
from typing_extensions import assert_type

project = tuckbox.open(tuckbox.memory_store(), project_id="p1")

forked = project.boxes.fork(box_id="b1", take=2)
assert_type(forked["box_id"], str)
arguments: ForkBox = {"box_id": "b1"}
assert_type(project.boxes.fork(arguments)["box_id"], str)

preview = project.preview("fork_box", {"box_id": "b1"})
assert_type(preview.value["box_id"], str)
assert_type(preview.value_text, str)
assert_type(preview.commit()["repeated"], bool)
assert_type(len(preview.ledger.boxes[0]), int)

assert_type(project.payload(box_id="b1", provider="openai_chat", model="m")["provider"], Provider)
project.payload(messages=[], provider="anthropic", model="m", max_output_tokens=10)


def packed(args: Any) -> Packed:
    return project.pack(args)


async def asynchronous() -> None:
    other = tuckbox.open_async(tuckbox.memory_store(), project_id="p1")
    forked = await other.boxes.fork(box_id="b1")
    assert_type(forked["box_id"], str)
    preview = await other.preview("fork_box", {"box_id": "b1"})
    assert_type((await preview.commit())["repeated"], bool)


project.boxes.fork(box_id=1)  # type: ignore[call-overload]  # pyright: ignore
project.boxes.fork(box="b1")  # type: ignore[call-overload]  # pyright: ignore
project.preview("fork_bx", {"box_id": "b1"})  # type: ignore[call-overload]  # pyright: ignore
project.payload(box_id="b1", provider="opnai")  # type: ignore[call-overload]  # pyright: ignore
project.bxes  # type: ignore[attr-defined]  # pyright: ignore
