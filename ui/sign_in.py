"""Who works in this session, and how they come in.

Where the settings name a header of a trusted proxy, that header alone says who it is. Else people
pick their name: it lives in the session and in the address (`?rater=`), or comes with a person's
own link (`?invite=`). A picked name is not authentication, and the page says so.
"""

from collections.abc import Sequence

import streamlit as st

from builder.errors import BuilderError, NotAllowedError
from builder.people import (
    Person,
    SimilarNameError,
    ensure_person,
    is_admin_there,
    people_to_pick,
    person_called,
    person_of_header,
    person_of_invite,
)
from builder.workspace import Workspace
from ui import frame
from ui.text import button_label, inline

RATER_IN_URL = "rater"
INVITE_IN_URL = "invite"
_PERSON = "person"
_REFUSAL = "sign_in_refusal"
_NEW_ADMIN = "Nobody is admin here yet: the first new name becomes it, and may do everything."
_NEW_RATER = "A new name becomes a rater, who grades. Admins give further roles."


def person_signed_in(workspace: Workspace) -> Person | None:
    """Who works in this session, as the store knows them now; None where nobody came in.

    Why somebody may not come in is kept for `show_sign_in`.
    """
    try:
        if workspace.settings.sign_in.header:
            return _named_by_proxy(workspace)
        person = _invited(workspace) or _picked(workspace)
    except BuilderError as error:
        _forget_person()
        st.session_state[_REFUSAL] = error
        return None
    if person is not None:
        _keep(person)
    return person


def show_sign_in(workspace: Workspace) -> None:
    """Ask who somebody is, or say why they cannot come in: all there is without a person."""
    refusal: BuilderError | None = st.session_state.pop(_REFUSAL, None)
    meant = frame.take_callback_error()
    if workspace.settings.sign_in.header:
        frame.heading("You are not signed in", "A proxy in front of this app says who you are.")
        frame.show_error(refusal or _NOBODY)
        frame.muted("When that is settled, load this page again.")
        return
    with st.container(key="sign_in"):
        st.html(f'<p class="gs-muted">Workspace <b>{inline(workspace.settings.name)}</b></p>')
        frame.heading(
            "Who are you?", "Your name goes with what you do. It is not checked: no password."
        )
        if error := refusal or meant:
            frame.show_error(error)
        _ask_for_name(workspace)


def show_person(workspace: Workspace, person: Person) -> None:
    """In the sidebar: who one is taken for, and how to change it."""
    by_proxy = bool(workspace.settings.sign_in.header)
    how = "named by the proxy" if by_proxy else "not authenticated"
    with st.sidebar.container(key="person"):
        st.html(
            f'<p class="gs-muted">You are <b>{inline(person.name)}</b><br>'
            f"{person.role}<br>{how}</p>"
        )
        if not by_proxy:
            st.button("Someone else", type="tertiary", on_click=_forget_person, key="someone_else")


_NOBODY = NotAllowedError("The proxy did not say who you are.")


def _named_by_proxy(workspace: Workspace) -> Person:
    for name in (RATER_IN_URL, INVITE_IN_URL):
        st.query_params.pop(name, None)
    header = workspace.settings.sign_in.header
    return person_of_header(workspace, st.context.headers.get_all(header))


def _invited(workspace: Workspace) -> Person | None:
    """Whose own link was opened; the secret leaves the address at once."""
    token = st.query_params.pop(INVITE_IN_URL, None)
    if token is None:
        return None
    person = person_of_invite(workspace, token)
    if person is None:
        raise NotAllowedError(
            "This link belongs to nobody: a newer one may have replaced it.",
            hint="Ask whoever sent it for a new one, or pick your name.",
        )
    return person


def _picked(workspace: Workspace) -> Person | None:
    """The name in the session, else the one in the address, where the workspace knows it."""
    name = st.session_state.get(_PERSON) or st.query_params.get(RATER_IN_URL)
    return person_called(workspace, name) if name else None


def _ask_for_name(workspace: Workspace) -> None:
    """Two ways in, the likelier one first: nobody shall pick a rater's name who is to be admin."""
    names = [person.name for person in people_to_pick(workspace)]
    is_managed = is_admin_there(workspace)
    ways = [_pick(names, primary=is_managed)] if names and is_managed else []
    ways.append(_join(is_managed=is_managed, primary=not ways))
    if names and not is_managed:
        ways.append(_pick(names, primary=False))
    given = next((name for name in ways if name is not None), None)
    if given is None:
        return
    if not given.strip():
        frame.note("Pick your name, or write it.", kind="warning")
        return
    with frame.errors_shown():
        _come_in(workspace, given)


def _pick(names: Sequence[str], *, primary: bool) -> str | None:
    """The name that was picked; "" if none was, None if nothing was pressed."""
    with st.form("who", border=False):
        picked = st.selectbox(
            "Your name", names, index=None, placeholder="Pick your name", key="who_name"
        )
        pressed = st.form_submit_button("Continue", type="primary" if primary else "secondary")
    return (picked or "") if pressed else None


def _join(*, is_managed: bool, primary: bool) -> str | None:
    """The new name; "" if none was written, None if nothing was pressed."""
    with st.form("who_is_new", border=False):
        written = st.text_input(
            "Your name, if you are new here" if is_managed else "Your name",
            placeholder="As colleagues know you",
            key="who_new",
        )
        frame.muted(_NEW_RATER if is_managed else _NEW_ADMIN)
        pressed = st.form_submit_button("Join", type="primary" if primary else "secondary")
    return written if pressed else None


def _come_in(workspace: Workspace, typed: str) -> None:
    try:
        person = ensure_person(workspace, typed)
    except SimilarNameError as error:
        frame.show_error(error)
        known = error.known
        if known.active:
            label = f"Continue as {button_label(known.name)}"
            st.button(label, key="who_known", on_click=_keep, args=(known,))
        return
    _keep(person)
    st.rerun()


def _keep(person: Person) -> None:
    st.session_state[_PERSON] = person.name
    if st.query_params.get(RATER_IN_URL) != person.name:
        st.query_params[RATER_IN_URL] = person.name


def _forget_person() -> None:
    st.session_state.pop(_PERSON, None)
    st.query_params.pop(RATER_IN_URL, None)
