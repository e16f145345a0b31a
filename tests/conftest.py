"""Options and settings of the whole test suite.

pytest                      the quick tests, for every run
pytest --slow               the slow ones too
pytest --write-playthroughs write the golden files of tests/playthroughs anew; review them as prose in the diff
"""

import os

import pytest
from hypothesis import settings

# No deadline: a shared machine makes any time limit of one example a lottery. The quick profile repeats the same
# examples in every run, so that a red run is about the change at hand; --slow looks for new ones, but not in CI.
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("long", deadline=None, derandomize=bool(os.environ.get("CI")), max_examples=1000)
settings.load_profile("quick")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("referee")
    group.addoption("--slow", action="store_true", help="run the tests marked slow too")
    group.addoption("--write-playthroughs", action="store_true", help="write tests/playthroughs/*.txt anew")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--slow"):
        settings.load_profile("long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--slow"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="This test is slow; `pytest --slow` runs it."))
