"""What a rater said of whole queries: seen again, and taken back."""

from datetime import UTC, datetime

from builder.errors import BuilderError, NotAllowedError
from builder.judging.pairs import grading_person, known_query
from builder.store import query_outcomes
from builder.store.moments import utc_text
from builder.store.people import find_person
from builder.store.query_outcomes import OwnOutcome
from builder.workspace import Workspace


def own_query_words(workspace: Workspace, rater: str) -> list[OwnOutcome]:
    """What the rater said last of each query, newest first; what was taken back is left out.

    Raises:
        NotAllowedError: There is no person of this name.
    """
    with workspace.store.read() as connection:
        person = find_person(connection, rater)
        if person is None:
            raise NotAllowedError(f"Nobody is called {rater} here.", hint="Sign in.")
        return query_outcomes.own_outcomes(connection, person.person_id)


def take_back_query(
    workspace: Workspace, rater: str, query_id: str, *, token: str, now: datetime | None = None
) -> None:
    """Take back what the rater says of a query: its pairs come to them again.

    Args:
        workspace: Where the query lies.
        rater: The rater's name.
        query_id: The query.
        token: Made once for each showing: the same again changes nothing more.
        now: When; default: this moment.

    Raises:
        NotAllowedError: Nobody of this name may grade here.
        BuilderError: The query is unknown, or nothing of this rater stands there.
    """
    moment = utc_text(now or datetime.now(UTC))
    with workspace.store.write() as connection:
        rater_id = grading_person(connection, rater).person_id
        query_key = known_query(connection, query_id)
        if query_outcomes.outcome_of_token(connection, token) is not None:
            return
        said = query_outcomes.standing_outcome(connection, query_key, rater_id)
        if said is None:
            raise BuilderError(
                "What you said of this query does not stand any more. Nothing was changed.",
                hint="You took it back elsewhere, or an analyst has decided.",
            )
        query_outcomes.undo_outcome(connection, said, token, moment)
