"""A host of the component in wasmtime: ``python host.py tuckbox.component.wasm``.

It runs the example of every operation in the schema, natively and through the component, on equal
stores. The bytes must be equal.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import tuckbox
from wasmtime import Engine, Store
from wasmtime.component import Component, Linker, ResourceAny

NOW = 1767522600000
ENTROPY = bytes([7] * 32)


class Failed(Exception):
    """A typed error of the component."""

    def __init__(self, error: Any) -> None:
        super().__init__(error.message)
        self.error = error


def record(**fields: Any) -> SimpleNamespace:
    """Returns a record. Names of fields have `-` where Python has `_`."""
    return SimpleNamespace(**{name.replace("_", "-"): value for name, value in fields.items()})


class Host:
    """An instance of the component with a store."""

    def __init__(self, engine: Engine, component: Component, store: Any) -> None:
        self.state = Store(engine)
        linker = Linker(engine)
        with linker.root() as root, root.add_instance(f"tuckbox:core/store@{tuckbox.__version__}") as imported:
            imported.add_func("read", lambda _, text: answered(store.read_text, text))
            imported.add_func("commit", lambda _, text: answered(store.commit_text, text))
        self.instance = linker.instantiate(self.state, component)

    def call(self, interface: str, name: str, *given: Any) -> Any:
        """Calls an exported function. An error is an exception."""
        outer = self.instance.get_export_index(self.state, f"tuckbox:core/{interface}@{tuckbox.__version__}")
        index = self.instance.get_export_index(self.state, name, outer)
        function = self.instance.get_func(self.state, index)
        result = function(self.state, *given)
        function.post_return(self.state)
        if not isinstance(result, (str, bool, int, list, ResourceAny)) and hasattr(result, "code"):
            raise Failed(result)
        return result


def answered(method: Any, text: str) -> Any:
    try:
        return method(text)
    except tuckbox.TuckboxError as error:
        code = error.code.replace("_", "-")
        details = json.dumps(error.details)
        return record(code=code, path=error.path, message=error.message, details=details)


class Nonsense:
    """A store whose answers are not answers."""

    def __init__(self, text: str) -> None:
        self.read_text = self.commit_text = lambda _: text


def same_bytes(engine: Engine, component: Component, schema: dict[str, Any]) -> int:
    env = record(now_ms=NOW, entropy=ENTROPY)
    count = 0
    for name, operation in schema["operations"].items():
        call = json.dumps({**operation["example"], "op": name})
        native = tuckbox.open(tuckbox.memory_store(), project_id="demo")
        try:
            preview = native.preview(tuckbox.json_text(call), now=NOW, entropy=ENTROPY)
            expected = ("done", preview.value_text, preview.writes_text)
        except tuckbox.TuckboxError as error:
            expected = (error.code, error.path, error.message)
        host = Host(engine, component, tuckbox.memory_store())
        project = host.call("project", "[static]project.open", '{"project_id":"demo"}')
        try:
            run = host.call("project", "[method]project.preview", project, call, env)
            value = host.call("steps", "[method]run.value", run)
            found = ("done", value, host.call("steps", "[method]run.writes", run))
        except Failed as failed:
            error = failed.error
            found = (error.code.replace("-", "_"), error.path, error.message)
        assert found == expected, f"{name}: {found} instead of {expected}"
        count += 1
    return count


def typed_errors(engine: Engine, component: Component) -> None:
    env = record(now_ms=NOW, entropy=ENTROPY)
    for text in ["", "nonsense", "null", "[]", '{"boxes":7}', "[" * 100_000]:
        host = Host(engine, component, Nonsense(text))
        project = host.call("project", "[static]project.open", '{"project_id":"demo"}')
        call = '{"op":"get_boxes","box_ids":["b"]}'
        for _ in range(2):
            try:
                host.call("project", "[method]project.call", project, call, env)
                raise AssertionError(f"`{text[:20]}` is an answer")
            except Failed as failed:
                assert failed.error.code in ("store", "limit"), failed.error.code


def main() -> None:
    engine = Engine()
    component = Component.from_file(engine, sys.argv[1])
    imports = sorted(component.type.imports(engine))
    assert all(name.startswith("tuckbox:core/") for name in imports), imports
    root = Path(__file__).parent.parent.parent
    schema = json.loads((root / "pkg/schema/operations.json").read_text(encoding="utf-8"))
    typed_errors(engine, component)
    print(f"{same_bytes(engine, component, schema)} operations have the same bytes")


if __name__ == "__main__":
    main()
