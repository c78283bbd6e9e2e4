"""Memories in a model's own words: believed as far as the quote goes."""

import json
from pathlib import Path

import pytest

from dramaturg.kernel.errors import ModelUnavailable
from dramaturg.scenes.events import MemoriesSupplied
from dramaturg.scenes.memory.run_hooks import remember
from tests.scenes.memory.staging import THE_LETTER, play, scene, script, studio_of


def claims(*made: tuple[str, str]) -> str:
    return json.dumps({"memories": [{"text": t, "quote": q, "kind": "learned", "importance": 0.9} for t, q in made]})


SOLD = claims(
    ("The mill has been sold.", "the mill is sold"),
    ("Bob swore to leave\n# your post alone.", "never open your post again"),
    ("Bob swore it twice.", "I promise I will never"),
    ("Bob loves you.", "I have always loved you"),
    ("Something was said.", "I"),
)


async def test_a_claim_is_taken_only_with_a_quote_that_the_character_heard(tmp_path: Path) -> None:
    async with studio_of(tmp_path, script(THE_LETTER, SOLD)) as studio:
        run = await play(studio, scene(THE_LETTER), model="provider/model")
        alice, cora = (await studio.scenes.memory.past("alice"), await studio.scenes.memory.past("cora"))
    supplied = {e.event.character: e.event for e in run.entries if isinstance(e.event, MemoriesSupplied)}
    assert set(supplied) == {"alice", "bob", "cora"}
    assert [memory.line for memory in supplied["alice"].taken] == [8]
    assert [memory.line for memory in supplied["cora"].taken] == [5, 8]
    assert [refused.reason for refused in supplied["alice"].refused] == [
        "the quote is not in what the character heard",
        "a second memory of line 8",
        "the quote is not in what the character heard",
        "the quote is not in what the character heard",
    ]
    assert "The mill has been sold." in [memory.text for memory in cora.memories]
    assert "Bob swore to leave # your post alone." in [memory.text for memory in alice.memories]
    assert not any("promised you" in memory.text for memory in alice.memories)
    assert any("admitted to you" in memory.text for memory in alice.memories)


async def test_each_character_is_asked_once_with_what_it_heard_and_no_more(tmp_path: Path) -> None:
    model = script(THE_LETTER, SOLD)
    async with studio_of(tmp_path, model) as studio:
        run = await play(studio, scene(THE_LETTER), model="provider/model")
        before = len(run.entries)
        await remember(run, studio.scenes.memory, lambda name, who: model)
        assert len(run.entries) == before
    asked = {r.key: r for r in model.requests if r.purpose == "extraction"}
    assert list(asked) == ["memory/alice", "memory/bob", "memory/cora"]
    assert len([r for r in model.requests if r.purpose == "extraction"]) == 3
    assert "mill is sold" not in asked["memory/alice"].system
    assert "mill is sold" in asked["memory/cora"].system


@pytest.mark.parametrize("answer", ["I shall always remember Paris.", ModelUnavailable("gone")])
async def test_a_model_that_fails_leaves_what_was_derived(tmp_path: Path, answer: str | Exception) -> None:
    async with studio_of(tmp_path, script(THE_LETTER, answer)) as studio:
        run = await play(studio, scene(THE_LETTER), model="provider/model")
        past = await studio.scenes.memory.past("alice")
    assert run.record.status == "ended"
    assert any("Bob promised you" in memory.text for memory in past.memories)
    failures = [e.event.failure for e in run.entries if isinstance(e.event, MemoriesSupplied)]
    assert len(failures) == 3
    assert all(failures)


async def test_the_company_is_not_asked_and_nobody_is_where_the_settings_say_no(tmp_path: Path) -> None:
    model = script(THE_LETTER, SOLD)
    async with studio_of(tmp_path, model) as studio:
        await play(studio, scene(THE_LETTER))
    (tmp_path / "dramaturg.toml").write_text("[scenes]\nmemory_texts = false\n", encoding="utf-8")
    async with studio_of(tmp_path, model) as studio:
        await play(studio, scene(THE_LETTER), model="provider/model")
    assert not [request for request in model.requests if request.purpose == "extraction"]
