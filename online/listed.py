"""Which documents the log knows, and which of them somebody else does not."""

from collections.abc import Iterable
from dataclasses import dataclass

from online.engines import fetch, make
from online.lake import Lake


@dataclass(frozen=True, slots=True)
class ListedDocuments:
    """What a log tells of the documents that were searched.

    A document counts once a search, however often the search lists it and people click it.

    Attributes:
        documents: Different documents that searches list or that were clicked.
        times: The searches that list each of them or in which it was clicked, summed up.
        missing: Those among the documents that are not known.
        missing_times: As `times`, of these.
        examples: Up to five of these, those of the most searches first; untrusted.
        searches_with_hits: Searches that say how many documents matched.
        most_hits: The most that matched one search; None where no search says it. Engines may cap
            it, so production has at least so many.
    """

    documents: int
    times: int
    missing: int
    missing_times: int
    examples: tuple[str, ...]
    searches_with_hits: int
    most_hits: int | None

    @property
    def at_least(self) -> int:
        """How many documents production has at least."""
        return max(self.documents, self.most_hits or 0)


def listed_documents(lake: Lake, known: Iterable[str]) -> ListedDocuments:
    """What the log tells of documents, and which of them are not among the known ones.

    Args:
        lake: The events.
        known: The ids of the known documents, such as a corpus.

    Raises:
        OnlineError: The lake is damaged.
    """
    import pyarrow as pa

    with lake.connect() as connection:
        ids = pa.array(list(known), pa.string())
        connection.register("known_documents", pa.table({"doc_id": ids}))
        make(connection, "listed_documents", "duckdb/listed_documents")
        (counts,), (hits,) = fetch(connection, "listed"), fetch(connection, "total_hits")
        examples = tuple(str(row["doc_id"]) for row in fetch(connection, "missing_documents"))
    numbers = {name: int(value) for name, value in counts.items()}
    return ListedDocuments(examples=examples, **numbers, **hits)
