"""A workspace of twelve documents, for runs against the tests' server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from builder.workspace import Workspace
from tests.builder.synthesis.runs import workspace_of


@pytest.fixture
def boilers(tmp_path: Path) -> Iterator[Workspace]:
    with workspace_of(tmp_path / "workspace", 12) as opened:
        yield opened
