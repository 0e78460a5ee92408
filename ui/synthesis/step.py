"""The step of the loop in which a language model writes queries; the loop closes without it."""

from builder.synthesis.candidates import counts
from builder.synthesis.validation_report import validation_report
from builder.workspace import Workspace
from ui.frame import sentence
from ui.numbers import count
from ui.overview import Step
from ui.synthesis.drawing import synthetic_queries
from ui.text import inline

NAME = "Generated"
_ADDRESS = "view"


def generated_step(workspace: Workspace) -> Step:
    """How many were accepted, what waits for review, and what the experts said."""
    accepted, told = synthetic_queries(workspace), counts(workspace)
    if not accepted and not told.generated:
        state = "no queries by a language model; the loop closes without them"
        return _step(0, state, "Generate queries")
    if told.waiting:
        state = f"queries accepted, {count(told.waiting)} to review"
        return _step(accepted, state, "Review", "Review")
    if not accepted:
        return _step(0, "none of the queries written is accepted", "Generate queries")
    report = validation_report(workspace)
    if report["validation_id"] is None:
        return _step(accepted, "queries accepted, not validated yet", "Validate", "Validation")
    state = f"queries accepted<br>{inline(sentence(report['sentence']))}"
    return _step(accepted, state, "Validation", "Validation")


def _step(accepted: int, state: str, action: str, view: str = "") -> Step:
    address = {_ADDRESS: view} if view else {}
    return Step(
        NAME, count(accepted), state, "generate", action,
        done=accepted > 0, optional=True, address=address,
    )  # fmt: skip
