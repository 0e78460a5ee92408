"""The schema in numbered steps, run by builder/store/revisions.py; append only."""
