"""What a workspace lacks for a job that could only fail without it; "" where it may start."""

from builder.evaluation import task_names
from builder.store.documents import count_documents
from builder.store.judgments import count_judgments
from builder.store.queries import count_queries
from builder.workspace import Workspace


def missing_to_pool(workspace: Workspace) -> str:
    """What there has to be before anything can name documents for queries."""
    with workspace.store.read() as connection:
        found = {"corpus": count_documents(connection), "queries": count_queries(connection)}
    lacking = [what for what, n in found.items() if not n]
    if not lacking:
        return ""
    named = " and ".join("a corpus" if what == "corpus" else what for what in lacking)
    return f"Import {named} first: there is nothing to pair yet."


def missing_to_evaluate(workspace: Workspace) -> str:
    """What there has to be before a model can be evaluated."""
    if task_names(workspace):
        return ""
    with workspace.store.read() as connection:
        judged = count_judgments(connection, workspace.settings.raters_per_pair).judged_pairs
    return "" if judged else "There is nothing to evaluate on yet: no release, and no grade."
