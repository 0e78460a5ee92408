"""What users did: events in, click metrics out; knows nothing of builder or evals."""
