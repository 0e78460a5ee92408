"""Freezes the graded pairs into task folders: selection, provenance, releases."""

from builder.export.names import check_task_name
from builder.export.release import export_job, export_task

__all__ = ["check_task_name", "export_job", "export_task"]
