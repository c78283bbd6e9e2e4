"""What to play next: in order, by what suits, or more of the same; a series that is over falls through."""

from __future__ import annotations

from pathlib import Path

from dramaturg.episodes.packs import named_pack
from dramaturg.episodes.series import Series
from dramaturg.episodes.suggestion import Repertoire, suggest
from dramaturg.episodes.template import EpisodeTemplate, template_from


def episode(name: str, character: str = "mina", **more: object) -> EpisodeTemplate:
    return template_from({"name": name, "character": character, **more})


ONE, TWO = episode("one", themes=["Rain"]), episode("two")
OTHER = episode("other", "juno")
MAIN = Series(name="main", title="Main", episodes=("one", "two"))
WET = Series(name="wet", title="Wet", episodes=("other",), themes=("rain",), archetypes=("slow_burn",))
HOUSE = Repertoire(templates=(ONE, TWO, OTHER), series=(MAIN, WET))


def test_the_next_episode_of_the_series_comes_first() -> None:
    found = suggest(ONE, HOUSE, series="main", result={"archetype": "slow_burn"})
    assert (found.type, found.episode_template_id, found.series_id) == ("next_episode", "two", "main")
    assert found.prompt == "Next in Main: Two"


def test_after_the_last_episode_a_series_that_suits_the_result(tmp_path: Path) -> None:
    pack = named_pack(tmp_path, "flirt_archetype")
    found = suggest(TWO, HOUSE, series="main", result={"archetype": "slow_burn"}, pack=pack)
    assert (found.type, found.series_id, found.matched_by) == ("matched_series", "wet", "archetype slow_burn")
    assert found.series["first_episode"] == "other"


def test_or_one_that_shares_a_theme() -> None:
    found = suggest(ONE, HOUSE)
    assert (found.type, found.matched_by) == ("matched_series", "theme rain")


def test_a_series_that_was_played_or_does_not_hold_the_episode_falls_through() -> None:
    found = suggest(ONE, HOUSE, series="wet", played=("other",))
    assert (found.type, found.character_id, found.episodes) == ("character_content", "mina", ("two",))


def test_a_next_episode_whose_file_is_gone_is_not_suggested() -> None:
    found = suggest(ONE, Repertoire(templates=(ONE,), series=(MAIN,)), series="main")
    assert (found.type, found.prompt) == ("character_content", "mina is still here. Keep talking?")
