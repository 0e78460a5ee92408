"""Which documents queries are written for: chosen by chance, so that the corpus is covered.

Each document has one random number for a seed, which it keeps, as queries of a log do
(`builder.mining.sampling`): a greater choice from the same strata holds the smaller one. Documents
that stand in an earlier synthesis come when all others are chosen.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from builder.errors import BuilderError
from builder.mining.sampling import allocate_proportionally
from builder.store import Connection
from builder.store.documents import count_documents, documents_by_ids, get_document
from builder.store.syntheses import documents_with_queries
from builder.store.synthesis_sources import DocumentMark, document_marks, documents_in_use
from builder.synthesis.clusters import cluster, embeddings_of, number_of_clusters
from builder.synthesis.passages import is_telling, passages_of
from builder.workspace import Workspace
from evals.records import Progress

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from builder.synthesis.plan import SynthPlan

    Numbers = npt.NDArray[np.int64]

FIELD = "field:"
MOST_TOLD = 100
"""Strata; of those that nothing was chosen from only the number is told after that."""
ALL = "all documents"
_BEGINNING = 120
_NAME = 80
_TELL_EVERY = 5_000


class Choice(NamedTuple):
    """Documents that were chosen.

    Attributes:
        documents: (doc_id, stratum); the first ones cover the corpus, too.
        skipped: Reason -> documents that nothing can be asked of: empty, too_short.
        strata: {"stratum", "documents" (that can be asked of), "chosen"} of each; untrusted.
        warnings: Sentences.
    """

    documents: tuple[tuple[str, str], ...]
    skipped: dict[str, int]
    strata: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...]


class _Candidate(NamedTuple):
    doc_id: str
    characters: int
    value: str


@dataclass(frozen=True, slots=True, eq=False)
class _Corpus:
    """The documents that can be asked of, by descending doc_id, their use and random numbers."""

    documents: list[_Candidate]
    used: "npt.NDArray[np.bool_]"
    draws: "npt.NDArray[np.uint64]"


@dataclass(frozen=True, slots=True, eq=False)
class _Strata:
    """What the strata are called, and the place of each document's stratum."""

    names: list[str]
    codes: "Numbers"


def choose_documents(
    workspace: Workspace, plan: "SynthPlan", progress: Progress | None = None
) -> Choice:
    """The documents that a plan asks for; for the same plan and corpus the same ones.

    Args:
        workspace: Whose corpus.
        plan: How many, by what, and the seed.
        progress: Hears how far it is; may raise to stop.

    Raises:
        BuilderError: No document can be asked of, or none has the field that is named.
        EvalsError: Clusters are asked for, and their encoder cannot be loaded.
    """
    skipped = Counter[str]()
    corpus = _read(workspace, plan, skipped, progress)
    if not corpus.documents:
        raise _nothing(skipped)
    strata = _strata(workspace, corpus, plan, progress)
    places = _chosen(corpus, strata, plan.documents)
    documents = [(corpus.documents[p].doc_id, strata.names[strata.codes[p]]) for p in places]
    warnings = tuple(_warnings(corpus, strata, plan, places))
    return Choice(tuple(documents), dict(skipped), tuple(_told(strata, places)), warnings)


def _read(
    workspace: Workspace, plan: "SynthPlan", skipped: Counter[str], progress: Progress | None
) -> _Corpus:
    import numpy as np

    field = plan.by.removeprefix(FIELD) if plan.by.startswith(FIELD) else ""
    with workspace.store.read() as connection:
        # Of a run that was taken back queries may stay.
        in_use = documents_in_use(connection) | documents_with_queries(connection)
        found = list(_candidates(connection, field, skipped, progress))
    used = np.array([one.doc_id in in_use for one in found], dtype=np.bool_)
    draws = np.array([_draw(plan.seed, one.doc_id) for one in found], dtype=np.uint64)
    return _Corpus(found, used, draws)


def _candidates(
    connection: Connection, field: str, skipped: Counter[str], progress: Progress | None
) -> Iterator[_Candidate]:
    total = count_documents(connection)
    marks = document_marks(connection, _BEGINNING, with_metadata=bool(field))
    for done, mark in enumerate(marks, start=1):
        if progress and done % _TELL_EVERY == 0:
            progress("reading documents", done, total)
        if reason := _why_not(mark, connection):
            skipped[reason] += 1
        else:
            value = _value(mark.metadata.get(field)) if field else ""
            yield _Candidate(mark.doc_id, mark.characters, value)


def _why_not(mark: DocumentMark, connection: Connection) -> str | None:
    """Why no query can be asked of a document; None if one can."""
    if mark.beginning.strip() and is_telling(f"{mark.title} {mark.beginning}"):
        return None
    text = mark.beginning
    if mark.characters > len(text):  # it may begin with a drawing of dashes
        document = get_document(connection, mark.doc_id)
        text = document.text if document else ""
    if not text.strip():
        return "empty"
    telling = any(is_telling(text[first:last]) for first, last in passages_of(text))
    return None if telling else "too_short"


def _value(value: Any) -> str:
    """A field's value as the name of a stratum; "" for none."""
    if value is None or isinstance(value, str):
        return " ".join((value or "").split())[:_NAME]
    return json.dumps(value, ensure_ascii=False, sort_keys=True)[:_NAME]


def _draw(seed: int, doc_id: str) -> int:
    """64 bits by seed and document alone."""
    return int.from_bytes(blake2b(f"{seed}\0{doc_id}".encode(), digest_size=8).digest())


