"""How many examples a property is tested with: few in each run, many in a thorough one.

`GOLDSMITH_THOROUGH=1 make test` takes the larger numbers.
"""

import os

THOROUGH = "GOLDSMITH_THOROUGH" in os.environ


def examples(routine: int, thorough: int) -> int:
    """The number of examples of this run."""
    return thorough if THOROUGH else routine
