"""The ledger of a preview. Entries are created when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

from ._json import loads

if TYPE_CHECKING:
    from ._native import Run

__all__ = ["BoxLedger", "Ledger"]

#: The number of entries that iteration creates at once.
CHUNK = 1000


class BoxLedger(Sequence[Any]):
    """The entries of one box: a sequence that creates an entry when it is looked at."""

    def __init__(self, run: Run, index: int, box_id: str, length: int, swallowed: int) -> None:
        self._run = run
        self._index = index
        self._length = length
        #: The id of the box.
        self.box_id = box_id
        #: The number of omitted duplicates.
        self.swallowed = swallowed

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, position: int) -> Any: ...

    @overload
    def __getitem__(self, position: slice) -> list[Any]: ...

    def __getitem__(self, position: int | slice) -> Any:
        if isinstance(position, slice):
            start, stop, step = position.indices(self._length)
            if step == 1:
                return self._entries(start, max(start, stop))
            return [self[at] for at in range(start, stop, step)]
        at = position + self._length if position < 0 else position
        if not 0 <= at < self._length:
            raise IndexError("the box has no such position")
        return self._entries(at, at + 1)[0]

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, self._length, CHUNK):
            yield from self._entries(start, min(start + CHUNK, self._length))

    def __repr__(self) -> str:
        return f"<BoxLedger {self.box_id!r} with {self._length} entries>"

    def _entries(self, start: int, stop: int) -> list[Any]:
        return self._run.entries(self._index, start, stop)


class Ledger:
    """The reason for each card of the packed boxes, and for each dropped value."""

    def __init__(self, run: Run) -> None:
        self._run = run
        #: The entries of each packed box.
        self.boxes: list[BoxLedger] = [
            BoxLedger(run, index, *account) for index, account in enumerate(run.accounts())
        ]

    @property
    def dropped(self) -> list[Any]:
        """The inputs that did not become a card, with the reason."""
        found: list[Any] = loads(self._run.part("dropped"))
        return found

    @property
    def audit(self) -> list[Any]:
        """The audit record of each packed context."""
        found: list[Any] = loads(self._run.part("audit"))
        return found

    @property
    def transitions(self) -> list[Any]:
        """The changed rows, and the expectations of the commit."""
        found: list[Any] = loads(self._run.part("transitions"))
        return found

    def __repr__(self) -> str:
        return f"<Ledger of {len(self.boxes)} boxes>"
