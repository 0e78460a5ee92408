"""How far the raters agree, and what that number allows; pure functions of grades as columns."""

from builder.judging.agreement.overall import agreement

__all__ = ["agreement"]
