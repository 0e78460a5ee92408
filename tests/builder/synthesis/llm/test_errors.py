"""What servers say is understood; what no server should say breaks nothing."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.synthesis.llm.answers import Arrived, reply_of
from builder.synthesis.llm.errors import error_in, name_error
from builder.synthesis.llm.records import OUTCOMES
from builder.synthesis.llm.redaction import Redactor
from builder.synthesis.llm.waits import wait_in
from tests.builder.synthesis.llm.asked import QUESTION


def said(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


TOO_LONG = "context_overflow"
# (status, body, outcome): wordings of servers that the scripted one does not play.
WORDINGS: list[tuple[int, Any, str]] = [
    (529, {"type": "error", **said("Overloaded", type="overloaded_error")}, "rate_limited"),
    (400, said("Your credit balance is too low to access the API"), "quota"),
    (429, said("Rate limit", type="billing_hard_limit_reached"), "quota"),
    (402, said("More credits are needed", code=402), "quota"),
    (400, {"error": "context length of 2048 exceeded"}, TOO_LONG),
    (400, {"error": "the prompt is too long: 9000 > 8192"}, TOO_LONG),
    (400, said("This endpoint's maximum context length is 8192"), TOO_LONG),
    (413, said("Payload too large"), TOO_LONG),
    (422, {"error": "`inputs` tokens + `max_new_tokens` must be <= 4096."}, TOO_LONG),
    (422, {"error": "`inputs` must have less than 1024 tokens. Given: 1872"}, TOO_LONG),
    (400, [said("The input token count (9000) exceeds the maximum")], TOO_LONG),
    (400, said("This response_format type is unavailable now"), "unsupported"),
    (422, {"detail": [{"loc": ["body", "response_format"], "msg": "Extra"}]}, "unsupported"),
    (400, said("Failed to parse grammar"), "unsupported"),
    (400, said("x", code="json_validate_failed", failed_generation="{a"), "bad_json"),
    (400, said("x", innererror={"code": "ResponsibleAIPolicyViolation"}), "refused"),
    (409, said("conflict"), "server"),
    (408, said("late"), "timeout"),
    (524, "<html>a timeout occurred</html>", "timeout"),
    (403, {"message": "not in your country"}, "rejected"),
    (404, {"error": "model 'llama9' not found"}, "rejected"),
    (400, said("temperature must be below 1"), "rejected"),
    (500, said("CUDA out of memory"), "server"),
]


def arrived(status: int, body: Any, **headers: str) -> Arrived:
    text = body if isinstance(body, str) else json.dumps(body)
    return Arrived(status, headers, text, "", "", 1)


@pytest.mark.parametrize(("status", "body", "outcome"), WORDINGS)
def test_what_servers_say_is_understood(status: int, body: Any, outcome: str) -> None:
    reply = reply_of(arrived(status, body), QUESTION, "json_schema", Redactor(None))
    assert reply.outcome == outcome
    assert reply.message
    if outcome == "bad_json":
        assert reply.text == "{a"


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        ({"details": [{"retryDelay": "0.5s"}, {"retryDelay": "3s"}, "x", {"retryDelay": 9}]}, 3.0),
        ({"details": {"retryDelay": "3s"}, "message": "Please retry in 1h2m3.5s."}, 3723.5),
        ({"details": [{"retryDelay": "soon"}], "message": "retry in 800ms"}, 0.8),
        ({"details": [{"retryDelay": "-1s"}], "message": ["retry in 5s"]}, None),
        ({"message": "Please retry in a while, or retry in " + "9" * 400 + "s"}, None),
    ],
)
def test_an_error_says_how_long_to_wait(error: dict[str, Any], seconds: float | None) -> None:
    waits = wait_in(error)
    assert waits == (None if seconds is None else pytest.approx(seconds))


def test_a_quota_of_a_minute_is_a_rate_and_money_that_is_used_up_is_none() -> None:
    body = {"error": {"message": "You exceeded your current quota", "code": 429}}
    error = error_in(body)
    assert error is not None
    assert name_error(429, error, "plain", asks_to_wait=True) == "rate_limited"
    assert name_error(429, error, "plain") == "quota"
    spent = error_in(said("Retry in 5s", code="insufficient_quota"))
    assert spent is not None
    assert name_error(429, spent, "plain", asks_to_wait=True) == "quota"


def test_an_error_in_a_thousand_lists_is_found() -> None:
    body: Any = said("deep")
    for _ in range(5000):
        body = [body]
    found = error_in(body)
    assert found is not None
    assert found.message == "deep"


NAMES = ["error", "message", "choices", "content", "usage", "prompt_tokens", "refusal", "model"]
NAMES += ["prompt_tokens_details", "cached_tokens", "finish_reason", "code", "type", "detail"]
NAMES += ["text", "innererror", "details", "retryDelay"]
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=8)
    | st.sampled_from(["stop", "length", "\ud800", '{"queries": ["\\ud800\\u0000"]}']),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(NAMES),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)
_CHOICES = st.builds(
    lambda message, more: {"choices": [{"message": message, **more}], **more},
    _JSON | st.dictionaries(st.sampled_from(["content", "refusal"]), _JSON),
    st.dictionaries(st.sampled_from(["finish_reason", "usage", "model", "error"]), _JSON),
)


@settings(max_examples=250, deadline=None)
@given(
    status=st.sampled_from([200, 204, 301, 400, 404, 422, 429, 500, 503]),
    body=_JSON | _CHOICES,
    wait=st.text(max_size=6) | st.sampled_from(["1e999", "-3", "nan", "Wed, 99 Oct 2015"]),
)
def test_no_body_breaks_it_and_every_reply_can_be_stored(status: int, body: Any, wait: str) -> None:
    came = arrived(status, body, **{"retry-after": wait})
    reply = reply_of(came, QUESTION, "json_object", Redactor("sk-0123456789"))
    assert reply.outcome in OUTCOMES
    assert (reply.payload is not None) == (reply.outcome == "ok")
    assert reply.retry_after is None or reply.retry_after >= 0
    for text in (reply.text, reply.message, reply.model_served, reply.finish_reason):
        assert "\x00" not in (text or "")
        (text or "").encode()
    json.dumps(reply.payload, ensure_ascii=False).encode()
    for tokens in (reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens):
        assert tokens is None or (type(tokens) is int and 0 <= tokens <= 10**9)
