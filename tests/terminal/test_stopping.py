"""Ctrl-C: never a traceback, one document with --json, exit code 130; whatever a library makes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import click
import duckdb
import pytest

from cli import goldsmith as door
from tests.online.logs import event
from tests.terminal.conftest import ROOT, Terminal

MINER = """
import signal
import sys
# A shell that runs tests in the background has its children ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
from cli import main
print("begun", flush=True)
main()
"""
STOPPED = {"error": {"message": "stopped", "where": None, "hint": None}}


@pytest.fixture
def heard() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt here, as at a terminal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@click.command("asks")
def asks() -> None:
    """Stopped by a signal while DuckDB works: it raises RuntimeError("Query interrupted")."""
    press = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    press.start()
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.sql(
            "SELECT sum(hash(a.i * b.i)) FROM range(10000000) a(i), range(99) b(i)"
        ).show()


@click.command("loads")
def loads() -> None:
    """Stopped while a class is made, as in an import: a RuntimeError before Python 3.12."""

    class Named:
        def __set_name__(self, owner: type, name: str) -> None:
            signal.raise_signal(signal.SIGINT)

    type("Owner", (), {"name": Named()})


@click.command("wraps")
def wraps() -> None:
    """Stopped, and some code makes an error of its own of that."""
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt as error:
        raise OSError("the disk did not answer") from error


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("command", [asks, loads, wraps])
def test_what_a_library_raises_is_stopped(
    goldsmith: Terminal, command: click.Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(door.commands, str(command.name), command)
    command.params = [click.Option(["--json"], is_flag=True, expose_value=False)]
    answer = goldsmith(str(command.name), "--json")
    assert (answer.code, answer.document) == (130, STOPPED)
    assert answer.stderr.strip() == "goldsmith: stopped"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    plain = goldsmith(str(command.name))
    assert (plain.code, plain.stdout, plain.stderr.strip()) == (130, "", "goldsmith: stopped")


def test_without_ctrl_c_the_same_errors_are_errors(
    goldsmith: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command("fails")
    def fails() -> None:
        raise RuntimeError("Query interrupted")

    monkeypatch.setitem(door.commands, "fails", fails)
    with pytest.raises(RuntimeError, match="Query interrupted"):
        goldsmith("fails")


def test_a_process_that_mines_is_stopped_at_any_moment(goldsmith: Terminal) -> None:
    goldsmith("init")
    lines = [json.dumps(event(query=f"query {n}", event_id=f"e{n}")) for n in range(50)]
    assert goldsmith("events", "import", goldsmith.write("log.jsonl", *lines)).code == 0
    ends = set()
    for moment in (0.05, 0.4, 0.8):
        mining = subprocess.Popen(
            [sys.executable, "-c", MINER, "--workspace", goldsmith.folder / "w", "mine", "--json"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert mining.stdout is not None
        mining.stdout.readline()
        time.sleep(moment)
        mining.send_signal(signal.SIGINT)
        said, told = mining.communicate(timeout=60)
        assert "Traceback" not in told
        # Already done on a quick machine: then its one document is the sample.
        assert (json.loads(said) == STOPPED) is (mining.returncode == 130)
        ends.add(mining.returncode)
    assert 130 in ends
    assert ends <= {130, 0, -signal.SIGINT}
