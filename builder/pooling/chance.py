"""Documents by chance: the same ones for a query and seed, whatever else is in the corpus."""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_GOLDEN = 0x9E3779B97F4A7C15
_MIXERS = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


def random_documents(
    query_ids: Sequence[str], doc_ids: Sequence[str], n: int, seed: int
) -> dict[str, list[str]]:
    """For each query `n` documents of the corpus, each with the same chance.

    Every pair of query and document has a number of its own, made of the seed and both ids; the
    documents with the smallest ones are drawn. So a document that joins the corpus pushes out one
    at most, and another query changes nothing. The numbers come from SHA-256 of each id, mixed by
    the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).

    Args:
        query_ids: The queries.
        doc_ids: The corpus, each document once.
        n: How many for each query; all where there are no more.
        seed: Of the draw.
    """
    import numpy as np

    if not doc_ids:
        return {query_id: [] for query_id in query_ids}
    of_documents = np.array([_number(doc_id) for doc_id in doc_ids], np.uint64)
    drawn = {}
    for query_id in query_ids:
        numbers = _mixed(of_documents ^ np.uint64(_number(f"{seed} {query_id}")))
        some = np.argpartition(numbers, n - 1)[:n] if n < len(doc_ids) else np.arange(len(doc_ids))
        places = some[np.argsort(numbers[some], kind="stable")]
        drawn[query_id] = [doc_ids[place] for place in places.tolist()]
    return drawn


def _number(text: str) -> int:
    """64 bits of the text's SHA-256."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")


def _mixed(numbers: "NDArray[np.uint64]") -> "NDArray[np.uint64]":
    import numpy as np

    mixed = numbers + np.uint64(_GOLDEN)
    for shift, mixer in zip((30, 27), _MIXERS, strict=True):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(mixer)
    return mixed ^ (mixed >> np.uint64(31))
