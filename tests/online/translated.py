"""What a source makes of a file, row by row, whether at once or one by one."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from online.sources.recognise import open_source


def translated(file: Path, **how: Any) -> dict[int, dict[str, Any]]:
    """Number of a row -> its native line; {"fault": …} where it has none."""
    found: dict[int, dict[str, Any]] = {}
    with closing(open_source(file, **how)) as source:
        source.scratch = file.parent
        for row in source.plain().read_all().to_pylist():
            line, _, further = (row.pop(key) for key in ("line", "joined_doc_ids", "further"))
            said = {key: value for key, value in row.items() if value is not None}
            found[line] = said | json.loads(further or "{}")
        for row in source.odd().read_all().to_pylist() if source.n_odd else ():
            text = row["text"]
            found[row["line"]] = {"fault": text} if text[:1] == "\n" else json.loads(text)
    return dict(sorted(found.items()))
