"""Samplings of the search log, fillings of the pool that can be taken back, and re-checks."""

import sqlalchemy as sa
from alembic import op

revision = "0006_mining"
down_revision = "0005_trust"


def upgrade() -> None:
    """Make the tables and the column."""
    _make_samplings()
    _make_poolings()
    op.create_table(
        "rechecks",
        sa.Column("recheck_id", sa.Integer, primary_key=True),
        sa.Column("pair_id", sa.Integer, sa.ForeignKey("pairs.pair_id"), nullable=False),
        sa.Column("asked_at", sa.String(32), nullable=False),
        sa.Column("asked_by", sa.Text, nullable=False),
        sa.Column("grade", sa.Integer, nullable=False),
        sa.Column("weak_grade", sa.Integer, nullable=False),
        sa.Column("taken_back_at", sa.String(32)),
    )
    op.create_index("rechecks_by_pair", "rechecks", ["pair_id"])
    op.add_column("pairs", sa.Column("extra", sa.Integer, nullable=False, server_default="0"))


def _make_samplings() -> None:
    op.create_table("samplings", *_record("sampling_id"))
    op.create_table(
        "query_samples",
        sa.Column(
            "sampling_id", sa.Integer, sa.ForeignKey("samplings.sampling_id"), primary_key=True
        ),
        sa.Column("query_key", sa.Integer, sa.ForeignKey("queries.query_key"), primary_key=True),
        sa.Column("stratum", sa.Text, nullable=False),
        sa.Column("inclusion_probability", sa.Float, nullable=False),
        sa.Column("searches", sa.Integer, nullable=False),
        sa.Column("sessions", sa.Integer, nullable=False),
        sa.Column("variants", sa.Text, nullable=False, server_default="[]"),
        sa.Column("new_query", sa.Integer, nullable=False),
        sa.CheckConstraint(
            "inclusion_probability > 0 AND inclusion_probability <= 1", name="query_samples_chance"
        ),
    )
    op.create_index("query_samples_by_query", "query_samples", ["query_key", "sampling_id"])


def _make_poolings() -> None:
    op.create_table("poolings", *_record("pooling_id"))
    op.create_table(
        "pooled_pairs",
        sa.Column("pooling_id", sa.Integer, sa.ForeignKey("poolings.pooling_id"), primary_key=True),
        sa.Column("pair_id", sa.Integer, sa.ForeignKey("pairs.pair_id"), primary_key=True),
        sa.Column("source", sa.String(64), primary_key=True),
        sa.Column("rank", sa.Integer),
        sa.Column("new_pair", sa.Integer, nullable=False),
        sa.Column("new_source", sa.Integer, nullable=False),
    )
    op.create_index("pooled_pairs_by_pair", "pooled_pairs", ["pair_id", "source"])


def _record(key: str) -> "list[sa.Column[object]]":
    """The columns of a deed that can be repeated or taken back."""
    return [
        sa.Column(key, sa.Integer, primary_key=True),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("taken_back_at", sa.String(32)),
        sa.Column("taken_back_by", sa.Text),
    ]
