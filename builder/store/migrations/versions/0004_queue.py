"""Indexes by which the queue finds what a rater put off, and what a rater said of whole queries."""

import sqlalchemy as sa
from alembic import op

revision = "0004_queue"
down_revision = "0003_grading"


def upgrade() -> None:
    """Make the indexes."""
    put_off = sa.text("outcome <> 'grade'")
    op.create_index(
        "current_judgments_put_off",
        "current_judgments",
        ["rater_id", "outcome", "judgment_id"],
        sqlite_where=put_off,
        postgresql_where=put_off,
    )
    op.create_index("query_outcomes_by_rater", "query_outcomes", ["rater_id", "outcome_id"])
