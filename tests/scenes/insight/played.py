"""One small scene with everything that `why` has to tell of: a note, an event, an aside, a cut, a secret."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Run
from tests.rehearsals.script import read_rehearsal
from tests.stage import play_scripted

SCENE = """
scene: the-cup        cast: alice, bob, carol
prompt: Bob broke a cup. Scene goal: Bob admits it, Alice forgives him.
max beats: 6
event: 2: A gust slams the window
secret: bob: The cup was the last of six.
beat 0
  alice  @1  [TO: Bob, TONE: even] "Where is the blue cup?"
beat 1
  carol  @1  [ASIDE TO: Alice, TONE: low] "I heard it fall."
  bob    @2  [TONE: airy] "Cups come and cups go, and who counts them any more"
  alice  @3  [INTERRUPT after "cups go", TONE: cold] "I do."
beat 2
  bob    @1  The cup is broken. I broke it.
  judge  1 met by Bob: "I broke it."
beat 3
  alice  @1  [TO: Bob, TONE: warm] "Then that is that."
"""


async def the_cup(project: Path, model: ScriptedModel | None = None) -> Run:
    rehearsal = read_rehearsal(SCENE)
    return await play_scripted(rehearsal.config(), model or ScriptedModel(rehearsal.answer), project)
