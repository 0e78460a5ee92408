from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.errors import BuilderError, NotAllowedError
from builder.importers import import_corpus, import_judgments, import_queries
from builder.judging.queue import next_pair, submit_grade, undo_last
from builder.people import (
    Person,
    SimilarNameError,
    add_person,
    authorize,
    change_role,
    clean_name,
    deactivate,
    ensure_person,
    find_active,
    new_invite,
    people_to_pick,
    people_with_counts,
    person_called,
    person_of_header,
    person_of_invite,
    reactivate,
    require,
)
from builder.store.activity import entries
from builder.store.people import add_person as stored_person
from builder.store.people import all_people
from builder.store.quota import QuotaRule, apply_rule
from builder.workspace import Workspace
from tests.workspaces import new_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with new_workspace(tmp_path) as opened:
        yield opened


def test_the_first_person_is_admin_and_the_next_ones_rate(workspace: Workspace) -> None:
    ann, bob = ensure_person(workspace, "Ann"), ensure_person(workspace, "Bob")
    assert (ann.role, bob.role) == ("admin", "rater")
    assert (ann.kind, bob.kind) == ("human", "human")


def test_of_many_who_come_first_at_once_one_is_admin(workspace: Workspace) -> None:
    names = [f"Rater {n}" for n in range(8)]
    with ThreadPoolExecutor(len(names)) as threads:
        people = list(threads.map(lambda name: ensure_person(workspace, name), names * 2))
    assert len({person.person_id for person in people}) == len(names)
    assert sum(person.role == "admin" for person in people_to_pick(workspace)) == 1


