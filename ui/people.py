"""People on screen: who works here, in which role, by which link."""

from collections.abc import Callable, Sequence
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from builder.people import (
    ROLES,
    Listed,
    Person,
    add_person,
    change_role,
    deactivate,
    new_invite,
    reactivate,
)
from builder.workspace import Workspace
from ui.frame import errors_shown, in_callback, muted, note, section
from ui.guidelines import local_time
from ui.numbers import MISSING, count
from ui.sign_in import INVITE_IN_URL
from ui.tables import Column, table
from ui.text import button_label, inline

_LINK = "people_link"
_CHOSEN = "whom"
_KINDS = {
    "import": "imported grades",
    "synthetic": "sources of generated queries",
    "llm": "a language model",
}
_MAY = "A rater grades. An analyst also builds and measures. An admin also manages people."


def show_people(workspace: Workspace, listed: Sequence[Listed]) -> None:
    """The humans: role, state, and what they graded."""
    humans = [row for row in listed if row.person.kind == "human"]
    columns = [
        Column("Name"),
        Column("Role"),
        Column("State"),
        Column("Grades", numeric=True),
        Column("Last seen grading"),
        Column("Own link"),
    ]
    rows = [
        [
            row.person.name,
            row.person.role,
            "active" if row.person.active else "not active",
            count(row.grades),
            _moment(workspace, row.last_judged_at),
            "yes" if row.has_link else MISSING,
        ]
        for row in humans
    ]
    st.html(table(columns, rows))
    if len(humans) == 1:
        note("Nobody else is here yet.", "Add the people who shall grade.")


def show_adding(workspace: Workspace, actor: Person) -> None:
    """A form for somebody new; then their link, once."""
    with (
        st.form("add_person", border=False, clear_on_submit=True),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        name = st.text_input("Name", placeholder=_name_hint(workspace), key="new_person")
        role = st.selectbox("Role", ROLES, key="new_role", width=160)
        pressed = st.form_submit_button("Add", type="primary")
    muted(_MAY)
    if not pressed:
        return
    with errors_shown():
        person = add_person(workspace, name, role, actor)
        _offer_link(workspace, person, actor)
        st.rerun()


def show_link() -> None:
    """What to send to whoever was just added, or got a new link."""
    name, token = st.session_state.get(_LINK, (None, None))
    if name is None:
        return
    with st.container(border=True, key="people_link_box"):
        if token is None:
            st.html(
                f"<p>{inline(name)} can come in now: the proxy says who it is.</p>"
                '<p class="gs-muted">The name has to be the one that the proxy gives.</p>'
            )
        else:
            st.html(
                f"<p>Send this link to {inline(name)}. Whoever opens it works as {inline(name)}."
                '</p><p class="gs-muted">It is shown only now. A new link replaces it.</p>'
            )
            st.code(invite_link(token), language=None, wrap_lines=True)
        st.button("Done", on_click=_forget_link, key="people_link_done")


def show_changing(workspace: Workspace, actor: Person, listed: Sequence[Listed]) -> None:
    """One person: another role, a new link, an end or a new beginning."""
    people = {row.person.name: row for row in listed if row.person.kind == "human"}
    name = st.selectbox(
        "Person",
        list(people),
        index=None,
        placeholder="Whom?",
        key=_CHOSEN,
        bind="query-params",
        on_change=_forget_link,
    )
    if name is None:
        return
    row = people[name]
    with st.container(horizontal=True, vertical_alignment="bottom", key="people_change"):
        if not row.person.active:
            _button("Reactivate", _reactivate, workspace, actor, name)
            return
        role_key = f"role_of_{row.person.person_id}"
        st.selectbox("New role", ROLES, index=ROLES.index(row.person.role), key=role_key, width=160)
        _button("Change role", _change_role, workspace, actor, name, role_key)
        if not workspace.settings.sign_in.header:
            _button("New link" if row.has_link else "Make a link", _renew, workspace, actor, name)
        _offer_end(workspace, actor, row)


def show_other_raters(workspace: Workspace, listed: Sequence[Listed]) -> None:
    """Raters that are no people: they sign in nowhere and have no role."""
    others = [row for row in listed if row.person.kind != "human"]
    if not others:
        return
    section("Raters that are no people")
    muted("Grades that came in without a person behind them. They cannot sign in.")
    columns = [Column("Name"), Column("Stands for"), Column("Grades", numeric=True), Column("Last")]
    rows = [
        [
            row.person.name,
            _KINDS[row.person.kind],
            count(row.grades),
            _moment(workspace, row.last_judged_at),
        ]
        for row in others
    ]
    st.html(table(columns, rows))


def invite_link(token: str) -> str:
    """The link that holds this secret: the app as the browser of whoever asks reaches it."""
    here = urlsplit(st.context.url or "http://127.0.0.1:8501/")
    root = here.path.rpartition("/")[0] + "/"
    return urlunsplit((here.scheme, here.netloc, root, urlencode({INVITE_IN_URL: token}), ""))


def _offer_end(workspace: Workspace, actor: Person, row: Listed) -> None:
    with st.popover("Deactivate", key="people_end"):
        name = row.person.name
        kept = f"Grades given, {count(row.grades)}, stay and count. " if row.grades else ""
        st.html(
            f"<p>{inline(name)} cannot come in any more, from the next step on.</p>"
            f"<p>{kept}You can reactivate {inline(name)} at any time.</p>"
        )
        _button(f"Deactivate {button_label(name)}", _deactivate, workspace, actor, name)


def _button(label: str, action: Callable[..., None], *args: object) -> None:
    st.button(label, key=f"people_{label}", on_click=in_callback(action), args=args)


def _change_role(workspace: Workspace, actor: Person, name: str, role_key: str) -> None:
    change_role(workspace, name, st.session_state[role_key], actor)


def _renew(workspace: Workspace, actor: Person, name: str) -> None:
    st.session_state[_LINK] = (name, new_invite(workspace, name, actor))


def _deactivate(workspace: Workspace, actor: Person, name: str) -> None:
    deactivate(workspace, name, actor)
    _forget_link()


def _reactivate(workspace: Workspace, actor: Person, name: str) -> None:
    reactivate(workspace, name, actor)


def _offer_link(workspace: Workspace, person: Person, actor: Person) -> None:
    by_proxy = bool(workspace.settings.sign_in.header)
    token = None if by_proxy else new_invite(workspace, person.name, actor)
    st.session_state[_LINK] = (person.name, token)


def _forget_link() -> None:
    st.session_state.pop(_LINK, None)


def _name_hint(workspace: Workspace) -> str:
    header = workspace.settings.sign_in.header
    return f"As {header} gives it" if header else "As colleagues know them"


def _moment(workspace: Workspace, moment: str | None) -> str:
    return local_time(moment, workspace.settings.timezone) if moment else MISSING
