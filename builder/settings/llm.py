"""Which language model writes queries, and what models cost."""

from typing import Annotated

from pydantic import Field, field_validator

from builder.settings.keys import holds_a_key
from builder.settings.strict import Strict

Money = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


class LLMSettings(Strict):
    """The language model that writes queries; its key stands in the environment, never here.

    Attributes:
        base_url: Of an OpenAI-compatible server, such as http://localhost:8000/v1; "" for OpenAI's.
        model: The name that the server knows it by; "" until somebody names one.
        key_variable: The environment variable (or secret of the app) that holds the key; "" sends
            none.
        api_version: Of Azure OpenAI, such as 2024-10-21; "" elsewhere.
        concurrency: The most requests on their way at once.
        timeout_seconds: For one whole request.
        temperature: How freely the model chooses its words, 0 to 2.
        max_tokens: The most tokens of one answer: below 32 hardly any JSON is whole.
    """

    base_url: Annotated[str, Field(max_length=2000)] = ""
    model: Annotated[str, Field(max_length=300)] = ""
    key_variable: Annotated[str, Field(pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$", max_length=100)] = (
        "OPENAI_API_KEY"
    )
    api_version: Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]*$", max_length=40)] = ""
    concurrency: int = Field(default=4, ge=1, le=64)
    timeout_seconds: float = Field(default=60.0, ge=1, le=3600, allow_inf_nan=False)
    temperature: float = Field(default=0.7, ge=0, le=2, allow_inf_nan=False)
    max_tokens: int = Field(default=256, ge=32, le=32_768)

    @field_validator("base_url", "model", "api_version")
    @classmethod
    def _holds_no_key(cls, text: str) -> str:
        # It would be shown, and kept with each run.
        if holds_a_key(text):
            raise ValueError("looks like a key")
        return text


class ModelPrice(Strict):
    """What one model costs.

    Attributes:
        input: Per million tokens of the request.
        output: Per million tokens of the answer.
        currency: Such as "USD".
    """

    input: Money
    output: Money
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"
