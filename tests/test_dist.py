"""What is built is what is installed: the wheel has every file of the package, and plays in an empty environment."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.child import clean_environment

pytestmark = [pytest.mark.dist, pytest.mark.timeout(600)]
ROOT = Path(__file__).parents[1]
DEMO = ROOT / "examples" / "the-apology"


@pytest.fixture(autouse=True)
def _asked_for(request: pytest.FixtureRequest) -> None:
    """Building and installing need the package index, so `make test` leaves it to `make test-dist` and CI."""
    if "dist" not in request.config.option.markexpr:
        pytest.skip("builds and installs the wheel; make test-dist")


def ran(*words: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    # The project is built in a copy, and its environment must not find the sources of this one.
    env = {**clean_environment(cwd), **environment}
    env.pop("PYTHONPATH", None)
    done = subprocess.run([*map(str, words)], cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def uv() -> Path:
    return Path(shutil.which("uv") or Path(sys.prefix) / "bin" / "uv")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    ran(uv(), "build", "--quiet", "--out-dir", folder, ROOT, cwd=folder, UV_SYSTEM_CERTS="true")
    (found,) = folder.glob("*.whl")
    return found


def play(program: Path, folder: Path) -> str:
    """The demo, and a new story, with the program of an environment."""
    shutil.copytree(DEMO, folder / "demo", ignore=shutil.ignore_patterns("data"))
    ran(program, "new", "story", cwd=folder)
    ran(program, "scene", "new", "another", "--project", "story", cwd=folder)
    ran(program, "scene", "run", "another", "--project", "story", "--quiet", cwd=folder)
    return ran(program, "scene", "run", "the-apology", "--project", "demo", cwd=folder)


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    kept = ran("git", "ls-files", "--cached", "--others", "--exclude-standard", "src/dramaturg").split("\n")
    wanted = {path.removeprefix("src/") for path in kept if path and (ROOT / path).exists()}
    built = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    studio = {name for name in built if name.startswith("dramaturg/server/pages/studio/")}
    assert built - studio == wanted
    assert not studio or "dramaturg/server/pages/studio/index.html" in studio
    assert "dramaturg/cli/story/.claude/agents/iris.md" in built


def test_the_wheel_is_installed_into_an_empty_environment_and_plays_the_demo(wheel: Path, tmp_path: Path) -> None:
    ran(uv(), "venv", "--quiet", "--python", sys.executable, "fresh", cwd=tmp_path)
    python = tmp_path / "fresh" / "bin" / "python"
    install = (uv(), "pip", "install", "--quiet", "--python", python, wheel)
    ran(*install, cwd=tmp_path, UV_SYSTEM_CERTS="true", UV_CACHE_DIR=str(tmp_path / "cache"))
    assert "[SCENE END - Goal: Achieved]" in play(tmp_path / "fresh" / "bin" / "dramaturg", tmp_path)


def test_pip_installs_the_folder_and_it_plays_the_demo(tmp_path: Path) -> None:
    ran(sys.executable, "-m", "venv", "fresh", cwd=tmp_path)
    ran(tmp_path / "fresh" / "bin" / "pip", "install", "--quiet", "--disable-pip-version-check", ROOT, cwd=tmp_path)
    assert "[SCENE END - Goal: Achieved]" in play(tmp_path / "fresh" / "bin" / "dramaturg", tmp_path)


def test_make_shell_has_the_program_on_its_path(tmp_path: Path) -> None:
    runtime = ".venv/.runtime"
    words = ("make", "--no-print-directory", "-o", runtime, "shell")
    done = subprocess.run(words, cwd=ROOT, input="command -v dramaturg\n", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()) == ROOT / ".venv" / "bin" / "dramaturg"
