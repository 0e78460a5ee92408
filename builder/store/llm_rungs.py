"""Which way of asking for JSON worked at a server: one row for each server and model."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, insert, select, update

from builder.store.moments import now_text, utc_text
from builder.store.synthesis_schema import llm_rungs

KEPT_DAYS = 30
"""A server may have learnt more since: what is older is forgotten, and the best way tried anew."""


def find_rung(connection: Connection, endpoint: str) -> str | None:
    """What was remembered of this endpoint in the last 30 days, or None."""
    since = utc_text(datetime.now(UTC) - timedelta(days=KEPT_DAYS))
    found = select(llm_rungs.c.rung).where(
        llm_rungs.c.endpoint == endpoint, llm_rungs.c.noted_at >= since
    )
    rung: str | None = connection.execute(found).scalar_one_or_none()
    return rung


def keep_rung(connection: Connection, endpoint: str, rung: str) -> None:
    """Remember it in place of what was remembered before."""
    noted = {"rung": rung, "noted_at": now_text()}
    known = update(llm_rungs).where(llm_rungs.c.endpoint == endpoint).values(noted)
    if connection.execute(known).rowcount == 0:
        connection.execute(insert(llm_rungs).values(endpoint=endpoint, **noted))
