"""Commands on logs: ``python -m tuckbox import|cache|compaction PATH..``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from . import TuckboxError, memory_store, open
from ._imports import import_log, read_files
from ._json import loads_verbatim

#: The operation of each explanation. An import has a shape of the same name as the command.
EXPLANATIONS = {"cache": "explain_cache", "compaction": "explain_compaction"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code."""
    given = _parser().parse_args(arguments)
    try:
        if given.command == "import":
            text = import_log(*given.paths).text
        else:
            text = _explained(given.command, given.paths, given.provider)
    except TuckboxError as error:
        sys.stderr.write(f"tuckbox: {error}\n")
        return 1
    sys.stdout.write(text + "\n")
    return 0


def _explained(command: str, paths: Sequence[str], provider: str | None) -> str:
    project = open(memory_store(), project_id="logs")
    if provider is None:
        call = {"op": "import", "files": read_files(paths), "shape": command}
        return project.preview(call).value_text
    if len(paths) != 1:
        raise TuckboxError("bad_request", "`--provider` needs one file with `requests`")
    try:
        requests = loads_verbatim(Path(paths[0]).read_text(encoding="utf-8"))
    except (OSError, ValueError) as cause:
        message = f"cannot read `{paths[0]}`: {cause}"
        raise TuckboxError("bad_request", message, path="PATH") from cause
    if not isinstance(requests, dict):
        raise TuckboxError("bad_request", f"`{paths[0]}` must be an object with `requests`")
    call = {**requests, "op": EXPLANATIONS[command], "provider": provider}
    return project.preview(call).value_text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tuckbox", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in [
        ("import", "Print what logs of other tools contain, as JSON"),
        ("cache", "Explain why requests were not read from the provider's cache, as JSON"),
        ("compaction", "Account for the messages of every compaction, as JSON"),
    ]:
        command = commands.add_parser(name, help=about, description=about)
        command.add_argument("paths", nargs="+", metavar="PATH", help="a file or a folder")
        if name != "import":
            command.add_argument(
                "--provider", help="PATH is a JSON file with `requests`, for this provider"
            )
    return parser


if __name__ == "__main__":
    sys.exit(main())
