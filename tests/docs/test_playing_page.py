"""The scene in `docs/scenes.md` in which a person plays a part is what is really played."""

import re
import shutil
from pathlib import Path

from dramaturg.cli.terminal_seat import COMMANDS
from tests.cli.story import document, typed

ROOT = Path(__file__).parents[2]
SECTION = (ROOT / "docs" / "scenes.md").read_text(encoding="utf-8").split("## Playing a part yourself")[1]
SECTION = SECTION.split("\n## ")[0]
TURN = re.compile(r"Charlie, it is your turn \(beat \d+\) > (.+)")


def test_the_part_on_the_page_is_what_is_played(tmp_path: Path) -> None:
    story = tmp_path / "story"
    shutil.copytree(ROOT / "examples" / "the-apology", story, ignore=shutil.ignore_patterns("data"))
    rows = [row for row in SECTION.split("```text\n")[1].split("```")[0].splitlines() if row]
    keys = [found[1] for row in rows if (found := TURN.fullmatch(row))]
    shown = [row for row in rows if not TURN.fullmatch(row)]
    out = typed(story, "scene", "run", "the-apology", "--as", "charlie", keys="\n".join(keys) + "\n")
    printed = [row for row in out.splitlines() if row]
    at = printed.index(shown[0])
    assert printed[at : at + len(shown)] == shown
    assert any(key.startswith("--") for key in keys)
    assert any(key.startswith("/event") for key in keys)
    metadata = document(story, "the-apology")["metadata"]
    assert (metadata["people"], metadata["goalAchieved"]) == (["Charlie"], True)


def test_the_page_explains_what_a_person_can_type() -> None:
    assert [word for word in COMMANDS if f"`{word}`" not in SECTION] == []
