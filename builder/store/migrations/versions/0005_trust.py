"""Decisions on disputed pairs, and raters whose grades are left out of aggregation."""

import sqlalchemy as sa
from alembic import op

revision = "0005_trust"
down_revision = "0004_queue"


def upgrade() -> None:
    """Make the table and the columns."""
    stands = sa.text("standing = 1")
    op.create_table(
        "adjudications",
        sa.Column("adjudication_id", sa.Integer, primary_key=True),
        sa.Column("pair_id", sa.Integer, sa.ForeignKey("pairs.pair_id"), nullable=False),
        sa.Column("adjudicator_id", sa.Integer, sa.ForeignKey("people.person_id"), nullable=False),
        sa.Column("grade", sa.Integer, nullable=False),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
        sa.Column("decided_at", sa.String(32), nullable=False),
        sa.Column("milliseconds", sa.Integer),
        sa.Column("token", sa.String(64), nullable=False, unique=True),
        sa.Column("guidelines_version", sa.Integer, sa.ForeignKey("guidelines.version")),
        sa.Column("standing", sa.Integer, nullable=False, server_default="1"),
        sa.CheckConstraint("grade BETWEEN 0 AND 3", name="adjudications_grade"),
    )
    op.create_index(
        "adjudications_standing",
        "adjudications",
        ["pair_id"],
        unique=True,
        sqlite_where=stands,
        postgresql_where=stands,
    )
    op.create_index(
        "adjudications_by_adjudicator", "adjudications", ["adjudicator_id", "adjudication_id"]
    )
    op.add_column("people", sa.Column("excluded_at", sa.String(32)))
    op.add_column("people", sa.Column("excluded_by", sa.Text))
    op.add_column("people", sa.Column("excluded_reason", sa.Text))
