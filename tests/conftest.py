"""For every test: no network but this machine's own, signals that work, and a store on each database."""

from __future__ import annotations

import ipaddress
import signal
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.runs import RunLibrary
from dramaturg.kernel.settings import Settings, StoreSettings
from dramaturg.kernel.store import Store, open_store
from tests.postgres import NoPostgres, Server, running_postgres
from tests.said import KINDS
from tests.thorough import THOROUGH

ROOT = Path(__file__).parents[1]

# No law has a deadline: how long an example takes depends on what else the machine does. `ci` draws the same sample
# of examples each time; `long` (make test-long) draws all of them, others each time.
settings.register_profile(
    "ci", deadline=None, max_examples=25, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out the suites of tests/thorough.py")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    left_out = config.option.quick and collection_path.relative_to(ROOT).as_posix() in THOROUGH
    return True if left_out else None


def pytest_report_header(config: pytest.Config) -> str | None:
    return f"quick: without the {len(THOROUGH)} suites of tests/thorough.py" if config.option.quick else None


def pytest_configure(config: pytest.Config) -> None:
    # A parent that ignores Ctrl-C (nohup, a job in the background) hands that down to us and to the processes that
    # tests start. They are sent SIGINT and must heed it, so we take it back, once and for all of them.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "local: plays with real weights; make test-local")
    config.addinivalue_line("markers", "dist: builds and installs the wheel; make test-dist")
    config.addinivalue_line("markers", "claude_code: runs the program of Claude Code; make test-claude-code")


def pytest_collection_finish(session: pytest.Session) -> None:
    # The program is imported for all tests before the first of them, so that no time limit of a test contains it.
    warm = sys.modules.get("tests.warm")
    if warm is not None and session.items and not session.config.option.collectonly:
        warm.begin()


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """Reaching out fails the test, whatever errors the code under test catches."""
    patch = pytest.MonkeyPatch()
    for method in ("connect", "connect_ex"):
        patch.setattr(socket.socket, method, _only_here(getattr(socket.socket, method)))
    look_up = socket.getaddrinfo

    def look_up_here(host, *args, **kwargs):
        _refuse_unless_here(host)
        return look_up(host, *args, **kwargs)

    patch.setattr(socket, "getaddrinfo", look_up_here)
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def _no_model_requests() -> None:
    """Closes pydantic-ai too where something has loaded it."""
    models = sys.modules.get("pydantic_ai.models")
    if models is not None:
        models.ALLOW_MODEL_REQUESTS = False


def _only_here(connect):
    def connect_here(self, address):
        if self.family != getattr(socket, "AF_UNIX", None):
            _refuse_unless_here(address[0])
        return connect(self, address)

    return connect_here


def _refuse_unless_here(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    if name is None or name in ("localhost", ""):
        return
    try:
        here = ipaddress.ip_address(str(name).partition("%")[0]).is_loopback
    except ValueError:
        here = False
    if not here:
        pytest.fail(f"a test tried to reach {name}; tests reach this machine only")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A real Postgres; its absence is a failure, since half of the store would go untested."""
    try:
        with running_postgres() as server:
            yield server
    except NoPostgres as error:
        pytest.fail(str(error))


@pytest.fixture
async def postgres_settings(postgres: Server, tmp_path: Path) -> AsyncIterator[Settings]:
    url = await postgres.new_database()
    yield Settings(project=tmp_path, store=StoreSettings(url=url))
    await postgres.drop_database(url)


@pytest.fixture(params=["sqlite", "postgres"])
def store_settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """A project whose store is on each database in turn."""
    if request.param == "postgres":
        return request.getfixturevalue("postgres_settings")
    return Settings(project=tmp_path)


@pytest.fixture
async def store(store_settings: Settings) -> AsyncIterator[Store]:
    """An empty store on each database in turn."""
    opened = await open_store(store_settings)
    yield opened
    await opened.close()


@pytest.fixture
async def local_store(tmp_path: Path) -> AsyncIterator[Store]:
    """An empty store on SQLite, for tests that are about something else."""
    opened = await open_store(Settings(project=tmp_path))
    yield opened
    await opened.close()


@pytest.fixture
def library(local_store: Store) -> RunLibrary:
    """Runs of the smallest play."""
    return RunLibrary(local_store, StillClock(), KINDS)
