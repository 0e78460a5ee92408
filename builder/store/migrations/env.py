"""Runs the steps on the connection that builder/store/revisions.py hands in."""

from alembic import context

from builder.store.synthesis_schema import metadata


def run_steps() -> None:
    """All missing steps, in the transaction that the given connection is in already."""
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=metadata,
        transactional_ddl=True,
    )
    context.run_migrations()


# Alembic runs this file under this name; whoever else imports it only looks.
if __name__ == "env_py":
    run_steps()
