"""What can be wrong with a language model's server, as such servers answer it.

Wordings marked [measured] were seen from the server named, those marked [reported] stand in public
threads of its users, cut short here; the others are what we believe such servers say.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

HTML = "<!doctype html><html><body><h1>Welcome to nginx</h1></body></html>"


@dataclass(frozen=True)
class Fault:
    """One fault, by its kind: a key of `KINDS`, or "hang" (no answer until the server closes),
    "drip" (an answer that never ends), "dropped" (the connection is closed without an answer).

    Attributes:
        kind: Which.
        retry_after: The header of that name, as it is sent: seconds, or a date.
        text: What the model writes, or the message of the error, in place of the usual.
    """

    kind: str
    retry_after: str | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS and self.kind not in {"hang", "drip", "dropped"}:
            raise ValueError(f"{self.kind!r} is no fault; there are {', '.join(sorted(KINDS))}")


@dataclass(frozen=True)
class Prepared:
    """An answer as it goes out; `missing_bytes` are promised and never sent."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    missing_bytes: int = 0


@dataclass(frozen=True)
class _Exchange:
    fault: Fault
    body: Mapping[str, Any]
    content: str

    @property
    def headers(self) -> dict[str, str]:
        after = self.fault.retry_after
        return {} if after is None else {"Retry-After": after}

    def says(self, usual: str) -> str:
        return usual if self.fault.text is None else self.fault.text


def completion(
    body: Mapping[str, Any], content: str | None, finish: str | None = "stop", **message: Any
) -> dict[str, Any]:
    """A completion as OpenAI words it; a token is taken for four characters."""
    asked = sum(math.ceil(len(m["content"]) / 4) for m in body["messages"])
    written = math.ceil(len(content or "") / 4)
    usage = {"prompt_tokens": asked, "completion_tokens": written, "total_tokens": asked + written}
    usage_details = {"prompt_tokens_details": {"cached_tokens": 0}}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish,
    }
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 1_796_000_000,
        "model": f"{body['model']}-0001",
        "choices": [choice],
        "usage": {**usage, **usage_details},
    }


def prepared(fault: Fault | None, body: Mapping[str, Any], content: str) -> Prepared:
    """What goes out: the completion with this content, or what the fault makes of it."""
    if fault is None:
        return Prepared(200, json.dumps(completion(body, content)))
    return KINDS[fault.kind](_Exchange(fault, body, content))


_Kind = Callable[[_Exchange], Prepared]


def _error(status: int, message: str, *, code: Any = None, kind: str | None = None) -> _Kind:
    """OpenAI's form of an error; most compatible servers share it."""

    def answer(exchange: _Exchange) -> Prepared:
        error = {"message": exchange.says(message), "type": kind, "param": None, "code": code}
        return Prepared(status, json.dumps({"error": error}), exchange.headers)

    return answer


def _writes(
    text: str | None, *, finish: str | None = "stop", message: Mapping[str, Any] | None = None
) -> _Kind:
    """A completion with this text; {content} stands for what would have been written."""

    def answer(exchange: _Exchange) -> Prepared:
        written = exchange.says(text) if text is not None else exchange.fault.text
        if written is not None:
            written = written.replace("{content}", exchange.content)
        return Prepared(
            200, json.dumps(completion(exchange.body, written, finish, **(message or {})))
        )

    return answer


def _raw(status: int, body: str, *, content_type: str = "application/json") -> _Kind:
    return lambda exchange: Prepared(
        status, exchange.says(body), exchange.headers, content_type=content_type
    )


def _changed(change: Callable[[dict[str, Any]], dict[str, Any]]) -> _Kind:
    return lambda exchange: Prepared(
        200, json.dumps(change(completion(exchange.body, exchange.content)))
    )


def _cut(exchange: _Exchange) -> Prepared:
    whole = json.dumps(completion(exchange.body, exchange.content))
    half = len(whole) // 2
    return Prepared(200, whole[:half], missing_bytes=len(whole) - half)


def _truncated(exchange: _Exchange) -> Prepared:
    half = exchange.content[: len(exchange.content) // 2]
    return Prepared(200, json.dumps(completion(exchange.body, half, "length")))


_UNKNOWN_FORM = (
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."
)
_POOL_FORM = (
    "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': "
    "\"Input should be 'text' or 'json_object'\", 'input': 'json_schema'}]"
)
_RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "26s"}


def _gemini(more: str = "", **beside: Any) -> dict[str, Any]:
    said = "You exceeded your current quota, please check your plan and billing details."
    error = {"code": 429, "message": said + more, "status": "RESOURCE_EXHAUSTED"}
    return {"error": error | beside}


_TOO_LONG = "This model's maximum context length is 4096 tokens. However, "

