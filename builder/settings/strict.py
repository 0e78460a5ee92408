"""What all tables of the settings share: strict reading, and the kinds of text in them."""

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


Name = Annotated[str, Field(max_length=200), AfterValidator(_not_blank)]


HeaderName = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]*$", max_length=100)]


def _readable_template(template: str) -> str:
    if re.search(r"[{}]", re.sub(r"\{[^{}]+\}", "", template)):
        raise ValueError("must hold fields as {name}, each brace with its partner")
    return template


Template = Annotated[str, Field(max_length=1000), AfterValidator(_readable_template)]


class Strict(BaseModel):
    """A table of the settings: an unknown key is an error, and 1 is no text."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
