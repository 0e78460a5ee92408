"""`goldsmith synth`: what it costs is said first, asked, and never passed; what came is told."""

import io
import json
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from builder.store.documents import insert_documents
from evals.records import Document
from tests.llm_server import Fault, LLMServer
from tests.terminal.conftest import Terminal
from tests.workspaces import new_workspace

FRUITS = [
    "apple",
    "pear",
    "plum",
    "cherry",
    "grape",
    "melon",
    "lemon",
    "orange",
    "peach",
    "mango",
    "fig",
    "date",
]
KEY = "sk-never-to-be-seen-1234567890"


@pytest.fixture
def shop(goldsmith: Terminal, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal beside a workspace of twelve documents, one of them empty."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    texts = [
        f"How to bake a cake with {fruit}: mix flour and sugar, add the {fruit}, and leave all of "
        f"it in the oven for {minutes} minutes before it is served with cream."
        for minutes, fruit in enumerate(FRUITS, start=20)
    ]
    with new_workspace(goldsmith.folder / "w") as workspace, workspace.store.write() as connection:
        insert_documents(connection, [Document(f"d{n:02d}", "", t) for n, t in enumerate(texts)])
        insert_documents(connection, [Document("empty", "", " ")])
    return goldsmith


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with LLMServer() as listening:
        yield listening


def asked_of(server: LLMServer, *more: str) -> list[str]:
    """The options of a run over all documents; bm25 alone, for MiniLM takes seconds."""
    known = ["synth", "--base-url", server.base_url, "--model", "test-model", "--retriever", "bm25"]
    return [*known, "--documents", "20", *more]


def test_a_dry_run_says_what_it_would_take_and_sends_nothing(
    shop: Terminal, server: LLMServer
) -> None:
    dry = shop(*asked_of(server, "--dry-run", "--max-calls", "10"))
    assert dry.code == 0
    host = server.base_url.removeprefix("http://").removesuffix("/v1")
    assert "12 documents, 12 calls, 12 queries asked for\n" in dry.stdout
    assert f"  model test-model; texts go to {host}\n" in dry.stdout
    assert "  tokens: about " in dry.stdout
    assert "  cost: unknown; no price of test-model stands in workspace.toml" in dry.stdout
    assert "  time: about " in dry.stdout
    assert "  at most 10 calls\n" in dry.stdout
    assert "  documents left out, empty: 1\n" in dry.stdout
    assert dry.stdout.endswith("Nothing was sent. Next: the same without --dry-run.\n")
    told = shop(*asked_of(server, "--dry-run", "--json")).document
    assert told["tokens"]["low"] < told["tokens"]["total"] < told["tokens"]["high"]
    assert (told["cost"], told["host"]) == (None, host)
    assert server.requests == []
    assert shop("synth", "--list", "--json").document == {"syntheses": []}


