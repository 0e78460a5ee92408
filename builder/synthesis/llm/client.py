"""The client: exactly one HTTP request for each question, and a reply whatever comes of it."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from builder.errors import SettingsError
from builder.synthesis.llm.answers import Arrived, reply_of
from builder.synthesis.llm.asking import arguments_of, not_taken
from builder.synthesis.llm.endpoints import Endpoint
from builder.synthesis.llm.forms import check_schema
from builder.synthesis.llm.records import RUNGS, Reply, Request
from builder.synthesis.llm.redaction import Redactor

if TYPE_CHECKING:
    from builder.synthesis.llm.transport import Answer


class LLMClient:
    """Asks one model at one server; may be used by several threads at once.

    Retries nothing: whoever calls counts each request, and decides.

    Attributes:
        endpoint: Where the questions go.
    """

    def __init__(self, endpoint: Endpoint, key: str | None, variable: str = "") -> None:
        """Open a client; nothing is sent.

        Args:
            endpoint: Where the questions go.
            key: The API key; "" and None are none, which only OpenAI's own server does not take.
            variable: Where it was looked for, to be told to whom it lacks; "" for nowhere.

        Raises:
            SettingsError: The server wants a key and there is none, or no header can hold it.
        """
        from builder.synthesis.llm.transport import Transport

        self.endpoint = endpoint
        self._without: frozenset[str] = frozenset()
        self._has_key, self._variable = bool(key), variable
        self._redactor = Redactor(_checked_key(endpoint, key))
        self._transport = Transport(endpoint, key)

    def send(self, request: Request, rung: str) -> Reply:
        """Send exactly one HTTP request; the reply says what came of it.

        Whatever a server does raises nothing. It takes at most about twice the endpoint's timeout,
        of a server whose headers do not drip. A parameter that the server does not take, and that
        we can do without, is "server" once, and left out of what is sent after it.

        Raises:
            ValueError: It is no rung, or the schema uses what is not checked here.
        """
        if rung not in RUNGS:
            raise ValueError(f"{rung!r} is no rung")
        check_schema(request.schema)
        arguments = arguments_of(request, self.endpoint, rung, self._without)
        started = time.monotonic()
        answer = self._transport.post(arguments)
        took = round((time.monotonic() - started) * 1000)
        reply = reply_of(_arrived(answer, took), request, rung, self._redactor)
        return self._learnt(self._missed(reply), arguments)

    def _missed(self, reply: Reply) -> Reply:
        """What we send where there is no key must not pass for a wrong one."""
        if self._has_key or reply.status not in {401, 403}:
            return reply
        where = f"the environment variable {self._variable} is empty"
        where = where if self._variable else "key_variable under [llm] names no variable"
        return replace(reply, message=f"No key was sent: {where}. {reply.message}")

    def _learnt(self, reply: Reply, arguments: Mapping[str, Any]) -> Reply:
        if reply.outcome != "rejected" or reply.status not in {400, 422}:
            return reply
        parameter = not_taken(arguments, reply.message)
        if parameter is None:
            return reply
        # Replaced, never changed: other threads read it.
        self._without = self._without | {parameter}
        said = f"The server does not take {parameter}; from now on it is asked without. "
        return replace(reply, outcome="server", message=said + reply.message)

    def close(self) -> None:
        """Give back the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _checked_key(endpoint: Endpoint, key: str | None) -> str | None:
    if not key and endpoint.is_openai:
        raise SettingsError(
            "There is no API key for the language model.",
            where=endpoint.host,
            hint="Set the environment variable that key_variable under [llm] names.",
        )
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        # The key itself is not repeated.
        raise SettingsError(
            "The API key cannot be sent: it holds a blank or a character that is no ASCII.",
            where=endpoint.host,
            hint="Copy the key anew, without quotes and line ends.",
        )
    return key or None


def _arrived(answer: "Answer", milliseconds: int) -> Arrived:
    body = bytes(answer.body).decode("utf-8-sig", errors="replace")
    return Arrived(answer.status, answer.headers, body, answer.fault, answer.message, milliseconds)
