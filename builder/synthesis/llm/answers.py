"""From what came back to a reply: the outcome, its reason, and all that was said of it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from builder.synthesis.llm.errors import ServerError, error_in, name_error
from builder.synthesis.llm.extraction import find_answer, read_json
from builder.synthesis.llm.records import Reply, Request
from builder.synthesis.llm.redaction import Redactor
from builder.synthesis.llm.waits import wait_named

LONGEST_TEXT = 100_000
"""Characters of an answer that are kept: a page of HTML may be far longer."""
_MOST_TOKENS = 10**9
_SAID = {
    401: "The server refused the key",
    403: "The server refused access",
    404: "The server knows no such model or address",
}
_TAGS = re.compile(r"<(script|style).*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Arrived:
    """What came over the wire.

    Attributes:
        status: None where no answer came.
        headers: By their name in small letters.
        body: As text, as far as it came.
        fault: "" where it came whole, else "timeout", "connection" or "unreachable".
        cause: What the fault was.
        milliseconds: How long it took.
    """

    status: int | None
    headers: Mapping[str, str]
    body: str
    fault: str
    cause: str
    milliseconds: int


@dataclass(frozen=True, slots=True)
class _Finding:
    outcome: str
    message: str = ""
    text: str | None = None
    payload: dict[str, Any] | None = None
    finish_reason: str | None = None
    wait: float | None = None


def reply_of(arrived: Arrived, request: Request, rung: str, redactor: Redactor) -> Reply:
    """The reply: nothing that came is dropped, and no key is left in it."""
    body = _json_or_none(arrived.body)
    found = _finding(arrived, body, request, rung)
    completion = body if isinstance(body, dict) else {}
    usage = completion.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("prompt_tokens_details")
    named = wait_named(arrived.headers)
    return Reply(
        outcome=found.outcome,
        payload=None if found.payload is None else redactor.values(found.payload),
        text=redactor.text(arrived.body if found.text is None else found.text)[:LONGEST_TEXT],
        message=redactor.message(found.message),
        status=arrived.status,
        finish_reason=_name(found.finish_reason, 32, redactor),
        model_served=_name(completion.get("model"), 200, redactor),
        prompt_tokens=_tokens(usage.get("prompt_tokens")),
        completion_tokens=_tokens(usage.get("completion_tokens")),
        cached_tokens=_tokens(details.get("cached_tokens") if isinstance(details, dict) else None),
        retry_after=found.wait if named is None else named,
        milliseconds=arrived.milliseconds,
    )


def _finding(arrived: Arrived, body: Any, request: Request, rung: str) -> _Finding:
    broken = _broken(arrived) or _error(arrived, body, rung)
    if broken is not None:
        return broken
    if not isinstance(body, dict):
        what = _plain(arrived.body) or "an empty body"
        return _Finding("server", f"The server answered {arrived.status} and no JSON: {what}")
    choice = _choice(body)
    if choice is None:
        return _Finding("server", "The server answered without a choice (choices is empty)")
    return _written(choice, request)


def _broken(arrived: Arrived) -> _Finding | None:
    if arrived.fault == "timeout":
        return _Finding("timeout", f"No whole answer in time: {arrived.cause}")
    if arrived.fault == "unreachable":
        return _Finding("unreachable", f"No connection to the server: {arrived.cause}")
    if arrived.fault or arrived.status is None:
        how = "The connection broke" if arrived.status else "The server broke off unanswered"
        return _Finding("server", f"{how}: {arrived.cause}")
    return None


def _error(arrived: Arrived, body: Any, rung: str) -> _Finding | None:
    error = error_in(body)
    if (arrived.status or 0) >= 300:
        return _failed(arrived, error or ServerError(_plain(arrived.body), frozenset()), rung)
    if error is not None and _choice(body) is None:
        return _failed(arrived, error, rung)
    return None


def _failed(arrived: Arrived, error: ServerError, rung: str) -> _Finding:
    status = arrived.status or 0
    # Some gateways are believed to answer 200 and put the status that they mean into the body.
    meant = status if status >= 300 else error.status or 500
    asks_to_wait = wait_named(arrived.headers) is not None or error.wait is not None
    outcome = name_error(meant, error, rung, asks_to_wait=asks_to_wait)
    if status < 300 and outcome in {"rejected", "unsupported"}:
        outcome = "server"
    said = _SAID.get(status, "The server answered with an error")
    where = arrived.headers.get("location")
    words = f"it sends elsewhere, to {where}" if status < 400 and where else error.message
    said = f"{said} (HTTP {status}): {words}"
    return _Finding(outcome, said, text=error.written or None, wait=error.wait)


def _written(choice: Mapping[str, Any], request: Request) -> _Finding:
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    finish = choice.get("finish_reason")
    finish = finish if isinstance(finish, str) else None
    text, refusal = _content(message.get("content")), message.get("refusal")
    if refusal:
        return _Finding("refused", f"The model refuses: {refusal}", str(refusal), None, finish)
    unfinished = _unfinished(choice, finish, request.max_tokens)
    if unfinished is not None:
        return _Finding(*unfinished, text, None, finish)
    if not text.strip():
        return _Finding("empty", "The model wrote nothing", text, None, finish)
    found = find_answer(text, request.schema)
    if found.payload is None:
        why_not = f"The answer is not of the form asked for: {found.reason}"
        return _Finding("bad_json", why_not, text, None, finish)
    return _Finding("ok", "", text, found.payload, finish)


def _unfinished(
    choice: Mapping[str, Any], finish: str | None, max_tokens: int
) -> tuple[str, str] | None:
    if finish == "content_filter":
        return "refused", "A filter of the server withheld the answer"
    if finish == "length":
        return "truncated", f"The answer ended at {max_tokens} tokens, before it was whole"
    if finish == "error" or choice.get("error"):
        error = error_in(choice)
        return "server", f"The server broke off: {error.message if error else 'it says no more'}"
    return None


def _choice(body: Any) -> Mapping[str, Any] | None:
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def _content(content: Any) -> str:
    if isinstance(content, list):
        # Parts, as users report them of Mistral's models that think first.
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _plain(body: str) -> str:
    return " ".join(_TAGS.sub(" ", body[:4000]).split())[:200]


def _json_or_none(body: str) -> Any:
    try:
        return read_json(body)
    except ValueError:
        return None


def _name(value: Any, longest: int, redactor: Redactor) -> str | None:
    return redactor.message(value)[:longest] if isinstance(value, str) and value else None


def _tokens(value: Any) -> int | None:
    # A number that no request can have is no number: it would be paid for in the estimate.
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value <= _MOST_TOKENS else None