def _strata(
    workspace: Workspace, corpus: _Corpus, plan: "SynthPlan", progress: Progress | None
) -> _Strata:
    import numpy as np

    if plan.by == "cluster":
        return _by_cluster(workspace, corpus, plan, progress)
    if plan.by == "length":
        return _by_length(corpus)
    if plan.by.startswith(FIELD):
        return _by_field(corpus, plan.by.removeprefix(FIELD))
    return _Strata([ALL], np.zeros(len(corpus.documents), dtype=np.int64))


def _by_length(corpus: _Corpus) -> _Strata:
    """Thirds by characters; of few lengths, fewer parts."""
    import numpy as np

    lengths = np.array([one.characters for one in corpus.documents], dtype=np.int64)
    borders = np.unique(np.quantile(lengths, [1 / 3, 2 / 3], method="lower"))
    borders = borders[borders < lengths.max()]
    names = [f"length: up to {border:,} characters" for border in borders]
    names.append("length: more" if names else "length: all alike")
    return _Strata(names, np.searchsorted(borders, lengths, side="left").astype(np.int64))


def _by_field(corpus: _Corpus, field: str) -> _Strata:
    """One of each value, the most frequent first, and of equal ones by chance."""
    import numpy as np

    values = [one.value for one in corpus.documents]
    if not any(values):
        raise BuilderError(
            f"no document that can be asked of has the field {field!r}",
            hint="Fields are what the corpus brought beside title and text.",
        )
    first: dict[str, int] = {}
    for value, draw in zip(values, corpus.draws.tolist(), strict=True):
        first[value] = min(draw, first.get(value, draw))
    sizes = Counter(values)
    ordered = sorted(sizes, key=lambda value: (-sizes[value], first[value]))
    place = {value: code for code, value in enumerate(ordered)}
    names = [f"{field}: {value or '(none)'}" for value in ordered]
    return _Strata(names, np.array([place[value] for value in values], dtype=np.int64))


def _by_cluster(
    workspace: Workspace, corpus: _Corpus, plan: "SynthPlan", progress: Progress | None
) -> _Strata:
    """Called by the document in the middle of each."""
    wanted = {one.doc_id for one in corpus.documents}
    vectors = embeddings_of(workspace, wanted.__contains__, progress)
    k = number_of_clusters(plan.documents, len(vectors))
    codes, middles = cluster(vectors, k, plan.seed)
    doc_ids = [corpus.documents[place].doc_id for place in middles.tolist()]
    with workspace.store.read() as connection:
        known = documents_by_ids(connection, doc_ids)
    titles = [known[doc_id].title or doc_id if doc_id in known else doc_id for doc_id in doc_ids]
    names = [f"cluster {n}: like {title[:_NAME]}" for n, title in enumerate(titles, start=1)]
    return _Strata(names, codes)


def _chosen(corpus: _Corpus, strata: _Strata, n: int) -> list[int]:
    """The places of n documents, or of all: from those that are not in use, then from the others.

    Each stratum gives by its size, at least one where n allows; they take turns.
    """
    import numpy as np

    fresh = _spread(np.flatnonzero(~corpus.used), corpus, strata, n)
    return fresh + _spread(np.flatnonzero(corpus.used), corpus, strata, n - len(fresh))


def _spread(places: "Numbers", corpus: _Corpus, strata: _Strata, n: int) -> list[int]:
    import numpy as np

    codes = strata.codes[places]
    order = np.lexsort((corpus.draws[places], codes))
    sizes = np.bincount(codes, minlength=len(strata.names))
    counts = allocate_proportionally(sizes.tolist(), n)
    starts = np.cumsum(sizes) - sizes
    # The turns in which `allocate_proportionally` gives its seats.
    seats = [
        (turn > 0, (2 * turn + 1) / size if turn else 0, -size, code, place)
        for code, (size, start, count) in enumerate(
            zip(sizes.tolist(), starts.tolist(), counts, strict=True)
        )
        for turn, place in enumerate(places[order[start : start + count]].tolist())
    ]
    return [place for *_, place in sorted(seats)]


def _told(strata: _Strata, places: list[int]) -> Iterator[dict[str, Any]]:
    import numpy as np

    sizes = np.bincount(strata.codes, minlength=len(strata.names)).tolist()
    chosen = np.bincount(strata.codes[places], minlength=len(strata.names)).tolist()
    rows = list(zip(strata.names, sizes, chosen, strict=True))
    many = len(rows) > MOST_TOLD
    for name, size, count in rows:
        if count or not many:
            yield {"stratum": name, "documents": size, "chosen": count}
    silent = [size for _, size, count in rows if not count]
    if many and silent:
        name = f"{len(silent):,} more"
        yield {"stratum": name, "documents": sum(silent), "chosen": 0}


def _warnings(
    corpus: _Corpus, strata: _Strata, plan: "SynthPlan", places: list[int]
) -> Iterator[str]:
    there = len(corpus.documents)
    if len(places) < plan.documents:
        yield f"Only {there:,} documents can be asked for queries; {plan.documents:,} were wanted."
    if again := int(corpus.used[places].sum()):
        yield f"Documents that were asked for queries before are asked again ({again:,} of them)."
    if plan.by.startswith(FIELD) and 2 * len(strata.names) > there > 1:
        yield (
            f"The field has {len(strata.names):,} values in {there:,} documents: hardly any part "
            "of the corpus has several documents."
        )


def _nothing(skipped: Mapping[str, int]) -> BuilderError:
    if not skipped:
        return BuilderError(
            "there are no documents that queries can be written for",
            hint="Import some with `goldsmith corpus import FILE`.",
        )
    empty, short = skipped.get("empty", 0), skipped.get("too_short", 0)
    return BuilderError(
        "no document says enough for a query to be written for it: "
        f"{empty:,} are empty, {short:,} too short",
        hint="About eight words are the least.",
    )
