"""What the sanity of a corpus was looked at of: by it an older report is recognised."""

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from builder.store import activity
from builder.store.corpus_search import corpus_version
from builder.store.trust_marks import read_marks

_DECISIONS = "adjudication."


def sanity_marks(connection: Connection) -> dict[str, Any]:
    """Another document whenever the corpus, queries, grades or decisions have changed; as JSON."""
    decided = activity.entries(connection, limit=1, prefix=_DECISIONS)
    return {
        "corpus": list(corpus_version(connection)),
        "grades": asdict(read_marks(connection)),
        "decided": decided[0].activity_id if decided else 0,
    }
