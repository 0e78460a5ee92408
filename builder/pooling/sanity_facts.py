"""Counts what is odd about a corpus, in one pass over its documents."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from builder.judging.aggregation import settle_pairs
from builder.mining.weak_grades import weak_grades
from builder.pooling.near_copies import Copy, CopyFinder, has_words
from builder.store import Connection
from builder.store.adjudications import excluded_raters, grades_and_decisions
from builder.store.batches import batches
from builder.store.documents import count_documents, documents_by_ids, iterate_documents
from builder.workspace import Workspace
from evals.records import Document, Progress
from online.listed import ListedDocuments, listed_documents

MOST_COMPARED = 20_000
"""So many relevant documents are looked for in the corpus: their 3-grams lie in memory."""

MOST_LIKE = 20
"""To so many near ones a document is set against: in a corpus of forms each is like each."""

EXAMPLES = 5
TELL_EVERY = 1000
_AT_ONCE = 500

Relevant = Mapping[str, frozenset[str]]
"""doc_id -> the queries for which it is relevant."""


@dataclass(slots=True)
class Copies:
    """Documents that say what a relevant one says, and are not relevant for all its queries.

    Attributes:
        copies: How many such documents there are.
        of: The relevant documents of which there is one.
        examples: (copy, relevant document, similarity in [0, 1]), the first ones.
    """

    copies: int = 0
    of: set[str] = field(default_factory=set)
    examples: list[tuple[str, str, float]] = field(default_factory=list)

    def add(self, doc_id: str, originals: Sequence[tuple[str, float]]) -> None:
        """Take in one copy of these: relevant documents with their similarity."""
        self.copies += 1
        self.of.update(name for name, _ in originals)
        if len(self.examples) < EXAMPLES:
            self.examples.append((doc_id, *originals[0]))


@dataclass(slots=True)
class Facts:
    """What was counted.

    Attributes:
        documents: How many the corpus has.
        relevant: How many of them are relevant to a query: a grade of 1 or more.
        by_clicks: Whether that is by weak grades, for nobody has graded one yet.
        compared: How many of the relevant ones were looked for.
        empty: Documents without a word in title and text.
        empty_ids: The first of these.
        equal: Documents that say exactly what a relevant one says.
        near: Those that say nearly the same.
        log: What the log tells of documents; None where it holds no search.
    """

    documents: int = 0
    relevant: int = 0
    by_clicks: bool = False
    compared: int = 0
    empty: int = 0
    empty_ids: list[str] = field(default_factory=list)
    equal: Copies = field(default_factory=Copies)
    near: Copies = field(default_factory=Copies)
    log: ListedDocuments | None = None


def find_facts(workspace: Workspace, progress: Progress | None = None) -> Facts:
    """All that is counted; memory grows with the relevant documents, not with the corpus.

    Args:
        workspace: Whose corpus.
        progress: Hears how far it is; may raise to stop.
    """
    facts = Facts()
    with workspace.store.read() as connection:
        relevant = _relevant_by_people(connection)
    if not relevant:
        relevant = _relevant_by_clicks(workspace, progress)
        facts.by_clicks = bool(relevant)
    doc_ids: list[str] = []
    with workspace.store.read() as connection:
        facts.documents = count_documents(connection)
        look = _Look.of(connection, relevant, facts)
        for document in _told(iterate_documents(connection), facts.documents, progress):
            look.take(document)
            doc_ids.append(document.doc_id)
    if workspace.lake.manifest().searches:
        _tell(progress, "looking at the documents of the log", 0, None)
        facts.log = listed_documents(workspace.lake, doc_ids)
    return facts


@dataclass(slots=True)
class _Look:
    """Looks at each document of the corpus."""

    relevant: Relevant
    finder: CopyFinder
    facts: Facts

    @classmethod
    def of(cls, connection: Connection, relevant: Relevant, facts: Facts) -> "_Look":
        compared = sorted(relevant)[:MOST_COMPARED]
        facts.relevant, facts.compared = len(relevant), len(compared)
        return cls(relevant, CopyFinder(_texts(connection, compared)), facts)

    def take(self, document: Document) -> None:
        text = document.encoder_text
        if not has_words(text):
            self.facts.empty += 1
            if len(self.facts.empty_ids) < EXAMPLES:
                self.facts.empty_ids.append(document.doc_id)
            return
        copies = self.finder.copies(text, MOST_LIKE)
        for equal in (True, False):
            alike = (copy for copy in copies if copy.equal is equal)
            if missed := list(self._missed(document.doc_id, alike)):
                # One document is one copy: who says just the same is not told as near as well.
                (self.facts.equal if equal else self.facts.near).add(document.doc_id, missed)
                return

    def _missed(self, doc_id: str, copies: Iterable[Copy]) -> Iterator[tuple[str, float]]:
        """The relevant ones for one of whose queries this document is not relevant."""
        mine = self.relevant.get(doc_id, frozenset())
        for copy in copies:
            for name in copy.names:
                if name != doc_id and self.relevant[name] - mine:
                    yield name, copy.similarity


def _relevant_by_people(connection: Connection) -> Relevant:
    """By grades of people and imports, and decisions: aggregated as an export does by default."""
    rows = (row for row in grades_and_decisions(connection) if row.kind != "synthetic")
    settled = settle_pairs(rows, excluded=excluded_raters(connection))
    return _by_document((pair.query_id, pair.doc_id) for pair in settled if pair.grade > 0)


def _relevant_by_clicks(workspace: Workspace, progress: Progress | None) -> Relevant:
    if not workspace.lake.manifest().searches:
        return {}
    weak = weak_grades(workspace, progress=progress).grades
    return _by_document((one.query_id, one.doc_id) for one in weak if one.grade > 0)


def _by_document(pairs: Iterable[tuple[str, str]]) -> Relevant:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for query_id, doc_id in pairs:
        found[doc_id].add(query_id)
    return {doc_id: frozenset(query_ids) for doc_id, query_ids in found.items()}


def _texts(connection: Connection, doc_ids: Iterable[str]) -> Iterator[tuple[str, str]]:
    for batch in batches(doc_ids, _AT_ONCE):
        for doc_id, document in documents_by_ids(connection, batch).items():
            yield doc_id, document.encoder_text


def _told(
    documents: Iterable[Document], total: int, progress: Progress | None
) -> Iterator[Document]:
    for done, document in enumerate(documents):
        if done % TELL_EVERY == 0:
            _tell(progress, "looking for copies", done, total)
        yield document


def _tell(progress: Progress | None, what: str, done: int, total: int | None) -> None:
    if progress is not None:
        progress(what, done, total)
