"""The browser's door: opens the workspace once, offers the pages, guards against our own errors.

`streamlit run app.py`, or `goldsmith app`. Pages are files, thin ones; what they show comes from
builder, evals and online.
"""

from pathlib import Path

import streamlit as st

from ui import frame, navigation, restored, secrets, sign_in, state

UI = Path(__file__).parent / "ui"


def main() -> None:
    """Run the page that the address names, or the welcome page where there is no workspace."""
    # An icon of our own: Streamlit would fetch a Material one from the network.
    st.set_page_config("Goldsmith", UI / "icon.svg", layout="wide", initial_sidebar_state=240)
    st.logo(UI / "logo.svg", icon_image=UI / "icon.svg")
    frame.use_style()
    with frame.errors_shown():
        if not state.workspace_is_there():
            welcome = st.Page("ui/pages/welcome.py", title="Welcome", default=True)
            st.navigation([welcome], position="hidden").run()
            return
        workspace = state.current_workspace()
        secrets.hand_in(st.secrets, workspace.settings)
        person = state.current_person(workspace)
        page = navigation.page_asked_for(person)
        if person is None:
            sign_in.show_sign_in(workspace)
            return
        sign_in.show_person(workspace, person)
        restored.tell_restored(workspace)
        frame.show_callback_error()
        navigation.show_page(page, person)


main()
