"""From a question and a rung to the arguments of a completion."""

import re
from collections.abc import Mapping, Set
from typing import Any

from builder.synthesis.llm.endpoints import Endpoint
from builder.synthesis.llm.forms import pattern_of, sent_schema
from builder.synthesis.llm.records import Request

_NOT_TAKEN = re.compile(
    r"extra|not permitted|forbidden|unknown|unrecogni[sz]ed|unexpected|not supported|unsupported",
    re.IGNORECASE,
)


def arguments_of(
    request: Request, endpoint: Endpoint, rung: str, without: Set[str] = frozenset()
) -> dict[str, Any]:
    """What a completion is asked for with: model, messages, form of the answer, and limits.

    Args:
        request: The question.
        endpoint: Who is asked.
        rung: How an answer of our form is asked for.
        without: Parameters that this server was found not to take: "seed", "max_tokens".
    """
    # OpenAI's reasoning models refuse max_tokens, as users report; older compatible servers are
    # believed to know nothing else.
    newer = _at_openai(endpoint) or "max_tokens" in without
    arguments: dict[str, Any] = {
        "model": endpoint.model,
        "messages": _messages(request, rung),
        "temperature": request.temperature,
        "max_completion_tokens" if newer else "max_tokens": request.max_tokens,
    }
    if request.seed is not None and "seed" not in without:
        arguments["seed"] = request.seed
    form = _form(request.schema, endpoint, rung)
    return arguments if form is None else arguments | {"response_format": form}


def not_taken(arguments: Mapping[str, Any], message: str) -> str | None:
    """The parameter that the server will not take and that we can do without, or None.

    Reported by users: Mistral refuses what it does not know (422, "extra_forbidden"), so "seed";
    gateways to OpenAI's reasoning models want "max_completion_tokens" in place of "max_tokens".
    """
    if "max_tokens" in arguments and "max_completion_tokens" in message:
        return "max_tokens"
    if "seed" in arguments and re.search(r"\bseed\b", message) and _NOT_TAKEN.search(message):
        return "seed"
    return None


def _form(schema: Mapping[str, Any], endpoint: Endpoint, rung: str) -> dict[str, Any] | None:
    if rung == "plain":
        return None
    sent = sent_schema(schema)
    if rung == "json_schema":
        named = {"name": "answer", "strict": True, "schema": sent}
        return {"type": "json_schema", "json_schema": named}
    # llama_cpp.server holds the answer to a schema that stands here (measured); OpenAI is believed
    # to refuse it.
    return {"type": rung} if _at_openai(endpoint) else {"type": rung, "schema": sent}


def _messages(request: Request, rung: str) -> list[dict[str, str]]:
    messages = [dict(message) for message in request.messages]
    if rung == "json_schema" or _is_told(messages, request.schema):
        return messages
    # The last word, after the document.
    pattern = pattern_of(request.schema)
    said = f"Answer with one JSON object of this form, and nothing else: {pattern}"
    if messages and messages[-1]["role"] == "user":
        messages[-1]["content"] = f"{messages[-1]['content']}\n\n{said}"
        return messages
    return [*messages, {"role": "user", "content": said}]


def _is_told(messages: list[dict[str, str]], schema: Mapping[str, Any]) -> bool:
    """Whether the prompt itself says JSON, as OpenAI demands of it, and names what is in it."""
    said = messages[-1]["content"] if messages else ""
    names = (f'"{name}"' for name in schema.get("properties", {}))
    return "json" in said.lower() and all(name in said for name in names)


def _at_openai(endpoint: Endpoint) -> bool:
    return endpoint.is_openai or bool(endpoint.api_version)
