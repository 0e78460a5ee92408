"""Jobs: work that was begun in the browser and goes on without it."""

import sqlalchemy as sa
from alembic import op

revision = "0002_jobs"
down_revision = "0001_store"


def upgrade() -> None:
    """Make the table of jobs."""
    op.create_table(
        "jobs",
        sa.Column("job_id", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("target", sa.String(128), nullable=False),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("active_key", sa.String(128), unique=True),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("message", sa.Text, nullable=False, server_default=""),
        sa.Column("done", sa.Integer, nullable=False, server_default="0"),
        sa.Column("total", sa.Integer),
        sa.Column("cancel_requested", sa.Integer, nullable=False, server_default="0"),
        sa.Column("pid", sa.Integer),
        sa.Column("outcome", sa.Text),
        sa.Column("started_by", sa.Text, nullable=False),
        sa.Column("created_at", sa.String(32), nullable=False),
        sa.Column("heartbeat_at", sa.String(32)),
        sa.Column("finished_at", sa.String(32)),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'done', 'failed', 'cancelled')", name="jobs_state"
        ),
    )
