"""Where what happened is kept: runs and their logs in a database, artifacts on disk.

Importing this package imports no database driver; `open_store` does, when it is called.
"""

from dramaturg.kernel.store.artifacts import Artifacts
from dramaturg.kernel.store.opening import open_store
from dramaturg.kernel.store.port import Journal, Row, RunRecord, RunRegister, Status, Store

__all__ = ["Artifacts", "Journal", "Row", "RunRecord", "RunRegister", "Status", "Store", "open_store"]
