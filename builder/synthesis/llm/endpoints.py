"""Where requests go: server, model, and the key that opens it."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from builder.errors import SettingsError
from builder.settings import Settings
from builder.settings.keys import holds_a_key

OPENAI_URL = "https://api.openai.com/v1"
NOT_NEEDED = "not-needed"
"""Sent as the key where there is none: the SDK refuses to send an empty one."""
_LONGEST_LABEL = 63
"""Characters between two dots of a host's name (RFC 1035, 2.3.4)."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model at one server.

    Attributes:
        base_url: Such as http://localhost:8011/v1; "" is OpenAI's own.
        model: The name that the server knows it by.
        api_version: Of Azure OpenAI, such as 2024-10-21; "" elsewhere.
        timeout: Seconds for one whole request.
    """

    base_url: str
    model: str
    api_version: str = ""
    timeout: float = 60.0

    def __post_init__(self) -> None:
        _checked_url(self.base_url)
        if not self.model.strip():
            raise SettingsError(
                "No language model is named.",
                where="workspace.toml, llm.model",
                hint='Write model = "…" under [llm], or name one with the command.',
            )

    @property
    def url(self) -> str:
        """The base URL in full, without a slash at its end."""
        return (self.base_url or OPENAI_URL).rstrip("/")

    @property
    def host(self) -> str:
        """The host that receives the texts, with its port where it names one."""
        return _parts(self.url).netloc

    @property
    def is_openai(self) -> bool:
        """Whether the server is OpenAI's own, which wants a key."""
        return _parts(self.url).hostname == _parts(OPENAI_URL).hostname

    @property
    def identity(self) -> str:
        """What the rung is remembered by: server, version and model; no credentials."""
        version = f"?api-version={self.api_version}" if self.api_version else ""
        return f"{self.url}{version} {self.model}"


def endpoint_of(
    settings: Settings, base_url: str | None = None, model: str | None = None
) -> Endpoint:
    """The endpoint that the settings name, or else `base_url` and `model` where they are given.

    Raises:
        SettingsError: No model is named, or the URL is none that texts may be sent to.
    """
    llm = settings.llm
    if holds_a_key(model or ""):
        # Of workspace.toml the settings see to it.
        raise SettingsError(
            "What is named as the model looks like a key; nothing was kept of it.",
            where="model",
            hint="Name a model; the key stands in the environment.",
        )
    return Endpoint(
        base_url=llm.base_url if base_url is None else base_url,
        model=(llm.model if model is None else model).strip(),
        api_version=llm.api_version,
        timeout=llm.timeout_seconds,
    )


def key_from(settings: Settings, environment: Mapping[str, str]) -> str | None:
    """The key in the variable that the settings name, or None where it is absent or blank."""
    key = environment.get(settings.llm.key_variable, "").strip()
    return key or None


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port, parts.hostname
    except ValueError:
        # Not chained: the reason repeats a part of the URL.
        raise _bad_url("it cannot be read") from None
    return parts


def _checked_url(base_url: str) -> None:
    if not (base_url.isascii() and base_url.isprintable()) or " " in base_url:
        raise _bad_url("it holds a blank or a character that is no ASCII")
    parts = _parts(base_url or OPENAI_URL)
    if parts.username is not None or parts.password is not None:
        raise _bad_url("it holds a user name or a password, which would be kept and shown")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise _bad_url("it must begin with http:// or https:// and name a host")
    if parts.query or parts.fragment:
        raise _bad_url("it must end with the path, without ? or #")
    labels = parts.hostname.removesuffix(".").split(".")
    if not all(0 < len(label) <= _LONGEST_LABEL for label in labels):
        raise _bad_url("its host is none")


def _bad_url(reason: str) -> SettingsError:
    # The URL itself is not repeated: it may hold a password.
    return SettingsError(
        f"The address of the language model does not fit: {reason}.",
        where="base_url",
        hint="Write it as http://localhost:8000/v1; keys stand in the environment.",
    )
