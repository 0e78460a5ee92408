"""Queries that a language model writes: runs, tasks, ledger of calls, candidates, validations."""

import sqlalchemy as sa
from alembic import op

revision = "0007_synthesis"
down_revision = "0006_mining"


def upgrade() -> None:
    """Make the tables."""
    _make_syntheses()
    _make_tasks()
    _make_calls()
    _make_candidates()
    op.create_table(
        "llm_rungs",
        sa.Column("endpoint", sa.Text, primary_key=True),
        sa.Column("rung", sa.String(16), nullable=False),
        sa.Column("noted_at", sa.String(32), nullable=False),
    )
    _make_validations()
    synthetic = sa.text("source = 'synthetic'")
    op.create_index(
        "pair_sources_synthetic",
        "pair_sources",
        ["pair_id"],
        sqlite_where=synthetic,
        postgresql_where=synthetic,
    )


def _make_syntheses() -> None:
    op.create_table(
        "syntheses",
        *_deed("synthesis_id"),
        sa.Column("token", sa.String(64), unique=True),
        sa.Column("state", sa.String(16), nullable=False, server_default="ready"),
        sa.Column("reason", sa.Text, nullable=False, server_default=""),
        sa.CheckConstraint(
            "state IN ('ready', 'running', 'stopped', 'done')", name="syntheses_state"
        ),
    )


def _make_tasks() -> None:
    op.create_table(
        "synthesis_tasks",
        sa.Column("task_id", sa.Integer, primary_key=True),
        sa.Column(
            "synthesis_id", sa.Integer, sa.ForeignKey("syntheses.synthesis_id"), nullable=False
        ),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("doc_key", sa.Integer, sa.ForeignKey("documents.doc_key"), nullable=False),
        sa.Column("first_character", sa.Integer, nullable=False),
        sa.Column("last_character", sa.Integer, nullable=False),
        sa.Column("prompt", sa.String(64), nullable=False),
        sa.Column("prompt_hash", sa.String(64), nullable=False),
        sa.Column("language", sa.String(16), nullable=False),
        sa.Column("stratum", sa.Text, nullable=False),
        sa.Column("seed", sa.Integer, nullable=False),
        sa.Column("examples", sa.Text, nullable=False, server_default="[]"),
        sa.Column("request_hash", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False, server_default="waiting"),
        sa.UniqueConstraint("synthesis_id", "position", name="synthesis_tasks_position"),
        sa.CheckConstraint(
            "state IN ('waiting', 'answered', 'failed')", name="synthesis_tasks_state"
        ),
    )
    op.create_index(
        "synthesis_tasks_by_state", "synthesis_tasks", ["synthesis_id", "state", "position"]
    )
    op.create_index("synthesis_tasks_by_document", "synthesis_tasks", ["doc_key"])


def _make_calls() -> None:
    op.create_table(
        "llm_calls",
        sa.Column("call_id", sa.Integer, primary_key=True),
        sa.Column("task_id", sa.Integer, sa.ForeignKey("synthesis_tasks.task_id"), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("sent_at", sa.String(32), nullable=False),
        sa.Column("rung", sa.String(16), nullable=False),
        sa.Column("seed", sa.Integer, nullable=False, server_default="0"),
        sa.Column("request_bytes", sa.Integer, nullable=False, server_default="0"),
        sa.Column("max_tokens", sa.Integer, nullable=False, server_default="0"),
        sa.Column("answered_at", sa.String(32)),
        sa.Column("outcome", sa.String(24)),
        sa.Column("message", sa.Text, nullable=False, server_default=""),
        sa.Column("status", sa.Integer),
        sa.Column("model_served", sa.Text),
        sa.Column("finish_reason", sa.String(32)),
        sa.Column("prompt_tokens", sa.Integer),
        sa.Column("completion_tokens", sa.Integer),
        sa.Column("cached_tokens", sa.Integer),
        sa.Column("cost", sa.Float),
        sa.Column("milliseconds", sa.Integer),
        sa.Column("answer", sa.Text),
        sa.UniqueConstraint("task_id", "attempt", name="llm_calls_attempt"),
    )
    op.create_index("llm_calls_by_outcome", "llm_calls", ["outcome"])


def _make_candidates() -> None:
    op.create_table(
        "synthetic_queries",
        sa.Column("candidate_id", sa.Integer, primary_key=True),
        sa.Column("call_id", sa.Integer, sa.ForeignKey("llm_calls.call_id"), nullable=False),
        sa.Column("task_id", sa.Integer, sa.ForeignKey("synthesis_tasks.task_id"), nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("verdict", sa.String(16)),
        sa.Column("reasons", sa.Text, nullable=False, server_default="[]"),
        sa.Column("flags", sa.Text, nullable=False, server_default="[]"),
        sa.Column("measured", sa.Text, nullable=False, server_default="{}"),
        sa.Column("review", sa.String(16)),
        sa.Column("reviewed_at", sa.String(32)),
        sa.Column("reviewed_by", sa.Text),
        sa.Column("edited_text", sa.Text),
        sa.Column("query_key", sa.Integer, sa.ForeignKey("queries.query_key")),
        sa.UniqueConstraint("call_id", "ordinal", name="synthetic_queries_ordinal"),
        sa.CheckConstraint("verdict IN ('kept', 'rejected')", name="synthetic_queries_verdict"),
        sa.CheckConstraint("review IN ('accepted', 'rejected')", name="synthetic_queries_review"),
    )
    op.create_index("synthetic_queries_by_task", "synthetic_queries", ["task_id"])
    op.create_index("synthetic_queries_by_query", "synthetic_queries", ["query_key"])
    op.create_index("synthetic_queries_by_state", "synthetic_queries", ["verdict", "review"])


def _make_validations() -> None:
    op.create_table("validations", *_deed("validation_id"))
    op.create_table(
        "validation_queries",
        sa.Column(
            "validation_id",
            sa.Integer,
            sa.ForeignKey("validations.validation_id"),
            primary_key=True,
        ),
        sa.Column("query_key", sa.Integer, sa.ForeignKey("queries.query_key"), primary_key=True),
        sa.Column("pair_id", sa.Integer, sa.ForeignKey("pairs.pair_id"), nullable=False),
        sa.Column("grade", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("stratum", sa.Text, nullable=False),
        sa.Column("drawn", sa.Integer, nullable=False),
        sa.Column("inclusion_probability", sa.Float, nullable=False),
    )
    op.create_index("validation_queries_by_pair", "validation_queries", ["pair_id"])


def _deed(key: str) -> "list[sa.Column[object]]":
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
