"""The table of rules: what a workspace applied last, and marks of its own, a text by its name."""

from sqlalchemy import Connection, insert, select, update

from builder.store.schema import rules


def rule_value(connection: Connection, name: str) -> str | None:
    """What is noted under the name; None if nothing is."""
    chosen = select(rules.c.value).where(rules.c.name == name)
    return connection.execute(chosen).scalar_one_or_none()


def set_rule_value(connection: Connection, name: str, value: str) -> None:
    """Note the value under the name, inside a writing transaction."""
    known = update(rules).where(rules.c.name == name).values(value=value)
    if connection.execute(known).rowcount == 0:
        connection.execute(insert(rules).values(name=name, value=value))
