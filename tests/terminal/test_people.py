"""A team's first admin comes from the terminal, before anybody has opened the app."""

from builder.activity import read_activity
from builder.people import exclude_rater, find_active, person_of_invite
from builder.workspace import open_workspace
from tests.terminal.conftest import Terminal


def test_people_are_added_and_listed(goldsmith: Terminal) -> None:
    goldsmith("init")
    assert "people add NAME --role admin" in goldsmith("people", "list").stdout
    added = goldsmith.processes("people", "add", "Zoë", "--role", "admin", "--json").document
    token = added.pop("link").removeprefix("/?invite=")
    assert added == {"name": "Zoë", "kind": "human", "role": "admin", "active": True}
    with open_workspace(goldsmith.folder / "w") as workspace:
        assert person_of_invite(workspace, token) == find_active(workspace, "Zoë")
    assert "/?invite=" in goldsmith("people", "add", "Ravi").stdout
    assert goldsmith("people", "list", "--json").document == {
        "people": [
            {**added, "has_link": True, "grades": 0, "last_judged_at": None, "excluded": False},
            {
                "name": "Ravi",
                "kind": "human",
                "role": "rater",
                "active": True,
                "has_link": True,
                "grades": 0,
                "last_judged_at": None,
                "excluded": False,
            },
        ]
    }
    assert "Zoë" in goldsmith.processes("people", "list").stdout


def test_who_is_left_out_is_marked(goldsmith: Terminal) -> None:
    goldsmith("init")
    goldsmith("people", "add", "Ann", "--role", "admin")
    goldsmith("people", "add", "Ravi")
    with open_workspace(goldsmith.folder / "w") as workspace:
        exclude_rater(workspace, "Ravi", "took another scale", None)
    ann, ravi = goldsmith("people", "list").stdout.splitlines()[1:]
    assert ("left out" in ann, "0, left out" in ravi) == (False, True)
    assert [
        row["excluded"] for row in goldsmith("people", "list", "--json").document["people"]
    ] == [
        False,
        True,
    ]


def test_people_change_and_the_last_admin_stays(goldsmith: Terminal) -> None:
    goldsmith("init")
    goldsmith("people", "add", "Ann", "--role", "admin")
    goldsmith("people", "add", "Ravi")
    assert goldsmith("people", "role", "Ravi", "analyst", "--json").document["role"] == "analyst"
    assert goldsmith("people", "deactivate", "Ravi").stdout == "Ravi: analyst, not active\n"
    assert goldsmith("people", "invite", "Ravi").code == 1
    assert goldsmith("people", "reactivate", "Ravi", "--json").document["active"] is True
    first = goldsmith("people", "invite", "Ravi", "--json").document["link"]
    assert first != goldsmith("people", "invite", "Ravi", "--json").document["link"]
    refused = goldsmith("people", "deactivate", "Ann", "--json")
    assert refused.code == 1
    assert "only active admin" in refused.document["error"]["message"]
    assert goldsmith("people", "role", "Ann", "king").code == 2
    assert goldsmith("people", "add", "ann").code == 1


def test_behind_a_proxy_there_is_no_link(goldsmith: Terminal) -> None:
    goldsmith("init")
    settings = goldsmith.folder / "w" / "workspace.toml"
    settings.write_text(settings.read_text() + '\n[sign_in]\nheader = "X-User"\n')
    added = goldsmith("people", "add", "ann@example.org", "--role", "admin", "--json").document
    assert added["link"] is None
    assert "no link is needed" in goldsmith("people", "add", "bob@example.org").stdout


def test_imported_events_are_in_the_log(goldsmith: Terminal) -> None:
    goldsmith("init")
    log = goldsmith.write(
        "log.jsonl",
        '{"timestamp": "2026-11-01T12:00:00Z", "query": "x", "session_id": "s", '
        '"model_version": "m", "retrieved_doc_ids": ["d"], "clicked_doc_id": null, '
        '"click_rank": null}',
    )
    assert goldsmith("events", "import", log).code == 0
    with open_workspace(goldsmith.folder / "w") as workspace:
        entry = read_activity(workspace).entries[0]
    assert (entry.actor, entry.action, entry.subject) == ("terminal", "import.events", "log.jsonl")
