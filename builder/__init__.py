"""Makes the evaluation set: import, pool, judge, export, and hand a task folder to evals.

Arrows run down only (held by import-linter): demo, evaluation, export, judging and importers,
jobs, people, workspace, store, settings, errors.
"""

from pathlib import Path

WORKSPACE_VARIABLE = "GOLDSMITH_WORKSPACE"
"""The environment variable that names the workspace's folder."""

DEFAULT_WORKSPACE = Path(__file__).resolve().parents[1] / "data" / "workspace"
"""The workspace where nobody named one; here, so that both doors know it without loading a room."""
