"""Freezes the graded pairs into task folders, and lets raw judgments out as files."""

from builder.export.judgments import export_judgments
from builder.export.names import check_task_name
from builder.export.release import export_job, export_task

__all__ = ["check_task_name", "export_job", "export_judgments", "export_task"]
