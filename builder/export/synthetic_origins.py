"""How the synthetic queries of a release came to be, one line each: models, prompts, answers."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from builder.store import Connection
from builder.synthesis.origins import origins_of

ORIGINS_FILE: Final = "synthetic_queries.jsonl"
_TOLD: Final = (
    *("doc_id", "first_character", "last_character", "written", "edited", "synthesis_id"),
    *("model_asked", "model_served", "host", "prompt", "prompt_hash", "language", "examples"),
    *("temperature", "max_tokens", "seed", "rung", "attempt", "sent_at", "request_hash"),
    *("finish_reason", "prompt_tokens", "completion_tokens", "cost", "currency", "answer"),
)
"""What a release says of each; who reviewed it, and the whole address of a server, stay at home."""
_NAMES: Final = {"doc_id": "corpus-id", "synthesis_id": "run"}


@dataclass(frozen=True, slots=True)
class Origins:
    """Where synthetic queries come from; false where there are none.

    Attributes:
        rows: query_id -> what is told of it, None where it was not written here.
    """

    rows: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)

    @classmethod
    def of(cls, connection: Connection, query_ids: Collection[str]) -> Self:
        """Of these queries, ordered by id."""
        found = origins_of(connection, query_ids)
        return cls({query_id: found.get(query_id) for query_id in sorted(query_ids)})

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.rows)

    @property
    def digest(self) -> str:
        """Equal where all is told alike."""
        return hashlib.sha256("".join(self._lines()).encode()).hexdigest()

    def write(self, folder: Path) -> None:
        """Write them into a task folder."""
        with (folder / ORIGINS_FILE).open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(self._lines())

    def paragraph(self) -> str:
        """For the card; "" where there are none."""
        if not self.rows:
            return ""
        return (
            f"`{ORIGINS_FILE}` tells of each query that a language model wrote which model was "
            "asked and answered, by which prompt and parameters, for which passage, and what it "
            "answered, word for word."
        )

    def _lines(self) -> list[str]:
        lines = []
        for query_id, row in self.rows.items():
            told = {_NAMES.get(name, name): (row or {}).get(name) for name in _TOLD}
            line = json.dumps({"query-id": query_id, **told}, ensure_ascii=False, allow_nan=False)
            lines.append(f"{line}\n")
        return lines
