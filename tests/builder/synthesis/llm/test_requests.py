"""What goes over the wire, and where to."""

from dataclasses import replace
from typing import Any

import pytest

from builder.errors import SettingsError
from builder.synthesis.llm import Endpoint, LLMClient
from builder.synthesis.llm.asking import arguments_of
from tests.builder.synthesis.llm.asked import (
    KEY,
    QUESTION,
    SCHEMA,
    endpoint_at,
    replies_to,
)
from tests.llm_server import Fault, LLMServer, Seen


def seen_of(rung: str, key: str | None = KEY) -> Seen:
    with LLMServer() as server, LLMClient(endpoint_at(server.base_url), key) as client:
        assert client.send(QUESTION, rung).outcome == "ok"
        (seen,) = server.requests
    return seen


@pytest.mark.parametrize("rung", ["json_schema", "json_object", "plain"])
def test_each_rung_brings_the_answer_of_the_schema(rung: str) -> None:
    (reply,) = replies_to(None, rung=rung)
    assert reply.outcome == "ok"
    assert reply.payload is not None
    assert list(reply.payload) == ["queries"]
    assert reply.text
    assert reply.model_served == "test-model-0001"


def test_the_form_of_the_answer_is_asked_for_by_the_rung() -> None:
    strict = seen_of("json_schema").body["response_format"]
    assert strict["type"] == "json_schema"
    assert strict["json_schema"]["strict"] is True
    # llama.cpp ends a text at maxLength in the middle of a word, OpenAI refuses both.
    assert strict["json_schema"]["schema"]["properties"]["queries"]["items"] == {"type": "string"}
    loose = seen_of("json_object")
    assert loose.body["response_format"]["type"] == "json_object"
    assert loose.body["response_format"]["schema"]["required"] == ["queries"]
    plain = seen_of("plain")
    assert "response_format" not in plain.body
    for seen in (loose, plain):
        last = seen.body["messages"][-1]["content"]
        assert last.endswith('{"queries": ["…"]}')
        assert "JSON" in last
    assert SCHEMA["required"] == ["queries"]


def test_a_prompt_that_says_the_form_itself_goes_out_as_it_is() -> None:
    said = 'Answer with JSON: {"queries": [...]}'
    request = replace(QUESTION, messages=({"role": "user", "content": said},))
    for rung in ("json_schema", "json_object", "plain"):
        arguments = arguments_of(request, endpoint_at("http://localhost/v1"), rung)
        assert arguments["messages"] == [{"role": "user", "content": said}]


def test_a_conversation_that_ends_with_an_answer_gets_a_last_word() -> None:
    request = replace(QUESTION, messages=({"role": "assistant", "content": "json"},))
    sent = arguments_of(request, endpoint_at("http://localhost/v1"), "plain")["messages"]
    assert [message["role"] for message in sent] == ["assistant", "user"]


def test_limits_and_seed_go_along() -> None:
    body = seen_of("plain").body
    assert (body["model"], body["temperature"], body["seed"]) == ("test-model", 0.7, 7)
    assert body["max_tokens"] == 64
    for at_openai in (Endpoint("", "m"), Endpoint("https://x.openai.azure.com", "m", "2024-10-21")):
        arguments = arguments_of(QUESTION, at_openai, "json_object")
        assert arguments["max_completion_tokens"] == 64
        assert "max_tokens" not in arguments
        assert arguments["response_format"] == {"type": "json_object"}


def test_what_a_server_does_not_take_is_left_out_after_it_said_so() -> None:
    faults = [Fault("no_seed"), None, Fault("no_max_tokens"), None, Fault("no_seed")]
    with LLMServer(faults) as server, LLMClient(endpoint_at(server.base_url), KEY) as client:
        outcomes = [client.send(QUESTION, "plain").outcome for _ in faults]
    # What is said of a parameter that was not sent is a rejection like any other.
    assert outcomes == ["server", "ok", "server", "ok", "rejected"]
    assert "seed" not in server.requests[1].body
    assert server.requests[1].body["max_tokens"] == 64
    assert server.requests[3].body["max_completion_tokens"] == 64
    assert "max_tokens" not in server.requests[3].body


def test_nothing_of_the_environment_goes_to_another_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY"):
        monkeypatch.setenv(name, "of-the-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere.invalid/v1")
    seen = seen_of("plain", key=None)
    assert seen.headers["authorization"] == "Bearer not-needed"
    assert "of-the-environment" not in str(seen.headers)
    with LLMClient(Endpoint("", "gpt"), KEY) as client:
        sdk: Any = client._transport._sdk
        assert str(sdk.base_url) == "https://api.openai.com/v1/"


def test_azure_is_asked_by_deployment_and_version() -> None:
    with LLMServer() as server:
        root = server.base_url.removesuffix("/v1")
        endpoint = Endpoint(root, "my-deployment", "2024-10-21", timeout=5)
        with LLMClient(endpoint, KEY) as client:
            assert client.send(QUESTION, "json_schema").outcome == "ok"
        (seen,) = server.requests
    assert seen.path == (
        "/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21"
    )
    assert seen.headers["api-key"] == KEY


def test_a_redirect_is_not_followed() -> None:
    with LLMServer() as elsewhere:
        (reply,) = replies_to(Fault("redirect", text=f"{elsewhere.base_url}/chat/completions"))
        assert elsewhere.requests == []
    assert reply.outcome == "rejected"
    assert "elsewhere" in reply.message


@pytest.mark.parametrize("key", ["schlüssel-0815", "two words", "line\nend"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(SettingsError) as refused:
        LLMClient(Endpoint("http://localhost:1/v1", "m"), key)
    assert key not in f"{refused.value.message} {refused.value.hint} {refused.value.where}"


def test_openai_itself_wants_a_key() -> None:
    with pytest.raises(SettingsError, match="no API key"):
        LLMClient(Endpoint("", "gpt"), "")


def test_threads_share_a_client() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with LLMServer(delay=0.02) as server, LLMClient(endpoint_at(server.base_url), KEY) as client:
        with ThreadPoolExecutor(4) as threads:
            replies = list(threads.map(lambda _: client.send(QUESTION, "plain"), range(12)))
        assert {reply.outcome for reply in replies} == {"ok"}
        assert server.max_in_flight <= 4
        assert len(server.requests) == 12
