"""Whole scenes, many seeds: they end where they should, and they read as if somebody had written them."""

from __future__ import annotations

import asyncio
import re
from difflib import SequenceMatcher
from functools import cache
from itertools import combinations, pairwise

import pytest

from dramaturg.kernel.models.rehearsal.person import forms_of
from tests.scenes.rehearsal.scenes import EVERY, EXAMPLES
from tests.scenes.rehearsal.small_stage import Played, play

SEEDS = range(50)
FEW = range(16)
_LOWER = re.compile(r"(?:^|[.!?]\s)[a-z]")
_DOUBLE_WORD = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
_DOUBLE_MARK = re.compile(r"[.,;:!?]{2,}")
_WRONG_ARTICLE = re.compile(r"\ba (?!one|uni|use|eu)[aeiou]\w|\ban [bcdfgjklmnpqrstvwxyz]\w", re.IGNORECASE)


@cache
def played(name: str, seed: int) -> Played:
    return asyncio.run(play(EVERY[name](seed)))


def seeds_of(name: str) -> range:
    return SEEDS if name in EXAMPLES else FEW


def every(name: str) -> list[Played]:
    return [played(name, seed) for seed in seeds_of(name)]


scenes = pytest.mark.parametrize("name", EVERY)
examples = pytest.mark.parametrize("name", EXAMPLES)


@scenes
def test_every_goal_is_reached_whatever_the_seed(name: str) -> None:
    for scene in every(name):
        assert scene.achieved, f"seed {scene.book.seed}: {scene.verdict}\n{scene.script()}"


@scenes
def test_a_scene_has_the_length_of_a_scene(name: str) -> None:
    for scene in every(name):
        goals, cast = len(scene.book.goals), len(scene.book.cast)
        assert 5 <= scene.beats <= 8 + 3 * max(goals, 2) + 2 * max(0, cast - 3), scene.script()


@examples
def test_a_scene_of_three_goals_and_three_people_takes_eight_to_sixteen_beats(name: str) -> None:
    for scene in every(name):
        most = 15 if len(scene.book.goals) == 3 else 18
        assert 8 <= scene.beats <= most, f"seed {scene.book.seed}: {scene.beats}"


@scenes
def test_somebody_is_interrupted_and_somebody_moves(name: str) -> None:
    for scene in every(name):
        assert scene.cuts, scene.script()
        assert not scene.missed, "every phrase is in the line it cuts, and something follows it"
        assert any(line.nonverbal for line in scene.lines), scene.script()


@scenes
def test_everybody_speaks(name: str) -> None:
    for scene in every(name):
        assert {line.speaker for line in scene.spoken} == {part.name for part in scene.book.cast}, scene.script()


@scenes
def test_no_line_is_said_twice_or_nearly_twice(name: str) -> None:
    for scene in every(name):
        texts = [line.content for line in scene.spoken if len(line.content.split()) > 3]
        for one, other in combinations(texts, 2):
            assert SequenceMatcher(None, one, other).ratio() < 0.75, (scene.book.seed, one, other)


@scenes
def test_two_lines_in_a_row_do_not_begin_alike(name: str) -> None:
    alike = total = 0
    for scene in every(name):
        heads = [tuple(re.findall(r"[\w'’]+", line.content.lower())[:2]) for line in scene.spoken]
        alike += sum(one == other for one, other in pairwise(heads))
        total += len(heads)
    assert alike / total < 0.01


@scenes
def test_hardly_anybody_speaks_twice_in_a_row(name: str) -> None:
    twice = total = 0
    for scene in every(name):
        speakers = [line.speaker for line in scene.spoken]
        twice += sum(one == other for one, other in pairwise(speakers))
        total += len(speakers)
    assert twice / total < 0.06


@scenes
def test_no_line_shows_how_it_was_made(name: str) -> None:
    for scene in every(name):
        for line in scene.spoken:
            text, where = line.content, f"seed {scene.book.seed}, {line.speaker}: {line.content}"
            assert not set('{}^@|[]*_"') & set(text), where
            assert "  " not in text, where
            assert text == text.strip(), where
            assert text[-1] in ".!?…—", where
            assert not _LOWER.search(text), where
            assert not _DOUBLE_WORD.search(text), where
            assert not _DOUBLE_MARK.search(text.replace("...", "…")), where
            assert not _WRONG_ARTICLE.search(text), where
            assert text.count("'") == text.count("'"), where


@scenes
def test_nobody_names_or_addresses_themselves(name: str) -> None:
    for scene in every(name):
        for line in scene.spoken:
            assert line.target != line.speaker
            for form in forms_of(line.speaker):
                assert not re.search(rf"\b{re.escape(form)}\b", line.content), f"{line.speaker}: {line.content}"


@scenes
def test_the_deed_is_done_by_the_line_that_was_meant_to_do_it(name: str) -> None:
    """Whoever must do the deed says the quoted words, and the words are in the transcript."""
    for scene in every(name):
        goals = scene.verdict["goals"]
        assert isinstance(goals, list)
        for goal in goals:
            said = [line for line in scene.spoken if line.speaker == goal["speaker"]]
            assert any(goal["quote"] in line.content for line in said), goal


@scenes
def test_goals_are_met_in_their_order(name: str) -> None:
    for scene in every(name):
        beats = list(scene.met_at.values())
        order = list(scene.met_at)
        assert beats == sorted(beats)
        assert name == "prompt_as_goal" or order == sorted(order), f"seed {scene.book.seed}: {scene.met_at}"


@scenes
def test_the_same_seed_gives_the_same_bytes(name: str) -> None:
    for seed in (0, 7):
        assert asyncio.run(play(EVERY[name](seed))).script() == played(name, seed).script()


@scenes
def test_another_seed_gives_another_scene(name: str) -> None:
    said = [{line.content for line in scene.spoken} for scene in every(name)]
    shares = [len(one & other) / min(len(one), len(other)) for one, other in combinations(said, 2)]
    assert sum(shares) / len(shares) < (0.2 if name in EXAMPLES else 0.35)
    assert len({frozenset(lines) for lines in said}) == len(said)


def test_in_the_apology_the_tension_falls_towards_the_end() -> None:
    hot = re.compile(r"angry|furious|sharp|fierce|cold|icy|hard|scathing|incredulous|cutting|bitter|scornful|indignant")
    early = late = 0
    for scene in every("the-apology"):
        half = len(scene.spoken) // 2
        early += sum(bool(hot.search(line.tone)) for line in scene.spoken[:half])
        late += sum(bool(hot.search(line.tone)) for line in scene.spoken[half:])
    assert early > 3 * late


def test_in_the_apology_alice_confronts_bob_gives_way_and_charlie_gets_a_task() -> None:
    for scene in every("the-apology"):
        speakers = [line.speaker for line in scene.spoken]
        assert speakers[0] == "Alice"
        assert any(line.cut for line in scene.spoken)
        promises = [line for line in scene.spoken if line.speaker == "Charlie" and "I'll" in line.content]
        assert promises, scene.script()
