"""What a validation allows: accept all synthetic queries, some strata of them, or none.

The rule is settled when a validation is drawn, before anybody has graded: `Rule` is kept with it.
"""

from collections.abc import Mapping

from builder.store import Connection
from builder.workspace import Workspace
from evals.records import Validation

VERDICTS = ("none", "wait", "accept", "accept_strata", "reject")
"""none: nothing is drawn; wait: experts, or an analyst, have not said all; accept: all strata;
accept_strata: those that `accepted_strata` names; reject: no synthetic grade counts."""


def accepted_queries(within: Workspace | Connection) -> frozenset[str]:
    """The query_ids whose synthetic grade counts by the latest validation that stands.

    All queries of the accepted strata, drawn and not drawn, that are active and say what they said
    when they were drawn. Queries that came later are in none.

    Args:
        within: A workspace, or a transaction of its store.

    Returns:
        The ids; empty unless the verdict is accept or accept_strata.
    """
    raise NotImplementedError


def validation_parts(connection: Connection) -> Mapping[str, Validation]:
    """query_id -> stratum and chance of each query of the latest validation that stands.

    Queries that were not drawn are among them; {} where no validation stands.
    """
    raise NotImplementedError
