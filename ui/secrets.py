"""The key of the language model where it stands in Streamlit's secrets: app.py hands it in.

Streamlit copies its secrets into the environment of the server, from where every job would inherit
them. The key is taken out of there: only jobs that are given it have it.
"""

import os
from collections.abc import Mapping
from contextlib import suppress

from builder.settings import Settings
from builder.synthesis.llm import key_from

_handed_in: dict[str, str] = {}
"""Variable -> key; of the whole process, and nowhere else."""


def hand_in(secrets: Mapping[str, object], settings: Settings) -> None:
    """Keep the one secret that the settings name, and no other; what was kept before goes.

    Args:
        secrets: Streamlit's, which raise FileNotFoundError where there are none.
        settings: Of the workspace.
    """
    variable, key = settings.llm.key_variable, None
    with suppress(FileNotFoundError):
        key = secrets.get(variable) if variable else None
    held = {variable: key} if isinstance(key, str) and key.strip() else {}
    for name, value in held.items():
        if os.environ.get(name) == value:
            del os.environ[name]
    # Every run of a page comes here: other sessions must not find it empty in between.
    if held != _handed_in:
        _handed_in.clear()
        _handed_in.update(held)


def environment() -> dict[str, str]:
    """Where keys are looked for: the server's environment, and what was handed in."""
    return {**os.environ, **_handed_in}


def key_for_job(settings: Settings) -> dict[str, str]:
    """What a job that calls the language model is given; empty where there is no key."""
    key = key_from(settings, environment())
    return {settings.llm.key_variable: key} if key else {}
