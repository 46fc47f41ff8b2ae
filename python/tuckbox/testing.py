"""The contract of a store, for tests of your own store.

>>> import tuckbox
>>> tuckbox.testing.check_store(tuckbox.memory_store)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ._native import contract_cases, run_contract_case

if TYPE_CHECKING:
    from ._project import Store

__all__ = ["broken_cases", "check_store"]


def broken_cases(make: Callable[[], Store]) -> Iterator[str]:
    """Runs each case in a new store, and yields how the store breaks the contract."""
    for number, (_, name) in enumerate(contract_cases()):
        problem = run_contract_case(name, make(), f"contract-{number}")
        if problem is not None:
            yield problem


def check_store(make: Callable[[], Store]) -> None:
    """Runs the contract on the stores that ``make`` returns. Each case uses its own project."""
    broken = list(broken_cases(make))
    if broken:
        raise AssertionError("the store breaks its contract:\n" + "\n".join(broken))
