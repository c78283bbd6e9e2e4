"""The queue of runs, kept by Procrastinate in the same Postgres: it says who should start a run, and nothing else.

Who plays a run is its lease. A job that is lost, or given twice, costs nothing: whoever is given a run that somebody
holds lets it be, and a run that nobody holds is queued again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal, get_args

from dramaturg.kernel.errors import InvalidSettings, StoreUnavailable, install_extra
from dramaturg.kernel.settings import Settings

if TYPE_CHECKING:
    from procrastinate import App

QueueName = Literal["interactive", "batch"]
QUEUES: tuple[QueueName, ...] = get_args(QueueName)
PRIORITIES: dict[QueueName, int] = {"interactive": 100, "batch": 0}
"""The next free place is for somebody who watches."""
SCHEMA = "dramaturg_queue"
TASK = "dramaturg.play"
SCHEMA_LOCK = 0x6472717565
FETCH_SECONDS = 2.0
"""How often a worker looks for jobs by itself; notices tell it sooner."""
RETRY_SECONDS = 1.0
HEARTBEAT_SECONDS, DEAD_SECONDS = 5.0, 30.0
PlayRun = Callable[[str], Awaitable[None]]
"""Plays a run by its id, to its end or until this process stops."""
_LOG = logging.getLogger(__name__)


class RunQueue:
    """The queues of one database. It connects when it is first used."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._app: App | None = None
        self._opening = asyncio.Lock()
        self._play: PlayRun | None = None

    def check(self) -> None:
        """Raises InvalidSettings if there cannot be a queue here."""
        psycopg_url(self._settings)

    async def put(self, run_id: str, queue: QueueName = "interactive", *, priority: int = 0) -> None:
        """Queues a run, unless it waits in the queue already. Raises StoreUnavailable."""
        from procrastinate.exceptions import AlreadyEnqueued

        app = await self._opened()
        task = app.configure_task(TASK, queue=queue, priority=PRIORITIES[queue] + priority, queueing_lock=run_id)
        with _mapped(), suppress(AlreadyEnqueued):
            await task.defer_async(run_id=run_id)

    async def waiting(self, run_ids: Collection[str]) -> set[str]:
        """Those of the runs that wait in a queue."""
        app = await self._opened()
        sql = "SELECT queueing_lock FROM procrastinate_jobs WHERE status = 'todo' AND queueing_lock = ANY(%(ids)s)"
        with _mapped():
            rows = await app.connector.execute_query_all_async(sql, ids=list(run_ids))
        return {str(row["queueing_lock"]) for row in rows}

    async def work(self, play: PlayRun, queues: Collection[str], places: int) -> None:
        """Plays what is queued, so many at a time, until it is cancelled; then it waits for what it plays.

        A database that is away is waited for.
        """
        self._play = play
        while True:
            try:
                app = await self._opened()
                await app.run_worker_async(
                    queues=list(queues),
                    concurrency=places,
                    fetch_job_polling_interval=FETCH_SECONDS,
                    install_signal_handlers=False,
                    delete_jobs="always",
                    update_heartbeat_interval=HEARTBEAT_SECONDS,
                    stalled_worker_timeout=DEAD_SECONDS,
                )
            except queue_failures() as error:
                _LOG.warning("The queue does not answer and is asked again: %s", error)
                await asyncio.sleep(RETRY_SECONDS)

    async def tidy(self) -> None:
        """Removes the jobs of workers that died: their runs are queued anew when their leases are over."""
        from procrastinate.jobs import Status

        app = await self._opened()
        with _mapped():
            for job in await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=DEAD_SECONDS):
                await app.job_manager.finish_job(job, status=Status.ABORTED, delete_job=True)

    async def close(self) -> None:
        if self._app is not None:
            await self._app.close_async()
            self._app = None

    async def _opened(self) -> App:
        async with self._opening:
            if self._app is None:
                url = psycopg_url(self._settings)
                app = self._made(url)
                with _mapped():
                    await _prepare(url)
                    await app.open_async()
                self._app = app
            return self._app

    def _made(self, url: str) -> App:
        import procrastinate

        # A session that began while the database was read-only would stay so.
        session = {"options": f"-c search_path={SCHEMA}", "target_session_attrs": "read-write"}
        connector = procrastinate.PsycopgConnector(conninfo=url, kwargs=session, min_size=1, max_size=8)
        app = procrastinate.App(connector=connector)
        app.task(name=TASK)(self._started)
        return app

    async def _started(self, run_id: str) -> None:
        if self._play is not None:
            await self._play(run_id)


async def _prepare(url: str) -> None:
    """Makes the tables of the queue, once for all processes."""
    import psycopg
    from procrastinate.schema import SchemaManager

    async with await psycopg.AsyncConnection.connect(url, connect_timeout=10) as connection:
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (SCHEMA_LOCK,))
        found = await connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.procrastinate_jobs",))
        row = await found.fetchone()
        if row is not None and row[0] is None:
            await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            await connection.execute(f"SET LOCAL search_path TO {SCHEMA}")
            await connection.execute(SchemaManager.get_schema())


def psycopg_url(settings: Settings) -> str:
    """The address of the database as psycopg reads it. Raises InvalidSettings where there is none, or no psycopg."""
    url = settings.store.url and (settings.store.listen_url or settings.store.url)  # it listens
    if not url:
        raise InvalidSettings(
            "Workers share a Postgres database, and this project is stored in SQLite. Set `url` under [store].",
            key="store.url",
        )
    try:
        import procrastinate  # noqa: F401
        import psycopg  # noqa: F401
    except ImportError as error:
        raise InvalidSettings(
            f"The queue needs {error.name}, which is not installed: {install_extra('cluster')}.", missing=error.name
        ) from error
    scheme, _, rest = url.partition("://")
    return f"{scheme.partition('+')[0]}://{rest}"


def queue_failures() -> tuple[type[Exception], ...]:
    """What is raised where the queue's database fails."""
    import psycopg
    from procrastinate.exceptions import ConnectorException

    return (ConnectorException, psycopg.Error, OSError, StoreUnavailable)


@contextmanager
def _mapped() -> Iterator[None]:
    """Failures of the queue's database as StoreUnavailable."""
    try:
        yield
    except queue_failures() as error:
        raise StoreUnavailable(
            "The queue's database cannot be reached. Check that it runs and that `url` under [store] is right."
        ) from error
