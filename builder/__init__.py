"""Makes the evaluation set: import, pool, judge, export, and hand a task folder to evals.

Arrows run down only (held by import-linter): demo, evaluation, export, judging and importers,
jobs, people, workspace, store, settings, errors.
"""
