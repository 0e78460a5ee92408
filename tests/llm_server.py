"""A language model's server for tests: a real socket, OpenAI's chat completions, faults by script.

    with LLMServer(faults=[RATE_LIMITED, None, Fault("cut")]) as server:
        LLMClient(Endpoint(server.base_url, "test-model"), None).send(request, "json_schema")
    assert len(server.requests) == 1

Without a fault it answers what was asked for: {"queries": […]} of words of the document, the same
for the same request. As a program it serves until it is ended: `python -m tests.llm_server PORT`.
"""

import argparse
import hashlib
import json
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, Self

from tests.llm_faults import Fault, Prepared, prepared

__all__ = ["Answer", "Fault", "FaultRule", "LLMServer", "Seen"]

RATE_LIMITED = Fault("rate_limited")
QUOTA = Fault("quota")

FaultRule = Callable[[int, Mapping[str, Any]], Fault | None]
"""(number of the request from 0, its body) -> what goes wrong with it, or None."""
Answer = Callable[[Mapping[str, Any]], str]
"""Body of a request -> what the model writes."""


@dataclass(frozen=True)
class Seen:
    """One request that came in: number from 0, path, body, headers, and when (time.time())."""

    number: int
    path: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    at: float


@dataclass
class Record:
    """All that came in."""

    requests: list[Seen] = field(default_factory=list)
    in_flight: int = 0
    max_in_flight: int = 0
    lock: Lock = field(default_factory=Lock)


class LLMServer:
    """The server; listens from the moment it is made until `close`.

    Attributes:
        base_url: What an endpoint takes, such as http://127.0.0.1:40001/v1.
        record: What came in; `requests` and `max_in_flight` are short for its fields.
    """

    def __init__(
        self,
        faults: Sequence[Fault | None] | FaultRule = (),
        *,
        delay: float = 0.0,
        answer: Answer | None = None,
        knows: Sequence[str] = ("json_schema", "json_object", "plain"),
        key: str | None = None,
        port: int = 0,
    ) -> None:
        """Start to listen.

        Args:
            faults: What goes wrong with the first, second … request (those after the last go well),
                or a function that says so.
            delay: Seconds before each answer.
            answer: What the model writes, in place of queries of words of the document.
            knows: Forms of answer that it knows; others are refused with 400.
            key: Where it is given, requests that bring another key are refused with 401.
            port: 0 takes a free one.
        """
        self.rule: FaultRule = faults if callable(faults) else _in_turn(faults)
        self.delay, self.answer, self.knows, self.key = delay, answer or queries_of, knows, key
        self.record = Record()
        self.ending = Event()
        handler = type("Handler", (_Handler,), {"owner": self})
        self._http = _Quiet(("127.0.0.1", port), handler)
        self._thread = Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.base_url = f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def requests(self) -> list[Seen]:
        """The questions that came in, in order; asking for the models is none."""
        return self.record.requests

    @property
    def max_in_flight(self) -> int:
        """The most questions that were being answered at once."""
        return self.record.max_in_flight

    def close(self) -> None:
        """Stop: what hangs is let go, the port is free again."""
        self.ending.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def fault_of(self, seen: Seen) -> Fault | None:
        """What goes wrong with this request, by script or by what the server knows."""
        if self.key is not None and f"Bearer {self.key}" != seen.headers.get("authorization"):
            return Fault("unauthorized")
        if form_of(seen.body) not in self.knows:
            return Fault("unsupported_400")
        return self.rule(seen.number, seen.body)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Quiet(ThreadingHTTPServer):
    # Clients hang up on purpose here: timeouts, kills. No traceback for that.
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    owner: LLMServer
    protocol_version = "HTTP/1.1"
    # Without this each small answer waits 40 ms for an acknowledgement (Nagle).
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        owner = self.owner
        if self.path == "/v1/models":
            models = [{"id": "test-model", "object": "model", "owned_by": "tests"}]
            self._send(Prepared(200, json.dumps({"object": "list", "data": models})))
        elif self.path == "/seen":
            counts = {"requests": len(owner.requests), "max_in_flight": owner.max_in_flight}
            self._send(Prepared(200, json.dumps(counts)))
        else:
            self._send(Prepared(404, json.dumps({"detail": "Not Found"})))

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.path.split("?")[0].endswith("/chat/completions"):
            self._send(Prepared(404, json.dumps({"detail": "Not Found"})))
            return
        seen = self._note(json.loads(raw))
        try:
            self.owner.ending.wait(self.owner.delay)
            self._answer(seen)
        finally:
            with self.owner.record.lock:
                self.owner.record.in_flight -= 1

    def _note(self, body: Mapping[str, Any]) -> Seen:
        headers = {name.lower(): value for name, value in self.headers.items()}
        record = self.owner.record
        with record.lock:
            seen = Seen(len(record.requests), self.path, body, headers, time.time())
            record.requests.append(seen)
            record.in_flight += 1
            record.max_in_flight = max(record.max_in_flight, record.in_flight)
        return seen

    def _answer(self, seen: Seen) -> None:
        fault = self.owner.fault_of(seen)
        if fault is not None and fault.kind in {"hang", "drip", "dropped"}:
            self._never(fault.kind)
            return
        self._send(prepared(fault, seen.body, self.owner.answer(seen.body)))

    def _never(self, kind: str) -> None:
        self.close_connection = True
        if kind == "hang":
            self.owner.ending.wait()
        elif kind == "drip":
            self._drip()

    def _drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        while not self.owner.ending.wait(0.02):
            self.wfile.write(b" ")

    def _send(self, answer: Prepared) -> None:
        payload = answer.body.encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(payload) + answer.missing_bytes))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload)
        if answer.missing_bytes:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (its name in the base)
        """Nothing: tests read `record`."""


