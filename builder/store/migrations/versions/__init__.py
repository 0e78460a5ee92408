"""One file a step; its name is its revision, and each names the one before it."""
