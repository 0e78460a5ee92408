"""The real app on a free port, for screenshots, measurements and the tests in the browser."""

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

APP = Path(__file__).resolve().parents[1] / "app.py"
CHROMIUM = Path("/usr/bin/chromium")
CHROMIUM_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
START_SECONDS = 90


@contextmanager
def running_app(workspace: Path, log: Path) -> Iterator[str]:
    """The address of an app on `workspace`; the server is ended by its id afterwards.

    Raises:
        RuntimeError: The server died or did not answer in time; the message holds its log.
    """
    port = free_port()
    server = start_app(workspace, log, port)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)


def start_app(workspace: Path, log: Path, port: int) -> "subprocess.Popen[bytes]":
    """A healthy app on `port`; whoever starts it ends it.

    Raises:
        RuntimeError: The server died or did not answer in time; the message holds its log.
    """
    command = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.port", str(port)]
    environment = os.environ | {"GOLDSMITH_WORKSPACE": str(workspace)}
    with log.open("wb") as out:
        server = subprocess.Popen(  # noqa: S603 - our own command
            command, env=environment, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        _wait_until_healthy(server, port, log)
    except BaseException:
        server.kill()
        server.wait(10)
        raise
    return server


@contextmanager
def chromium() -> Iterator["Browser"]:
    """Debian's chromium, headless."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=list(CHROMIUM_FLAGS)
        )
        try:
            yield browser
        finally:
            browser.close()


def free_port() -> int:
    """A port on which nobody listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _wait_until_healthy(server: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            health = f"http://127.0.0.1:{port}/_stcore/health"
            with urllib.request.urlopen(health, timeout=1) as answer:
                if answer.read() == b"ok":
                    return
        time.sleep(0.05)
    raise RuntimeError(f"the app did not start: {log.read_text(errors='replace')[-2000:]}")
