"""The tables of workbench.db, as SQLAlchemy Core; dialect-neutral.

Ids that people gave (doc_id, query_id) are text and stay as they were written. Inside, tables join
on integer keys: a million judgments hold three integers each instead of two long strings.
Judgments are append-only; `current_judgments` names the latest of each rater on each pair and is
kept in the same transaction, so that no reader has to look for it; `pairs.human_grades` likewise.
"""

from sqlalchemy import (
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

people = Table(
    "people",
    metadata,
    Column("person_id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("kind", String(16), nullable=False),
    Column("role", String(16), nullable=False),
    Column("active", Integer, nullable=False, server_default="1"),
    Column("created_at", String(32), nullable=False),
    CheckConstraint("kind IN ('human', 'import', 'synthetic', 'llm')", name="people_kind"),
    CheckConstraint("role IN ('rater', 'analyst', 'admin')", name="people_role"),
)

documents = Table(
    "documents",
    metadata,
    Column("doc_key", Integer, primary_key=True),
    Column("doc_id", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("metadata", Text, nullable=False, server_default="{}"),
    Column("content_hash", String(64), nullable=False),
)

queries = Table(
    "queries",
    metadata,
    Column("query_key", Integer, primary_key=True),
    Column("query_id", Text, nullable=False, unique=True),
    Column("text", Text, nullable=False),
    Column("need", Text, nullable=False, server_default=""),
    Column("tags", Text, nullable=False, server_default="[]"),
    Column("source", String(16), nullable=False),
    Column("status", String(16), nullable=False, server_default="active"),
    Column("created_at", String(32), nullable=False),
    CheckConstraint("status IN ('active', 'retired')", name="queries_status"),
)

pairs = Table(
    "pairs",
    metadata,
    Column("pair_id", Integer, primary_key=True),
    Column("query_key", ForeignKey("queries.query_key"), nullable=False),
    Column("doc_key", ForeignKey("documents.doc_key"), nullable=False),
    Column("created_at", String(32), nullable=False),
    # How many humans' current judgment of it is a grade; kept in the transaction of each judgment.
    Column("human_grades", Integer, nullable=False, server_default="0"),
    UniqueConstraint("query_key", "doc_key", name="pairs_once"),
    Index("pairs_by_document", "doc_key"),
    # The queue seeks the next query with a pair that still wants a grade.
    Index("pairs_by_grades", "human_grades", "query_key", "pair_id"),
)

pair_sources = Table(
    "pair_sources",
    metadata,
    Column("pair_id", ForeignKey("pairs.pair_id"), primary_key=True),
    Column("source", String(64), primary_key=True),
    Column("rank", Integer),
)

judgments = Table(
    "judgments",
    metadata,
    Column("judgment_id", Integer, primary_key=True),
    Column("pair_id", ForeignKey("pairs.pair_id"), nullable=False),
    Column("rater_id", ForeignKey("people.person_id"), nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("grade", Integer),
    Column("comment", Text, nullable=False, server_default=""),
    # When the rater judged, where that is known; an import without times leaves it empty.
    Column("judged_at", String(32)),
    Column("recorded_at", String(32), nullable=False),
    Column("milliseconds", Integer),
    # Made by whoever submits: the same token again changes nothing.
    Column("token", String(64), nullable=False, unique=True),
    CheckConstraint("grade BETWEEN 0 AND 3", name="judgments_grade"),
    CheckConstraint(
        "outcome IN ('grade', 'skip', 'cannot_judge', 'undone')", name="judgments_outcome"
    ),
    CheckConstraint("(outcome = 'grade') = (grade IS NOT NULL)", name="judgments_grade_given"),
    Index("judgments_by_rater", "rater_id", "judgment_id"),
    Index("judgments_by_pair", "pair_id", "rater_id"),
)

current_judgments = Table(
    "current_judgments",
    metadata,
    Column("pair_id", ForeignKey("pairs.pair_id"), primary_key=True),
    Column("rater_id", ForeignKey("people.person_id"), primary_key=True),
    Column("judgment_id", ForeignKey("judgments.judgment_id"), nullable=False),
    # Repeated from the judgment, so that one index answers what a rater did with a pair.
    Column("outcome", String(16), nullable=False),
    Index("current_judgments_by_rater", "rater_id", "pair_id", "outcome"),
)

releases = Table(
    "releases",
    metadata,
    Column("release_id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("content_hash", String(64), nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("created_by", Text, nullable=False),
    Column("counts", Text, nullable=False),
    UniqueConstraint("name", "number", name="releases_number"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("job_id", Integer, primary_key=True),
    Column("kind", String(64), nullable=False),
    Column("target", String(128), nullable=False),
    Column("parameters", Text, nullable=False),
    # The kind while the job is queued or running, else null: a second start of it is refused.
    Column("active_key", String(128), unique=True),
    Column("state", String(16), nullable=False),
    Column("message", Text, nullable=False, server_default=""),
    Column("done", Integer, nullable=False, server_default="0"),
    Column("total", Integer),
    Column("cancel_requested", Integer, nullable=False, server_default="0"),
    Column("pid", Integer),
    Column("outcome", Text),
    Column("started_by", Text, nullable=False),
    Column("created_at", String(32), nullable=False),
    Column("heartbeat_at", String(32)),
    Column("finished_at", String(32)),
    CheckConstraint(
        "state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name="jobs_state"
    ),
)
