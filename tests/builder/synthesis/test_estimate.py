import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.errors import BuilderError
from builder.store.synthetic_queries import count_candidates
from builder.synthesis.estimate import ASSUMED_SECONDS, estimate
from builder.synthesis.running import synth
from builder.synthesis.token_guess import guess_answer, guess_prompt
from builder.workspace import SETTINGS_FILE, Workspace, open_workspace
from tests.builder.synthesis.runs import plan_for
from tests.llm_server import LLMServer

NOWHERE = "http://127.0.0.1:9/v1"


def test_nothing_is_sent_and_nothing_written(boilers: Workspace) -> None:
    before = (boilers.root / "workbench.db").read_bytes()
    with LLMServer() as server:
        plan = plan_for(server.base_url, documents=5, per_document=2, per_call=3, concurrency=2)
        told = estimate(boilers, plan, environment={})
        assert not server.requests
        assert told["host"] == server.base_url.removeprefix("http://").removesuffix("/v1")
    assert (told["documents"], told["calls"], told["queries"]) == (5, 10, 30)
    assert told["seconds"] == 10 * ASSUMED_SECONDS / 2
    assert (told["cost"], told["seconds_measured"]) == (None, False)
    assert (told["model"], told["key_found"], told["key_needed"]) == ("test-model", False, False)
    assert told["caps"] == {"max_calls": None, "max_total_tokens": None, "max_cost": None}
    json.dumps(told, allow_nan=False)
    assert (boilers.root / "workbench.db").read_bytes() == before
    with boilers.store.read() as connection:
        assert count_candidates(connection).generated == 0


def test_the_guess_holds_what_a_run_takes_and_a_run_makes_it_narrow(boilers: Workspace) -> None:
    with LLMServer() as server:
        plan = plan_for(server.base_url, documents=12, concurrency=3)
        before = estimate(boilers, plan, environment={})["tokens"]
        took = synth(boilers, plan, key=None)
        after = estimate(boilers, plan, environment={})
    tokens = after["tokens"]
    assert before["measured"] == 0
    assert before["low"] <= took["tokens"] <= before["high"]
    assert before["input"] == pytest.approx(took["tokens_in"], rel=0.1)
    assert tokens["measured"] == 1
    assert tokens["total"] == pytest.approx(took["tokens"], rel=0.02)
    assert tokens["high"] - tokens["low"] == pytest.approx(0.2 * tokens["total"], rel=0.02)
    assert after["seconds_measured"]
    assert after["seconds"] < 12


def test_cost_has_a_range_in_the_currency_of_the_table(boilers: Workspace) -> None:
    file = boilers.root / SETTINGS_FILE
    table = '\n[prices."test-model"]\ninput = 2.0\noutput = 8.0\ncurrency = "EUR"\n'
    file.write_text(file.read_text("utf-8") + table, "utf-8")
    with open_workspace(boilers.root) as workspace:
        plan = plan_for(NOWHERE, documents=3, max_cost=1e-6, max_calls=2, max_total_tokens=10)
        told = estimate(workspace, plan, environment={"OPENAI_API_KEY": "sk-x"})
    cost, tokens = told["cost"], told["tokens"]
    assert cost["currency"] == "EUR"
    assert cost["value"] == pytest.approx((2 * tokens["input"] + 8 * tokens["output"]) / 1e6)
    assert cost["low"] < cost["value"] < cost["high"]
    assert told["key_found"]
    assert len([one for one in told["warnings"] if "limit of" in one]) == 3


def test_a_changed_plan_or_document_changes_the_digest(boilers: Workspace) -> None:
    def digest(**more: object) -> str:
        return str(estimate(boilers, plan_for(NOWHERE, **more), environment={})["digest"])

    first = digest(documents=2)
    assert digest(documents=2) == first
    assert digest(documents=2, max_calls=1, concurrency=3) == first
    others = [digest(documents=2, **more) for more in ({"temperature": 0.1}, {"per_call": 2})]
    assert len({first, *others}) == 3


def test_a_field_that_no_document_has_leaves_nothing_to_ask_for(boilers: Workspace) -> None:
    with pytest.raises(BuilderError, match="colour"):
        estimate(boilers, plan_for(NOWHERE, by="field:colour"), environment={})


def test_scripts_have_tokens_of_their_own() -> None:
    # Measured with SmolLM2: 3.5 to 4.6 characters a token in English, 1.9 tokens a character in
    # Japanese. The marks around a message are 6 likely.
    assert guess_prompt(["abcd" * 100]).likely == 100 + 6
    assert guess_prompt(["\u3042" * 100]).likely == pytest.approx(190 + 6)
    assert guess_prompt(["\u0434" * 100]).likely == 50 + 6
    assert guess_prompt(["abcd\u3042"]).likely == pytest.approx(1 + 1.9 + 6)
    # 551 tokens in 25 answers of one query each.
    assert guess_answer(1, 256).likely == pytest.approx(551 / 25, abs=0.1)
    assert guess_answer(20, 64).high == 64


@given(st.lists(st.text(), max_size=4), st.integers(1, 20), st.integers(32, 500))
def test_a_guess_is_a_range(texts: list[str], queries: int, max_tokens: int) -> None:
    for guess in (guess_prompt(texts), guess_answer(queries, max_tokens)):
        assert 0 <= guess.low <= guess.likely <= guess.high
    assert guess_answer(queries, max_tokens).high <= max_tokens
