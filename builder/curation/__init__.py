"""The queries as analysts keep them: found, added, changed, merged, retired; nothing unrecorded."""

from builder.curation.contents import (
    LONGEST_NEED,
    LONGEST_QUERY,
    QueryContent,
    add_query,
    propose_query_id,
)
from builder.curation.duplicates import Candidate, Duplicates, duplicate_candidates
from builder.curation.edits import (
    PRIORITIES,
    Edited,
    GradedTextError,
    QueryChangedError,
    edit_query,
    query_history,
    restore_query,
    retire_query,
    set_priority,
)
from builder.curation.lists import (
    ListedQuery,
    QueryPage,
    find_query,
    list_queries,
    query_filters,
    query_totals,
)
from builder.curation.merging import Conflict, MergePreview, merge_queries, preview_merge
from builder.curation.waiting import (
    Waiting,
    WaitingPair,
    WaitingQuery,
    ask_again,
    dismiss_outcomes,
    waiting,
)
from builder.store.query_lists import Sought

__all__ = [
    "LONGEST_NEED",
    "LONGEST_QUERY",
    "PRIORITIES",
    "Candidate",
    "Conflict",
    "Duplicates",
    "Edited",
    "GradedTextError",
    "ListedQuery",
    "MergePreview",
    "QueryChangedError",
    "QueryContent",
    "QueryPage",
    "Sought",
    "Waiting",
    "WaitingPair",
    "WaitingQuery",
    "add_query",
    "ask_again",
    "dismiss_outcomes",
    "duplicate_candidates",
    "edit_query",
    "find_query",
    "list_queries",
    "merge_queries",
    "preview_merge",
    "propose_query_id",
    "query_filters",
    "query_history",
    "query_totals",
    "restore_query",
    "retire_query",
    "set_priority",
    "waiting",
]
