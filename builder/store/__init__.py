"""The only SQL of the builder: one module per family of tables.

`open_store` gives a Store; `store.read()` and `store.write()` give a Connection inside one
transaction, and the functions of people, documents, queries, pool, judgments, jobs and releases
take that Connection.
"""

from builder.store.engine import Connection, Store, open_store

__all__ = ["Connection", "Store", "open_store"]
