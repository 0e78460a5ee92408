"""Who asks first writes first, and nobody waits for ever."""

import threading
from pathlib import Path

import pytest

from builder.errors import WorkspaceError
from builder.store import engine, open_store
from builder.store.people import add_person, all_people
from builder.store.turns import Turns


def in_line(turns: Turns, n: int) -> None:
    """Wait until so many threads wait for their turn."""
    while len(turns._waiting) < n:
        threading.Event().wait(0.001)


def test_turns_come_in_the_order_of_asking() -> None:
    turns, order = Turns(), list[int]()

    def take(number: int) -> None:
        with turns.turn(30):
            order.append(number)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(8)]
    with turns.turn(30):
        for at, thread in enumerate(threads):
            thread.start()
            in_line(turns, at + 1)
        assert order == []
    for thread in threads:
        thread.join()
    assert order == list(range(8))


def test_whoever_gave_up_is_passed_over() -> None:
    turns, came = Turns(), list[str]()

    def give_up() -> None:
        with pytest.raises(TimeoutError), turns.turn(0.01):
            came.append("too late")

    def wait() -> None:
        with turns.turn(30):
            came.append("patient")

    with turns.turn(30):
        hasty = threading.Thread(target=give_up)
        hasty.start()
        hasty.join()
        patient = threading.Thread(target=wait)
        patient.start()
        in_line(turns, 1)
    patient.join()
    with turns.turn(0):
        came.append("free again")
    assert came == ["patient", "free again"]


def test_a_turn_ends_with_an_error() -> None:
    turns = Turns()
    with pytest.raises(ZeroDivisionError), turns.turn(1):
        raise ZeroDivisionError
    with turns.turn(0):
        pass


def test_writers_of_one_store_take_turns(tmp_path: Path) -> None:
    store = open_store(tmp_path / "workbench.db")

    def write(number: int) -> None:
        with store.write() as connection:
            add_person(connection, f"{number}")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(12)]
    with store.write() as connection:
        for at, thread in enumerate(threads):
            thread.start()
            in_line(store._turns, at + 1)
        add_person(connection, "first")
    for thread in threads:
        thread.join()
    with store.read() as connection:
        names = [person.name for person in all_people(connection)]
    assert names == ["first", *(str(number) for number in range(12))]
    store.close()


def test_a_writer_that_waits_too_long_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(tmp_path / "workbench.db")
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.01)
    with (
        store.write(),
        pytest.raises(WorkspaceError, match="has been writing to this workspace"),
        store.write(),
    ):
        pass
    store.close()
