"""The excerpts of the README and of the page on acts are what the examples really play."""

import shutil
from pathlib import Path

from typer.testing import CliRunner

from dramaturg.cli.app import app

ROOT = Path(__file__).parents[2]


def test_every_line_of_the_excerpt_is_played_by_make_demo_in_that_order(tmp_path: Path) -> None:
    story = tmp_path / "story"
    shutil.copytree(ROOT / "examples" / "the-apology", story, ignore=shutil.ignore_patterns("data"))
    done = CliRunner().invoke(app, ["scene", "run", "the-apology", "--project", str(story), "--quiet"])
    played = (story / "data" / "scenes" / "the-apology" / "transcript.txt").read_text(encoding="utf-8").splitlines()
    excerpt = (ROOT / "README.md").read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    shown = [line for line in excerpt.splitlines() if line and line != "[...]"]
    assert done.exit_code == 0
    assert len(shown) >= 8
    assert [line for line in played if line in shown] == shown


def test_make_demo_plays_that_scene() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "dramaturg scene run the-apology --project examples/the-apology" in makefile


def test_the_page_on_acts_shows_what_its_example_plays(tmp_path: Path) -> None:
    story, name = tmp_path / "story", "the-lost-umbrella"
    shutil.copytree(ROOT / "examples" / name, story, ignore=shutil.ignore_patterns("data"))
    done = CliRunner().invoke(app, ["act", "run", name, "--project", str(story), "--quiet"])
    played = (story / "data" / "acts" / name / "transcript.txt").read_text(encoding="utf-8").splitlines()
    excerpt = (ROOT / "docs" / "acts.md").read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    shown = [line for line in excerpt.splitlines() if line and line not in ("…", "---")]
    assert done.exit_code == 0
    assert len(shown) >= 20
    rest = iter(played)
    assert [line for line in shown if line not in rest] == []