def test_raters_out_of_an_import_do_not_make_an_admin(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        stored_person(connection, "Ann")
    assert ensure_person(workspace, "Ann").role == "rater"
    assert ensure_person(workspace, "Bob").role == "admin"


def test_the_same_name_is_the_same_person(workspace: Workspace) -> None:
    written = ensure_person(workspace, "  Zoë ")
    assert ensure_person(workspace, "Zoe\u0308") == written
    assert written.name == "Zo\u00eb"
    with workspace.store.read() as connection:
        assert len(all_people(connection)) == 1


@pytest.mark.parametrize(
    "name", ["", "  ", "a\nb", "a\0b", "a\tb", "x" * 81, "a\u202eb", "a\u2028b", "\ud800"]
)
def test_what_is_no_name_is_refused(name: str, workspace: Workspace) -> None:
    with pytest.raises(BuilderError, match=r"A name|a name"):
        ensure_person(workspace, name)
    with workspace.store.read() as connection:
        assert not all_people(connection)


@pytest.mark.parametrize(
    "name",
    [
        "李雷",
        "\u0645\u062d\u0645\u062f",
        "\u0645\u06cc\u200c\u062e\u0648",  # the non-joiner belongs to Persian
        "O'Neil; DROP TABLE",
        "x" * 80,
        "7",
    ],
)
def test_names_of_all_kinds_are_kept(name: str, workspace: Workspace) -> None:
    assert ensure_person(workspace, name).name == name


@given(st.text())
def test_a_clean_name_is_clean_for_good(name: str) -> None:
    try:
        kept = clean_name(name)
    except BuilderError:
        return
    assert clean_name(kept) == kept


def test_imported_grades_are_nobody_to_sign_in_as(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        stored_person(connection, "qrels", kind="import")
    with pytest.raises(NotAllowedError, match="import"):
        ensure_person(workspace, "qrels")


def test_rights_go_from_rater_to_admin(workspace: Workspace) -> None:
    admin, rater = ensure_person(workspace, "Ann"), ensure_person(workspace, "Bob")
    analyst = replace(rater, role="analyst")
    for person, role in ((admin, "rater"), (admin, "admin"), (analyst, "analyst")):
        require(person, role)
    for person, role in (
        (rater, "analyst"),
        (analyst, "admin"),
        (replace(admin, active=False), "rater"),
    ):
        with pytest.raises(NotAllowedError, match=person.name):
            require(person, role)
    with pytest.raises(ValueError, match="role"):
        require(admin, "king")


# Names that would be taken for each other


@pytest.mark.parametrize(
    "other",
    ["ann lee", "ANN LEE", "Ann  Lee", "AnnLee", "Ann\u00a0Lee", "Ann\u200b Lee", "\uff21nn Lee"],
)
def test_a_name_that_looks_like_a_known_one_is_no_second_person(
    other: str, workspace: Workspace
) -> None:
    ann = ensure_person(workspace, "Ann Lee")
    with pytest.raises(SimilarNameError, match="Ann Lee") as refused:
        ensure_person(workspace, other)
    assert refused.value.known == ann
    with pytest.raises(SimilarNameError):
        add_person(workspace, other, "rater", None)
    assert [person.name for person in people_to_pick(workspace)] == ["Ann Lee"]


@pytest.mark.parametrize("other", ["Ann Leigh", "Änn Lee", "Ann Lee 2"])
def test_names_that_differ_are_two_people(other: str, workspace: Workspace) -> None:
    ensure_person(workspace, "Ann Lee")
    assert ensure_person(workspace, other).name == other


def test_an_invisible_name_is_none(workspace: Workspace) -> None:
    with pytest.raises(BuilderError, match="needed"):
        ensure_person(workspace, "\u200b\u200c")


# The name that a proxy gives


def test_a_proxy_registers_whom_it_names(workspace: Workspace) -> None:
    first = person_of_header(workspace, "ann@example.org")
    assert (first.name, first.role) == ("ann@example.org", "admin")
    assert person_of_header(workspace, ["bob@example.org"]).role == "rater"
    assert person_of_header(workspace, "ann@example.org") == first


def test_a_proxy_may_change_capitals(workspace: Workspace) -> None:
    ann = person_of_header(workspace, "Ann@Example.org")
    assert person_of_header(workspace, " ann@example.org ") == ann
    assert len(people_to_pick(workspace)) == 1


def test_a_name_in_utf8_arrives_as_it_was_sent(workspace: Workspace) -> None:
    sent = "Zo\u00eb \u674e".encode().decode("latin-1")
    assert person_of_header(workspace, sent).name == "Zo\u00eb \u674e"
    assert person_of_header(workspace, "Jos\u00e9").name == "Jos\u00e9"


@pytest.mark.parametrize("values", [None, [], "", "  ", ["", ""]])
def test_a_proxy_that_names_nobody_lets_nobody_in(
    values: str | list[str] | None, workspace: Workspace
) -> None:
    with pytest.raises(NotAllowedError, match="did not say") as refused:
        person_of_header(workspace, values)
    assert refused.value.hint is not None
    assert "proxy" in refused.value.hint
    assert people_to_pick(workspace) == []


def test_a_header_that_came_twice_lets_nobody_in(workspace: Workspace) -> None:
    with pytest.raises(NotAllowedError, match="2 times"):
        person_of_header(workspace, ["mallory", "ann"])


def test_two_people_of_one_name_are_not_guessed_between(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        for name in ("Ann", "ANN"):
            stored_person(connection, name)
    with pytest.raises(NotAllowedError, match="Ann or ANN"):
        person_of_header(workspace, "ann")
    deactivate(workspace, "ANN", None)
    assert person_of_header(workspace, "ann").name == "Ann"


# What admins do


@pytest.fixture
def boss(workspace: Workspace) -> Person:
    return ensure_person(workspace, "Boss")


def test_an_admin_adds_people_in_roles(workspace: Workspace, boss: Person) -> None:
    added = add_person(workspace, " Ann ", "analyst", boss)
    assert (added.name, added.role, added.kind, added.active) == ("Ann", "analyst", "human", True)
    for name in ("Ann", "Boss"):
        with pytest.raises(BuilderError, match="here already"):
            add_person(workspace, name, "rater", boss)
    with pytest.raises(BuilderError, match="no role king"):
        add_person(workspace, "Cid", "king", boss)
    assert deeds(workspace)[-1] == ("Boss", "person.add", "Ann", {"role": "analyst"})


def test_only_admins_manage_people(workspace: Workspace, boss: Person) -> None:
    analyst = add_person(workspace, "Ann", "analyst", boss)
    before = deeds(workspace)
    for forbidden in (
        lambda: add_person(workspace, "Bob", "rater", analyst),
        lambda: change_role(workspace, "Ann", "admin", analyst),
        lambda: deactivate(workspace, "Boss", analyst),
        lambda: reactivate(workspace, "Ann", analyst),
        lambda: new_invite(workspace, "Boss", analyst),
        lambda: people_with_counts(workspace, analyst),
    ):
        with pytest.raises(NotAllowedError, match="admin"):
            forbidden()
    assert deeds(workspace) == before


def test_what_a_page_knew_of_a_person_gives_no_rights(workspace: Workspace, boss: Person) -> None:
    ann = add_person(workspace, "Ann", "admin", boss)
    authorize(workspace, ann, "admin")
    change_role(workspace, "Ann", "rater", boss)
    with pytest.raises(NotAllowedError, match="Ann"):
        deactivate(workspace, "Boss", ann)
    with pytest.raises(NotAllowedError, match="analyst"):
        authorize(workspace, ann, "analyst")
    deactivate(workspace, "Ann", boss)
    with pytest.raises(NotAllowedError, match="not active"):
        authorize(workspace, ann, "rater")


def test_the_last_admin_stays(workspace: Workspace, boss: Person) -> None:
    with pytest.raises(BuilderError, match="only active admin"):
        change_role(workspace, "Boss", "analyst", boss)
    for actor in (boss, None):
        with pytest.raises(BuilderError, match="only active admin"):
            deactivate(workspace, "Boss", actor)
    ann = add_person(workspace, "Ann", "admin", boss)
    assert not deactivate(workspace, "Boss", boss).active
    with pytest.raises(BuilderError, match="only active admin"):
        change_role(workspace, "Ann", "rater", ann)


def test_a_change_of_role_is_noted_once(workspace: Workspace, boss: Person) -> None:
    add_person(workspace, "Ann", "rater", boss)
    assert change_role(workspace, "Ann", "analyst", boss).role == "analyst"
    change_role(workspace, "Ann", "analyst", boss)
    changed = [deed for deed in deeds(workspace) if deed[1] == "person.role"]
    assert changed == [("Boss", "person.role", "Ann", {"role": {"from": "rater", "to": "analyst"}})]


def test_who_is_deactivated_comes_in_nowhere_and_may_come_back(
    workspace: Workspace, boss: Person
) -> None:
    add_person(workspace, "Ann", "analyst", boss)
    token = new_invite(workspace, "Ann", boss)
    deactivate(workspace, "Ann", boss)
    assert find_active(workspace, "Ann") is None
    for come_in, by in (
        (person_called, "Ann"),
        (ensure_person, "Ann"),
        (person_of_header, "Ann"),
        (person_of_invite, token),
    ):
        with pytest.raises(NotAllowedError, match="not active"):
            come_in(workspace, by)
    with pytest.raises(BuilderError, match="not active"):
        new_invite(workspace, "Ann", boss)
    ann = reactivate(workspace, "Ann", boss)
    assert (ann.active, ann.role) == (True, "analyst")
    assert person_of_invite(workspace, token) == ann


def test_a_link_is_secret_and_the_latest_one_works(workspace: Workspace, boss: Person) -> None:
    ann = add_person(workspace, "Ann", "rater", None)
    first = new_invite(workspace, "Ann", boss)
    assert person_of_invite(workspace, first) == ann
    second = new_invite(workspace, "Ann", boss)
    assert person_of_invite(workspace, first) is None
    assert person_of_invite(workspace, second) == ann
    for wrong in ("", "x", "\ud800", second + "x"):
        assert person_of_invite(workspace, wrong) is None
    workspace.close()
    for file in workspace.root.glob("workbench.db*"):
        assert second.encode() not in file.read_bytes()


def test_raters_out_of_imports_are_no_people(workspace: Workspace, boss: Person) -> None:
    with workspace.store.write() as connection:
        stored_person(connection, "qrels", kind="import")
    with pytest.raises(NotAllowedError, match="kind import"):
        add_person(workspace, "qrels", "rater", boss)
    with pytest.raises(NotAllowedError, match="kind import"):
        change_role(workspace, "qrels", "admin", boss)
    with pytest.raises(NotAllowedError, match="kind import"):
        new_invite(workspace, "qrels", boss)
    with pytest.raises(BuilderError, match="Nobody is called Cid"):
        deactivate(workspace, "Cid", boss)
    with pytest.raises(BuilderError) as missed:
        deactivate(workspace, "boss", boss)
    assert missed.value.hint == "Did you mean Boss?"


def test_people_are_listed_with_what_they_did(workspace: Workspace, boss: Person) -> None:
    one_pair(workspace)
    ann = add_person(workspace, "Ann", "rater", boss)
    new_invite(workspace, "Ann", boss)
    pair = next_pair(workspace, "Ann")
    assert pair is not None
    submit_grade(workspace, "Ann", pair.pair_id, 2, token=uuid4().hex)
    listed = {row.person.name: row for row in people_with_counts(workspace, boss)}
    assert (listed["Ann"].person, listed["Ann"].grades, listed["Ann"].has_link) == (ann, 1, True)
    assert listed["Ann"].last_judged_at is not None
    assert (listed["Boss"].grades, listed["Boss"].last_judged_at) == (0, None)
    assert (listed["qrels"].person.kind, listed["qrels"].grades) == ("import", 1)
    undo_last(workspace, "Ann", token=uuid4().hex)
    assert {row.person.name: row.grades for row in people_with_counts(workspace, boss)}["Ann"] == 0


def test_who_is_deactivated_keeps_no_pair_from_others(workspace: Workspace, boss: Person) -> None:
    one_pair(workspace, raters=1)
    for name in ("Ann", "Bob"):
        add_person(workspace, name, "rater", boss)
    assert next_pair(workspace, "Ann") is not None
    assert next_pair(workspace, "Bob") is None
    deactivate(workspace, "Ann", boss)
    assert next_pair(workspace, "Bob") is not None


def one_pair(workspace: Workspace, raters: int = 2) -> None:
    folder = workspace.cache_folder
    (folder / "corpus.jsonl").write_text('{"_id": "d", "title": "t", "text": "x"}')
    (folder / "queries.jsonl").write_text('{"_id": "q", "text": "x"}')
    (folder / "qrels.tsv").write_text("q\td\t1\n")
    import_corpus(workspace, folder / "corpus.jsonl")
    import_queries(workspace, folder / "queries.jsonl")
    import_judgments(workspace, folder / "qrels.tsv", rater="qrels")
    with workspace.store.write() as connection:
        apply_rule(connection, QuotaRule(raters, 1.0))


def deeds(workspace: Workspace) -> list[tuple[str, str, str, Mapping[str, Any]]]:
    """The log, oldest first."""
    with workspace.store.read() as connection:
        latest = entries(connection, limit=1000)
    return [(e.actor, e.action, e.subject, e.details) for e in reversed(latest)]
