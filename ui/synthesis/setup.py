"""Which server and model write queries, or what to write into the settings where there is none."""

from collections.abc import Mapping

import streamlit as st

from builder.settings import Settings
from builder.synthesis.llm import Endpoint, endpoint_of, key_from
from builder.workspace import SETTINGS_FILE, Workspace
from ui import secrets
from ui.frame import muted, note
from ui.numbers import count_of
from ui.text import inline

_SECRETS_FILE = ".streamlit/secrets.toml"
EXAMPLES: Mapping[str, str] = {
    "OpenAI": """\
[llm]
model = "gpt-4o-mini"
key_variable = "OPENAI_API_KEY"

# Per million tokens; look up what you pay.
[prices."gpt-4o-mini"]
input = 0.15
output = 0.60
currency = "USD"
""",
    "Azure": """\
[llm]
base_url = "https://RESOURCE.openai.azure.com"
api_version = "2024-10-21"
model = "NAME-OF-THE-DEPLOYMENT"
key_variable = "AZURE_OPENAI_API_KEY"
""",
    "Ollama": """\
[llm]
base_url = "http://localhost:11434/v1"
model = "llama3.2"
key_variable = ""
""",
    "vLLM": """\
[llm]
base_url = "http://localhost:8000/v1"
model = "Qwen/Qwen2.5-7B-Instruct"
key_variable = ""
""",
    "llama.cpp": """\
[llm]
base_url = "http://localhost:8080/v1"
model = "local"
key_variable = ""
""",
}
"""Server -> what to write into the settings; the names of models are examples."""


def show_setup(workspace: Workspace) -> Endpoint | None:
    """Server and model as the settings name them, and whether there is a key; None without a model.

    Raises:
        SettingsError: The address of the server does not fit.
    """
    settings = workspace.settings
    if not settings.llm.model.strip():
        note("No language model is set up yet.", "Name a server and a model, as below.")
        show_examples(workspace)
        return None
    endpoint = endpoint_of(settings)
    st.html(f'<p class="gs-muted gs-model">{model_html(settings, endpoint)}</p>')
    if reason := missing_key(settings, endpoint):
        note(*reason, kind="warning")
    with st.expander("Another server or model"):
        show_examples(workspace)
    return endpoint


def show_examples(workspace: Workspace) -> None:
    """What to write into the settings for the servers that most people have."""
    server = st.segmented_control(
        "Server", list(EXAMPLES), default="OpenAI", required=True, key="llm_server"
    )
    muted(
        f"Write this into {SETTINGS_FILE} in the folder {workspace.root.name}; this page follows "
        "at once. Any server that speaks OpenAI's chat completions will do."
    )
    st.code(EXAMPLES[server], language="toml")
    muted(
        "A key never stands in that file. The app finds it in its environment, under the name "
        f"that key_variable gives, or in {_SECRETS_FILE}."
    )


def model_html(settings: Settings, endpoint: Endpoint) -> str:
    """Safe HTML: model, host, key and how many calls at once."""
    variable = settings.llm.key_variable
    key = "no key is sent"
    if key_from(settings, secrets.environment()):
        key = f"key from {inline(variable)}"
    at_once = count_of(settings.llm.concurrency, "call")
    return (
        f"<b>{inline(endpoint.model)}</b> at <b>{inline(endpoint.host)}</b> \u00b7 {key} \u00b7 "
        f"up to {at_once} at once"
    )


def missing_key(settings: Settings, endpoint: Endpoint) -> list[str]:
    """That the key is missing and where it may stand; empty where it is there or not needed."""
    if not endpoint.is_openai or key_from(settings, secrets.environment()):
        return []
    variable = settings.llm.key_variable
    if not variable:
        return [
            f"{endpoint.host} wants a key, and key_variable is empty.",
            f"Name the variable that holds it under [llm] in {SETTINGS_FILE}.",
        ]
    return [
        f"{endpoint.host} wants a key, and there is none.",
        f"Put it into the variable {variable} before you start the app, or into {_SECRETS_FILE}.",
    ]
