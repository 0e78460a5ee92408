"""Grading by many: leases, quotas, priorities, query outcomes, guideline versions, activity."""

import sqlalchemy as sa
from alembic import op

revision = "0003_grading"
down_revision = "0002_jobs"

# Plain SQL: Alembic would rebuild a table to add a column with a CHECK in SQLite.
_COLUMNS = (
    "ALTER TABLE people ADD COLUMN invite VARCHAR(64)",
    "ALTER TABLE queries ADD COLUMN priority INTEGER NOT NULL DEFAULT '1' "
    "CHECK (priority BETWEEN 0 AND 2)",
    "ALTER TABLE queries ADD COLUMN set_aside INTEGER NOT NULL DEFAULT '0'",
    "ALTER TABLE pairs ADD COLUMN quota INTEGER",
    "ALTER TABLE pairs ADD COLUMN cannot_judges INTEGER NOT NULL DEFAULT '0'",
    "ALTER TABLE pairs ADD COLUMN patience INTEGER NOT NULL DEFAULT '2'",
    "ALTER TABLE pairs ADD COLUMN open_slots INTEGER NOT NULL DEFAULT '0'",
    "ALTER TABLE pairs ADD COLUMN priority INTEGER NOT NULL DEFAULT '1' "
    "CHECK (priority BETWEEN 0 AND 2)",
    "ALTER TABLE judgments ADD COLUMN reason TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE judgments ADD COLUMN guidelines_version INTEGER REFERENCES guidelines (version)",
)


def upgrade() -> None:
    """Make the new tables and columns, and fill what follows from the log."""
    _rules()
    _guidelines()
    for statement in _COLUMNS:
        op.execute(statement)
    op.create_index("people_by_invite", "people", ["invite"], unique=True)
    _leases()
    _query_outcomes()
    _activity()
    op.drop_index("pairs_by_grades", "pairs")
    _pair_indexes()
    op.execute(_COUNT_CANNOT_JUDGES)


_COUNT_CANNOT_JUDGES = """
UPDATE pairs SET cannot_judges = (
    SELECT count(*) FROM current_judgments AS current
    JOIN people ON people.person_id = current.rater_id
    WHERE current.pair_id = pairs.pair_id AND current.outcome = 'cannot_judge'
      AND people.kind = 'human')
WHERE pair_id IN (SELECT pair_id FROM current_judgments WHERE outcome = 'cannot_judge')
"""


def _pair_indexes() -> None:
    open_ones, new_ones = sa.text("open_slots > 0"), sa.text("quota IS NULL")
    op.create_index(
        "pairs_open",
        "pairs",
        ["priority", "query_key", "pair_id"],
        sqlite_where=open_ones,
        postgresql_where=open_ones,
    )
    op.create_index(
        "pairs_without_quota",
        "pairs",
        ["pair_id"],
        sqlite_where=new_ones,
        postgresql_where=new_ones,
    )
    op.create_index("pairs_by_grades", "pairs", ["human_grades"])


def _rules() -> None:
    op.create_table(
        "rules",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )


def _guidelines() -> None:
    op.create_table(
        "guidelines",
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False, server_default=""),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
    )


def _leases() -> None:
    op.create_table(
        "leases",
        sa.Column("pair_id", sa.Integer, sa.ForeignKey("pairs.pair_id"), primary_key=True),
        sa.Column("rater_id", sa.Integer, sa.ForeignKey("people.person_id"), primary_key=True),
        sa.Column("taken_at", sa.String(32), nullable=False),
        sa.Column("expires_at", sa.String(32), nullable=False),
    )
    op.create_index("leases_by_rater", "leases", ["rater_id", "expires_at"])
    op.create_index("leases_by_end", "leases", ["expires_at"])


def _query_outcomes() -> None:
    op.create_table(
        "query_outcomes",
        sa.Column("outcome_id", sa.Integer, primary_key=True),
        sa.Column("query_key", sa.Integer, sa.ForeignKey("queries.query_key"), nullable=False),
        sa.Column("rater_id", sa.Integer, sa.ForeignKey("people.person_id"), nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
        sa.Column("recorded_at", sa.String(32), nullable=False),
        sa.Column("standing", sa.Integer, nullable=False, server_default="1"),
        sa.Column("token", sa.String(64), nullable=False, unique=True),
        sa.CheckConstraint(
            "outcome IN ('unclear', 'out_of_scope', 'undone')", name="query_outcomes_outcome"
        ),
    )
    op.create_index(
        "query_outcomes_by_query", "query_outcomes", ["query_key", "rater_id", "standing"]
    )


def _activity() -> None:
    op.create_table(
        "activity",
        sa.Column("activity_id", sa.Integer, primary_key=True),
        sa.Column("happened_at", sa.String(32), nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("action", sa.String(64), nullable=False),
        sa.Column("subject", sa.Text, nullable=False, server_default=""),
        sa.Column("details", sa.Text, nullable=False, server_default="{}"),
    )
    op.create_index("activity_by_subject", "activity", ["subject", "activity_id"])
