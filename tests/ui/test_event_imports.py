"""Search logs on the page Import: any form that is known, and tables that are explained there."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from builder.importers.job import uploads_folder
from builder.people import ensure_person
from builder.workspace import Workspace
from tests.online.logs import event
from tests.ui.test_pages import markup, sign_in, wait_for

OpenApp = Callable[[Path], AppTest]
STRANGE = "when,words,who,shown\n2026-11-30 12:00:00,=sum,ann,d1|d2\n2026-11-30 12:01:00,x,ben,\n"
MAPPING = (
    '[fields]\ntimestamp = "when"\nquery = "words"\nsession_id = "who"\n'
    'retrieved_doc_ids = { path = "shown", separator = "|" }\n'
    '[constants]\nmodel_version = "bm25"\n'
)
NATIVE_TABLE = (
    "timestamp,query,session_id,model_version,retrieved_doc_ids\n"
    "2026-11-30T12:00:00Z,shoes,s1,bm25,d1|d2\n"
)
UBI = [
    {"application": "shop", "query_id": "q1", "user_query": "shoes",
     "timestamp": "2026-11-30T12:00:00Z", "query_response_hit_ids": ["d1", "d2"]},
    {"application": "shop", "action_name": "click", "query_id": "q1",
     "timestamp": "2026-11-30T12:00:05Z",
     "event_attributes": {"object": {"object_id": "d2"}, "position": {"ordinal": 2}}},
]  # fmt: skip


def _page(open_app: OpenApp, workspace: Workspace) -> AppTest:
    ensure_person(workspace, "Dana")
    app = sign_in(open_app(workspace.root), "Dana")
    app.query_params["what"] = "Search events"
    return app.switch_page("ui/pages/imports.py").run()


def _upload(app: AppTest, name: str, content: bytes) -> AppTest:
    app.file_uploader[0].set_value((name, content, "application/octet-stream"))
    return _press(app, "Import")


def _press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("log.ndjson.gz", gzip.compress(json.dumps(event()).encode() + b"\n")),
        ("log.tsv", NATIVE_TABLE.replace(",", "\t").encode()),
    ],
)
def test_a_log_that_explains_itself_is_imported(
    open_app: OpenApp, empty_workspace: Workspace, name: str, content: bytes
) -> None:
    app = _upload(_page(open_app, empty_workspace), name, content)
    wait_for(empty_workspace, "import")
    said = markup(app.run())
    assert '<td class="gs-number"><bdi>1</bdi></td>' in said
    assert "What do the columns" not in said


def test_a_strange_table_waits_until_somebody_says_what_its_columns_mean(
    open_app: OpenApp, empty_workspace: Workspace
) -> None:
    app = _upload(_page(open_app, empty_workspace), "strange.csv", STRANGE.encode())
    said = markup(app)
    assert "What do the columns of strange.csv mean?" in said
    assert "The columns do not name " in said
    mapping = app.text_area(key="log_mapping")
    assert mapping.value is not None
    assert "timestamp" in mapping.value
    assert "goldsmith events import" not in mapping.value
    assert app.text_input(key="log_mapping_zone").value == ""
    mapping.set_value("[fields\n")
    said = markup(_press(app, "Import with this mapping"))
    assert 'role="alert"' in said
    assert app.text_area(key="log_mapping").value == "[fields\n"


def test_a_mapping_stays_until_rows_came_in(open_app: OpenApp, empty_workspace: Workspace) -> None:
    app = _upload(_page(open_app, empty_workspace), "strange.csv", STRANGE.encode())
    app.text_area(key="log_mapping").set_value(MAPPING)
    # Nobody has said the zone: all rows are set aside, and nothing of the work is lost.
    app = _press(app, "Import with this mapping")
    wait_for(empty_workspace, "import")
    said = markup(app.run())
    assert "Nothing of strange.csv came in by this mapping." in said
    assert "2 rows have a time without a zone" in said
    assert "choose the time zone above and import the file again" in said
    assert "--timezone" not in said
    assert str(empty_workspace.root) not in said
    app.text_input(key="log_mapping_zone").set_value("Europe/Nowhere")
    assert "There is no time zone" in markup(_press(app, "Import with this mapping"))
    app.text_input(key="log_mapping_zone").set_value("Europe/Berlin")
    app = _press(app, "Import with this mapping")
    wait_for(empty_workspace, "import")
    said = markup(app.run())
    assert "What do the columns" not in said
    assert "by this mapping" not in said
    assert list(uploads_folder(empty_workspace).iterdir()) == []
    assert '<td class="gs-number"><bdi>2</bdi></td>' in said
    # Notes are sentences.
    assert "times name no zone; they are taken in the one that was told" in said
    with empty_workspace.lake.connect() as connection:
        rows = connection.execute("SELECT query, timestamp FROM searches ORDER BY 2").fetchall()
    assert [(query, str(when)) for query, when in rows] == [
        ("=sum", "2026-11-30 11:00:00+00:00"),
        ("x", "2026-11-30 11:01:00+00:00"),
    ]


def test_choosing_a_column_rewrites_its_line(open_app: OpenApp, empty_workspace: Workspace) -> None:
    app = _upload(_page(open_app, empty_workspace), "strange.csv", STRANGE.encode())
    choice = app.selectbox(key="map_session_id")
    assert (choice.value, "who" in choice.options) == ("\u2013 not in this log", True)
    choice.set_value("who").run()
    assert not app.exception
    assert 'session_id = "who"' in (app.text_area(key="log_mapping").value or "")
    assert app.selectbox(key="map_session_id").value == "who"
    assert "<bdi>ann \u00b7 ben</bdi>" in markup(app)
    app.text_area(key="log_mapping").set_value("[fields").run()
    assert "The mapping cannot be read." in markup(app)


def test_a_file_of_nothing_is_said_to_be_empty(
    open_app: OpenApp, empty_workspace: Workspace
) -> None:
    said = markup(_upload(_page(open_app, empty_workspace), "none.jsonl", b""))
    assert "The file none.jsonl is empty" in said
    assert list(uploads_folder(empty_workspace).iterdir()) == []


def test_a_table_that_is_left_is_not_kept(open_app: OpenApp, empty_workspace: Workspace) -> None:
    app = _upload(_page(open_app, empty_workspace), "strange.csv", STRANGE.encode())
    assert len(list(uploads_folder(empty_workspace).iterdir())) == 1
    said = markup(_press(app, "Leave it"))
    assert "What do the columns" not in said
    assert list(uploads_folder(empty_workspace).iterdir()) == []


def test_what_is_no_log_is_refused_at_once_and_not_kept(
    open_app: OpenApp, empty_workspace: Workspace
) -> None:
    app = _upload(_page(open_app, empty_workspace), "picture.png", b"\x89PNG\r\n\x1a\n\0\0")
    assert 'role="alert"' in markup(app)
    assert list(uploads_folder(empty_workspace).iterdir()) == []


def test_applications_of_a_ubi_log_are_told(open_app: OpenApp, empty_workspace: Workspace) -> None:
    log = "\n".join(map(json.dumps, UBI)).encode()
    app = _upload(_page(open_app, empty_workspace), "ubi.ndjson", log)
    wait_for(empty_workspace, "import")
    said = markup(app.run())
    assert "<bdi>shop</bdi>" in said
    assert ">first rank</th>" in said
    assert "iso 8601" in said
