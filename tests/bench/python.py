"""Compares the Python package with plain Python that does the same jobs in the same process.

    python tests/bench/python.py [--megabytes N]    (`cargo xtask bench python` builds the package and runs this)

Both sides alternate, so that load affects both. Compare the ratios: times depend on the machine.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

import plain
import tuckbox

HERE = Path(__file__).parent
MEGABYTES = int(sys.argv[sys.argv.index("--megabytes") + 1]) if "--megabytes" in sys.argv else 50

WORLDS = """
import { overlappingBoxes, packCall, profile, small } from "./worlds.mjs";
console.log(JSON.stringify({ profile, small, large: { boxes: overlappingBoxes(100_000), call: packCall } }));
"""
SESSIONS = """
import { writeSessions } from "./sessions.mjs";
console.log(JSON.stringify(writeSessions(process.argv[1], Number(process.argv[2]))));
"""

#: The minimum speedup over plain Python.
GOALS = {"pack_small": 3, "pack_resident_100k": 100, "import": 10}


def node(program: str, *arguments: str) -> Any:
    command = ["node", "--input-type=module", "--eval", program, "--", *arguments]
    return json.loads(subprocess.run(command, cwd=HERE, check=True, capture_output=True).stdout)


def measure(name: str, ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int) -> None:
    times: dict[str, list[float]] = {"ours": [], "plain": []}
    for _ in range(rounds):
        for side, work in (("ours", ours), ("plain", theirs)):
            # the time of this process only
            started = time.process_time()
            work()
            times[side].append((time.process_time() - started) * 1000)
    own, other = (statistics.median(times[side]) for side in ("ours", "plain"))
    print(f"{name:20}{own:12.3f} ms{other:12.3f} ms{other / own:10.1f}x (goal {GOALS[name]})", flush=True)


def packing(name: str, world: Any, profile: Any, page: int, rounds: int) -> None:
    store = tuckbox.memory_store()
    tables = store.project("p1").add_profile(profile)
    for box in world["boxes"]:
        tables.add_box(box)
    limits = {"max_read_bytes": 64 << 20}
    project = tuckbox.open(store, project_id="p1", limits=limits)
    profiles = {profile["name"].lower(): profile}
    boxes = {box["box_id"]: box for box in world["boxes"]}
    call = world["call"]

    def ours() -> Any:
        account = project.preview("pack_context", call).ledger.boxes[0]
        return len(account), account[:page]

    def theirs() -> Any:
        packed = plain.pack(profiles, boxes, call)
        return len(packed["box"]["card_ids"]), packed["ledger"][:page]

    # the first call reads the boxes
    (length, entries), (other, others) = ours(), theirs()
    assert length == other, (length, other)
    for entry, same in zip(entries, others, strict=True):
        assert entry["position"] == same["position"] and entry["cause"]["kind"] == same["cause"]["kind"]
        assert entry["cause"]["kind"] != "inherited" or entry["card_id"] == same["card_id"]
        assert len(entry.get("swallowed") or []) == len(same["swallowed"])
    measure(name, ours, theirs, rounds)


def importing(folder: str) -> None:
    found = node(SESSIONS, folder, str(MEGABYTES))
    paths = found["paths"]

    def ours() -> Any:
        return tuckbox.import_log(*paths).value

    sessions, others = ours()["sessions"], plain.import_plainly(paths)
    assert [len(of["requests"]) for of in sessions] == [len(of["requests"]) for of in others]
    estimates = [[each["estimated"] for each in of["requests"]] for of in others]
    measured = [[each["estimated"] for each in of["requests"]] for of in sessions]
    assert measured == estimates, "both estimate the same tokens"
    print(f"{found['bytes'] / 1e6:.1f} MB of session logs, {sum(map(len, estimates))} requests")
    measure("import", ours, lambda: plain.import_plainly(paths), 1)


print(f"{'job':20}{'ours':>15}{'plain Python':>15}{'ratio':>11}")
worlds = node(WORLDS)
packing("pack_small", worlds["small"], worlds["profile"], 100, 2000)
packing("pack_resident_100k", worlds["large"], worlds["profile"], 50, 15)
with tempfile.TemporaryDirectory() as made:
    importing(made)
