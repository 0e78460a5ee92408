"""What is asked of a language model, and what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RUNGS = ("json_schema", "json_object", "plain")
"""How an answer of our form is asked for, the strictest first.

json_schema: the server is to hold the answer to the schema; json_object: to JSON, with the schema
where the server takes one; plain: the words of the request only.
"""

OUTCOMES = (
    "ok",
    "refused",
    "truncated",
    "bad_json",
    "empty",
    "rate_limited",
    "quota",
    "context_overflow",
    "server",
    "unreachable",
    "timeout",
    "unsupported",
    "rejected",
)
"""What can come of a request.

ok: an answer of the form asked for. refused: the model or a filter of the server declined.
truncated: the answer ended at `max_tokens`. bad_json: it is not of the form. empty: no text.
rate_limited: too fast, see `retry_after`. quota: the money or the allowance is used up.
context_overflow: the passage is too long for the model. server: a fault of the server or of the
way there. unreachable: no connection was made, so that nothing was sent. timeout: no answer in
time; it may have been paid for. unsupported: the server does not know this rung, so try the next.
rejected: key, name of the model or a parameter is wrong, and every further request would fail in
the same way.
"""


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    Attributes:
        messages: Each with "role" and "content", in order.
        schema: The JSON schema of the answer, an object; what of JSON schema may stand in it says
            `builder.synthesis.llm.forms`.
        temperature: 0 to 2.
        max_tokens: The most tokens of the answer, at least 1.
        seed: For servers that repeat an answer by it; None sends none.
    """

    messages: tuple[Mapping[str, str], ...]
    schema: Mapping[str, Any]
    temperature: float
    max_tokens: int
    seed: int | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one request; all text of it is untrusted.

    Attributes:
        outcome: One of `OUTCOMES`.
        payload: The answer, which the schema was found to hold for; None unless "ok".
        text: What the model wrote, or else the body of what the server sent, as it stands; "" where
            nothing came.
        message: Why it is not ok, in a sentence, in parts the server's words; "" where it is.
        status: The HTTP status; None where no answer came.
        finish_reason: Why the model ended, as the server says.
        model_served: The model that answered, as the server says.
        prompt_tokens: Tokens of the request; None where the server does not say.
        completion_tokens: Tokens of the answer; None likewise.
        cached_tokens: Those of the request that the server had kept; None likewise.
        retry_after: Seconds that the server wants us to wait, at least 0; None: it does not say.
        milliseconds: From the first byte sent to the last byte read.
    """

    outcome: str
    payload: dict[str, Any] | None
    text: str
    message: str
    status: int | None
    finish_reason: str | None
    model_served: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    retry_after: float | None
    milliseconds: int


def next_rung(rung: str) -> str | None:
    """The rung below `rung`, or None where it is the last.

    Raises:
        ValueError: It is no rung.

    >>> next_rung("json_schema"), next_rung("plain")
    ('json_object', None)
    """
    below = RUNGS.index(rung) + 1
    return RUNGS[below] if below < len(RUNGS) else None
