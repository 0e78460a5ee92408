"""What each choice of synthetic queries would bring into a release at most."""

from builder.export.synthetic import ACCEPTED, NONE, VALIDATED, Counting
from builder.store.synthetic_graded import graded_by_people, synthetic_query_ids
from builder.workspace import Workspace


def synthetic_choices(workspace: Workspace) -> dict[str, int]:
    """How many synthetic queries there are, and how many each mode would bring.

    Tags, the least number of raters and queries without a relevant document may leave out some.

    Returns:
        {"queries": active ones, and each of `builder.export.synthetic.MODES`: n}.
    """
    with workspace.store.read() as connection:
        known = synthetic_query_ids(connection)
        graded = graded_by_people(connection) if known else set()
        counting = Counting.of(connection, ACCEPTED) if known else Counting()
    graded -= set(counting.rewritten)
    return {
        "queries": len(known),
        NONE: 0,
        VALIDATED: len(graded),
        ACCEPTED: len(graded | (counting.accepted.keys() & known)),
    }
