"""Assertions for tests: the contract of a store, and contexts in a lockfile.

>>> import tuckbox
>>> tuckbox.testing.check_store(tuckbox.memory_store)
>>> body = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hello"}]}
>>> tuckbox.testing.assert_that_context(body, max_tokens=100)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ._lock import compare_context, context_failures, is_ci
from ._native import contract_cases, run_contract_case

if TYPE_CHECKING:
    from ._project import Store

__all__ = ["assert_context", "assert_that_context", "broken_cases", "check_store"]


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


def assert_context(
    given: Any,
    name: str,
    *,
    test: str | os.PathLike[str] | None = None,
    file: str | None = None,
    update: bool | None = None,
) -> None:
    """Compares a context with its entry in the lockfile.

    The context is the body of a request, an answer of ``payload``, or the arguments of
    ``lock_entry``. A missing entry is added, unless ``CI`` is set. ``update``, or
    ``TUCKBOX_LOCK=update`` in the environment, replaces an entry that differs.
    """
    __tracebackhide__ = True
    if test is None:
        test = sys._getframe(1).f_globals.get("__file__")
    if update is None:
        update = os.environ.get("TUCKBOX_LOCK") == "update"
    mode = "all" if update else "none" if is_ci() else "new"
    report = compare_context(given, name, mode=mode, test=test, file=file)
    if report is not None:
        raise AssertionError(report)


def assert_that_context(given: Any, **assertion: Any) -> None:
    """Checks an assertion about a context: ``max_tokens``, ``contains``, ``excludes``, ``tools``, .."""
    __tracebackhide__ = True
    failures = context_failures(given, assertion)
    if failures:
        raise AssertionError("\n".join(failures))
