"""Where an import waits until it is whole: temporary tables of its own connection.

Reading and checking a file takes long, and must not keep anybody from grading; so rows are staged
outside of the database's only writing transaction, and merged into it at the end by a few
statements. A killed import leaves nothing: temporary tables die with their connection.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Index,
    Integer,
    MetaData,
    Select,
    Table,
    Text,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    tuple_,
    union,
    update,
)
from sqlalchemy.exc import IntegrityError

from builder.errors import WorkspaceError
from builder.store.adjudications import ADJUDICATED, TAKEN_BACK
from builder.store.moments import now_text
from builder.store.pool import last_pair_id, next_pair_id
from builder.store.quota import only_synthetic, settle_new_pairs
from builder.store.schema import documents, pair_sources, pairs, queries

_END_OF_TIME = "9999"
"""Behind every moment: where a row without a time stands."""

staging = MetaData()

staged_documents = Table(
    "staged_documents",
    staging,
    Column("row_key", Integer, primary_key=True),
    Column("doc_id", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("metadata", Text, nullable=False),
    Column("content_hash", Text, nullable=False),
    prefixes=["TEMPORARY"],
)

staged_queries = Table(
    "staged_queries",
    staging,
    Column("row_key", Integer, primary_key=True),
    Column("query_id", Text, nullable=False, unique=True),
    Column("text", Text, nullable=False),
    Column("need", Text, nullable=False),
    Column("tags", Text, nullable=False),
    prefixes=["TEMPORARY"],
)

staged_judgments = Table(
    "staged_judgments",
    staging,
    Column("row_key", Integer, primary_key=True),
    Column("file", Text, nullable=False),
    Column("line", Integer, nullable=False),
    Column("query_id", Text, nullable=False),
    Column("doc_id", Text, nullable=False),
    # Null where the file names no rater.
    Column("rater", Text),
    Column("outcome", Text, nullable=False),
    Column("grade", Integer),
    Column("comment", Text, nullable=False),
    Column("judged_at", Text),
    Column("raw", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("milliseconds", Integer),
    # What the file calls its rater; null where it does not say.
    Column("kind", Text),
    # Where judged_at is null: when it came into the store that wrote the file, if it says so.
    Column("recorded_at", Text),
    Index("staged_judgments_by_pair", "query_id", "doc_id"),
    prefixes=["TEMPORARY"],
)

# Fields of a document or query that stand in a file of their own: id -> a JSON object.
staged_fields = Table(
    "staged_fields",
    staging,
    Column("kind", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("fields", Text, nullable=False),
    prefixes=["TEMPORARY"],
)


class StagedJudgment(NamedTuple):
    """One judgment of a file, checked; `rater` is None where the file names none.

    Attributes:
        file: The file's name.
        line: Its 1-based line there.
        query_id: A known query.
        doc_id: A known document.
        rater: The rater's name, or None.
        outcome: grade, skip, cannot_judge or undone; of a decision adjudicated or taken back.
        grade: 0 to 3, or None.
        comment: "" if nothing.
        judged_at: ISO 8601 in UTC, or None.
        raw: The row as it stands in the file, for the quarantine.
        reason: Why the rater skipped or cannot judge, "" if not said.
        milliseconds: How long the rater looked at the pair; None if unknown.
        kind: What kind of rater the file says this is; None where it does not say.
        recorded_at: Of one without judged_at: when it came into the store that wrote the file, ISO
            8601 in UTC; None where the file does not say.
    """

    file: str
    line: int
    query_id: str
    doc_id: str
    rater: str | None
    outcome: str
    grade: int | None
    comment: str
    judged_at: str | None
    raw: str
    reason: str = ""
    milliseconds: int | None = None
    kind: str | None = None
    recorded_at: str | None = None


def open_staging(connection: Connection) -> None:
    """Make the temporary tables on this connection."""
    staging.create_all(connection, checkfirst=False)


def known_contents(connection: Connection, doc_ids: Sequence[str]) -> dict[str, str]:
    """doc_id -> content_hash, as staged, else as in the corpus; for some thousand ids at most."""
    contents: dict[str, str] = {}
    for table in (documents, staged_documents):
        chosen = select(table.c.doc_id, table.c.content_hash).where(table.c.doc_id.in_(doc_ids))
        contents |= {row.doc_id: row.content_hash for row in connection.execute(chosen)}
    return contents


def known_queries(
    connection: Connection, query_ids: Sequence[str]
) -> dict[str, tuple[str, str, str]]:
    """query_id -> (text, need, tags as JSON), as staged, else as in the store."""
    known: dict[str, tuple[str, str, str]] = {}
    for table in (queries, staged_queries):
        chosen = select(table.c.query_id, table.c.text, table.c.need, table.c.tags)
        chosen = chosen.where(table.c.query_id.in_(query_ids))
        for row in connection.execute(chosen):
            known[row.query_id] = (row.text, row.need, row.tags)
    return known


def query_ids_by_text(connection: Connection, texts: Sequence[str]) -> dict[str, set[str]]:
    """Text -> the queries, stored or staged, that read exactly so; for some thousand texts."""
    found: dict[str, set[str]] = {}
    for table in (queries, staged_queries):
        chosen = select(table.c.text, table.c.query_id).where(table.c.text.in_(texts))
        for text, query_id in connection.execute(chosen):
            found.setdefault(text, set()).add(query_id)
    return found


def known_ids(connection: Connection, column: str, ids: Iterable[str]) -> set[str]:
    """Those among `ids` (some thousand) that are stored or staged; `column`: doc_id or query_id."""
    tables = (documents, staged_documents) if column == "doc_id" else (queries, staged_queries)
    wanted = list(set(ids))
    chosen = union(*(select(t.c[column]).where(t.c[column].in_(wanted)) for t in tables))
    return set(connection.execute(chosen).scalars())


def stage_documents(connection: Connection, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Stage rows of `documents` by doc_id; one that is staged already is replaced."""
    _replace(connection, staged_documents, "doc_id", rows)


