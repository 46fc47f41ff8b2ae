"""The plugin of pytest: the fixture ``context_lock``.

>>> def test_greeting(context_lock):  # doctest: +SKIP
...     context_lock.assert_context(payload, "greeting")
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .testing import assert_context, assert_that_context

__all__ = ["ContextLock", "context_lock"]


class ContextLock:
    """Compares contexts of one test with the lockfile."""

    def __init__(self, test: Path, file: str | None, update: bool | None) -> None:
        self._test = test
        self._file = file
        self._update = update

    def assert_context(self, given: Any, name: str) -> None:
        """Compares a context with its entry in the lockfile. A missing entry is added without ``CI``."""
        __tracebackhide__ = True
        assert_context(given, name, test=self._test, file=self._file, update=self._update)

    def assert_that(self, given: Any, **assertion: Any) -> None:
        """Checks an assertion about a context, as ``max_tokens=4000``."""
        __tracebackhide__ = True
        assert_that_context(given, **assertion)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of the fixture."""
    group = parser.getgroup("tuckbox")
    group.addoption(
        "--update-context-lock",
        action="store_true",
        default=None,
        help="replace entries of tuckbox.lock that differ",
    )
    parser.addini("context_lock", "the lockfile, relative to the config; tuckbox.lock by default")


@pytest.fixture
def context_lock(request: pytest.FixtureRequest) -> ContextLock:
    """Compares contexts with the lockfile: ``context_lock.assert_context(payload, "name")``."""
    file: str = request.config.getini("context_lock")
    update: bool | None = request.config.getoption("update_context_lock")
    return ContextLock(request.path, file or None, update)
