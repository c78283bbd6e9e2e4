"""What `import dramaturg` offers: every name is there, and a program that uses none of them pays for none."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import dramaturg

PAGE = Path(__file__).parents[1] / "docs" / "library.md"


def test_every_public_name_can_be_imported() -> None:
    for name in dramaturg.__all__:
        assert getattr(dramaturg, name) is not None


def test_the_page_of_the_library_lists_every_public_name_and_no_other() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    listed = {name.strip().strip("`") for row in rows for name in row.split("|")[1].split(",")}
    assert listed == set(dramaturg.__all__)


@pytest.mark.parametrize(
    "name", ["Settings", "SceneConfig", "EpisodeTemplate", "Persona", "NewDecision", "ChatRequest"]
)
def test_a_type_checker_without_a_plugin_knows_what_may_be_left_out_of_a_value(name: str) -> None:
    """Type checkers read a default only where it has its name: `Field(default=None)`."""
    source = textwrap.dedent(inspect.getsource(getattr(dramaturg, name)))
    fields = [
        node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and "Field" in ast.dump(node.func)
    ]
    assert [ast.unparse(field) for field in fields if field.args] == []


def test_importing_the_package_loads_no_capability() -> None:
    program = "import sys, dramaturg; print(sorted(name for name in sys.modules if name.startswith('dramaturg.')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"


def test_opening_a_studio_loads_no_capability_until_its_front_is_used(tmp_path: Path) -> None:
    program = f"""
import asyncio, sys
from pathlib import Path
from dramaturg import Studio, read_settings

def loaded():
    found = ("scenes", "episodes", "workshop", "ensemble")
    return [name for name in found if f"dramaturg.{{name}}.front" in sys.modules]

async def main():
    async with Studio.open(read_settings(Path({str(tmp_path)!r}), {{}})) as studio:
        await studio.runs.find()
        assert loaded() == [], loaded()
        studio.workshop
        assert loaded() == ["workshop"], loaded()

asyncio.run(main())
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