def stage_queries(connection: Connection, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """Stage rows of `queries` by query_id; one that is staged already is replaced."""
    _replace(connection, staged_queries, "query_id", rows)


def _replace(
    connection: Connection, table: Table, key: str, rows: Mapping[str, Mapping[str, Any]]
) -> None:
    if rows:
        connection.execute(delete(table).where(table.c[key].in_(list(rows))))
        connection.execute(insert(table), list(rows.values()))


def stage_judgments(connection: Connection, rows: Sequence[StagedJudgment]) -> None:
    """Stage judgments in the order of the file."""
    if rows:
        connection.execute(insert(staged_judgments), [row._asdict() for row in rows])


def stage_fields(connection: Connection, kind: str, rows: Mapping[str, str]) -> None:
    """Stage further fields (id -> JSON object) of documents or queries."""
    if rows:
        _forget_fields(connection, kind, list(rows))
        made = [{"kind": kind, "id": key, "fields": fields} for key, fields in rows.items()]
        connection.execute(insert(staged_fields), made)


def take_fields(connection: Connection, kind: str, ids: Sequence[str]) -> dict[str, str]:
    """The further fields staged for `ids`: id -> JSON object."""
    chosen = select(staged_fields.c.id, staged_fields.c.fields)
    chosen = chosen.where(staged_fields.c.kind == kind, staged_fields.c.id.in_(ids))
    return {row.id: row.fields for row in connection.execute(chosen)}


def staged_field_ids(connection: Connection, kind: str) -> Iterator[str]:
    """The ids of all staged fields of this kind; memory stays flat."""
    chosen = select(staged_fields.c.id).where(staged_fields.c.kind == kind)
    chosen = chosen.order_by(staged_fields.c.id)
    yield from connection.execute(chosen, execution_options={"yield_per": 1000}).scalars()


def unmatched_fields(connection: Connection, kind: str, column: str) -> int:
    """How many staged fields belong to no document (column doc_id) or query (query_id)."""
    tables = (documents, staged_documents) if column == "doc_id" else (queries, staged_queries)
    nowhere = [~exists().where(table.c[column] == staged_fields.c.id) for table in tables]
    chosen = select(func.count()).select_from(staged_fields)
    return connection.execute(chosen.where(staged_fields.c.kind == kind, *nowhere)).scalar_one()


def _forget_fields(connection: Connection, kind: str, ids: Sequence[str]) -> None:
    mine = (staged_fields.c.kind == kind) & staged_fields.c.id.in_(ids)
    connection.execute(delete(staged_fields).where(mine))


def contradictions(connection: Connection) -> Iterator[StagedJudgment]:
    """Staged judgments without a rater that say different things of one pair; in file order."""
    chosen = select(*_judgment_columns()).where(staged_judgments.c.rater.is_(None))
    chosen = chosen.where(_contradicted()).order_by(staged_judgments.c.row_key)
    for row in connection.execute(chosen, execution_options={"yield_per": 1000}):
        yield StagedJudgment(*row)


def drop_contradictions(connection: Connection) -> None:
    """Forget the judgments that `contradictions` gives."""
    contradicted = _contradicted()
    mine = staged_judgments.c.rater.is_(None) & contradicted
    connection.execute(delete(staged_judgments).where(mine))


def staged_raters(connection: Connection) -> list[str | None]:
    """The raters of the staged judgments in order of appearance; None: the file's own rater."""
    first = func.min(staged_judgments.c.row_key)
    chosen = select(staged_judgments.c.rater).group_by(staged_judgments.c.rater).order_by(first)
    return list(connection.execute(chosen).scalars())


def staged_kinds(connection: Connection) -> dict[str, str]:
    """Rater -> what kind of rater the file says this is; without those of which it does not say."""
    chosen = select(staged_judgments.c.rater, func.min(staged_judgments.c.kind))
    chosen = chosen.where(staged_judgments.c.kind.is_not(None)).group_by(staged_judgments.c.rater)
    return {rater: kind for rater, kind in connection.execute(chosen) if rater is not None}


def staged_judgments_by_pair(connection: Connection) -> Iterator[StagedJudgment]:
    """What raters said; what one of them said of one pair comes together, in file order."""
    order = (staged_judgments.c[name] for name in ("query_id", "doc_id", "rater", "row_key"))
    chosen = select(*_judgment_columns()).order_by(*order).where(~_is_decision())
    for row in connection.execute(chosen, execution_options={"yield_per": 1000}):
        yield StagedJudgment(*row)


def staged_decisions_by_pair(connection: Connection) -> Iterator[StagedJudgment]:
    """What adjudicators decided; the rows of a pair come together, by time, then in file order."""
    timed = func.coalesce(staged_judgments.c.judged_at, _END_OF_TIME)
    order = (staged_judgments.c[name] for name in ("query_id", "doc_id"))
    chosen = select(*_judgment_columns()).where(_is_decision())
    chosen = chosen.order_by(*order, timed, staged_judgments.c.row_key)
    for row in connection.execute(chosen, execution_options={"yield_per": 1000}):
        yield StagedJudgment(*row)


def add_staged_pairs(connection: Connection) -> int:
    """Put the pairs of the staged judgments into the pool (source `import`); how many were new."""
    moment = literal(now_text()).label("created_at")
    asked = select(queries.c.query_key, documents.c.doc_key, moment).distinct()
    asked = asked.select_from(
        staged_judgments.join(queries, queries.c.query_id == staged_judgments.c.query_id).join(
            documents, documents.c.doc_id == staged_judgments.c.doc_id
        )
    )
    here = (pairs.c.query_key == queries.c.query_key) & (pairs.c.doc_key == documents.c.doc_key)
    before = last_pair_id(connection)
    added = _insert_pairs(connection, asked.where(~exists().where(here)))
    # Whoever judged a pair that only synthesis named has named it, too.
    for joining in (pairs.c.pair_id > before, only_synthetic() & _judged_by_people()):
        named = select(pairs.c.pair_id, literal("import")).where(joining)
        connection.execute(insert(pair_sources).from_select(["pair_id", "source"], named))
    settle_new_pairs(connection)
    return added


def _judged_by_people() -> ColumnElement[bool]:
    """Whether the staged judgments have one of the pair in hand that no model gave."""
    return exists().where(
        queries.c.query_key == pairs.c.query_key,
        documents.c.doc_key == pairs.c.doc_key,
        staged_judgments.c.query_id == queries.c.query_id,
        staged_judgments.c.doc_id == documents.c.doc_id,
        func.coalesce(staged_judgments.c.kind, "human").not_in(("synthetic", "llm")),
    )


def _insert_pairs(connection: Connection, new: Select[*tuple[Any, ...]]) -> int:
    columns = ["query_key", "doc_key", "created_at"]
    if (first := next_pair_id(connection)) is not None:
        named = new.subquery()
        place = func.row_number().over(order_by=(named.c.query_key, named.c.doc_key))
        new = select(*named.c, place + (first - 1))
        columns.append("pair_id")
    return connection.execute(insert(pairs).from_select(columns, new)).rowcount


def merge_documents(connection: Connection, *, replacing: bool) -> None:
    """Bring the staged documents into the corpus.

    Args:
        connection: Inside a writing transaction.
        replacing: Whether a known id is replaced.

    Raises:
        WorkspaceError: An id is known and not to be replaced.
    """
    names = ("doc_id", "title", "text", "metadata", "content_hash")
    new = _merge(connection, documents, staged_documents, names, replacing=replacing)
    _insert(connection, documents, names, new)


def merge_queries(connection: Connection, *, replacing: bool) -> None:
    """Bring the staged queries into the store; as `merge_documents`."""
    names = ("query_id", "text", "need", "tags")
    new = _merge(connection, queries, staged_queries, names, replacing=replacing)
    new = new.add_columns(literal("import"), literal(now_text()))
    _insert(connection, queries, (*names, "source", "created_at"), new)


def _merge(
    connection: Connection, table: Table, staged: Table, names: Sequence[str], *, replacing: bool
) -> Select[*tuple[Any, ...]]:
    """Replace what is known, where wanted; the selection of what is to be added."""
    new = select(*(staged.c[name] for name in names)).order_by(staged.c.row_key)
    if not replacing:
        return new
    known = table.c[names[0]] == staged.c[names[0]]
    contents = {name: staged.c[name] for name in names[1:]}
    connection.execute(update(table).where(known).values(contents))
    return new.where(~exists().where(known))


def _insert(
    connection: Connection, table: Table, names: Sequence[str], new: Select[*tuple[Any, ...]]
) -> None:
    try:
        connection.execute(insert(table).from_select(list(names), new))
    except IntegrityError as error:
        raise WorkspaceError(
            "Somebody else brought in the same ids while this file was read; nothing of it "
            "was imported.",
            hint="Give the same command again.",
        ) from error


def _judgment_columns() -> Iterable[Column[Any]]:
    return [staged_judgments.c[name] for name in StagedJudgment._fields]


def _is_decision() -> ColumnElement[bool]:
    return staged_judgments.c.outcome.in_((ADJUDICATED, TAKEN_BACK))


def _contradicted() -> ColumnElement[bool]:
    """Whether the rows without a rater of this row's pair say different things."""
    other = staged_judgments.alias("other")
    outcomes = func.min(other.c.outcome) != func.max(other.c.outcome)
    grades = func.min(other.c.grade) != func.max(other.c.grade)
    # One pass over all pairs: a subquery for each row would be slow where a pair comes often.
    disputed = select(other.c.query_id, other.c.doc_id).where(other.c.rater.is_(None))
    disputed = disputed.group_by(other.c.query_id, other.c.doc_id).having(or_(outcomes, grades))
    return tuple_(staged_judgments.c.query_id, staged_judgments.c.doc_id).in_(disputed)
