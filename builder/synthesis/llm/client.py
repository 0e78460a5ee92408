"""The client: exactly one HTTP request for each question."""

from types import TracebackType
from typing import Self

from builder.synthesis.llm.endpoints import Endpoint
from builder.synthesis.llm.records import Reply, Request


class LLMClient:
    """Asks one model at one server; may be used by several threads at once."""

    def __init__(self, endpoint: Endpoint, key: str | None) -> None:
        self.endpoint = endpoint
        self._key = key

    def send(self, request: Request, rung: str) -> Reply:
        """Send exactly one HTTP request; the reply says what came of it, whatever it was."""
        raise NotImplementedError

    def close(self) -> None:
        """Give back the connections."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
