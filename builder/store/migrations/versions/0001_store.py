"""People, documents, queries, the pool, judgments and releases."""

import sqlalchemy as sa
from alembic import op

revision = "0001_store"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    _people_documents_queries()
    _pool()
    _judgments()
    _releases()


def _people_documents_queries() -> None:
    op.create_table(
        "people",
        sa.Column("person_id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("active", sa.Integer, nullable=False, server_default="1"),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.CheckConstraint("kind IN ('human', 'import', 'synthetic', 'llm')", name="people_kind"),
        sa.CheckConstraint("role IN ('rater', 'analyst', 'admin')", name="people_role"),
    )
    op.create_table(
        "documents",
        sa.Column("doc_key", sa.Integer, primary_key=True),
        sa.Column("doc_id", sa.Text, nullable=False, unique=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("metadata", sa.Text, nullable=False, server_default="{}"),
        sa.Column("content_hash", sa.String(64), nullable=False),
    )
    op.create_table(
        "queries",
        sa.Column("query_key", sa.Integer, primary_key=True),
        sa.Column("query_id", sa.Text, nullable=False, unique=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("need", sa.Text, nullable=False, server_default=""),
        sa.Column("tags", sa.Text, nullable=False, server_default="[]"),
        sa.Column("source", sa.String(16), nullable=False),
        sa.Column("status", sa.String(16), nullable=False, server_default="active"),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.CheckConstraint("status IN ('active', 'retired')", name="queries_status"),
    )


def _pool() -> None:
    op.create_table(
        "pairs",
        sa.Column("pair_id", sa.Integer, primary_key=True),
        sa.Column("query_key", sa.Integer, sa.ForeignKey("queries.query_key"), nullable=False),
        sa.Column("doc_key", sa.Integer, sa.ForeignKey("documents.doc_key"), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("human_grades", sa.Integer, nullable=False, server_default="0"),
        sa.UniqueConstraint("query_key", "doc_key", name="pairs_once"),
    )
    op.create_index("pairs_by_document", "pairs", ["doc_key"])
    op.create_index("pairs_by_grades", "pairs", ["human_grades", "query_key", "pair_id"])
    op.create_table(
        "pair_sources",
        sa.Column("pair_id", sa.Integer, sa.ForeignKey("pairs.pair_id"), primary_key=True),
        sa.Column("source", sa.String(64), primary_key=True),
        sa.Column("rank", sa.Integer),
    )


def _judgments() -> None:
    op.create_table(
        "judgments",
        sa.Column("judgment_id", sa.Integer, primary_key=True),
        sa.Column("pair_id", sa.Integer, sa.ForeignKey("pairs.pair_id"), nullable=False),
        sa.Column("rater_id", sa.Integer, sa.ForeignKey("people.person_id"), nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("grade", sa.Integer),
        sa.Column("comment", sa.Text, nullable=False, server_default=""),
        sa.Column("judged_at", sa.String(32)),
        sa.Column("recorded_at", sa.String(32), nullable=False),
        sa.Column("milliseconds", sa.Integer),
        sa.Column("token", sa.String(64), nullable=False, unique=True),
        sa.CheckConstraint("grade BETWEEN 0 AND 3", name="judgments_grade"),
        sa.CheckConstraint(
            "outcome IN ('grade', 'skip', 'cannot_judge', 'undone')", name="judgments_outcome"
        ),
        sa.CheckConstraint(
            "(outcome = 'grade') = (grade IS NOT NULL)", name="judgments_grade_given"
        ),
    )
    op.create_index("judgments_by_rater", "judgments", ["rater_id", "judgment_id"])
    op.create_index("judgments_by_pair", "judgments", ["pair_id", "rater_id"])
    op.create_table(
        "current_judgments",
        sa.Column("pair_id", sa.Integer, sa.ForeignKey("pairs.pair_id"), primary_key=True),
        sa.Column("rater_id", sa.Integer, sa.ForeignKey("people.person_id"), primary_key=True),
        sa.Column(
            "judgment_id", sa.Integer, sa.ForeignKey("judgments.judgment_id"), nullable=False
        ),
        sa.Column("outcome", sa.String(16), nullable=False),
    )
    op.create_index(
        "current_judgments_by_rater", "current_judgments", ["rater_id", "pair_id", "outcome"]
    )


def _releases() -> None:
    op.create_table(
        "releases",
        sa.Column("release_id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("counts", sa.Text, nullable=False),
        sa.UniqueConstraint("name", "number", name="releases_number"),
    )