class Person(io.StringIO):
    """Somebody at the terminal who types this."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("typed", "code", "sent"), [("n\n", 130, 0), ("\n", 130, 0), ("y\n", 0, 2)]
)
def test_texts_go_out_only_once_somebody_said_yes(
    shop: Terminal,
    server: LLMServer,
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    code: int,
    sent: int,
) -> None:
    monkeypatch.setattr(sys, "stdin", Person(typed))
    host = server.base_url.removeprefix("http://").removesuffix("/v1")
    answer = shop(*asked_of(server)[:-1], "2")
    assert (answer.code, len(server.requests)) == (code, sent)
    assert f"Send passages of 2 documents to {host}? [y/N]" in answer.stderr


def test_where_nobody_sits_yes_has_to_be_said(shop: Terminal, server: LLMServer) -> None:
    silent = shop(*asked_of(server))
    assert silent.code == 2
    assert "Nobody can be asked here: say --yes" in silent.stderr
    as_json = shop(*asked_of(server, "--json"))
    assert (as_json.code, "say --yes" in as_json.document["error"]["message"]) == (2, True)
    assert server.requests == []


def test_a_limit_of_calls_holds_and_the_run_goes_on(shop: Terminal, server: LLMServer) -> None:
    capped = shop(*asked_of(server, "--max-calls", "10", "--yes"))
    assert (capped.code, len(server.requests)) == (0, 10)
    assert "run 1, stopped: 10 queries of 10 calls" in capped.stdout
    assert "  The limit of 10 calls is reached.\n" in capped.stdout
    assert "2 answers still wanted: goldsmith synth --resume 1 goes on" in capped.stdout
    assert "stopped: limit of calls" in shop("synth", "--list").stdout
    told = shop("synth", "--resume", "1", "--max-calls", "20", "--yes", "--json").document
    assert (told["state"], told["calls"], told["generated"]) == ("done", 12, 12)
    assert told["kept"] + sum(told["rejected"].values()) == 12
    assert told["cost"] is None
    assert len(server.requests) == 12
    calls = shop("synth", "--calls", "1", "--json").document["calls"]
    assert [call["outcome"] for call in calls] == ["ok"] * 12
    assert len(shop("synth", "--calls", "1").stdout.splitlines()) == 13


def test_what_came_is_told_with_reasons_cost_and_what_is_next(shop: Terminal) -> None:
    settings = shop.folder / "w" / "workspace.toml"
    prices = '[prices."test-model"]\ninput = 1.0\noutput = 2.0\ncurrency = "EUR"\n'
    settings.write_text(f"{settings.read_text('utf-8')}\n{prices}", "utf-8")

    def answer(body: Mapping[str, Any]) -> str:
        about = json.dumps(body["messages"])
        fruit = next(fruit for fruit in FRUITS if f"cake with {fruit}" in about)
        text = "the document on apple" if fruit == "apple" else f"recipe {fruit} dessert"
        return json.dumps({"queries": [text]})

    with LLMServer(answer=answer) as server:
        assert "EUR (" in shop(*asked_of(server, "--dry-run")).stdout
        done = shop(*asked_of(server, "--yes"))
    assert "12 queries of 12 calls, 11 kept\n" in done.stdout
    assert '  rejected, that speak of "the document": 1\n' in done.stdout
    assert " EUR; " in done.stdout
    assert "goldsmith synth --accept-all 1" in done.stdout
    rejected = shop("synth", "--rejected", "1")
    assert "  the document on apple\n" in rejected.stdout
    assert "    refers_to_document: " in rejected.stdout
    assert rejected.stdout.endswith("1 query rejected by filters\n")
    (row,) = shop("synth", "--rejected", "--json").document["rejected"]
    assert (row["doc_id"], row["reasons"][0]["filter"]) == ("d00", "refers_to_document")
    assert "11 queries joined the set" in shop("synth", "--accept-all").stdout
    assert "run 1: 11 queries would go" in shop("synth", "--take-back", "1", "--dry-run").stdout
    assert "run 1: 11 queries are gone" in shop("synth", "--take-back", "1").stdout
    assert " taken back " in shop("synth", "--list").stdout


def test_a_key_is_sent_and_never_shown(shop: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with LLMServer(key="another") as server:
        refused = shop(*asked_of(server, "--yes", "--concurrency", "1"))
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert refused.code == 1
    assert "run 1, stopped: 0 queries of 1 call, 0 kept" in refused.stdout
    assert "The server rejects every request" in refused.stdout
    listed = shop("synth", "--calls", "1", "--json").stdout + shop("synth", "--list").stdout
    assert KEY not in refused.stdout + refused.stderr + listed
    kept = [path for path in (shop.folder / "w").rglob("*") if path.is_file()]
    assert not any(KEY.encode() in path.read_bytes() for path in kept)


def test_without_a_key_nobody_is_asked_and_nothing_is_sent(
    shop: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Person("y\n"))
    refused = shop("synth", "--model", "some-model", "--base-url", "")
    assert refused.code == 1
    assert "no key is found in the environment" in refused.stderr
    assert "there is no key for api.openai.com; nothing was sent" in refused.stderr
    assert "[y/N]" not in refused.stderr


def test_a_run_that_brought_nothing_is_no_success(shop: Terminal, server: LLMServer) -> None:
    idle = shop(*asked_of(server, "--yes", "--max-tokens", "100"))
    assert (idle.code, server.requests) == (1, [])
    assert "The limit of 100 tokens is reached" in idle.stdout
    assert "The limit of 100 tokens allows no call: one needs up to " in idle.stderr
    assert shop("synth", "--resume", "1", "--yes").code == 1
    unknown = shop(*asked_of(server, "--yes", "--retriever", "./nope"))
    assert (unknown.code, server.requests) == (1, [])
    assert "no such model folder" in unknown.stderr
    with LLMServer(lambda _n, _body: Fault("refusal")) as refusing:
        refused = shop(*asked_of(refusing, "--yes"))
    assert (refused.code, "done: 0 queries of 12 calls" in refused.stdout) == (1, True)


def test_whoever_stops_it_learns_how_it_goes_on(shop: Terminal) -> None:
    def press(number: int, _: Mapping[str, Any]) -> Fault | None:
        if number == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return None

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with LLMServer(press, delay=0.02) as server:
            stopped = shop(*asked_of(server, "--yes", "--json", "--concurrency", "1"))
            sent = len(server.requests)
    finally:
        signal.signal(signal.SIGINT, before)
    assert stopped.code == 130
    assert stopped.document["error"]["message"] == "stopped"
    assert "goldsmith synth --resume 1 goes on" in stopped.document["error"]["hint"]
    waits = "waiting for 1 answer on its way, which may be paid for; Ctrl-C again leaves it"
    assert waits in stopped.stderr
    assert 4 <= sent < 12
    (run,) = shop("synth", "--list", "--json").document["syntheses"]
    assert (run["calls"], run["unknown"], run["state"]) == (sent, 0, "stopped")


def test_experts_are_asked_and_what_they_found_decides(shop: Terminal, server: LLMServer) -> None:
    nothing = shop("synth", "--validate")
    assert (nothing.code, "no synthetic queries to validate" in nothing.stderr) == (1, True)
    shop(*asked_of(server, "--yes"))
    accepted = shop("synth", "--accept-all", "1", "--json").document["accepted"]
    assert accepted > 6
    how = ("--validate", "--share", "1", "--others", "2", "--retriever", "bm25")
    dry = shop("synth", *how, "--dry-run")
    assert f"{accepted} of {accepted} queries would be drawn for experts" in dry.stdout
    assert "Nothing was written." in dry.stdout
    drawn = shop("synth", *how)
    assert f"{accepted} of {accepted} queries are drawn for experts" in drawn.stdout
    assert "Next: experts grade them" in drawn.stdout
    assert "Validation 1 drew just these: nothing was written." in shop("synth", *how).stdout
    report = shop("synth", "--validation")
    assert (
        f"validation 1: {accepted} of {accepted} synthetic queries drawn, 0 graded" in report.stdout
    )
    assert f"  waiting for experts: {accepted}\n" in report.stdout
    assert "Next: " in report.stdout
    assert shop("synth", "--validation", "--json").document["verdict"] == "wait"
    refused = shop("export", "shop", "--synthetic", "accepted")
    assert f"{accepted} unvalidated" in refused.stderr
    assert "validation 1 stands no more\n" in shop("synth", "--take-back-validation").stdout
    assert shop("synth", "--validation", "--json").document["verdict"] == "none"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--list", "--validation"], "--list and --validation are asked for one at a time"),
        (["--accept-all", "--calls", "1"], "asked for one at a time"),
        (["--share", "0.5"], "--share belongs to --validate"),
        (["--retry-failed"], "--retry-failed belongs to --resume"),
        (["--only-unflagged", "--list"], "--only-unflagged belongs to --accept-all"),
        (["--list", "--documents", "3"], "--documents says nothing beside --list"),
        (["--resume", "1", "--dry-run"], "--dry-run says nothing beside --resume"),
        (["--max-cost", "0"], "0.0 is not in the range"),
        (["--answer-tokens", "31"], "31 is not in the range"),
        (["--resume", str(2**31)], "is not in the range"),
        (["--rejected", str(2**63)], "is not in the range"),
    ],
)
def test_bad_usage(shop: Terminal, options: list[str], said: str) -> None:
    answer = shop("synth", *options)
    assert (answer.code, said in answer.stderr) == (2, True), answer.stderr


def test_what_there_is_not_is_said_clearly(shop: Terminal) -> None:
    assert "`goldsmith synth` has it done" in shop("synth", "--list").stdout
    unknown = shop("synth", "--resume", "7", "--yes")
    assert (unknown.code, "there is no synthesis 7" in unknown.stderr) == (1, True)
    nameless = shop("synth", "--dry-run")
    assert (nameless.code, "No language model is named" in nameless.stderr) == (1, True)


def test_a_run_whose_queries_are_drawn_is_not_taken_back_by_mistake(
    shop: Terminal, server: LLMServer
) -> None:
    shop(*asked_of(server, "--yes"))
    accepted = shop("synth", "--accept-all", "1", "--json").document["accepted"]
    shop("synth", "--validate", "--retriever", "bm25")
    would = shop("synth", "--take-back", "1", "--dry-run").stdout
    assert f"  {accepted} stay: in the drawing of a validation\n" in would
    assert would.endswith("It is refused unless you say --anyway.\n")
    refused = shop("synth", "--take-back", "1")
    assert (refused.code, "--take-back-validation" in refused.stderr) == (1, True)
    assert "taken back" not in shop("synth", "--list").stdout
    call = shop("synth", "--calls", "1", "--json").document["calls"][0]
    wanted = {"doc_id", "first_character", "prompt_hash", "request_hash", "model_served", "answer"}
    assert all(call[name] is not None for name in wanted)
    assert shop("synth", "--list", "--anyway").code == 2
