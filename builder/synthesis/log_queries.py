"""Which queries the workspace's search log has already."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from builder.synthesis.filters.in_log import Asked, InLog, found_in_log
from builder.workspace import Workspace
from evals.records import Progress

if TYPE_CHECKING:
    from online.query_frame import QueryFrame

_NO_LOG = "empty"
_TELL_EVERY = 20_000


def searches_of(
    workspace: Workspace,
    texts: Mapping[int, tuple[str, str]],
    progress: Progress | None = None,
) -> dict[int, InLog]:
    """How often people searched for these queries; none of them where there is no log.

    Args:
        workspace: Whose log.
        texts: Any number -> (query, ISO 639-1 code of its language).
        progress: Hears how far it is; may raise to stop.

    Raises:
        OnlineError: The lake is damaged.
    """
    if not texts or workspace.lake.version == _NO_LOG:
        return {}
    from online.query_frame import group_keys, read_frame
    from online.report import EVERYTHING

    if progress is not None:
        progress("counting the queries of the log", 0, None)
    with workspace.lake.connect() as log:
        keys = group_keys(log, [text for text, _ in texts.values()])
        asked = {
            number: Asked(key, text, language)
            for (number, (text, language)), key in zip(texts.items(), keys, strict=True)
        }
        return found_in_log(asked, _told(read_frame(log, EVERYTHING), progress))


def _told(frame: "QueryFrame", progress: Progress | None) -> Iterator[tuple[str, int]]:
    done = 0
    for chunk in frame.keys.chunks:
        for key in chunk.to_pylist():
            if progress is not None and done % _TELL_EVERY == 0:
                progress("comparing with the log", done, len(frame))
            yield key, int(frame.searches[done])
            done += 1
