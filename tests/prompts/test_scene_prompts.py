"""The prompts of a scene, whole, as they go out. A change of wording is a readable diff in `snapshots/`.

`DRAMATURG_SNAPSHOTS=write` writes them anew.
"""

import os
from itertools import pairwise
from pathlib import Path

import pytest

from dramaturg.kernel.models.scripted import ScriptedModel
from tests.rehearsals.script import read_rehearsal
from tests.stage import play_scripted

SNAPSHOTS = Path(__file__).parent / "snapshots"
SCENE = """
scene: the-letter        cast: alice, bob
prompt: Bob opened a letter that was Alice's. Scene goal: Bob admits it, Alice forgives him.
max beats: 4
event: 2: A gust slams the window
beat 0
  alice  @0  [TO: Bob, TONE: even] "The seal on this letter is broken."
beat 1
  bob    @1  [TONE: airy] "Wax is fragile, and the post is rough with"
  alice  @2  [INTERRUPT after "the post", TONE: cold] "The post does not read."
beat 2
  bob    @1  [TO: Alice, TONE: low] "I read it. I am sorry."
  judge  1 met by Bob: "I read it"
"""


TOPICS = (
    "The wax came from a candle.",
    "Nobody writes to me any more.",
    "I only wanted the stamp.",
    "Your aunt has a terrible hand.",
    "The lamp was low that evening.",
    "Ask the postman about Tuesday.",
    "There was a coffee stain already.",
)


def check(name: str, text: str) -> None:
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get("DRAMATURG_SNAPSHOTS") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("key", ["beat-0/alice", "beat-3/bob", "beat-3/alice", "beat-2/judge"])
async def test_the_request_reads_as_it_did(key: str, tmp_path: Path) -> None:
    model = ScriptedModel(read_rehearsal(SCENE).answer)
    await play_scripted(read_rehearsal(SCENE).config(), model, tmp_path)
    request = next(request for request in model.requests if request.key == key)
    messages = "".join(f"\n=== {message.role}\n{message.text}\n" for message in request.messages)
    check(key.replace("/", "-"), f"=== system\n{request.system}\n{messages}")


async def test_nothing_before_the_newest_message_changes_from_beat_to_beat(tmp_path: Path) -> None:
    model = ScriptedModel(read_rehearsal(SCENE).answer)
    await play_scripted(read_rehearsal(SCENE).config(), model, tmp_path)
    for who in ("alice", "bob"):
        asked = [request for request in model.requests if request.key.endswith(f"/{who}")]
        for earlier, later in pairwise(asked):
            assert later.system == earlier.system
            sent = [message.encoded for message in earlier.messages]
            assert [message.encoded for message in later.messages][: len(sent)] == sent
            assert len(later.messages) == len(earlier.messages) + 2


async def test_in_windowed_mode_the_prompt_does_not_grow_with_the_scene(tmp_path: Path) -> None:
    lines = "".join(f'beat {n}\n  bob  @1  [TONE: even] "{TOPICS[n % len(TOPICS)]} {n}"\n' for n in range(1, 30))
    rehearsal = read_rehearsal(SCENE.partition("beat 0")[0].replace("max beats: 4", "max beats: 30") + lines)
    (tmp_path / "dramaturg.toml").write_text('[scenes]\nthread = "window"\nwindow = 4\n', encoding="utf-8")
    model = ScriptedModel(rehearsal.answer)
    await play_scripted(rehearsal.config(), model, tmp_path)
    asked = [request for request in model.requests if request.key.endswith("/alice")]
    assert len(asked) > 10
    assert {len(request.messages) for request in asked} == {1}
    assert max(request.messages[0].text.count("Bob [") for request in asked) == 4
