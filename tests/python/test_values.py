"""Python values as JSON, and bad input."""

from __future__ import annotations

import dataclasses
import enum
import json
import unittest
from collections import OrderedDict, UserDict, deque
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import tuckbox
from support import opened
from tuckbox._native import to_json


@dataclasses.dataclass
class Point:
    x: int
    label: str = "a"


class Color(str, enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class BadMapping(UserDict):  # type: ignore[type-arg]
    def items(self) -> Any:
        raise KeyError("no items")


class BadSequence(deque):  # type: ignore[type-arg]
    def __iter__(self) -> Any:
        raise ValueError("no items")


class LyingClass:
    @property
    def __class__(self) -> Any:
        raise RuntimeError("no class")


class BadModel:
    __pydantic_serializer__ = None

    def model_dump(self, **options: Any) -> Any:
        raise TypeError("no model")


class Model:
    __pydantic_serializer__ = None

    def model_dump(self, *, mode: str, by_alias: bool, warnings: bool) -> Any:
        return {"mode": mode, "by_alias": by_alias, "warnings": warnings}


class Answer:
    """An answer as the package of a provider returns it: most members are unset."""

    __pydantic_serializer__ = None

    def model_dump(self, *, mode: str, by_alias: bool, warnings: bool, exclude_unset: bool = False) -> Any:
        part = {"text": "hi"} if exclude_unset else {"text": "hi", "functionCall": None, "thought": None}
        return {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}


class Values(unittest.TestCase):
    def test_answers_of_packages_have_what_the_provider_sent(self) -> None:
        _, project = opened()
        for name, given in [("response", Answer()), ("events", [Answer()]), ("events", (Answer(),))]:
            answer = project.prompt.read_response({"provider": "gemini", name: given})
            self.assertEqual(answer["message"], {"role": "assistant", "content": "hi"})
        for name, given, path in [("response", BadModel(), "response"), ("events", [Answer(), BadModel()], "events[1]")]:
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                project.prompt.read_response({"provider": "gemini", name: given})
            self.assertEqual((raised.exception.code, raised.exception.path), ("bad_request", path))

    def test_values_are_written_as_json(self) -> None:
        aware = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone(timedelta(hours=2)))
        for value, text in [
            (None, "null"),
            (True, "true"),
            (0, "0"),
            (-(2**63), str(-(2**63))),
            (10**100, "1" + "0" * 100),
            (-(10**5000), "-1" + "0" * 5000),
            (1.5, "1.5"),
            (1e300, "1e+300"),
            ("é\u2028\x00\"", '"é\u2028\\u0000\\""'),
            (Decimal("1.10"), "1.10"),
            (Decimal("1E+5"), "1E+5"),
            (aware, '"2026-01-02T03:04:05+02:00"'),
            (date(2026, 1, 2), '"2026-01-02"'),
            (Point(1), '{"x":1,"label":"a"}'),
            ([1, (2, 3), deque([4]), range(2)], "[1,[2,3],[4],[0,1]]"),
            (OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
            (MappingProxyType({"a": {}}), '{"a":{}}'),
            ({Color.RED: Level.LOW}, '{"red":1}'),
            (Model(), '{"mode":"json","by_alias":true,"warnings":false}'),
            (tuckbox.json_text(' {"a": 1.00} '), ' {"a": 1.00} '),
        ]:
            self.assertEqual(to_json(value), text)

    def test_integers_of_any_size_come_back(self) -> None:
        _, project = opened()
        for number in (2**64, 10**5000, -(10**4500)):
            content = {"__type__": "JsonContent", "data": {"n": number}}
            read = project.call("read_content", {"content": content})
            self.assertEqual(read["content"]["data"]["n"], number)

    def test_values_that_are_not_json_are_refused_with_their_path(self) -> None:
        loop: list[Any] = []
        loop.append(loop)
        ring: dict[str, Any] = {}
        ring["a"] = [ring]
        for value, path, message in [
            ({"a": [0, float("nan")]}, "a[1]", "NaN"),
            ({"a": float("inf")}, "a", "inf"),
            (Decimal("NaN"), "", "NaN"),
            (Decimal("-Infinity"), "", "Infinity"),
            ({"a": {1: 2}}, "a", "key"),
            ({"a": "\ud800"}, "a", "lone surrogate"),
            ({"\udfff": 1}, "", "lone surrogate"),
            ({"a": {1, 2}}, "a", "`set`"),
            ([b"x"], "[0]", "`bytes`"),
            ([bytearray(b"x")], "[0]", "`bytearray`"),
            ({"a": object()}, "a", "`object`"),
            ({"a": Point}, "a", "`type`"),
            ({"a": lambda: 0}, "a", "`function`"),
            ({"a": datetime(2026, 1, 2)}, "a", "time zone"),
            (loop, "[0]", "contains itself"),
            (ring, "a[0]", "contains itself"),
            ({"a": BadMapping(b=1)}, "a", "no items"),
            ({"a": BadSequence([1])}, "a", "no items"),
            ({"a": BadModel()}, "a", "no model"),
            ({"a": LyingClass()}, "a", ""),
        ]:
            with self.assertRaises(tuckbox.TuckboxError, msg=repr(type(value))) as raised:
                to_json(value)
            error = raised.exception
            self.assertEqual((error.code, error.path), ("bad_request", path), error.message)
            self.assertIn(message, error.message)

    def test_the_exception_of_a_value_is_the_cause(self) -> None:
        with self.assertRaises(tuckbox.TuckboxError) as raised:
            to_json([BadMapping(b=1)])
        self.assertIsInstance(raised.exception.__cause__, KeyError)

    def test_deep_and_large_values_are_limits(self) -> None:
        deep: Any = 0
        for _ in range(100_000):
            deep = [deep]
        with self.assertRaises(tuckbox.TuckboxError) as raised:
            to_json(deep)
        self.assertEqual(raised.exception.code, "limit")
        # the core refuses what has fewer levels than the limit of the text
        for levels in (511, 513):
            deep = 0
            for _ in range(levels):
                deep = [deep]
            with self.assertRaises(tuckbox.TuckboxError):
                opened()[1].call("text_form", {"value": deep})

    def test_text_that_is_not_json_is_refused(self) -> None:
        for text in ["", "{", "NaN", "[1,]", "\ud800", "1 2", "[" * 100_000, 5]:
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                tuckbox.json_text(text)  # type: ignore[arg-type]
            self.assertEqual(raised.exception.code, "invalid_content")

    def test_arguments_that_are_not_objects_are_refused(self) -> None:
        _, project = opened()
        for call in [("create_box", []), ("create_box", "x"), (5,), (None,), (b"x",)]:
            with self.assertRaises(tuckbox.TuckboxError) as raised:
                project.preview(*call)
            self.assertEqual(raised.exception.code, "bad_request")

    def test_random_values_give_json_or_an_error(self) -> None:
        # a small generator with a fixed sequence, so that a failure repeats
        state = 7

        def roll(sides: int) -> int:
            nonlocal state
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            return (state >> 33) % sides

        def made(depth: int) -> Any:
            kind = roll(14 if depth > 0 else 10)
            leaf: list[Any] = [
                None, True, roll(2**31), -(2 ** roll(200)), roll(1000) / 7, "x" * roll(5),
                chr(roll(0x110000)), Decimal(roll(10**6)).scaleb(roll(9) - 4), float("nan"), object(),
            ]
            if kind < 10:
                return leaf[kind]
            if kind < 12:
                return [made(depth - 1) for _ in range(roll(4))]
            return {made(0) if roll(9) == 0 else f"k{roll(9)}": made(depth - 1) for _ in range(roll(4))}

        kept = 0
        for _ in range(2000):
            value = made(4)
            try:
                text = to_json(value)
            except tuckbox.TuckboxError as error:
                self.assertEqual(error.code, "bad_request")
                continue
            kept += 1
            json.loads(text)
        self.assertGreater(kept, 100)


if __name__ == "__main__":
    unittest.main()
