"""Fixtures that all tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.thorough import examples

# For properties that name no number themselves; see tests/thorough.py. That drawing is slow says
# only that the machine is busy, as two cores with three processes are.
settings.register_profile(
    "goldsmith",
    max_examples=examples(40, 200),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("goldsmith")

# Tests never reach for a hub; what they need lies in a package.
os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets beside the checkout; absent elsewhere."""
    here = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    folder = Path(os.environ["GOLDSMITH_SHARED"]) if "GOLDSMITH_SHARED" in os.environ else here
    if not folder.is_dir():
        pytest.skip("the real data sets (../shared/data or GOLDSMITH_SHARED) are not here")
    return folder


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Of several processes, one takes all that needs the browser; the others take whole files.

    In the order of collection: the browser, which takes longest, comes first, and small files of
    documentation last. By their number of tests, files with few but long ones would come last.
    By groups (--dist loadgroup) it would be a mark, which pytest 9.2 does not hand on.
    """
    from xdist.scheduler import LoadFileScheduling

    class OneBrowser(LoadFileScheduling):  # type: ignore[misc]  # xdist has no types
        def _split_scope(self, nodeid: str) -> str:
            is_browser = nodeid.startswith("tests/browser/")
            return "tests/browser" if is_browser else str(super()._split_scope(nodeid))

    config.option.loadscopereorder = False
    return OneBrowser(config, log)
