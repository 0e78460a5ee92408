"""The tables of workbench.db, as SQLAlchemy Core; dialect-neutral.

Ids that people gave (doc_id, query_id) are text and stay as they were written. Inside, tables join
on integer keys: a million judgments hold three integers each instead of two long strings.
Judgments are append-only; `current_judgments` names the latest of each rater on each pair and is
kept in the same transaction, so that no reader has to look for it. `pairs.human_grades`,
`pairs.cannot_judges` and `pairs.open_slots` likewise: how many more grades a pair wants is one
number, and one partial index leads the queue to the pairs that want any.
"""

from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData()

_OPEN, _NEW = text("open_slots > 0"), text("quota IS NULL")
_PUT_OFF, _STANDS = text("outcome <> 'grade'"), text("standing = 1")
_SYNTHETIC = text("source = 'synthetic'")


def deed_columns() -> "list[Column[Any]]":
    """The columns of a deed that can be repeated or taken back, beside its key."""
    return [
        Column("created_at", String(32), nullable=False),
        Column("created_by", Text, nullable=False),
        # What was asked for, such as the seed, and the report, both JSON.
        Column("parameters", Text, nullable=False),
        Column("outcome", Text, nullable=False),
        Column("taken_back_at", String(32)),
        Column("taken_back_by", Text),
    ]


