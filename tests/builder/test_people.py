from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.errors import BuilderError, NotAllowedError
from builder.people import clean_name, ensure_person, require
from builder.store.people import add_person, all_people
from builder.workspace import Workspace, init_workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with init_workspace(tmp_path) as opened:
        yield opened


def test_the_first_person_is_admin_and_the_next_ones_rate(workspace: Workspace) -> None:
    ann, bob = ensure_person(workspace, "Ann"), ensure_person(workspace, "Bob")
    assert (ann.role, bob.role) == ("admin", "rater")
    assert (ann.kind, bob.kind) == ("human", "human")


def test_raters_out_of_an_import_do_not_make_an_admin(workspace: Workspace) -> None:
    with workspace.store.write() as connection:
        add_person(connection, "Ann")
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
        add_person(connection, "qrels", kind="import")
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
