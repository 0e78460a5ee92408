"""Writes the ledger: an intent is on the disk before its request goes out, an answer right after.

One thread writes for all: what waits is committed together, in the order in which it was handed in.
An answer need not be waited for: the next intent of the same thread stands behind it, so that of
each thread at most one call is without an outcome, whenever the process dies.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar

from builder.errors import WorkspaceError
from builder.store import Connection, Store

T = TypeVar("T")
Writing: TypeAlias = Callable[[Connection], Any]

MOST_AT_ONCE = 200
PATIENCE_SECONDS = 120.0
"""So long a database is tried that another process keeps busy, or whose disk is full: what waits to
be written was paid for."""
_PAUSE_SECONDS = 0.5


class _Order:
    """Something to be written, and who waits for it."""

    def __init__(self, write: Writing) -> None:
        self.write = write
        self.written: Future[Any] = Future()


class Ledger:
    """The writer of a run; a context manager that ends when all is written."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._orders: SimpleQueue[_Order | None] = SimpleQueue()
        self._broken: BaseException | None = None
        self._thread = threading.Thread(target=self._write_all, name="ledger", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._orders.put(None)
        self._thread.join()
        if error is None and self._broken is not None:
            raise self._broken

    def write(self, write: Callable[[Connection], T]) -> T:
        """Have it written and wait until it is committed; what it gives.

        Raises:
            Exception: Whatever kept it, or anything before it, from being written.
        """
        if self._broken is not None:
            raise self._broken
        order = _Order(write)
        self._orders.put(order)
        result: T = order.written.result()
        return result

    def write_later(self, write: Writing) -> None:
        """Have it written, before anything that is handed in from now on."""
        self._orders.put(_Order(write))

    def _write_all(self) -> None:
        is_over = False
        while not is_over:
            orders, is_over = self._next_orders()
            self._write_patiently(orders)

    def _next_orders(self) -> tuple[list[_Order], bool]:
        """What waits, and whether that is the last."""
        orders: list[_Order] = []
        while not orders or not (self._orders.empty() or len(orders) >= MOST_AT_ONCE):
            order = self._orders.get()
            if order is None:
                return orders, True
            orders.append(order)
        return orders, False

    def _write_patiently(self, orders: list[_Order]) -> None:
        given_up = time.monotonic() + PATIENCE_SECONDS
        while orders:
            try:
                self._commit(orders)
            except WorkspaceError as error:
                if time.monotonic() > given_up:
                    return self._refuse(orders, error)
                time.sleep(_PAUSE_SECONDS)
            except Exception as error:  # noqa: BLE001 - whoever waits for it must hear of it
                if len(orders) == 1:
                    return self._refuse(orders, error)
                # One of them is bad; the others are written all the same.
                for order in orders:
                    self._write_patiently([order])
                return None
            else:
                return None
        return None

    def _commit(self, orders: list[_Order]) -> None:
        with self._store.write() as connection:
            results = [order.write(connection) for order in orders]
        for order, result in zip(orders, results, strict=True):
            order.written.set_result(result)

    def _refuse(self, orders: list[_Order], error: Exception) -> None:
        self._broken = self._broken or error
        for order in orders:
            order.written.set_exception(error)
