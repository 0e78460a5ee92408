"""What search logs look like: each format is translated to native lines, row by row.

`source` says what a source is, `recognise` opens a file as one. The import (online/ingest.py)
checks and joins what any of them gives.
"""
