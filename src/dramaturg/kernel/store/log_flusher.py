"""Flushing SQLite's write-ahead log to the disk soon after a commit, in a thread that nobody waits for.

SQLite itself syncs the log only before a checkpoint. A power failure would therefore cost everything since the last
one; with the flusher it costs what was committed since its last flush.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event, Lock, Thread

from dramaturg.kernel.store.artifacts import sync_folder

FLUSH_SECONDS = 0.1
"""The pause between two flushes while commits arrive: with the flush itself, well below the promised 200 ms."""

sync_data: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)


class LogFlusher:
    """Flushes one write-ahead log. `failure` is what the disk said to the last flush, if it refused."""

    def __init__(self, database: Path, sync: Callable[[int], None] = sync_data) -> None:
        self._log = database.with_name(f"{database.name}-wal")
        self._sync = sync
        self._unflushed = Event()
        self._stopping = Event()
        self._starting = Lock()
        self._thread: Thread | None = None
        self._seen: int | None = None
        self.failure: OSError | None = None

    def committed(self) -> None:
        """Something was committed; it is flushed soon. Never waits."""
        if self._unflushed.is_set():
            return
        self._unflushed.set()
        with self._starting:  # the event loop and the writer thread may both be the first
            if self._thread is None and not self._stopping.is_set():
                self._thread = Thread(target=self._work, name=f"flusher of {self._log}", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Flushes a last time and ends the thread."""
        with self._starting:
            self._stopping.set()
        self._unflushed.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while not self._stopping.is_set():
            self._unflushed.wait()
            self._unflushed.clear()
            self._flush()
            self._stopping.wait(FLUSH_SECONDS)
        self._flush()

    def _flush(self) -> None:
        try:
            descriptor = os.open(self._log, os.O_RDWR)
        except FileNotFoundError:  # moved into the database as a whole, and synced by that
            return
        except OSError as error:
            self._refused(error)
            return
        try:
            self._sync(descriptor)
            self._sync_name(os.fstat(descriptor).st_ino)
            self.failure = None
        except OSError as error:
            self._refused(error)
        finally:
            os.close(descriptor)

    def _sync_name(self, inode: int) -> None:
        """A new log is safe only once its folder is."""
        if inode != self._seen:
            sync_folder(self._log.parent)
            self._seen = inode

    def _refused(self, error: OSError) -> None:
        self.failure = error
        self._unflushed.set()
