"""Who works here, and who may do what.

A person comes in by a picked name, by a link of their own, or by the name that a trusted proxy
gives; ui decides which, by the settings. Of a link the store keeps only a digest, so that nobody
reads it out of a copy of the database.
"""

from builder.people.admission import (
    actor_called,
    ensure_person,
    find_active,
    is_admin_there,
    people_to_pick,
    person_called,
    person_of_header,
    person_of_invite,
)
from builder.people.excluding import (
    Exclusion,
    exclude_rater,
    find_exclusion,
    include_rater,
    pairs_that_would_lose,
)
from builder.people.managing import (
    add_person,
    change_role,
    deactivate,
    new_invite,
    people_with_counts,
    reactivate,
)
from builder.people.names import NamesByLook, SimilarNameError, clean_name
from builder.people.roles import ROLES, TERMINAL, authorize, called, has_role, require
from builder.store.people import Listed, Person

__all__ = [
    "ROLES",
    "TERMINAL",
    "Exclusion",
    "Listed",
    "NamesByLook",
    "Person",
    "SimilarNameError",
    "actor_called",
    "add_person",
    "authorize",
    "called",
    "change_role",
    "clean_name",
    "deactivate",
    "ensure_person",
    "exclude_rater",
    "find_active",
    "find_exclusion",
    "has_role",
    "include_rater",
    "is_admin_there",
    "new_invite",
    "pairs_that_would_lose",
    "people_to_pick",
    "people_with_counts",
    "person_called",
    "person_of_header",
    "person_of_invite",
    "reactivate",
    "require",
]
