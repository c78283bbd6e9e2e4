"""Whatever an author does to the lines of a scene, some things hold."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from dramaturg.kernel.errors import DramaturgError
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.text.quotes import is_quoted
from dramaturg.scenes.exports import FORMATS, export_run
from dramaturg.scenes.insight.account import account_of
from dramaturg.scenes.revision.changes import Choice, Edit, LineChange, Strike
from dramaturg.scenes.state import scene_state
from tests.scenes.revision.stage import THE_CUP, played

COURT = """
scene: court        cast: ruth, amos
prompt: A will is contested. Scene goal: Amos names the forger, Ruth withdraws the claim.
max beats: 8
beat 0
  ruth  @1  [TO: Amos, TONE: sharp] "Tell the court who held the pen that night."
beat 1
  amos  @1  [TONE: shaking] "I was asked to look away, and so I looked away, God help me"
  ruth  @2  [INTERRUPT after "look away", TONE: cold] "By whom?"
beat 2
  amos  @1  [TO: Ruth, TONE: broken] "It was Gerald Finch who forged the will."
  judge 1 met by Amos: "It was Gerald Finch who forged the will"
beat 3
  ruth  @1  [TONE: low] "Then I withdraw my claim."
  judge 1 met by Amos: "It was Gerald Finch who forged the will"
  judge 2 met by Ruth: "I withdraw my claim"
  judge natural end
"""
WORDS = ("No.", "I look away when cups go missing, and so do you.", "It was Gerald Finch who forged the will, I say.")
TAKES = ('[TONE: new] "Not today."', "[SILENT]", '[INTERRUPT after "cups go", TONE: x] "Stop."', "[REACT, *shrugs*]")


def check(run: str, entries: Sequence[Entry[Event]]) -> None:
    state = scene_state(entries)
    lines = {line.number: line for line in state.lines}
    assert list(lines) == sorted(lines)
    assert state.ended.goal_achieved == state.verdict.complete
    for evidence in state.verdict.met:
        met = lines[evidence.line]
        assert is_quoted(evidence.quote, f"{met.content} {met.nonverbal or ''}")
    cuts = {(line.speaker, line.beat) for line in state.lines if line.action == "interrupt"}
    for line in state.lines:
        if line.cut_by is not None:
            assert {(line.cut_by, line.beat), (line.cut_by, line.beat + 1)} & cuts
        if line.action == "interrupt":
            assert any(other.cut_by == line.speaker for other in state.lines if other.number < line.number)
        if line.kind == "line":
            assert account_of(entries, line).line == line
    for form in FORMATS:
        assert export_run(run, entries, form)


def _change(rng: random.Random) -> LineChange:
    return rng.choice([Edit(rng.choice(WORDS)), Choice(rng.randint(1, 4)), Choice(rng.randint(1, 3)), Strike()])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("text", [THE_CUP, COURT], ids=["cup", "court"])
async def test_after_any_changes_the_log_has_only_grown_and_the_state_fits_the_words(
    tmp_path: Path, text: str, seed: int
) -> None:
    rng = random.Random(seed)
    asked = (f"beat-{beat}/{who}#take-{n}" for beat in range(9) for who in ("alice", "bob", "amos") for n in range(9))
    more = {key: rng.choice(TAKES) for key in asked}
    async with played(tmp_path, text, more) as (studio, run, _):
        before: list[Entry[Event]] = []
        refused: list[str] = []
        for _ in range(10):
            number = str(rng.randint(1, 7))
            try:
                if rng.random() < 0.3:
                    await studio.scenes.revisions.retake(run.id, number)
                else:
                    await studio.scenes.revisions.revise(run.id, number, _change(rng))
            except DramaturgError as error:
                refused.append(error.message)
            now = await studio.scenes.open_run(run.id)
            assert now.record.status == "ended"
            assert list(now.entries[: len(before)]) == before
            before = list(now.entries)
            check(run.id, now.entries)
        assert all(message.endswith(".") for message in refused)
        fork = await studio.scenes.fork(run.id, 1)
        await studio.start(fork)
        check(fork.id, fork.entries)
