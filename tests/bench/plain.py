"""The same jobs in plain Python without a library: packing, and the import of session logs.

Rows are objects in memory, and every result is complete. `plain.mjs`, `import-plain.mjs` and
`estimate-plain.mjs` are the same in JavaScript.
"""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4


def merge(lists: Any) -> list[Any]:
    """Merges lists. Each id appears once, and each position has a ledger entry."""
    entries: list[Any] = []
    seen: dict[str, Any] = {}
    for cause, card_ids in lists:
        for position, card_id in enumerate(card_ids):
            first = seen.get(card_id)
            if first is None:
                entry = {
                    "position": len(entries),
                    "card_id": card_id,
                    "cause": {**cause, "position": position},
                    "swallowed": [],
                }
                seen[card_id] = entry
                entries.append(entry)
            else:
                first["swallowed"].append({**cause, "position": position})
    return entries


def pack(profiles: Any, boxes: Any, call: Any) -> Any:
    """Packs an instruction and boxes into a new box."""
    arguments, packing = call["arguments"], call["handover"]["context_packing_config"]
    profile = profiles[arguments["profile_name"].lower()]
    cards = [
        {
            "card_id": str(uuid4()),
            "content": {"__type__": "TextContent", "text": str(arguments[item["arg_key"]])},
            "metadata": {"role": "user"},
            "author_id": call["source_agent_id"],
        }
        for item in packing["pack_arguments"]
    ]
    lists = [
        ({"kind": "argument", "path": f"arguments.{item['arg_key']}"}, [card["card_id"]])
        for item, card in zip(packing["pack_arguments"], cards, strict=True)
    ]
    inherit = packing["inherit_context"]
    for key in inherit["include_boxes_from_args"]:
        for at, box_id in enumerate(arguments[key]):
            cause = {"kind": "inherited", "box_id": box_id, "path": f"arguments.{key}[{at}]"}
            lists.append((cause, boxes[box_id]["card_ids"]))
    if inherit.get("include_parent"):
        data = {"parent_agent_id": call["source_agent_id"]}
        pointer = {
            "card_id": str(uuid4()),
            "content": {"__type__": "JsonContent", "data": data},
            "metadata": {"role": "system"},
        }
        cards.append(pointer)
        lists.append(({"kind": "parent"}, [pointer["card_id"]]))
    ledger = merge(lists)
    box = {"box_id": str(uuid4()), "card_ids": [entry["card_id"] for entry in ledger], "parent_ids": []}
    return {"profile": profile, "cards": cards, "box": box, "ledger": ledger}


LOWER, UPPER, ACCENTED, DIGIT, BREAK, SPACE, SIGN = range(7)


def _ascii(code: int) -> int:
    if 97 <= code <= 122:
        return LOWER
    if 65 <= code <= 90:
        return UPPER
    if 48 <= code <= 57:
        return DIGIT
    if code in (10, 13):
        return BREAK
    return SPACE if code in (32, 9) else SIGN


CLASSES = [_ascii(code) for code in range(128)]

#: Hundredths of a token for 1 to 12 characters, and for each further character: [before][shape].
WORDS = [
    [
        ([100, 100, 118, 112, 115, 121, 131, 152, 158, 168, 172, 178], 20),
        ([100, 108, 118, 121, 121, 121, 122, 126, 138, 148, 152, 160], 25),
        ([100, 103, 141, 162, 187, 195, 205, 255, 300, 330, 350, 370], 30),
    ],
    [
        ([100, 100, 100, 101, 102, 102, 103, 107, 110, 112, 116, 122], 15),
        ([100, 101, 105, 105, 108, 111, 115, 124, 134, 150, 155, 165], 20),
        ([100, 101, 125, 136, 180, 192, 195, 205, 270, 280, 300, 320], 30),
    ],
    [
        ([101, 107, 120, 122, 132, 143, 150, 170, 190, 200, 205, 212], 25),
        ([110, 160, 158, 150, 155, 165, 178, 180, 191, 220, 235, 245], 25),
        ([109, 136, 151, 155, 165, 185, 195, 235, 255, 265, 280, 300], 30),
    ],
]
WITH_ACCENTS = ([100, 105, 110, 120, 140, 160, 180, 200, 215, 230, 245, 260], 20)
SIGNS = ([100, 106, 132, 187, 256, 310, 350, 410, 470, 520, 570, 620], 45)
CAPITALS = frozenset(
    "SELECT FROM WHERE ORDER GROUP LIMIT INSERT UPDATE DELETE CREATE TABLE INDEX VALUES COUNT NULL NOT AND "
    "JOIN LEFT INNER DESC ASC INTO SET PRIMARY KEY GET POST PUT HTTP JSON TRUE FALSE ERROR INFO WARN DEBUG "
    "TODO API URL".split()
)
DATA = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/-_")
JSON_MARKS = frozenset('{}[]":,\\')