def form_of(body: Mapping[str, Any]) -> str:
    """Which form of answer the request asks for: json_schema, json_object or plain."""
    form: str = (body.get("response_format") or {}).get("type", "plain")
    return form


def document_of(body: Mapping[str, Any]) -> str:
    """The document of the request: what stands in its delimiters, else its longest paragraph."""
    text = "\n".join(m["content"] for m in body["messages"] if m["role"] == "user")
    found = re.findall(r"<document[^>]*>(.*?)</document", text, flags=re.DOTALL | re.IGNORECASE)
    return str(found[-1]) if found else max(re.split(r"\n\s*\n", text), key=len)


def asked_for(body: Mapping[str, Any]) -> int:
    """How many queries the request asks for, by its schema or by the pattern that it shows."""
    form = body.get("response_format") or {}
    schema = form.get("schema") or (form.get("json_schema") or {}).get("schema") or {}
    queries = (schema.get("properties") or {}).get("queries") or {}
    said = body["messages"][-1]["content"]
    shown = re.findall(r'"queries": \[([^\]]*)\]', said)
    patterns = shown[-1].count("\u2026") if shown else 1
    # So our own prompts say it.
    told = re.findall(r"with (\d+) of type string", said)
    named = queries.get("maxItems") or queries.get("minItems") or (told[-1] if told else None)
    return int(named or max(1, patterns))


def queries_of(body: Mapping[str, Any]) -> str:
    """{"queries": […]}: five words of the document each, in its order, the same for the same."""
    words = re.findall(r"[^\W\d_]{2,12}", document_of(body)) or ["nothing"]
    seed = f"{body.get('seed')} {' '.join(words)}"
    queries = [_query(words, f"{n} {seed}") for n in range(asked_for(body))]
    return json.dumps({"queries": queries}, ensure_ascii=False)


def _query(words: Sequence[str], seed: str) -> str:
    first = {word: place for place, word in reversed(list(enumerate(words)))}
    # Every second word at most, so that no span of the document is copied.
    apart = [word for word, place in first.items() if place % 2 == 0]
    chosen = sorted(apart, key=lambda word: hashlib.sha256(f"{seed} {word}".encode()).digest())
    return " ".join(sorted(chosen[:5], key=first.__getitem__))


def _in_turn(faults: Sequence[Fault | None]) -> FaultRule:
    return lambda number, _body: faults[number] if number < len(faults) else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--fault", action="append", default=[], help="of the first, second, …")
    parser.add_argument("--always", help="this fault for every request")
    options = parser.parse_args()
    faults = [None if kind == "none" else Fault(kind) for kind in options.fault]
    rule = _in_turn(faults) if not options.always else lambda _n, _b: Fault(options.always)
    with LLMServer(rule, delay=options.delay, port=options.port) as server:
        print(server.base_url, flush=True)  # noqa: T201 (a program's answer)
        try:
            server.ending.wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
