import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest
from sqlalchemy.exc import IntegrityError

from builder.store import Connection, activity
from builder.synthesis.ledger import Ledger
from builder.workspace import Workspace
from tests.workspaces import new_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with new_workspace(tmp_path / "workspace", "shop") as opened:
        yield opened


def noted(workspace: Workspace) -> list[str]:
    with workspace.store.read() as connection:
        return [one.subject for one in activity.entries(connection, limit=1000)][::-1]


def note(connection: Connection, subject: str) -> str:
    activity.note(connection, "ann", "query.edit", subject)
    return subject


def break_off(_connection: Connection) -> NoReturn:
    raise IntegrityError("nothing", {}, ValueError("as the database says"))


def test_what_is_waited_for_is_on_the_disk_and_what_came_before_it_too(
    workspace: Workspace,
) -> None:
    with Ledger(workspace.store) as ledger:
        ledger.write_later(lambda connection: note(connection, "first"))
        assert ledger.write(lambda connection: note(connection, "second")) == "second"
        assert noted(workspace) == ["first", "second"]
        ledger.write_later(lambda connection: note(connection, "third"))
    assert noted(workspace) == ["first", "second", "third"]


def test_threads_write_side_by_side_and_nothing_is_lost(workspace: Workspace) -> None:
    def write(ledger: Ledger, name: str) -> None:
        for n in range(20):
            ledger.write_later(lambda connection, n=n: note(connection, f"{name}{n} later"))  # type: ignore[misc]
            ledger.write(lambda connection, n=n: note(connection, f"{name}{n} now"))  # type: ignore[misc]

    with Ledger(workspace.store) as ledger:
        threads = [threading.Thread(target=write, args=(ledger, name)) for name in "abcdefgh"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    found = noted(workspace)
    assert len(found) == 8 * 40
    for name in "abcdefgh":
        mine = [subject for subject in found if subject.startswith(name)]
        assert mine == [f"{name}{n} {when}" for n in range(20) for when in ("later", "now")]


def write_one_bad(ledger: Ledger) -> None:
    held = threading.Event()
    with ledger:
        ledger.write_later(lambda connection: (held.wait(5), note(connection, "before")))
        ledger.write_later(break_off)
        ledger.write_later(lambda connection: note(connection, "after"))
        held.set()


def write_after_a_bad_one(ledger: Ledger) -> None:
    with ledger:
        with pytest.raises(IntegrityError):
            ledger.write(break_off)
        ledger.write(lambda connection: note(connection, "never"))


def test_one_that_cannot_be_written_takes_no_other_with_it(workspace: Workspace) -> None:
    with pytest.raises(IntegrityError, match="as the database says"):
        write_one_bad(Ledger(workspace.store))
    assert noted(workspace) == ["before", "after"]


def test_after_one_that_was_not_written_nothing_new_is_promised(workspace: Workspace) -> None:
    with pytest.raises(IntegrityError, match="as the database says"):
        write_after_a_bad_one(Ledger(workspace.store))
    assert noted(workspace) == []
