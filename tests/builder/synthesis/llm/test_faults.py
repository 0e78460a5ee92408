"""Every fault of a server has its name, took one request, and lost nothing of what was said."""

import pytest

from builder.synthesis.llm import LLMClient, Reply
from builder.synthesis.llm.records import OUTCOMES
from tests.builder.synthesis.llm.asked import KEY, QUESTION, endpoint_at, replies_to, reply_to
from tests.llm_faults import KINDS
from tests.llm_server import Fault, LLMServer

# kind of fault -> (outcome, HTTP status, a part of the message)
NAMES: dict[str, tuple[str, int, str]] = {
    "rate_limited": ("rate_limited", 429, "Rate limit reached"),
    "quota": ("quota", 429, "exceeded your current quota"),
    "gemini_per_minute": ("rate_limited", 429, "exceeded your current quota"),
    "gemini_nested": ("rate_limited", 429, "(HTTP 429): You exceeded your current quota"),
    "gemini_in_words": ("rate_limited", 429, "Please retry in 26.3s"),
    "gemini_spent": ("quota", 429, "exceeded your current quota"),
    "no_balance": ("quota", 402, "Insufficient Balance"),
    "too_large_for_rate": ("context_overflow", 429, "Request too large"),
    "server_error": ("server", 500, "had an error"),
    "overloaded": ("server", 503, "overloaded"),
    "bad_gateway": ("server", 502, "502 Bad Gateway"),
    "gateway_timeout": ("timeout", 504, "upstream request timeout"),
    "cut": ("server", 200, "The connection broke"),
    "html": ("server", 200, "no JSON: Welcome to nginx"),
    "broken_body": ("server", 200, "no JSON"),
    "error_object": ("server", 200, "Upstream failed"),
    "error_object_429": ("rate_limited", 200, "Rate limited upstream"),
    "no_choices": ("server", 200, "without a choice"),
    "empty_choices": ("server", 200, "without a choice"),
    "empty": ("empty", 200, "wrote nothing"),
    "null_content": ("empty", 200, "wrote nothing"),
    "refusal": ("refused", 200, "cannot help"),
    "content_filter": ("refused", 200, "filter"),
    "prompt_filtered": ("refused", 400, "content management policy"),
    "truncated": ("truncated", 200, "64 tokens"),
    "bad_json": ("bad_json", 200, "no whole JSON object"),
    "not_schema": ("bad_json", 200, "lacks queries"),
    "too_many": ("bad_json", 200, "40, at most 2"),
    "fenced": ("ok", 200, ""),
    "thinking": ("ok", 200, ""),
    "no_finish": ("ok", 200, ""),
    "no_usage": ("ok", 200, ""),
    "unsupported_400": ("unsupported", 400, "response_format"),
    "unsupported_500": ("unsupported", 500, "response_format"),
    "overflow_llama_cpp": ("context_overflow", 400, "9035"),
    "overflow_llama_server": ("context_overflow", 400, "available context size"),
    "overflow_openai": ("context_overflow", 400, "9035"),
    "overflow_vllm": ("context_overflow", 400, "9035"),
    "overflow_vllm_decoder": ("context_overflow", 400, "maximum model length"),
    "unauthorized": ("rejected", 401, "refused the key"),
    "no_model": ("rejected", 404, "does not exist"),
    "no_route": ("rejected", 404, "Not Found"),
    "bad_parameter": ("rejected", 400, "temperature"),
    "no_seed": ("server", 422, "does not take seed"),
    "no_max_tokens": ("server", 400, "does not take max_tokens"),
    "redirect": ("rejected", 307, "/v2/elsewhere"),
}


def test_every_fault_of_the_server_has_a_name_here() -> None:
    assert set(NAMES) == set(KINDS)
    # Of a server that is not there nothing comes that could be scripted.
    assert {outcome for outcome, _, _ in NAMES.values()} == set(OUTCOMES) - {"unreachable"}


@pytest.fixture(scope="module")
def replies() -> dict[str, Reply]:
    faults = [Fault(kind) for kind in NAMES]
    return dict(zip(NAMES, replies_to(*faults), strict=True))


@pytest.mark.parametrize("kind", NAMES)
def test_a_fault_is_named_and_nothing_lost(kind: str, replies: dict[str, Reply]) -> None:
    reply = replies[kind]
    outcome, status, words = NAMES[kind]
    assert (reply.outcome, reply.status) == (outcome, status)
    assert words in reply.message
    assert (reply.payload is None) == (outcome != "ok") == bool(reply.message)


