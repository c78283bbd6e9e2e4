"""Opening a studio: what is said before anything is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg import Settings, Studio
from dramaturg.kernel.errors import InvalidConfig, NotFound


async def test_a_mistyped_folder_is_not_made_into_a_project(tmp_path: Path) -> None:
    (tmp_path / "my-story").mkdir()
    with pytest.raises(NotFound, match=r"Did you mean .*my-story"):
        async with Studio.open(Settings(project=tmp_path / "my-stroy")):
            pass
    (tmp_path / "notes.txt").write_text("", encoding="utf-8")
    with pytest.raises(InvalidConfig, match="is a file"):
        async with Studio.open(Settings(project=tmp_path / "notes.txt")):
            pass
    assert sorted(one.name for one in tmp_path.iterdir()) == ["my-story", "notes.txt"]