KINDS: dict[str, _Kind] = {
    # Too fast, and out of money: both 429 at OpenAI [reported]. DeepSeek answers 402 [reported].
    "rate_limited": _error(
        429, "Rate limit reached for requests per min.", code="rate_limit_exceeded", kind="requests"
    ),
    "quota": _error(
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        code="insufficient_quota",
        kind="insufficient_quota",
    ),
    # Gemini says of requests per minute what OpenAI says of money, and when to come back only in
    # the body: in details, in words, or all of it as JSON in the words of an error [reported].
    "gemini_per_minute": _raw(429, json.dumps([_gemini(details=[_RETRY_INFO])])),
    "gemini_nested": _raw(
        429,
        json.dumps(
            {
                "error": {
                    "message": json.dumps(_gemini(details=[_RETRY_INFO]), indent=2),
                    "code": 429,
                    "status": "Too Many Requests",
                }
            }
        ),
    ),
    "gemini_in_words": _raw(429, json.dumps([_gemini(" Please retry in 26.3s.")])),
    "gemini_spent": _raw(429, json.dumps([_gemini()])),
    "no_balance": _error(402, "Insufficient Balance", kind="unknown_error"),
    "too_large_for_rate": _error(
        429,
        "Request too large for gpt-4o in organization on tokens per min (TPM): Limit 30000, "
        "Requested 41000. The input or output tokens must be reduced.",
        code="rate_limit_exceeded",
        kind="tokens",
    ),
    # The server, and the way there.
    "server_error": _error(500, "The server had an error.", kind="server_error"),
    "overloaded": _error(503, "The model is overloaded.", kind="server_error"),
    "bad_gateway": _raw(502, "<html><h1>502 Bad Gateway</h1></html>", content_type="text/html"),
    "gateway_timeout": _raw(504, "upstream request timeout", content_type="text/plain"),
    "cut": _cut,
    "html": _raw(200, HTML, content_type="text/html"),
    "broken_body": _raw(200, '{"id": "chatcmpl-test", "choices": [{"mess'),
    "error_object": _raw(
        200, '{"error": {"message": "Upstream failed", "type": "server_error", "code": null}}'
    ),
    "error_object_429": _raw(200, '{"error": {"message": "Rate limited upstream", "code": 429}}'),
    "no_choices": _changed(lambda answer: answer | {"choices": None}),
    "empty_choices": _changed(lambda answer: answer | {"choices": []}),
    # What the model writes.
    "empty": _writes(""),
    "null_content": _writes(None),
    "refusal": _writes(None, message={"refusal": "I'm sorry, I cannot help with that."}),
    "content_filter": _writes("", finish="content_filter"),
    "prompt_filtered": _error(
        400,
        "The response was filtered due to the prompt triggering the content management policy.",
        code="content_filter",
    ),
    "truncated": _truncated,
    "bad_json": _writes('{"queries": ["where is it",]'),
    "not_schema": _writes('{"question": "where is it", "answer": "here"}'),
    "too_many": _writes(json.dumps({"queries": [f"query {n}" for n in range(40)]})),
    "fenced": _writes("Sure, here it is:\n```json\n{content}\n```\nDo you want more?"),
    "thinking": _writes('<think>They want {"queries": []}?</think>\n{content}'),
    "no_finish": _writes("{content}", finish=None),
    "no_usage": _changed(lambda answer: answer | {"usage": None}),
    # The form of answer is unknown: 400 by OpenAI, 500 by llama_cpp.server [measured].
    "unsupported_400": _error(
        400, _UNKNOWN_FORM, code="unsupported_value", kind="invalid_request_error"
    ),
    "unsupported_500": _error(500, _POOL_FORM, kind="internal_server_error"),
    # The passage is too long: llama_cpp.server [measured]; llama-server, OpenAI, vLLM [reported].
    "overflow_llama_cpp": _error(
        400,
        f"{_TOO_LONG}you requested 9035 tokens (9019 in the messages, 16 in the completion). "
        "Please reduce the length of the messages or completion.",
        code="context_length_exceeded",
        kind="invalid_request_error",
    ),
    "overflow_llama_server": _error(
        400,
        "the request exceeds the available context size, try increasing it",
        code=400,
        kind="exceed_context_size_error",
    ),
    "overflow_openai": _error(
        400,
        f"{_TOO_LONG}your messages resulted in 9035 tokens. Please reduce the length of the "
        "messages.",
        code="context_length_exceeded",
        kind="invalid_request_error",
    ),
    "overflow_vllm": _raw(
        400,
        json.dumps(
            {
                "object": "error",
                "message": f"{_TOO_LONG}you requested 9291 tokens (9035 in the messages, 256 in "
                "the completion). Please reduce the length of the messages or completion.",
                "type": "BadRequestError",
                "param": None,
                "code": 400,
            }
        ),
    ),
    "overflow_vllm_decoder": _error(
        400,
        "The decoder prompt (length 9035) is longer than the maximum model length of 4096. Make "
        "sure that `max_model_len` is no smaller than the number of text tokens.",
        code=400,
        kind="BadRequestError",
    ),
    # What would fail again in the same way.
    "unauthorized": _error(
        401,
        "Incorrect API key provided: sk-te**********cret.",
        code="invalid_api_key",
        kind="invalid_request_error",
    ),
    "no_model": _error(
        404,
        "The model `test-model` does not exist or you do not have access to it.",
        code="model_not_found",
        kind="invalid_request_error",
    ),
    "no_route": _raw(404, '{"detail": "Not Found"}'),
    "bad_parameter": _error(
        400, "Unsupported value: 'temperature' does not support 0.7.", code="unsupported_value"
    ),
    # Parameters that we can do without: Mistral, and gateways to OpenAI's reasoning models
    # [reported; Mistral of other parameters than seed].
    "no_seed": _raw(
        422,
        '{"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", '
        '"seed"], "msg": "Extra inputs are not permitted", "input": 7}]}, "type": "invalid"}',
    ),
    "no_max_tokens": _error(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
        "'max_completion_tokens' instead.",
        code="unsupported_parameter",
        kind="invalid_request_error",
    ),
    "redirect": lambda exchange: Prepared(307, "", {"Location": exchange.says("/v2/elsewhere")}),
}
