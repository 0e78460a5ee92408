"""Which candidates say again what another query says, in their order: the first one stays."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from builder.store.synthetic_queries import Candidate, Finding
from builder.synthesis.filters.near_duplicates import Near, NearDuplicates

QUERY, CANDIDATE = "query", "candidate"


class Known(NamedTuple):
    """A query that is there already.

    Attributes:
        kind: `QUERY` of the set, or `CANDIDATE` that was kept before.
        name: Its query_id or candidate_id, as text.
        doc_id: The document that a candidate was written for; "" of a query of the set.
        text: What it says.
    """

    kind: str
    name: str
    doc_id: str
    text: str


def find_repeated(candidates: Sequence[Candidate], known: Iterable[Known]) -> Mapping[int, Finding]:
    """Candidate_id -> why it is a near-duplicate, of those that are.

    Args:
        candidates: Those that nothing else speaks against, in order; of two that are near to each
            other the first stays.
        known: What is there already; those that came first come first.
    """
    there = list(known)
    languages = sorted({one.language for one in candidates})
    texts = [one.text for one in there] + [one.text for one in candidates]
    index: NearDuplicates[Known] = NearDuplicates(texts)
    for one in there:
        index.add(one, one.text, languages)
    found: dict[int, Finding] = {}
    for candidate in candidates:
        near = index.nearest(candidate.text, candidate.language)
        if near is None:
            name = Known(CANDIDATE, str(candidate.candidate_id), candidate.doc_id, candidate.text)
            index.add(name, candidate.text, languages)
        else:
            found[candidate.candidate_id] = _finding(candidate, near)
    return found


_SAME: Final = "the same but for word order, endings or punctuation"


def _finding(candidate: Candidate, near: Near[Known]) -> Finding:
    other = near.name
    how = _SAME if near.similarity == 1 else f"{near.similarity:.0%} of 3-grams shared"
    which = f"query {other.name}" if other.kind == QUERY else f"generated query {other.name}"
    is_of_document = other.doc_id == candidate.doc_id
    reason = "near_duplicate_document" if is_of_document else "near_duplicate_set"
    return Finding(reason, f"{how}: {which}, {near.text!r}")