def _class(char: str) -> int:
    code = ord(char)
    if code < 128:
        return CLASSES[code]
    if 0xC0 <= code <= 0x24F and code not in (0xD7, 0xF7):
        return ACCENTED
    raise ValueError(f"U+{code:x} is not supported by this estimate")


def _at(costs: Any, length: int) -> int:
    short, more = costs
    cost: int = short[min(max(length, 1), 12) - 1] + max(length - 12, 0) * more
    return cost


def _foreignness(text: str) -> int:
    if text.isascii():
        return 0
    far = sum(1 for char in text if "\u0100" <= char <= "\u017f" or char in "øåæØÅ")
    compound = sum(1 for char in text if char in "äöüß")
    letters = sum(1 for char in text if char.isascii() and char.isalpha())
    if far * 90 > letters:
        return 2
    return 1 if compound * 90 > letters else 0


def _blob_end(text: str, start: int) -> int:
    if start + 24 > len(text) or text[start + 23] not in DATA:
        return start
    end, changes, last, lower, upper = start, 0, -1, False, False
    while end < len(text) and text[end] in DATA:
        char = text[end]
        kind = 0 if char.islower() else 1 if char.isupper() else 2 if char.isdigit() else 3
        changes += last not in (-1, kind)
        lower, upper, last = lower or kind == 0, upper or kind == 1, kind
        end += 1
    length = end - start
    return end if length >= 24 and lower and upper and changes * 2 > length else start


