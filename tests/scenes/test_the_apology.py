"""The scene of the first demonstration, over fifty seeds: what it must have is in it in every one."""

import re
import shutil
from pathlib import Path

from dramaturg import Studio, find_scene, read_settings
from dramaturg.scenes.state import SceneState, scene_state

EXAMPLE = Path(__file__).parents[2] / "examples" / "the-apology"
SEEDS = range(1, 51)
MEASURES = re.compile(
    r"\b(week|monday|tuesday|wednesday|thursday|friday|morning|daily|every|board|list|dates?|estimate|check|numbers|"
    r"review|minutes|halfway|wall)\b",
    re.IGNORECASE,
)


def missing(state: SceneState) -> list[str]:
    """What the scene lacks of what is expected of it."""
    evidence = {found.goal: found for found in state.verdict.met}
    lines = [line for line in state.lines if line.kind == "line"]
    cuts = [line for line in lines if line.action == "interrupt" and line.speaker == "Alice"]
    last = lines[-3:]
    wanted = {
        "Alice opens, to Bob": lines[0].speaker == "Alice" and lines[0].target == "Bob",
        "Bob apologizes in so many words": 1 in evidence and evidence[1].speaker == "Bob",
        "Alice accepts in so many words": 2 in evidence and evidence[2].speaker == "Alice",
        "they agree on measures": 3 in evidence,
        "the measures are concrete": any(MEASURES.search(line.content) for line in lines[-7:]),
        "Alice cuts off Bob": any(line.cut_by == "Alice" and line.speaker == "Bob" for line in lines) and bool(cuts),
        "Charlie mediates": any(line.speaker == "Charlie" for line in lines[:-3]),
        "somebody makes a gesture": any(line.nonverbal for line in lines),
        "no tension is left at the end": not any(line.tone in ("furious", "angry", "sharp") for line in last),
        "between 8 and 16 beats": state.ended is not None and 8 <= state.ended.beats <= 16,
        "nothing is said twice": len({line.content for line in lines if line.content})
        == sum(1 for line in lines if line.content),
        "the goal is achieved": bool(state.ended and state.ended.goal_achieved),
    }
    return [name for name, there in wanted.items() if not there]


async def test_the_apology_has_what_it_must_have_in_50_of_50_seeds(tmp_path: Path) -> None:
    story = tmp_path / "story"
    shutil.copytree(EXAMPLE, story, ignore=shutil.ignore_patterns("data"))
    lacking: dict[int, list[str]] = {}
    scene = find_scene(story, "the-apology")
    async with Studio.open(read_settings(story, {})) as studio:
        for seed in SEEDS:
            run = await studio.scenes.open(scene, model="rehearsal", seed=seed)
            await studio.start(run)
            if found := missing(scene_state(run.entries)):
                lacking[seed] = found
    assert not lacking


LATE = """
prompt: >
  Bob missed an important project deadline, causing the team to lose a client. Alice, his manager, confronts him.
  Scene goal: Bob gives sincere apology, Alice accepts, Charlie promises to help with the new plan.
characters: [alice, bob, charlie]
parts:
  charlie: {enters: 5}
"""


async def test_the_company_plays_on_when_somebody_enters_late(tmp_path: Path) -> None:
    story = tmp_path / "story"
    shutil.copytree(EXAMPLE, story, ignore=shutil.ignore_patterns("data"))
    (story / "scenes" / "late.yaml").write_text(LATE, encoding="utf-8")
    scene = find_scene(story, "late")
    async with Studio.open(read_settings(story, {})) as studio:
        for seed in range(1, 13):
            run = await studio.scenes.open(scene, model="rehearsal", seed=seed)
            await studio.start(run)
            state = scene_state(run.entries)
            assert (state.ended.goal_achieved, state.ended.reason) == (False, "walked_through"), seed
            promise = next(line for line in state.lines if line.nonverbal == "promises to help with the new plan")
            assert promise.speaker == "Charlie", seed
            assert promise.beat >= 5, seed
            before = [line for line in state.lines if line.beat < 5 and line.kind == "line"]
            assert all("Charlie" not in (line.speaker, line.target) for line in before), seed
