"""`goldsmith app` as a process: whoever ends it ends the app."""

import contextlib
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from builder.workspace import init_workspace

CHECKOUT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 90


def is_healthy(port: int) -> bool:
    with contextlib.suppress(OSError):
        health = f"http://127.0.0.1:{port}/_stcore/health"
        with urllib.request.urlopen(health, timeout=1) as answer:
            return bool(answer.read() == b"ok")
    return False


def wait_until_healthy(port: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_healthy(port):
        assert time.monotonic() < deadline, "the app did not start"
        time.sleep(0.1)


def test_the_app_ends_with_its_process(tmp_path: Path) -> None:
    init_workspace(tmp_path / "w").close()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, str(CHECKOUT / "cli.py"), "--workspace", str(tmp_path / "w")]
    app = subprocess.Popen([*command, "app", "--port", str(port)], stderr=subprocess.DEVNULL)
    try:
        wait_until_healthy(port)
    finally:
        app.terminate()
        app.wait(20)
    assert not is_healthy(port)