def estimate(text: str) -> int:
    """Returns the estimated number of tokens of a string, only for text in the Latin alphabet."""
    if text == "":
        return 0
    foreign, kinds = _foreignness(text), [_class(char) for char in text]
    kinds.append(-1)
    total, start, size = 0, 0, len(text)

    def word(start: int, first: int, before: int) -> tuple[int, int]:
        end = first
        while kinds[end] == UPPER:
            end += 1
        upper, has_accents = end - first, False
        while kinds[end] in (LOWER, ACCENTED):
            has_accents |= kinds[end] == ACCENTED
            end += 1
        length = end - first
        shape = 3 if has_accents else 0 if upper == 0 else 2 if upper == length else 1
        cost = _at(WITH_ACCENTS, length) if shape == 3 else _at(WORDS[before][shape], length)
        if shape == 2 and text[start:end].lstrip() in CAPITALS:
            cost = 100
        if foreign == 1:
            cost += 9 * max(length - 6, 0)
        elif foreign == 2 and shape != 2:
            cost += 18 * min(max(length - 3, 0), 8)
        return cost, end

    def signs(start: int, first: int) -> tuple[int, int]:
        end, is_same = first, True
        while kinds[end] == SIGN:
            is_same &= text[end] == text[first]
            end += 1
        length = end - first
        while kinds[end] == BREAK:
            end += 1
        if length > 3 and is_same:
            return min(100 + 5 * length, 300), end
        if all(char in JSON_MARKS for char in text[start:end]):
            return 100 + 22 * max(length - 3, 0), end
        return _at(SIGNS, length), end

    def white(start: int) -> tuple[int, int]:
        end, last_break = start, -1
        while kinds[end] in (BREAK, SPACE):
            if kinds[end] == BREAK:
                last_break = end
            end += 1
        if last_break >= 0:
            run = text[start : last_break + 1]
            breaks, length = run.count("\n"), len(run)
            if breaks == length:
                return 100 + 100 * (length // 17), last_break + 1
            return max((25 if "\r" in run else 50) * breaks, 100), last_break + 1
        length = end - start
        if length > 1 and end < size and kinds[end] != DIGIT:
            length, end = length - 1, end - 1
        return 100 + 100 * (length // (17 if text[start] == "\t" else 110)), end

    while start < size:
        kind, following = kinds[start], kinds[start + 1]
        if kind in (LOWER, UPPER, DIGIT) and text[start].isascii():
            end = _blob_end(text, start)
            if end > start:
                total, start = total + 68 * (end - start), end
                continue
        is_letter = 0 <= following <= ACCENTED
        if kind <= ACCENTED:
            cost, start = word(start, start, 0)
        elif kind == DIGIT:
            end = start + 1
            while end < start + 3 and kinds[end] == DIGIT:
                end += 1
            cost, start = 100, end
        elif kind == SPACE and is_letter:
            cost, start = word(start, start + 1, 2 if text[start] == "\t" else 1)
        elif kind == SIGN and is_letter:
            cost, start = word(start, start + 1, 2)
        elif kind == SPACE and text[start] == " " and following == SIGN:
            cost, start = signs(start, start + 1)
        elif kind == SIGN:
            cost, start = signs(start, start)
        else:
            cost, start = white(start)
        total += cost
    return max((total + 50) // 100, 1)


REPLY, MESSAGE, CALL, RESULT = 2, 3, 10, 8


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _parts(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [{"kind": "text", "text": content}]
    parts = []
    for block in content:
        match block["type"]:
            case "text":
                parts.append({"kind": "text", "text": block["text"]})
            case "thinking":
                parts.append({"kind": "reasoning", "text": block["thinking"], "sealed": block.get("signature")})
            case "tool_use":
                parts.append({"kind": "call", "id": block["id"], "name": block["name"], "arguments": block["input"]})
            case _:
                parts.append({"kind": "result", "id": block["tool_use_id"], "content": block["content"]})
    return parts


def _framed(part: Any) -> int:
    match part["kind"]:
        case "reasoning":
            return 0
        case "call":
            return estimate(part["name"]) + estimate(_compact(part["arguments"])) + CALL
        case "result":
            return estimate(part["content"]) + RESULT
    return estimate(part["text"])


class _Session:
    def __init__(self) -> None:
        self.id = ""
        self.nodes: list[Any] = []
        self.children: dict[Any, int] = {}
        self.places: dict[str, int | None] = {}
        self.ends: dict[str, int | None] = {}
        self.answers: dict[str, str] = {}
        self.asked: dict[str, int] = {}
        self.requests: list[Any] = []

    def node(self, parent: int | None, role: str, parts: list[Any]) -> int:
        key = (parent, role, _compact(parts))
        known = self.children.get(key)
        if known is not None:
            return known
        before = MESSAGE + (0 if parent is None else self.nodes[parent]["tokens"])
        self.nodes.append({"parent": parent, "tokens": before + sum(map(_framed, parts))})
        self.children[key] = len(self.nodes) - 1
        return len(self.nodes) - 1

    def path(self, tail: int | None) -> list[int]:
        path = []
        while tail is not None:
            path.append(tail)
            tail = self.nodes[tail]["parent"]
        return path[::-1]

    def line(self, value: Any) -> None:
        uuid = value.get("uuid")
        if uuid is None:
            return
        self.id, above, message = value["sessionId"], value["parentUuid"], value.get("message")
        parent = None if above is None else self.places.get(above)
        if value["type"] == "user":
            parts = _parts(message["content"])
            results = [part for part in parts if part["kind"] == "result"]
            answer = self.answers.get(above) if results else None
            place = parent if answer is None else self.ends.get(answer)
            if results:
                place = self.node(place, "tool", results)
            rest = [part for part in parts if part["kind"] != "result"]
            if rest:
                place = self.node(place, "user", rest)
            if answer is not None:
                self.ends[answer] = place
                self.answers[uuid] = answer
            self.places[uuid] = place
        elif value["type"] == "assistant":
            answer = message["id"]
            begins = answer not in self.ends
            start = parent if begins else self.ends[answer]
            place = self.node(start, "assistant", _parts(message["content"]))
            self.places[uuid] = self.ends[answer] = place
            self.answers[uuid] = answer
            usage = message["usage"]
            cached = usage["cache_read_input_tokens"]
            recorded = {
                "input": usage["input_tokens"] + usage["cache_creation_input_tokens"] + cached,
                "output": usage["output_tokens"],
                "cached": cached,
            }
            if begins:
                self.asked[answer] = len(self.requests)
                self.requests.append({"tail": start, "model": message["model"], "recorded": recorded})
            else:
                self.requests[self.asked[answer]]["recorded"] = recorded
        else:
            self.places[uuid] = parent


def import_plainly(paths: list[str]) -> list[Any]:
    """Returns the sessions and their requests."""
    found = []
    for path in paths:
        session = _Session()
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    session.line(json.loads(line))
        before: list[int] = []
        requests = []
        for request in session.requests:
            path_of = session.path(request["tail"])
            shared = 0
            while shared < min(len(before), len(path_of)) and before[shared] == path_of[shared]:
                shared += 1
            estimated = REPLY + (0 if request["tail"] is None else session.nodes[request["tail"]]["tokens"])
            requests.append(
                {
                    "model": request["model"],
                    "messages": len(path_of),
                    "shared": shared,
                    "recorded": request["recorded"],
                    "estimated": estimated,
                }
            )
            before = path_of
        found.append({"id": session.id, "requests": requests})
    return found