people = Table(
    "people",
    metadata,
    Column("person_id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("kind", String(16), nullable=False),
    Column("role", String(16), nullable=False),
    Column("active", Integer, nullable=False, server_default="1"),
    Column("created_at", String(32), nullable=False),
    # A digest of the secret in this person's own link to the app; null where there is none.
    Column("invite", String(64)),
    # Since when, by whom and why this rater's grades are left out of aggregation; null: they count.
    Column("excluded_at", String(32)),
    Column("excluded_by", Text),
    Column("excluded_reason", Text),
    Index("people_by_invite", "invite", unique=True),
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
    # 0 later, 1 as it comes, 2 first; copied to the query's pairs, where the queue reads it.
    Column("priority", Integer, nullable=False, server_default="1"),
    # 1 while raters' words about the whole query wait for an analyst: nobody else is asked.
    Column("set_aside", Integer, nullable=False, server_default="0"),
    CheckConstraint("priority BETWEEN 0 AND 2", name="queries_priority"),
    CheckConstraint("status IN ('active', 'retired')", name="queries_status"),
)

pairs = Table(
    "pairs",
    metadata,
    Column("pair_id", Integer, primary_key=True),
    Column("query_key", ForeignKey("queries.query_key"), nullable=False),
    Column("doc_key", ForeignKey("documents.doc_key"), nullable=False),
    Column("created_at", String(32), nullable=False),
    # How many humans' current judgment of it is a grade, excluded raters' left out; kept in the
    # transaction of each judgment and exclusion.
    Column("human_grades", Integer, nullable=False, server_default="0"),
    # How many grades it shall get; null until the rule of the workspace was applied to it.
    Column("quota", Integer),
    # How many humans say now that they cannot judge it; with `patience` of them nobody is asked
    # any more, and an analyst decides.
    Column("cannot_judges", Integer, nullable=False, server_default="0"),
    Column("patience", Integer, nullable=False, server_default="2"),
    # How many more grades it wants: 0 once it is complete, given up, or its query retired or set
    # aside. Kept in the transaction of whatever changes one of these.
    Column("open_slots", Integer, nullable=False, server_default="0"),
    Column("priority", Integer, nullable=False, server_default="1"),
    # How many grades it shall get beyond what the rule says: an analyst doubts the ones it has.
    Column("extra", Integer, nullable=False, server_default="0"),
    UniqueConstraint("query_key", "doc_key", name="pairs_once"),
    CheckConstraint("priority BETWEEN 0 AND 2", name="pairs_priority"),
    Index("pairs_by_document", "doc_key"),
    Index("pairs_by_grades", "human_grades"),
    # The queue seeks the next query with a pair that still wants a grade.
    Index(
        "pairs_open",
        "priority",
        "query_key",
        "pair_id",
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    ),
    Index("pairs_without_quota", "pair_id", sqlite_where=_NEW, postgresql_where=_NEW),
)

pair_sources = Table(
    "pair_sources",
    metadata,
    Column("pair_id", ForeignKey("pairs.pair_id"), primary_key=True),
    Column("source", String(64), primary_key=True),
    Column("rank", Integer),
    # What a language model's synthesis named: few, and asked of nobody unless others name it, too.
    Index(
        "pair_sources_synthetic",
        "pair_id",
        sqlite_where=_SYNTHETIC,
        postgresql_where=_SYNTHETIC,
    ),
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
    # Why somebody skipped or cannot judge.
    Column("reason", Text, nullable=False, server_default=""),
    # Under which guidelines it was made; null for imports.
    Column("guidelines_version", ForeignKey("guidelines.version")),
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
    # What a rater skipped, the longest ago first; small beside the grades.
    Index(
        "current_judgments_put_off",
        "rater_id",
        "outcome",
        "judgment_id",
        sqlite_where=_PUT_OFF,
        postgresql_where=_PUT_OFF,
    ),
)

leases = Table(
    "leases",
    metadata,
    Column("pair_id", ForeignKey("pairs.pair_id"), primary_key=True),
    Column("rater_id", ForeignKey("people.person_id"), primary_key=True),
    Column("taken_at", String(32), nullable=False),
    Column("expires_at", String(32), nullable=False),
    Index("leases_by_rater", "rater_id", "expires_at"),
    Index("leases_by_end", "expires_at"),
)

query_outcomes = Table(
    "query_outcomes",
    metadata,
    Column("outcome_id", Integer, primary_key=True),
    Column("query_key", ForeignKey("queries.query_key"), nullable=False),
    Column("rater_id", ForeignKey("people.person_id"), nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("recorded_at", String(32), nullable=False),
    # 1 while it counts; 0 once it was taken back, or an analyst has decided.
    Column("standing", Integer, nullable=False, server_default="1"),
    Column("token", String(64), nullable=False, unique=True),
    CheckConstraint(
        "outcome IN ('unclear', 'out_of_scope', 'undone')", name="query_outcomes_outcome"
    ),
    Index("query_outcomes_by_query", "query_key", "rater_id", "standing"),
    Index("query_outcomes_by_rater", "rater_id", "outcome_id"),
)

# What an analyst decided on a disputed pair. It wins over the raters' grades, which stay; it is no
# grade of a rater, so it counts in no agreement and fills no quota.
adjudications = Table(
    "adjudications",
    metadata,
    Column("adjudication_id", Integer, primary_key=True),
    Column("pair_id", ForeignKey("pairs.pair_id"), nullable=False),
    Column("adjudicator_id", ForeignKey("people.person_id"), nullable=False),
    Column("grade", Integer, nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("decided_at", String(32), nullable=False),
    Column("milliseconds", Integer),
    Column("token", String(64), nullable=False, unique=True),
    Column("guidelines_version", ForeignKey("guidelines.version")),
    # 1 while it counts; 0 once it was taken back or decided anew.
    Column("standing", Integer, nullable=False, server_default="1"),
    CheckConstraint("grade BETWEEN 0 AND 3", name="adjudications_grade"),
    Index(
        "adjudications_standing",
        "pair_id",
        unique=True,
        sqlite_where=_STANDS,
        postgresql_where=_STANDS,
    ),
    Index("adjudications_by_adjudicator", "adjudicator_id", "adjudication_id"),
)

# Every text of guidelines.md under which somebody graded.
guidelines = Table(
    "guidelines",
    metadata,
    Column("version", Integer, primary_key=True),
    Column("text", Text, nullable=False),
    Column("note", Text, nullable=False, server_default=""),
    Column("author", Text, nullable=False),
    Column("created_at", String(32), nullable=False),
)

# Rules of the workspace as they were last applied to the tables, such as the quota of its pairs.
rules = Table(
    "rules",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

# Who did what when; grades are not in it, for they are a log of their own.
activity = Table(
    "activity",
    metadata,
    Column("activity_id", Integer, primary_key=True),
    Column("happened_at", String(32), nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", String(64), nullable=False),
    Column("subject", Text, nullable=False, server_default=""),
    Column("details", Text, nullable=False, server_default="{}"),
    Index("activity_by_subject", "subject", "activity_id"),
)

# One drawing of queries from the search log, so that it can be repeated or taken back.
samplings = Table(
    "samplings",
    metadata,
    Column("sampling_id", Integer, primary_key=True),
    *deed_columns(),
)

# What a sampling drew. The latest sampling that stands says how much a query weighs.
query_samples = Table(
    "query_samples",
    metadata,
    Column("sampling_id", ForeignKey("samplings.sampling_id"), primary_key=True),
    Column("query_key", ForeignKey("queries.query_key"), primary_key=True),
    Column("stratum", Text, nullable=False),
    # The chance with which the sampling draws it, above 0 and at most 1.
    Column("inclusion_probability", Float, nullable=False),
    # How often the log has it, in all its spellings, and in how many sessions.
    Column("searches", Integer, nullable=False),
    Column("sessions", Integer, nullable=False),
    # [[spelling, searches], …] as JSON, the most frequent first.
    Column("variants", Text, nullable=False, server_default="[]"),
    # 1 where the sampling made the query, 0 where it was there already.
    Column("new_query", Integer, nullable=False),
    Index("query_samples_by_query", "query_key", "sampling_id"),
    CheckConstraint(
        "inclusion_probability > 0 AND inclusion_probability <= 1", name="query_samples_chance"
    ),
)

# One filling of the pool, so that it can be repeated or taken back.
poolings = Table(
    "poolings",
    metadata,
    Column("pooling_id", Integer, primary_key=True),
    *deed_columns(),
)

# Who named which pair in a pooling, and at which rank.
pooled_pairs = Table(
    "pooled_pairs",
    metadata,
    Column("pooling_id", ForeignKey("poolings.pooling_id"), primary_key=True),
    Column("pair_id", ForeignKey("pairs.pair_id"), primary_key=True),
    Column("source", String(64), primary_key=True),
    Column("rank", Integer),
    # 1 where this pooling brought the pair, or wrote its row in `pair_sources`.
    Column("new_pair", Integer, nullable=False),
    Column("new_source", Integer, nullable=False),
    Index("pooled_pairs_by_pair", "pair_id", "source"),
)

# Pairs that are graded once more, since clicks say otherwise than their grade; raters see nothing
# of it. Each adds to `pairs.extra`.
rechecks = Table(
    "rechecks",
    metadata,
    Column("recheck_id", Integer, primary_key=True),
    Column("pair_id", ForeignKey("pairs.pair_id"), nullable=False),
    Column("asked_at", String(32), nullable=False),
    Column("asked_by", Text, nullable=False),
    # What the pair's grades came to at that moment, and what its clicks came to.
    Column("grade", Integer, nullable=False),
    Column("weak_grade", Integer, nullable=False),
    Column("taken_back_at", String(32)),
    Index("rechecks_by_pair", "pair_id"),
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