@pytest.mark.parametrize("kind", ["truncated", "bad_json", "not_schema", "content_filter", "empty"])
def test_what_was_paid_for_is_counted_though_it_is_no_good(
    kind: str, replies: dict[str, Reply]
) -> None:
    reply = replies[kind]
    assert reply.prompt_tokens
    assert reply.completion_tokens is not None
    assert reply.cached_tokens == 0
    assert reply.model_served == "test-model-0001"
    assert reply.finish_reason


def test_what_a_model_wrote_and_a_server_said_stands_in_the_reply(
    replies: dict[str, Reply],
) -> None:
    assert replies["bad_json"].text == '{"queries": ["where is it",]'
    assert replies["truncated"].text.startswith('{"queries": ["')
    assert replies["refusal"].text == "I'm sorry, I cannot help with that."
    assert replies["html"].text.startswith("<!doctype html>")
    assert replies["broken_body"].text.endswith('"choices": [{"mess')
    assert replies["cut"].text.startswith('{"id": "chatcmpl-test"')
    assert replies["no_usage"].prompt_tokens is None
    assert replies["no_finish"].finish_reason is None


@pytest.mark.parametrize(
    ("fault", "seconds"),
    [
        (Fault("rate_limited", retry_after="3"), 3.0),
        (Fault("rate_limited", retry_after="3600"), 3600.0),
        (Fault("rate_limited", retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), 0.0),
        (Fault("rate_limited", retry_after="soon"), None),
        (Fault("rate_limited"), None),
        (Fault("overloaded", retry_after="2"), 2.0),
        (Fault("gemini_per_minute"), 26.0),
        (Fault("gemini_per_minute", retry_after="5"), 5.0),
        (Fault("gemini_nested"), 26.0),
        (Fault("gemini_in_words"), 26.3),
    ],
)
def test_a_server_says_how_long_to_wait(fault: Fault, seconds: float | None) -> None:
    reply = reply_to(fault)
    assert (reply.outcome, reply.retry_after) == ("rate_limited", seconds)


@pytest.mark.parametrize("kind", ["hang", "drip"])
def test_no_answer_in_time_is_a_timeout(kind: str) -> None:
    with LLMServer([Fault(kind)]) as server:
        with LLMClient(endpoint_at(server.base_url, timeout=0.15), KEY) as client:
            reply = client.send(QUESTION, "plain")
        assert len(server.requests) == 1
    assert reply.outcome == "timeout"
    assert 150 <= reply.milliseconds < 5000


def test_a_request_that_was_dropped_may_have_been_read_one_without_connection_not() -> None:
    with (
        LLMServer([Fault("dropped")]) as server,
        LLMClient(endpoint_at(server.base_url), KEY) as client,
    ):
        dropped = client.send(QUESTION, "plain")
        server.close()
        refused = client.send(QUESTION, "plain")
    assert (dropped.outcome, dropped.status) == ("server", None)
    assert (refused.outcome, refused.status) == ("unreachable", None)
    assert "refused" in refused.message


@pytest.mark.parametrize("address", ["https://127.0.0.1:{port}/v1", "http://no.such.invalid/v1"])
def test_without_tls_or_a_name_nothing_is_sent(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    with LLMServer() as server:
        port = server.base_url.split(":")[2].removesuffix("/v1")
        with LLMClient(endpoint_at(address.format(port=port)), KEY) as client:
            reply = client.send(QUESTION, "plain")
        assert server.requests == []
    assert (reply.outcome, reply.prompt_tokens) == ("unreachable", None)


@pytest.mark.parametrize(
    ("key", "variable", "said"),
    [
        (None, "SHOP_KEY", "No key was sent: the environment variable SHOP_KEY is empty."),
        (None, "", "No key was sent: key_variable under [llm] names no variable."),
        (KEY, "SHOP_KEY", "The server refused the key"),
    ],
)
def test_a_key_that_lacks_does_not_pass_for_a_wrong_one(
    key: str | None, variable: str, said: str
) -> None:
    with (
        LLMServer([Fault("unauthorized")]) as server,
        LLMClient(endpoint_at(server.base_url), key, variable) as client,
    ):
        reply = client.send(QUESTION, "plain")
    assert reply.message.startswith(said)


@pytest.mark.parametrize("kind", ["unsupported_400", "unsupported_500"])
def test_what_plain_does_not_ask_for_cannot_be_unsupported(kind: str) -> None:
    assert reply_to(Fault(kind), rung="plain").outcome in {"rejected", "server"}
