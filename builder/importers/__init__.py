"""Brings in what exists: documents, queries, judgments, whole task folders.

Formats are told by content, ids stay text, bad rows go into quarantine with their reason, and an
import is whole or never was. read = accepted + duplicate + updated + quarantined, always.
"""

from builder.importers.book import import_book
from builder.importers.corpus import import_corpus
from builder.importers.folder import import_folder
from builder.importers.judgments import import_judgments
from builder.importers.queries import import_queries

__all__ = ["import_book", "import_corpus", "import_folder", "import_judgments", "import_queries"]
