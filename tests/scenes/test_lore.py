"""Lorebooks in a scene: told with the cue to whom they belong, by what that character heard, once per thread."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Recorded, Run, RunLibrary
from dramaturg.kernel.settings import read_settings
from dramaturg.kernel.store import open_store
from dramaturg.scenes.events import CueGiven, LoreTold
from dramaturg.scenes.play import play_scene
from dramaturg.scenes.scene import named_scene, scene_from
from dramaturg.scenes.stage import stage_scene
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio
from tests.rehearsals.script import read_rehearsal
from tests.stage import open_run, performance_of, play_scripted, scene_kinds, write_cards

SCRIPT = """scene: the-ferry        cast: alice, bob, charlie
max beats: 5
beat 0
  alice    @0  [TONE: even] "Good evening to you both."
beat 1
  alice    @1  [ASIDE TO: Bob, TONE: low] "The lighthouse is dark tonight."
beat 2
  bob      @1  [TONE: warm] "When does the ferry go?"
beat 3
  charlie  @1  [TONE: warm] "The ferry? Late, I hope."
"""


def write_book(project: Path, name: str, *entries: dict[str, object], **head: object) -> None:
    listed = {str(place): {"uid": place, "key": ["ferry"], **entry} for place, entry in enumerate(entries)}
    (project / "lorebooks").mkdir(parents=True, exist_ok=True)
    (project / "lorebooks" / f"{name}.json").write_text(json.dumps({**head, "entries": listed}), encoding="utf-8")


def write_original(project: Path, name: str, *entries: dict[str, object]) -> None:
    """The card of another program that a character was imported from, with a book of its own."""
    whole = [{"extensions": {}, "enabled": True, "insertion_order": 1, "keys": ["ferry"], **one} for one in entries]
    data = {"name": name.title(), "description": "x", "character_book": {"name": f"{name}'s", "entries": whole}}
    (project / "characters").mkdir(parents=True, exist_ok=True)
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    (project / "characters" / f"{name}.json").write_text(json.dumps(card), encoding="utf-8")


async def played(project: Path, script: str = SCRIPT, **config: object) -> tuple[Run, list[ModelRequest]]:
    rehearsal = read_rehearsal(script)
    model = ScriptedModel(rehearsal.answer)
    run = await play_scripted({**rehearsal.config(), **config}, model, project)
    return run, model.requests


def told(requests: list[ModelRequest], text: str) -> set[str]:
    """Who was told a text, at which beat: the first request that has it, by its key."""
    found: dict[str, str] = {}
    for one in requests:
        beat, _, who = one.key.partition("/")
        if who != "judge" and text in one.system + "".join(message.text for message in one.messages):
            found.setdefault(who, beat)
    return {f"{beat}/{who}" for who, beat in found.items()}


async def test_lore_comes_with_the_cue_to_everybody_who_heard_its_key(tmp_path: Path) -> None:
    write_book(tmp_path, "haven", {"content": "The ferry <runs> until ten."})
    _, requests = await played(tmp_path)
    assert told(requests, "<lore>The ferry &lt;runs&gt; until ten.</lore>") == {
        f"beat-3/{who}" for who in ("alice", "bob", "charlie")
    }


async def test_who_did_not_hear_an_aside_is_not_told_the_lore_it_brings_up(tmp_path: Path) -> None:
    write_book(tmp_path, "haven", {"key": ["lighthouse"], "content": "Its keeper drowned."})
    run, requests = await played(tmp_path)
    assert told(requests, "Its keeper drowned.") == {"beat-2/alice", "beat-2/bob"}
    scans = [entry.event for entry in run.entries if isinstance(entry.event, LoreTold) and not entry.event.standing]
    assert not any(one.told for one in scans if one.character == "charlie")


async def test_a_cards_own_book_and_a_parts_book_are_known_to_nobody_else(tmp_path: Path) -> None:
    write_original(tmp_path, "bob", {"content": "Bob steered it once."}, {"constant": True, "content": "Bob is wet."})
    write_book(tmp_path, "haven", {"content": "The ferry runs until ten."})
    write_book(tmp_path, "police", {"content": "The ferry is watched."})
    _, requests = await played(tmp_path, parts={"alice": {"lorebooks": ["Police"]}})
    assert told(requests, "Bob steered it once.") == {"beat-3/bob"}
    assert {one.partition("/")[2] for one in told(requests, "Bob is wet.")} == {"bob"}
    assert told(requests, "The ferry is watched.") == {"beat-3/alice"}
    assert len(told(requests, "The ferry runs until ten.")) == 3
    assert all("ferry runs" not in one.system + one.messages[0].text for one in requests if one.key.endswith("judge"))


async def test_a_scene_names_its_books_and_a_name_that_is_none_is_an_authors_error(tmp_path: Path) -> None:
    write_book(tmp_path, "haven", {"content": "The ferry runs until ten."})
    write_book(tmp_path, "other", {"content": "The ferry is red."})
    _, requests = await played(tmp_path, lorebooks=["other"])
    assert told(requests, "until ten") == set()
    assert len(told(requests, "The ferry is red.")) == 3
    _, requests = await played(tmp_path, lorebooks=[])
    assert told(requests, "<lore>") == set()
    with pytest.raises(InvalidConfig, match=r"no lorebook 'havn' in lorebooks/. Did you mean 'haven'\?"):
        await played(tmp_path, lorebooks=["havn"])


async def test_a_thread_only_grows_and_has_each_entry_once(tmp_path: Path) -> None:
    write_book(tmp_path, "haven", {"content": "Until ten."}, {"constant": True, "content": "The sea is near."})
    run, requests = await played(tmp_path)
    for who in ("alice", "bob", "charlie"):
        asked = [one for one in requests if one.key.endswith(f"/{who}")]
        for earlier, later in pairwise(asked):
            assert later.system == earlier.system
            assert later.messages[: len(earlier.messages)] == earlier.messages
        assert "".join(message.text for message in asked[-1].messages).count("Until ten.") == 1
        assert asked[-1].system.count("The sea is near.") == 1
        assert not any("The sea is near." in message.text for message in asked[-1].messages)
    cues = [entry.event for entry in run.entries if isinstance(entry.event, CueGiven) and entry.event.lore]
    assert {(one.beat, one.character, one.lore) for one in cues} == {
        (3, who, ("haven/0",)) for who in ("alice", "bob", "charlie")
    }
    receipt = next(entry.event.receipt for entry in run.entries if isinstance(entry.event, CueGiven))
    assert receipt is not None
    assert "lore" in [layer.name for layer in receipt.layers]


async def test_a_windowed_thread_is_told_again_what_still_holds(tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text('[scenes]\nthread = "window"\n', encoding="utf-8")
    write_book(tmp_path, "haven", {"content": "Until ten."})
    _, requests = await played(tmp_path)
    asked = [one for one in requests if one.key.endswith("/alice")]
    assert ["Until ten." in one.messages[-1].text for one in asked] == [False, False, False, True, True]


async def test_the_log_says_what_was_told_to_whom_and_what_did_not_fit(tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text("[scenes]\nlore_tokens = 60\n", encoding="utf-8")
    write_book(tmp_path, "haven", {"content": "word " * 40, "order": 101}, {"content": "more " * 40, "comment": "late"})
    run, _ = await played(tmp_path)
    scans = [entry.event for entry in run.entries if isinstance(entry.event, LoreTold) and entry.event.beat == 3]
    assert [one.told[0].reason for one in scans] == ["key 'ferry' in the last 2 messages"] * 3
    assert [one.untold[0].label for one in scans] == ["late"] * 3
    assert [one.untold[0].reason for one in scans] == ["over the budget"] * 3
    assert [one.budget for one in scans] == [60] * 3


async def test_dice_are_seeded_by_the_run_so_that_the_same_scene_tells_the_same(tmp_path: Path) -> None:
    write_book(tmp_path, "haven", *({"content": f"Rumour {n}.", "probability": 50} for n in range(12)))

    async def rumours() -> list[tuple[str, ...]]:
        run, _ = await played(tmp_path)
        return [tuple(one.text for one in e.event.told) for e in run.entries if isinstance(e.event, LoreTold)]

    first = await rumours()
    assert first == await rumours()
    assert 0 < max(map(len, first)) < 12


async def test_what_is_still_to_be_said_brings_up_nothing_and_what_was_cut_never_does(tmp_path: Path) -> None:
    write_book(tmp_path, "haven", {"key": ["mother"], "content": "She is ill."}, {"key": ["thanked"], "content": "No."})
    speech = "You sold the house behind my back, you lied to mother about it, and now you want to be thanked."
    head = f'scene: cut        cast: alice, bob\nmax beats: 5\nbeat 0\n  alice @0 [TONE: furious] "{speech}"\nbeat 1\n'
    _, requests = await played(tmp_path, f'{head}  bob @1 [INTERRUPT after "my back", TONE: cold] "Enough!"\n')
    assert told(requests, "<lore>She is ill.</lore>") == {"beat-1/alice", "beat-1/bob"}
    assert told(requests, "<lore>No.</lore>") == {"beat-1/alice"}
    _, requests = await played(tmp_path, f'{head}  bob @1 [TONE: cold] "Are you done?"\n')
    assert told(requests, "<lore>No.</lore>") == {"beat-1/alice", "beat-2/bob"}


async def test_a_beat_that_broke_off_is_resumed_with_the_lore_that_was_logged(tmp_path: Path) -> None:
    write_book(tmp_path, "haven", {"content": "Until {{random:nine,ten,eleven,midnight}}.", "sticky": 2})
    rehearsal = read_rehearsal(SCRIPT)
    scene = scene_from(rehearsal.config())
    write_cards(tmp_path, scene.characters)
    settings = read_settings(tmp_path, {})
    store = await open_store(settings)

    def breaks_off(request: ModelRequest) -> ModelAnswer | Exception:
        return RuntimeError("power cut") if request.key == "beat-3/charlie" else rehearsal.answer(request)

    async def play(run: Run, model: ScriptedModel) -> None:
        await play_scene(performance_of(run), stage_scene(run, settings, lambda name, who: Recorded(model, run, who)))

    try:
        library = RunLibrary(store, StillClock(), scene_kinds())
        run = await open_run(library, scene, settings)
        with pytest.raises(BaseException, match=r"power cut|unhandled"):
            await play(run, ScriptedModel(breaks_off))
        (tmp_path / "lorebooks" / "haven.json").unlink()
        again = ScriptedModel(rehearsal.answer)
        await play(run, again)
    finally:
        await store.close()
    scans = [entry.event for entry in run.entries if isinstance(entry.event, LoreTold) and not entry.event.standing]
    assert sorted((one.beat, one.character) for one in scans) == sorted({(one.beat, one.character) for one in scans})
    logged = next(one.told[0].text for one in scans if (one.beat, one.character) == (3, "charlie"))
    assert told(again.requests, f"<lore>{logged}</lore>") >= {"beat-3/charlie"}


async def test_the_check_of_a_scene_shows_the_books_and_what_does_not_fit(tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text("[scenes]\nlore_tokens = 400\n", encoding="utf-8")
    write_cards(tmp_path, ["alice", "bob"])
    write_original(tmp_path, "bob", {"content": "Bob steered it once."})
    write_book(tmp_path, "haven", {"content": "Until ten."}, {"constant": True, "content": "The sea is near. " * 2000})
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / "ferry.yaml").write_text(
        "prompt: They wait.\ngoal: Bob apologises.\ncharacters: [alice, bob]\n", encoding="utf-8"
    )
    async with Studio.open(read_settings(tmp_path, {})) as studio:
        check = await studio.scenes.check(named_scene(tmp_path, "ferry"), model="rehearsal")
    alice, bob = check.cast
    assert [(book.name, book.entries, book.standing, book.shared) for book in alice.lorebooks] == [
        ("haven", 2, 1, True)
    ]
    assert [book.name for book in bob.lorebooks] == ["bob's", "haven"]
    assert sum("is cut to fit" in remark for remark in check.remarks) == 2


async def test_what_a_character_knows_from_its_book_is_no_leak(tmp_path: Path) -> None:
    fact = "The keeper of the lighthouse drowned in October."
    script = f'''scene: leak        cast: alice, bob, charlie
max beats: 4
beat 0
  alice    @0  [ASIDE TO: Bob, TONE: low] "{fact}"
beat 1
  bob      @1  [TONE: even] "And the ferry?"
beat 2
  charlie  @1  [TONE: even] "{fact}"
'''
    run, _ = await played(tmp_path, script)
    assert scene_state(run.entries).leaks
    write_book(tmp_path, "haven", {"content": fact})
    run, _ = await played(tmp_path, script)
    assert not scene_state(run.entries).leaks
