from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypedDict, TypeVar

import typing_extensions as _t

from . import types as _a
from ._ledger import Ledger
from ._operations import AsyncProjectMethods, ProjectMethods

Now: TypeAlias = int | Callable[[], int]
Entropy: TypeAlias = bytes | Callable[[], bytes]

V = TypeVar("V", covariant=True)

class Store(Protocol):
    """A class with ``read`` and ``commit``.

    ``read`` answers every key once, as a row or as missing. The answer is a mapping, JSON text, or
    the bytes of JSON text. ``commit`` applies the whole batch or nothing, and returns a receipt.
    """

    def read(self, reads: Any, /) -> Any: ...
    def commit(self, writes: Any, /) -> Any: ...

class _Outcome(Generic[V]):
    @property
    def value(self) -> V: ...
    @property
    def value_text(self) -> str: ...
    @property
    def writes(self) -> dict[str, Any]: ...
    @property
    def writes_text(self) -> str: ...
    @property
    def operation_id(self) -> str: ...
    @property
    def lints(self) -> list[_a.Lint]: ...
    @property
    def content_hash(self) -> str: ...
    @property
    def ledger(self) -> Ledger: ...
    def _repr_html_(self) -> str: ...

class Preview(_Outcome[V]):
    def commit(self) -> _a.Receipt: ...
    def after(self) -> Project: ...

class AsyncPreview(_Outcome[V]):
    async def commit(self) -> _a.Receipt: ...
    def after(self) -> AsyncProject: ...

class _Base:
    def refresh(self) -> None: ...
    def stats(self) -> dict[str, int]: ...

class Project(_Base, ProjectMethods): ...
class AsyncProject(_Base, AsyncProjectMethods): ...

class Settings(TypedDict, total=False):
    """The settings of a project."""

    dialect: _a.Dialect | None
    limits: Mapping[str, int] | None
    recipes: Sequence[_a.CustomRecipe] | None
    composer: Mapping[str, Any] | None
    models: Mapping[str, Any] | None
    authority: Mapping[str, Any] | None
    reference_behavior: bool | None

def open(
    store: Store,
    *,
    project_id: str,
    now: Now | None = ...,
    entropy: Entropy | None = ...,
    **settings: _t.Unpack[Settings],
) -> Project: ...
def open_async(
    store: Store,
    *,
    project_id: str,
    now: Now | None = ...,
    entropy: Entropy | None = ...,
    **settings: _t.Unpack[Settings],
) -> AsyncProject: ...
