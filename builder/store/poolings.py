"""Fillings of the pool as records: who named which pair, and what taking one back leaves.

A pooling owns what it was the first to bring: a pair, or the row that says that a source named it.
"""

from typing import NamedTuple


class NamedPair(NamedTuple):
    """That a source names a document for a query.

    Attributes:
        query_id: A known query.
        doc_id: A document of the corpus.
        source: Who names it: bm25, run:NAME, clicks, holes, …; at most 64 characters.
        rank: Its 1-based rank there; None where there is none.
    """

    query_id: str
    doc_id: str
    source: str
    rank: int | None
