"""From a question and a rung to the arguments of a completion."""

from collections.abc import Mapping
from typing import Any

from builder.synthesis.llm.endpoints import Endpoint
from builder.synthesis.llm.forms import pattern_of, sent_schema
from builder.synthesis.llm.records import Request


def arguments_of(request: Request, endpoint: Endpoint, rung: str) -> dict[str, Any]:
    """What a completion is asked for with: model, messages, form of the answer, and limits."""
    # OpenAI's reasoning models refuse max_tokens; older compatible servers know nothing else.
    most = "max_completion_tokens" if _at_openai(endpoint) else "max_tokens"
    arguments: dict[str, Any] = {
        "model": endpoint.model,
        "messages": _messages(request, rung),
        "temperature": request.temperature,
        most: request.max_tokens,
    }
    if request.seed is not None:
        arguments["seed"] = request.seed
    form = _form(request.schema, endpoint, rung)
    return arguments if form is None else arguments | {"response_format": form}


def _form(schema: Mapping[str, Any], endpoint: Endpoint, rung: str) -> dict[str, Any] | None:
    if rung == "plain":
        return None
    sent = sent_schema(schema)
    if rung == "json_schema":
        named = {"name": "answer", "strict": True, "schema": sent}
        return {"type": "json_schema", "json_schema": named}
    # llama_cpp.server holds the answer to a schema that stands here, which OpenAI refuses.
    return {"type": rung} if _at_openai(endpoint) else {"type": rung, "schema": sent}


def _messages(request: Request, rung: str) -> list[dict[str, str]]:
    messages = [dict(message) for message in request.messages]
    if rung == "json_schema":
        return messages
    # The last word, after the document: OpenAI also wants "JSON" in the messages.
    said = (
        f"Answer with one JSON object of this form, and nothing else: {pattern_of(request.schema)}"
    )
    if messages and messages[-1].get("role") == "user":
        messages[-1]["content"] = f"{messages[-1]['content']}\n\n{said}"
        return messages
    return [*messages, {"role": "user", "content": said}]


def _at_openai(endpoint: Endpoint) -> bool:
    return endpoint.is_openai or bool(endpoint.api_version)
