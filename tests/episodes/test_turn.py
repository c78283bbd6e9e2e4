"""One turn of an episode, as the player sees it and as the log keeps it."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from pathlib import Path

import pytest

from dramaturg.episodes.events import AnswerAsked, AnswerFailed, AnswerPieces, CharacterAnswered, PlayerSpoke
from dramaturg.episodes.front import checked_words
from dramaturg.kernel.errors import InvalidConfig, ModelUnavailable, NotFound
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.runs import Mark
from dramaturg.kernel.runs.events import ModelAnswered
from dramaturg.kernel.settings import EpisodeSettings, read_settings
from tests.episodes.staging import ANNA, FLIRT, Halting, house, kind_of, say, spoken, studio_of, types, write_project

OPEN = {**FLIRT, "completion_mode": "open", "turn_budget": None, "evaluation": None}
RESULT = json.dumps(
    {
        "archetype": "bold_mover",
        "confidence": 0.8,
        "scores": [{"archetype": "bold_mover", "score": 0.9}],
        "primary_signals": [{"signal": "direct", "quote": "I came to see you"}],
        "description": "Straight to it.",
    }
)


async def test_a_session_opens_with_its_card_and_its_first_line(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house()) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = [event async for event in studio.episodes.turn(view.id, Mark())]
    assert types(events) == ["scene_card", "message_complete", "done"]
    assert events[0].title == "A bar after closing"
    assert events[1].content == "We're closed. Sit down."


async def test_a_turn_shows_words_and_gestures_then_the_whole_then_done(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house()) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Hello.")
    assert types(events)[-2:] == ["message_complete", "done"]
    text = "".join(event.content for event in events if event.type == "chunk")
    complete = events[-2]
    assert text == complete.content == '*She wipes a glass*\n"You took your time."'
    assert complete.structured.model_dump() == {
        "dialogue": "You took your time.",
        "action": "She wipes a glass",
        "mood": "dry",
    }
    assert complete.director.model_dump(mode="json") == {
        "turn_count": 1,
        "beat": "complication",
        "completion_eligible": False,
    }


async def test_the_last_turn_completes_evaluates_and_suggests_before_done(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(evaluation=RESULT)) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        for text in ("I came to see you.", "Truly."):
            events = await say(studio, view.id, text)
            assert "episode_complete" not in types(events)
        events = await say(studio, view.id, "Good night.")
        assert types(events)[-3:] == ["message_complete", "episode_complete", "done"]
        complete = events[-2]
        assert complete.trigger == "turn_limit"
        assert complete.evaluation["archetype"] == "bold_mover"
        assert complete.evaluation_status == "ready"
        assert complete.next_suggestion.type == "character_content"
        # Completion announces and locks nothing.
        events = await say(studio, view.id, "One more thing.")
        assert types(events)[-2:] == ["message_complete", "done"]
        assert events[-2].director.turn_count == 4


async def test_a_refusal_that_the_provider_marks_is_not_what_the_character_says(tmp_path: Path) -> None:
    refused = ModelAnswer(text="Mina is beyond what our policy lets me play.", model="m", finish="refusal")
    async with studio_of(tmp_path, house(refused)) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Hello.")
        run = (await studio.episodes.session(view.id)).run
    assert types(events) == ["error", "done"]
    assert not any("policy" in str(event) for event in events)
    assert any(isinstance(entry.event, ModelAnswered) for entry in run.entries)


async def test_an_answer_that_fills_the_whole_window_is_a_turn_that_fails_with_a_sentence(tmp_path: Path) -> None:
    write_project(tmp_path, OPEN)
    settings = read_settings(tmp_path, {})
    roomy = settings.model_copy(update={"models": settings.models.model_copy(update={"max_tokens": 10_000_000})})
    async with studio_of(tmp_path, house(), OPEN, settings=roomy) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Hello.")
        failed = [entry.event for entry in (await studio.episodes.session(view.id)).run.entries]
    assert types(events) == ["error", "done"]
    assert events[0].message.startswith("The story cannot go on")
    assert any("max_tokens = 10000000" in one.error for one in failed if isinstance(one, AnswerFailed))


async def test_the_players_words_are_in_the_log_before_the_model_is_asked(tmp_path: Path) -> None:
    seen: list[str] = []

    async with studio_of(tmp_path, house()) as studio:
        view = await studio.episodes.open("last-orders", ANNA)

        def answer(request: ModelRequest) -> str:
            run = sitting.run
            seen.extend(entry.event.text for entry in run.entries if isinstance(entry.event, PlayerSpoke))
            return spoken()

        sitting = await studio.episodes.session(view.id)
        studio.gateway.model._script = lambda request: answer(request) if kind_of(request) == "answer" else "{}"
        await say(studio, view.id, "Keep this.")
    assert seen == ["Keep this."]


async def test_the_same_message_twice_is_one_turn(tmp_path: Path) -> None:
    model = house()
    async with studio_of(tmp_path, model, OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        first = await say(studio, view.id, "Hello.", "c1")
        again = await say(studio, view.id, "Hello.", "c1")
        both = await asyncio.gather(say(studio, view.id, "And?", "c2"), say(studio, view.id, "And?", "c2"))
        assert types(both[0]) == types(both[1])
        view = await studio.episodes.view(view.id)
    assert again == first
    assert view.director.turn_count == 2
    assert [kind_of(request) for request in model.requests].count("answer") == 2


async def test_whoever_speaks_during_a_turn_is_shown_the_answer_to_their_own_words(tmp_path: Path) -> None:
    def echoed(request: ModelRequest) -> str:
        last = max(("One", "Two", "Three"), key=request.messages[-1].text.rfind)
        return spoken(f"To {last}.")

    async with studio_of(tmp_path, house(echoed), OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        turns = await asyncio.gather(*(say(studio, view.id, f"{said}?") for said in ("One", "Two", "Three")))
        async with aclosing(studio.episodes.say(view.id, "One more? One?")) as left:
            await anext(left)  # they leave in the middle of their turn
        after = await say(studio, view.id, "And Two?")
    for said, events in zip(("One", "Two", "Three", "Two"), (*turns, after), strict=True):
        (answer,) = [event.content for event in events if event.type == "message_complete"]
        assert f"To {said}." in answer
        assert "".join(event.content for event in events if event.type == "chunk") == answer
        assert types(events)[-1] == "done"
        assert types(events).count("done") == 1


async def test_two_tabs_that_send_at_once_are_played_one_after_the_other(tmp_path: Path) -> None:
    model = Halting(spoken(), after=1)
    async with studio_of(tmp_path, model, OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        first = asyncio.create_task(say(studio, view.id, "First.", "a"))
        await model.reached.wait()
        second = asyncio.create_task(say(studio, view.id, "Second.", "b"))
        await asyncio.sleep(0)
        model.go.set()
        await asyncio.gather(first, second)
        view = await studio.episodes.view(view.id)
    assert [message.content for message in view.messages if message.role == "player"] == ["First.", "Second."]
    assert [message.role for message in view.messages] == ["character", "player", "character", "player", "character"]


async def test_who_leaves_in_the_middle_comes_back_to_the_rest(tmp_path: Path) -> None:
    model = Halting(spoken("One two three four five six."), after=8)
    async with studio_of(tmp_path, model, OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        seen: list[str] = []
        last = ""
        stream = studio.episodes.say(view.id, "Go on.", "c1")
        async for event in stream:
            if event.type == "chunk":
                seen.append(event.content)
                last = event.id
            if model.reached.is_set():
                break
        await stream.aclose()
        model.go.set()
        rest = [event async for event in studio.episodes.turn(view.id, Mark.read(last), "c1")]
    assert types(rest)[-2:] == ["message_complete", "done"]
    text = "".join(seen) + "".join(event.content for event in rest if event.type == "chunk")
    assert text == rest[-2].content


async def test_any_event_id_leads_to_exactly_what_follows_it(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(evaluation=RESULT)) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        for text in ("I came to see you.", "Truly.", "Good night."):
            await say(studio, view.id, text)
        end = (await studio.episodes.view(view.id)).director.turn_count

        async def after(mark: Mark) -> list[str]:
            found = []
            async for event in studio.episodes.follow(view.id, mark):
                found.append(event.id)
                if event.type == "done" and event.id == last:
                    break
            return found

        sitting = await studio.episodes.session(view.id)
        last = str(max(e.seq for e in sitting.run.entries if e.event.type == "turn.ended"))
        whole = await after(Mark())
        assert end == 3
        for place, name in enumerate(whole[:-1]):
            assert await after(Mark.read(name)) == whole[place + 1 :]


async def test_a_provider_that_fails_in_the_middle_keeps_the_message_and_a_retry_answers_it(tmp_path: Path) -> None:
    model = Halting(spoken(), after=4, error=ModelUnavailable("The provider is gone."))
    async with studio_of(tmp_path, model, OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Still there?", "c1")
        assert types(events)[-2:] == ["error", "done"]
        assert events[-2].code == "MODEL_UNAVAILABLE"
        assert events[-2].retry
        failed = await studio.episodes.view(view.id)
        assert failed.messages[-1].content == "Still there?"
        assert failed.retry
        assert failed.director.turn_count == 0
        again = await say(studio, view.id, "Still there?", "c1")
        assert types(again)[-2:] == ["message_complete", "done"]
        view = await studio.episodes.view(view.id)
    assert [message.role for message in view.messages] == ["character", "player", "character"]
    assert view.director.turn_count == 1


async def test_a_key_that_is_refused_is_not_worth_a_retry(tmp_path: Path) -> None:
    from dramaturg.kernel.errors import KeyRejected

    async with studio_of(tmp_path, house(KeyRejected("No key.")), OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Hello.")
    assert [event.retry for event in events if event.type == "error"] == [False]


async def test_a_model_that_declines_to_play_is_an_error_that_can_be_retried(tmp_path: Path) -> None:
    answers = iter(["As an AI language model, I cannot engage in this conversation.", spoken()])
    async with studio_of(tmp_path, house(lambda _: next(answers)), OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Hello?", "c1")
        assert types(events) == ["error", "done"]
        assert (events[0].code, events[0].retry) == ("MODEL_REJECTED", True)
        again = await say(studio, view.id, "Hello?", "c1")
    assert again[-2].content.endswith('"You took your time."')


async def test_an_answer_without_words_is_an_error_and_not_a_message(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house('{"internal": "nothing to say"}'), OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Hello.")
        view = await studio.episodes.view(view.id)
    assert types(events) == ["error", "done"]
    assert view.messages[-1].role == "player"


async def test_a_character_does_not_speak_for_the_player(tmp_path: Path) -> None:
    prose = 'Mina: "Sit down."\n\nAnna: I will, thank you.\n\nMina: "Good."'
    async with studio_of(tmp_path, house(prose), OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Hello.")
        again = [event async for event in studio.episodes.turn(view.id, Mark.read(view.mark))]
    assert events[-2].content.strip() == '"Sit down."'
    assert "".join(event.content for event in again if event.type == "chunk") == events[-2].content


async def test_plain_prose_is_an_answer_too(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house('*She nods.* "Fine, then."'), OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Hello.")
    assert events[-2].content == '*She nods.* "Fine, then."'
    assert events[-2].structured.dialogue == "Fine, then."
    assert events[-2].structured.action == "She nods."


async def test_a_character_can_open_from_a_situation(tmp_path: Path) -> None:
    template = {**OPEN, "opening_line": "", "opening_situation": "Mina is counting the till."}
    model = house()
    async with studio_of(tmp_path, model, template) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = [event async for event in studio.episodes.turn(view.id, Mark())]
        await studio.episodes.settle(view.id)
    assert types(events)[0] == "scene_card"
    assert types(events)[-2:] == ["message_complete", "done"]
    assert events[-2].director.turn_count == 0
    assert "counting the till" in model.requests[0].system
    assert "You speak first." in model.requests[0].messages[-1].text


async def test_pieces_of_a_long_answer_are_in_the_log_before_it_is_whole(tmp_path: Path) -> None:
    model = Halting(spoken("word " * 200), after=150)
    async with studio_of(tmp_path, model, OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        turn = asyncio.create_task(say(studio, view.id, "Tell me everything."))
        await model.reached.wait()
        sitting = await studio.episodes.session(view.id)
        await sitting.run.flush()
        pieces = [entry.event for entry in sitting.run.entries if isinstance(entry.event, AnswerPieces)]
        assert sum(len(piece.text) for piece in pieces) > 400
        model.go.set()
        await turn


async def test_a_process_that_dies_in_the_middle_of_an_answer_asks_again(tmp_path: Path) -> None:
    model = Halting(spoken("word " * 200), after=150)
    async with studio_of(tmp_path, model, OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await studio.episodes.send(view.id, "Tell me.", "c1")
        await model.reached.wait()
        await (await studio.episodes.session(view.id)).run.flush()
    second = house()
    async with studio_of(tmp_path, second, OPEN) as studio:
        events = [event async for event in studio.episodes.say(view.id, "Tell me.", "c1")]
        view = await studio.episodes.view(view.id)
    assert types(events)[-2:] == ["message_complete", "done"]
    assert [message.role for message in view.messages] == ["character", "player", "character"]
    assert [kind_of(request) for request in second.requests].count("answer") == 1


async def test_a_process_that_dies_with_the_whole_answer_in_the_log_does_not_pay_twice(tmp_path: Path) -> None:
    model = house()
    async with studio_of(tmp_path, model, OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        await say(studio, view.id, "Hello.", "c1")
        entries = (await studio.episodes.session(view.id)).run.entries
        cut = next(entry.seq for entry in entries if isinstance(entry.event, ModelAnswered))
        run = await studio.runs.fork(view.id, cut)
        assert not any(isinstance(entry.event, CharacterAnswered) for entry in run.entries)
    second = house()
    async with studio_of(tmp_path, second, OPEN) as studio:
        events = [event async for event in studio.episodes.say(run.id, "Hello.", "c1")]
        await studio.episodes.settle(run.id)
        asked = [e for e in (await studio.episodes.session(run.id)).run.entries if isinstance(e.event, AnswerAsked)]
    assert types(events)[-2:] == ["message_complete", "done"]
    assert [kind_of(request) for request in second.requests].count("answer") == 0
    assert len(asked) == 1


async def test_the_next_turn_waits_for_what_is_looked_up_only_a_moment(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def slow(request: ModelRequest) -> str:
        if kind_of(request) == "extraction":
            await gate.wait()
            return "{}"
        return spoken()

    from dramaturg.kernel.models.scripted import ScriptedModel

    write_project(tmp_path, OPEN)
    settings = read_settings(tmp_path, {}).model_copy(update={"episodes": EpisodeSettings(extraction_wait=0.01)})
    async with studio_of(tmp_path, ScriptedModel(slow), OPEN, settings=settings) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        for text in ("One.", "Two."):
            events = [event async for event in studio.episodes.say(view.id, text)]
            assert events[-1].type == "done"
        gate.set()
        await studio.episodes.settle(view.id)
        sitting = await studio.episodes.session(view.id)
    found = [entry.event.message_id for entry in sitting.run.entries if entry.event.type == "exchange.extracted"]
    assert found == ["m3", "m5"]


@pytest.mark.parametrize("text", ["", "   \n", "\x00\x07", "\u200b\u00ad\ufeff", "\u2028\u2029\u3000", "\ud83d"])
async def test_an_empty_message_is_refused_with_a_way_out(text: str, tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(), OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        with pytest.raises(InvalidConfig, match="empty"):
            await studio.episodes.send(view.id, text)


@pytest.mark.parametrize("text", ["\U0001f6d8", "\U0001faea\ufe0f", "\ue000", "\u0301"])
def test_a_character_that_is_newer_than_this_python_is_a_message(text: str) -> None:
    assert checked_words(text, 100) == text


async def test_a_message_that_is_too_long_is_refused_whole(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(), OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        with pytest.raises(InvalidConfig, match="the limit is 8,000"):
            await studio.episodes.send(view.id, "a" * 1_000_000)
        assert len((await studio.episodes.view(view.id)).messages) == 1


async def test_what_is_not_there_is_not_found_and_nothing_else_is_told(tmp_path: Path) -> None:
    async with studio_of(tmp_path, house(), OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        for session in ("nope", view.id[:8]):
            with pytest.raises(NotFound) as error:
                await studio.episodes.send(session, "Hello")
            assert view.id not in error.value.message
        with pytest.raises(NotFound, match="Did you mean 'last-orders'"):
            await studio.episodes.open("last-order", ANNA)


@pytest.mark.parametrize("kind", ["ModelUnavailable", "ModelOverloaded", "ModelRejected", "KeyRejected", "PromptError"])
async def test_a_player_is_told_one_sentence_and_the_log_has_the_cause(kind: str, tmp_path: Path) -> None:
    from dramaturg.kernel import errors

    cause = "HTTP 500 from https://api.example.com/v1: {'error': 'quota of org-123'}. Set DRAMATURG_KEY."
    async with studio_of(tmp_path, house(getattr(errors, kind)(cause)), OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        events = await say(studio, view.id, "Hello.")
        session = await studio.episodes.session(view.id)
        logged = [one.event for one in session.run.entries if one.event.type == "answer.failed"]
    (error,) = [event for event in events if event.type == "error"]
    assert "example.com" not in error.model_dump_json()
    assert 10 < len(error.message) < 90
    assert [one.error for one in logged] == [cause]
