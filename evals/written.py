"""What a reader of scores has to know where a language model wrote queries of the task. Pure."""

from collections.abc import Iterable

from evals.records import Query

SYNTHETIC = "synthetic"


def written_by_models(judged: Iterable[Query]) -> list[str]:
    """A sentence, or none where people typed all of the judged queries.

    Args:
        judged: The queries that are scored.

    Returns:
        How many of them a language model wrote, and of how many of these the grade is the model's
        own, as far as the folder says so.
    """
    every = list(judged)
    written = [query for query in every if query.source == SYNTHETIC]
    if not written:
        return []
    own = sum(query.validated is False for query in written)
    are = "was" if len(written) == 1 else "were"
    rest = f", and {own:,} of these {'rests' if own == 1 else 'rest'} on the model's own grade"
    return [
        f"{len(written):,} of {len(every):,} queries {are} written by a language model"
        f"{rest if own else ''}: such queries are easier as a rule, so compare models on them and "
        "quote no absolute number"
    ]
