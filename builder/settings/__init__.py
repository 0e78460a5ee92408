"""What a team decides for its workspace: workspace.toml, read strictly."""

from builder.settings.llm import LLMSettings, ModelPrice
from builder.settings.reading import read_settings
from builder.settings.synthesis import SynthesisSettings
from builder.settings.tables import (
    PROPOSED,
    Card,
    Events,
    GradeNames,
    Guard,
    Marks,
    SignIn,
    WeakGradeRule,
)
from builder.settings.whole import Settings
from builder.settings.writing import add_marks, write_default_settings

__all__ = [
    "PROPOSED",
    "Card",
    "Events",
    "GradeNames",
    "Guard",
    "LLMSettings",
    "Marks",
    "ModelPrice",
    "Settings",
    "SignIn",
    "SynthesisSettings",
    "WeakGradeRule",
    "add_marks",
    "read_settings",
    "write_default_settings",
]
