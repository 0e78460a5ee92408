"""Fixtures that all tests share."""

import os
from pathlib import Path

import pytest

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of several processes, one takes all that needs the browser; the others take whole files."""
    for item in items:
        group = "browser" if "browser" in item.path.parts else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))
