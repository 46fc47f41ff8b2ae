"""Answers the requests of `python.mjs` with the Python package, one line of JSON for each line."""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

import tuckbox
from tuckbox._imports import import_chunks

stores: dict[int, Any] = {}
workspaces: dict[int, Any] = {}
previews: dict[int, Any] = {}


def store(request: dict[str, Any]) -> dict[str, Any]:
    stores[request["store"]] = tuckbox.memory_store()
    return {}


def row(request: dict[str, Any]) -> dict[str, Any]:
    project = stores[request["store"]].project(request["project_id"])
    project.add_row(request["table"], tuckbox.json_text(request["row"]), request["version"])
    return {}


def opened(request: dict[str, Any]) -> dict[str, Any]:
    workspaces[request["workspace"]] = tuckbox.open(
        stores[request["store"]], **request["settings"]
    )
    return {}


def preview(request: dict[str, Any]) -> dict[str, Any]:
    env = {"now": request["now"], "entropy": bytes.fromhex(request["entropy"])}
    args = tuckbox.json_text(request["args"])
    call = (args,) if request["op"] is None else (request["op"], args)
    made = workspaces[request["workspace"]].preview(*call, **env)
    previews[request["preview"]] = made
    boxes = [list(account) for account in made.ledger.boxes]
    return {
        "value": made.value_text,
        "writes": made.writes_text,
        "transitions": json.dumps(made.ledger.transitions),
        "boxes": json.dumps(boxes),
    }


def commit(request: dict[str, Any]) -> dict[str, Any]:
    previews[request["preview"]].commit()
    return {}


def imported(request: dict[str, Any]) -> dict[str, Any]:
    files = (
        (file["name"], file["size"], map(base64.b64decode, file["chunks"]))
        for file in request["files"]
    )
    return {"value": import_chunks(files).text}


WORK = {
    "store": store,
    "row": row,
    "open": opened,
    "preview": preview,
    "commit": commit,
    "import": imported,
}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = WORK[request["do"]](request)
    except tuckbox.TuckboxError as error:
        answer = {
            "error": {
                "code": error.code,
                "path": error.path,
                "message": error.message,
                "details": error.details,
            }
        }
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
