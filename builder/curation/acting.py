"""Who curates, and which query is meant."""

from builder.errors import BuilderError
from builder.people.roles import Actor, authorized, called
from builder.store import Connection
from builder.store.query_lists import QueryRow, query_row_of


def analyst(connection: Connection, actor: Actor) -> str:
    """The name under which a change is recorded; None acts at the terminal.

    Args:
        connection: Inside the transaction of the change.
        actor: Who asks for it.

    Raises:
        NotAllowedError: The actor is no analyst now.
    """
    authorized(connection, actor, "analyst")
    return called(actor)


def existing_query(connection: Connection, query_id: str) -> QueryRow:
    """The query of this id.

    Raises:
        BuilderError: There is none.
    """
    row = query_row_of(connection, query_id)
    if row is None:
        raise BuilderError(f"There is no query {query_id}.", hint="Look for it in the list.")
    return row
