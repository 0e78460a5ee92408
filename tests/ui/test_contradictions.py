"""Second looks on the page: whose grade it was, and what the pair is settled to."""

from pathlib import Path
from typing import Any

from tests.workspaces import new_workspace
from ui.contradictions import answered_html

ROW: dict[str, Any] = {
    "query": "<b>pin", "title": "", "doc_id": "d1", "weak_grade": 3, "grade": 0, "given": [3],
    "given_by": ["<i>Ben"], "result": 0, "agrees": False, "changed": False, "disputed": True,
    "settled_by": "lower_median", "asked_at": "2026-11-30T12:00:00+00:00", "asked_by": "Ann",
}  # fmt: skip


def test_the_new_grade_stands_beside_what_the_pair_is_settled_to(tmp_path: Path) -> None:
    same = ROW | {"given": [0], "agrees": True, "disputed": False, "settled_by": "majority"}
    gone = ROW | dict.fromkeys(("agrees", "result", "settled_by", "changed", "disputed"))
    with new_workspace(tmp_path / "w") as workspace:
        html = answered_html(workspace, [ROW, same, gone])
    assert "<bdi>3</bdi><small><bdi>&lt;i&gt;Ben</bdi></small>" in html
    assert "<small><bdi>lower median; disputed</bdi></small>" in html
    assert "<small><bdi>agrees and changed nothing</bdi></small>" in html
    assert "<small><bdi>no grade of it counts any more</bdi></small>" in html
    assert "<b>pin" not in html
