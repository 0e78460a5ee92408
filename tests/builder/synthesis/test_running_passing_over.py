"""What does not fit a limit is passed over; what was not sent counts as never asked."""

import pytest

from builder.store.documents import insert_documents
from builder.store.synthesis_sources import documents_in_use
from builder.synthesis.documents import choose_documents
from builder.synthesis.estimate import estimate
from builder.synthesis.running import resume_synthesis, synth
from builder.synthesis.syntheses import calls_of
from builder.workspace import Workspace
from evals.records import EvalsError
from tests.builder.synthesis.runs import document, plan_for
from tests.llm_server import LLMServer

NOWHERE = "http://127.0.0.1:9/v1"


def needed(workspace: Workspace, base_url: str = NOWHERE) -> int:
    """Tokens that one of the short documents is reserved with, as the refusal tells."""
    told = estimate(workspace, plan_for(base_url, max_total_tokens=1), environment={})
    return int(told["warnings"][-1].split()[-2].replace(",", ""))


def test_only_documents_that_were_sent_were_asked(boilers: Workspace) -> None:
    with LLMServer() as server:
        plan = plan_for(server.base_url, documents=12, max_calls=3)
        told = synth(boilers, plan, key=None)
    sent = {call["doc_id"] for call in calls_of(boilers, told["synthesis_id"])}
    assert len(sent) == 3
    with boilers.store.read() as connection:
        assert documents_in_use(connection) == sent
    chosen = choose_documents(boilers, plan_for(NOWHERE, documents=10))
    assert {doc_id for doc_id, _ in chosen.documents[:9]}.isdisjoint(sent)
    assert chosen.warnings == (
        "Documents that were asked for queries before are asked again (1 of them).",
    )


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_long_document_is_passed_over_while_short_ones_fit(
    boilers: Workspace, concurrency: int
) -> None:
    # By its random number it is the first of all.
    with boilers.store.write() as connection:
        insert_documents(connection, [document(18, words=900)])
    # The short ones take some 300 tokens each, and are reserved with up to 2,100 or so.
    limit = 12 * 300 + 2_300
    with LLMServer() as server:
        plan = plan_for(
            server.base_url, documents=13, concurrency=concurrency, max_total_tokens=limit
        )
        told = synth(boilers, plan, key=None)
    assert told["tokens"] <= limit
    asked = {call["doc_id"] for call in calls_of(boilers, told["synthesis_id"])}
    assert asked == {document(n).doc_id for n in range(12)}
    assert (told["stopped"], told["waiting"]) == ("cap_tokens", 1)
    assert told["message"] == "The limit of 5,900 tokens is reached; a further call might pass it."


def test_a_limit_that_allows_no_call_is_told_before_and_after(boilers: Workspace) -> None:
    least = needed(boilers)
    with LLMServer() as server:
        plan = plan_for(server.base_url, documents=12, max_total_tokens=least - 1)
        expected = estimate(boilers, plan, environment={})["warnings"]
        told = synth(boilers, plan, key=None)
        again = resume_synthesis(boilers, told["synthesis_id"], key=None)
        assert server.requests == []
        one = estimate(boilers, plan_for(server.base_url, max_total_tokens=least), environment={})[
            "warnings"
        ]
        assert synth(boilers, plan_for(server.base_url, max_total_tokens=least), key=None)["sent"]
    said = f"The limit of {least - 1:,} tokens allows no call: one needs up to {least:,} tokens."
    assert expected == [said]
    assert (told["stopped"], told["sent"], again["sent"]) == ("cap_tokens", 0, 0)
    assert told["warnings"] == [
        f"The limit allows no call: one needs up to {least:,} tokens, besides what is spent."
    ]
    assert one[-1].endswith("may end the run early; it surely allows 1 call.")


@pytest.mark.parametrize("name", ["./nope", "none such"])
def test_an_unknown_search_is_refused_before_anything_is_sent(
    boilers: Workspace, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with LLMServer() as server:
        plan = plan_for(server.base_url, documents=2, retrievers=("bm25", name))
        with pytest.raises(EvalsError, match=r"no (such model folder|model 'none such')"):
            estimate(boilers, plan, environment={})
        with pytest.raises(EvalsError, match=r"no (such model folder|model 'none such')"):
            synth(boilers, plan, key=None)
        assert server.requests == []
