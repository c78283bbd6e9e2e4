"""Two to five characters with one person: who answers, what each has heard, and what nobody else may."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.episodes.events import AnswerAsked, LoreTold
from dramaturg.episodes.state import EpisodeState
from dramaturg.episodes.template import template_from
from dramaturg.episodes.views import conversation_text
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import AlreadyUsed, InvalidConfig, ModelUnavailable, NotFound
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedAnswer
from dramaturg.kernel.runs import Mark
from dramaturg.kernel.settings import read_settings
from dramaturg.studio import Studio
from tests.episodes.company import CARDS, TABLE, answers, asked_of, at_table, sent_to, speakers, table, write_cards
from tests.episodes.staging import ANNA, house, kind_of, say, spoken, types, write_project

SECRET = "The key is under the blue jug"


async def state_of(studio: Studio, session: str) -> EpisodeState:
    return (await studio.episodes.session(session)).state


async def test_whoever_is_addressed_answers_and_the_stream_says_who(tmp_path: Path) -> None:
    async with at_table(tmp_path, table()) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        opening = [event async for event in studio.episodes.turn(view.id, Mark())]
        events = await say(studio, view.id, "Bo, and you, Cleo: did you hear the bell?")
        shown = (await studio.episodes.view(view.id)).messages
    assert [face.id for face in opening[0].cast] == ["ada", "bo", "cleo"]
    assert speakers(opening) == ["ada"]
    assert speakers(events)[:2] == ["bo", "cleo"]
    for complete in (one for one in events if one.type == "message_complete"):
        pieces = [one for one in events if one.type == "chunk" and one.message_id == complete.message_id]
        assert "".join(one.content for one in pieces) == complete.content
        assert {(one.speaker, one.name) for one in pieces} == {(complete.speaker, complete.name)}
    assert [(one.role, one.speaker) for one in shown[:4]] == [
        ("character", "ada"),
        ("player", ""),
        ("character", "bo"),
        ("character", "cleo"),
    ]
    assert shown[3].name == "Cleo Marsh"


async def test_later_answers_hear_the_earlier_ones_as_words_of_others(tmp_path: Path) -> None:
    model = table({"bo": "The ferry is late. Cleo, what did you see?"})
    async with at_table(tmp_path, model) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        events = await say(studio, view.id, "Bo?")
    assert speakers(events)[:2] == ["bo", "cleo"]
    heard = answers(model.requests, "cleo")[0].messages
    assert [one.role for one in heard] == ["user"]
    assert '<character name="Bo">\n"The ferry is late.' in heard[-1].text
    assert "<player>\nBo?\n</player>" in heard[-1].text
    assert '<character name="Ada">' in heard[-1].text


async def test_a_whisper_reaches_one_character_and_nothing_of_it_any_other(tmp_path: Path) -> None:
    kept = {"memories": [{"text": f"They said: {SECRET}.", "quote": SECRET}], "hooks": []}
    bond = {"relationship": {"tone": "close", "trust": 0.2, "tension": 0.1, "quote": SECRET}}

    def extraction(request: ModelRequest) -> str:
        return json.dumps({**kept, **bond}) if SECRET in request.messages[-1].text else "{}"

    def answer(request: ModelRequest) -> str:
        whispered = "<player whispers>" in request.messages[-1].text.rpartition("<state>")[2]
        return spoken("Under the jug, then." if whispered else "Well.", action="")

    model = house(answer, extraction=extraction)
    async with at_table(tmp_path, model) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        events = [one async for one in studio.episodes.say(view.id, f"{SECRET}.", to="Bo")]
        assert speakers(events) == ["bo"]
        assert events[-2].whispered
        for text in ("Good evening, all of you.", "Ada, Cleo: what now?", "Bo?", "Everyone, one last word?"):
            await say(studio, view.id, text)
        state = await state_of(studio, view.id)
        remembered = await studio.episodes.tables.kept_of("anna")
        bonds = {name: await studio.episodes.tables.bond_history(name, "anna") for name in CARDS}
    for other in ("ada", "cleo"):
        assert answers(model.requests, other)
        assert SECRET not in sent_to(model.requests, other)
        assert "Under the jug" not in sent_to(model.requests, other)
    assert SECRET in sent_to(model.requests, "bo")
    extractions = [one for one in model.requests if kind_of(one) == "extraction"]
    secret = [one.system for one in extractions if SECRET in one.messages[-1].text]
    assert len(secret) == 1
    assert "and Bo, a character" in secret[0]
    assert {name for name, _ in remembered} == {"bo"}
    assert {name for name, found in bonds.items() if found} == {"bo"}
    assert SECRET not in "".join(one.text for one in state.heard_by("ada").messages.values())
    assert f"Anna (whispers to Bo): {SECRET}." in conversation_text(state)


async def test_lore_is_scanned_over_what_that_character_heard(tmp_path: Path) -> None:
    book = {"entries": {"0": {"key": ["jug"], "content": "The blue jug is cracked.", "order": 1}}}
    (tmp_path / "lorebooks").mkdir()
    (tmp_path / "lorebooks" / "inn.json").write_text(json.dumps(book), encoding="utf-8")
    model = table()
    async with at_table(tmp_path, model) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        [_ async for _ in studio.episodes.say(view.id, f"{SECRET}.", to="bo")]
        await say(studio, view.id, "Ada, Cleo: good evening.")
        entries = (await studio.episodes.session(view.id)).run.entries
    told = {one.event.message_id: bool(one.event.told) for one in entries if isinstance(one.event, LoreTold)}
    whose = {one.event.message_id: one.event.speaker for one in entries if isinstance(one.event, AnswerAsked)}
    assert {whose[key] for key, found in told.items() if found} == {"bo"}
    assert "cracked" not in sent_to(model.requests, "ada") + sent_to(model.requests, "cleo")


async def test_a_failing_character_costs_its_answer_and_nobody_elses(tmp_path: Path) -> None:
    def answer(request: ModelRequest) -> ScriptedAnswer:
        return ModelUnavailable("the ferry is down") if asked_of(request) == "bo" else spoken("I am here.", action="")

    async with at_table(tmp_path, house(answer)) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        events = await say(studio, view.id, "Bo, Ada: are you there?")
        last = await studio.episodes.view(view.id)
    failed = next(one for one in events if one.type == "error")
    assert (failed.speaker, failed.name) == ("bo", "Bo")
    assert speakers(events)[0] == "ada"
    assert not last.retry
    assert types(events)[-1] == "done"


async def test_if_nobody_can_answer_the_message_is_kept_and_can_be_retried(tmp_path: Path) -> None:
    down = [True]
    model = house(lambda _: ModelUnavailable("down") if down[0] else spoken("Back again.", action=""))
    async with at_table(tmp_path, model) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        events = await say(studio, view.id, "Anybody?")
        assert types(events).count("error") == 3
        assert (await studio.episodes.view(view.id)).retry
        down[0] = False
        again = [one async for one in studio.episodes.turn(view.id, await studio.episodes.retry(view.id))]
    assert len(speakers(again)) >= 1


async def test_one_of_several_answers_can_be_swiped_edited_deleted_and_branched_from(tmp_path: Path) -> None:
    async with at_table(tmp_path, table()) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        await say(studio, view.id, "Bo, Cleo, Ada: hello.")
        _, _, first, second, third = (await studio.episodes.view(view.id)).messages
        swiped = [one async for one in studio.episodes.turn(view.id, await studio.episodes.swipe(view.id, second.id))]
        assert speakers(swiped) == [second.speaker]
        after = (await studio.episodes.view(view.id)).messages
        assert [one.speaker for one in after] == ["ada", "", first.speaker, second.speaker]
        assert len(after[-1].siblings) == 2
        back = (await studio.episodes.choose(view.id, third.id)).messages
        assert [one.id for one in back][-3:] == [first.id, second.id, third.id]
        edited = await studio.episodes.edit(view.id, second.id, "Not a word.")
        assert [one.content for one in edited.messages if one.edited] == ["Not a word."]
        kept = await studio.episodes.delete_message(view.id, first.id)
        assert [one.speaker for one in kept.messages[2:]] == [second.speaker, third.speaker]
        assert kept.director.turn_count == 1
        branched = await studio.episodes.branch(view.id, second.id, new_session=True)
        assert branched.messages[-1].id == second.id
        assert [face.id for face in branched.cast] == ["ada", "bo", "cleo"]
        more = [one async for one in studio.episodes.turn(view.id, await studio.episodes.go_on(view.id, "Bo"))]
        assert speakers(more) == ["bo"]


async def test_a_repeated_whisper_is_one_and_the_same_id_for_another_ear_is_refused(tmp_path: Path) -> None:
    model = table()
    async with at_table(tmp_path, model) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        for _ in range(2):
            [_ async for _ in studio.episodes.say(view.id, SECRET, "c1", to="bo")]
        assert len(answers(model.requests)) == 1
        with pytest.raises(AlreadyUsed):
            await studio.episodes.send(view.id, SECRET, "c1", to="ada")
        with pytest.raises(AlreadyUsed):
            await studio.episodes.send(view.id, SECRET, "c1")
        with pytest.raises(NotFound, match="Ada, Bo, Cleo Marsh"):
            await studio.episodes.send(view.id, SECRET, "c2", to="Dorian")


async def test_a_character_alone_cannot_be_whispered_to(tmp_path: Path) -> None:
    alone = {**TABLE, "characters": ["ada"]}
    async with at_table(tmp_path, table(), alone) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        assert view.cast == ()
        with pytest.raises(InvalidConfig, match="nobody else"):
            await studio.episodes.send(view.id, SECRET, to="ada")


async def test_the_rehearsal_company_plays_a_group_with_each_cards_own_words_and_says_what_it_is(
    tmp_path: Path,
) -> None:
    lines = {
        "ada": ("Supper is at eight, as ever.", "Mind the third step."),
        "bo": ("The river keeps what it takes.", "Last boat at ten."),
        "cleo": ("Blue is never only blue.", "Hold still, the light is good."),
    }
    own = {name: "".join(f'- "{line}"\n' for line in said) for name, said in lines.items()}
    write_cards(tmp_path, {name: f"{text}\n## Lines\n{own[name]}" for name, text in CARDS.items()})
    write_project(tmp_path, TABLE)
    async with Studio.open(read_settings(tmp_path, {"DRAMATURG_MODEL": "rehearsal"}), StillClock()) as studio:
        view = await studio.episodes.open("three-at-a-table", ANNA)
        for text in ("Good evening, all of you.", "Cleo, tell me about blue.", "Bo, when is the last boat?"):
            await say(studio, view.id, text)
        shown = (await studio.episodes.view(view.id)).messages
    assert "Ada, Bo and Cleo Marsh's own lines" in view.remark
    said = [(one.speaker, one.content) for one in shown if one.role == "character"]
    assert len({content for _, content in said}) == len(said)
    for speaker, content in said[1:]:
        others = [line for name, found in lines.items() if name != speaker for line in found]
        assert not any(line in content for line in others)
    assert any(line in content for speaker, content in said[1:] for line in lines[speaker])


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"characters": ["ada", "bo"], "character": "bo"}, "exclude each other"),
        ({"characters": ["ada", "Ada"]}, "named twice"),
        ({"characters": ["a", "b", "c", "d", "e", "f"]}, "5"),
        ({"characters": []}, "character"),
    ],
)
def test_a_cast_that_cannot_be_played_is_refused(given: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidConfig, match=problem):
        template_from({"name": "x", **given})
