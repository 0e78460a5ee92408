"""What a server's error means, by its status, its code, and where need be its words.

Compatible servers share OpenAI's form of an error and hardly any of its codes, so the words decide
what the codes leave open. The server beside a wording is one whose users reported it in public
threads; measured are those of llama_cpp.server, and some are only believed, as is said there.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from builder.synthesis.llm.extraction import read_json
from builder.synthesis.llm.waits import wait_in

_QUOTA_CODES = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
_QUOTA = re.compile(
    r"insufficient[ _](?:quota|balance|credits?|funds)"  # DeepSeek, OpenRouter
    r"|exceeded your current quota"  # OpenAI; Gemini also of requests per minute
    r"|credit balance is too low"  # Anthropic
    r"|billing[ _]hard[ _]limit",  # believed
    re.IGNORECASE,
)
_OVERFLOW_CODES = {
    "context_length_exceeded",
    "exceed_context_size_error",
    "string_above_max_length",
}
_OVERFLOW = re.compile(
    r"maximum context length"  # OpenAI, vLLM, DeepSeek; llama_cpp.server, measured
    r"|maximum model length|max_model_len"  # vLLM
    r"|available context size|exceeds? the (?:model's )?context"  # llama-server
    r"|context (?:length|window|size) (?:of|exceeded|is too)"  # believed, as the next one
    r"|exceeds?.{0,20}context.{0,10}(?:length|window)"
    r"|context (?:the )?overflow"  # LM Studio
    r"|(?:prompt|input|message)s? (?:is|are) too long"  # Anthropic
    r"|input token count.{0,40}exceeds"  # Gemini
    # text-generation-inference, both
    r"|`?inputs`? tokens? \+ `?max_new_tokens`? must be|must have less than \d+ tokens"
    r"|request too large for",  # OpenAI, Groq: larger than a whole minute's tokens
    re.IGNORECASE,
)
_FILTER_CODES = {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
_FORM = re.compile(
    r"response_format|json[ _]schema|json_object|json mode|structured output|guided|grammar",
    re.IGNORECASE,
)
_WRONG_FORM = {400, 404, 405, 415, 422, 500, 501}
"""llama_cpp.server sends what its own check of the request found as 500 (measured)."""
_TOO_FAST = {429, 529}
_TIMEOUTS = {408, 504, 524}
_LATER = {409, 425}


@dataclass(frozen=True, slots=True)
class ServerError:
    """What a server says went wrong, all of it untrusted.

    Attributes:
        message: Its words; "" where it has none.
        code: Its code and type, in small letters.
        status: The status that its code is, where the body names one; None elsewhere.
        written: What the model had written, where the server tells (Groq, reported by users).
        wait: Seconds that it says to wait; None where it does not.
    """

    message: str
    code: frozenset[str]
    status: int | None = None
    written: str = ""
    wait: float | None = None


def error_in(body: Any) -> ServerError | None:
    """The error in a parsed body, or None where it holds none.

    Forms: {"error": {"message", "type", "code"}} of OpenAI; {"error": "…"} of Ollama; {"object":
    "error", "message"} of older vLLM; {"detail": …} of FastAPI; {"message"} of Mistral; a list of
    one of them, or one of them as JSON in the words of another, by Gemini.
    """
    # A loop, for a hostile body may hold more lists in each other than Python calls functions.
    while isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, Mapping):
        return None
    inner = body.get("error")
    if isinstance(inner, Mapping):
        return _error_of(inner)
    if isinstance(inner, str) and inner:
        return _error_of({"message": inner, "type": body.get("error_type")})
    if body.get("object") == "error" or "detail" in body or "message" in body:
        return _error_of({"message": body.get("detail"), **body})
    return None


def name_error(status: int, error: ServerError, rung: str, *, asks_to_wait: bool = False) -> str:
    """The outcome that this error is.

    Args:
        status: The HTTP status, 300 to 599.
        error: What the body says.
        rung: How the answer was asked for: only what "plain" does not ask can be unsupported.
        asks_to_wait: Whether the answer says when to come back.
    """
    named = _by_words(status, error, asks_to_wait=asks_to_wait)
    if named:
        return named
    if status in _TOO_FAST or (status == 503 and asks_to_wait):
        return "rate_limited"
    if rung != "plain" and status in _WRONG_FORM and _FORM.search(error.message):
        return "unsupported"
    if status in _TIMEOUTS:
        return "timeout"
    return "server" if status >= 500 or status in _LATER else "rejected"


def _by_words(status: int, error: ServerError, *, asks_to_wait: bool) -> str | None:
    # Money that is used up does not come back by waiting: who says how long to wait means a rate.
    spent = _QUOTA.search(error.message) and not asks_to_wait
    if status == 402 or error.code & _QUOTA_CODES or spent:
        return "quota"
    if status == 413 or error.code & _OVERFLOW_CODES or _OVERFLOW.search(error.message):
        return "context_overflow"
    if "json_validate_failed" in error.code:
        return "bad_json"
    return "refused" if status < 500 and error.code & _FILTER_CODES else None


def _error_of(error: Mapping[str, Any]) -> ServerError:
    whole = {**error, **_nested(error.get("message"))}
    code, inner = whole.get("code"), whole.get("innererror")
    names = [code, whole.get("type"), inner.get("code") if isinstance(inner, Mapping) else None]
    named = frozenset(str(name).lower() for name in names if name)
    message, written = whole.get("message"), whole.get("failed_generation")
    return ServerError(
        message="" if message is None else str(message),
        code=named,
        status=code if isinstance(code, int) and 400 <= code <= 599 else None,
        written=written if isinstance(written, str) else "",
        wait=wait_in(whole),
    )


def _nested(message: Any) -> Mapping[str, Any]:
    """The error that stands as JSON in the words of another; empty where none does."""
    if not isinstance(message, str) or not message.lstrip().startswith("{"):
        return {}
    try:
        body = read_json(message)
    except ValueError:
        return {}
    inner = body.get("error") if isinstance(body, Mapping) else None
    return inner if isinstance(inner, Mapping) else {}
