"""Commands: ``python -m tuckbox import|cache|compaction|lock|pack``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from . import TuckboxError, memory_store, open
from ._commands import LIMITS, add_lock, add_pack, read_object, run_lock, run_pack
from ._imports import import_files, read_files

#: The operation of each explanation. An import has a shape of the same name as the command.
EXPLANATIONS = {"cache": "explain_cache", "compaction": "explain_compaction"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code."""
    given = _parser().parse_args(arguments)
    if given.command == "lock":
        return run_lock(given)
    try:
        if given.command == "pack":
            text = run_pack(given)
        elif given.command == "import":
            text = import_files(given.paths, _note).text
        else:
            text = _explained(given.command, given.paths, given.provider)
    except TuckboxError as error:
        sys.stderr.write(f"tuckbox: {error}\n")
        return 1
    sys.stdout.write(text + "\n")
    return 0


def _note(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _explained(command: str, paths: Sequence[str], provider: str | None) -> str:
    project = open(memory_store(), project_id="logs", limits=LIMITS)
    if provider is None:
        call = {"op": "import", "files": read_files(paths, _note), "shape": command}
        return project.preview(call).value_text
    if len(paths) != 1:
        raise TuckboxError("bad_request", "`--provider` needs one file with `requests`")
    requests = read_object(paths[0])
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
    for name, about, add in [
        ("lock", "Compare what models see with a lockfile. Exit code 0 the same, 1 changed", add_lock),
        ("pack", "Pack a context for another agent, and print the preview as JSON", add_pack),
    ]:
        add(commands.add_parser(name, help=about, description=about))
    return parser


if __name__ == "__main__":
    sys.exit(main())
