"""A run in the hands of a process: its state, its followers, and how it comes to rest."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import InvalidConfig, NotFound, RunFenced
from dramaturg.kernel.runs import (
    AnswerSoFar,
    Aside,
    Entry,
    Event,
    Fold,
    Kinds,
    LocalEngine,
    Mark,
    Performance,
    Piece,
    RunLibrary,
    RunStopped,
)
from tests.said import Said, SaidKind, Thought

HEARD = Fold(())


@HEARD.on(Said)
def _(event: Said, state: tuple[str, ...], entry: Entry[Event]) -> tuple[str, ...]:
    return (*state, event.text)


class ChatKind(SaidKind):
    """A conversation that rests: every thought asks for an answer, which is said when it is whole."""

    rests = True
    fold = HEARD

    def __init__(self, play: Callable[[Performance], Awaitable[None]] | None = None) -> None:
        super().__init__()
        self._turn = play
        self.played = 0

    async def play(self, performance: Performance) -> None:
        self.played += 1
        if self._turn is not None:
            await self._turn(performance)

    def has_work(self, performance: Performance) -> bool:
        return performance.state[-1:] == ("?",)

    def answer_at(self, performance: Performance, entry: Entry[Event]) -> AnswerSoFar | None:
        if not isinstance(entry.event, Thought):
            return None
        rest = [one.event for one in performance.run.entries[entry.seq :]]
        said = next((event.text for event in rest if isinstance(event, Said)), None)
        if said is not None:
            return AnswerSoFar(said, is_open=False)
        live = performance.live
        return AnswerSoFar(live.shown if live is not None and live.seq == entry.seq else "", is_open=True)


async def followed(performance: Performance, after: Mark, until: int) -> list[tuple[Mark, str]]:
    """What a follower gets after a mark, up to entry `until`: marks and texts."""
    got = []
    async with aclosing(performance.follow(after)) as following:
        async for one in following:
            if isinstance(one, Piece):
                got.append((one.mark, one.text))
            else:
                got.append((Mark(one.seq), one.event.text if isinstance(one.event, Said) else ""))
                if one.seq == until:
                    return got
    raise AssertionError("a follower is only stopped by its listener")


async def test_the_state_has_an_event_at_once_and_the_log_when_it_is_safe(library: RunLibrary) -> None:
    performance = Performance(await library.create("said", "hello"), ChatKind())
    writing = asyncio.create_task(performance.write(Said(text="a")))
    await asyncio.sleep(0)
    assert performance.state == ("a",)
    await writing
    assert [entry.event.text for entry in performance.run.entries] == ["a"]
    performance.put(Said(text="b"))
    assert performance.state == ("a", "b")
    assert performance.ahead([Said(text="c")]) == ("a", "b", "c")
    assert performance.state == ("a", "b")
    await performance.run.flush()
    assert HEARD((await library.open(performance.id)).entries) == performance.state


async def test_events_written_side_by_side_are_folded_in_the_order_of_the_log(library: RunLibrary) -> None:
    performance = Performance(await library.create("said", "hello"), ChatKind())
    await asyncio.gather(*(performance.write(Said(text=str(i))) for i in range(5)), _put(performance, "now"))
    assert performance.state == HEARD(performance.run.entries)
    assert len(performance.state) == 6


async def _put(performance: Performance, text: str) -> None:
    performance.put(Said(text=text))


async def test_whoever_is_overtaken_stops_with_a_state_nobody_else_sees(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    performance = Performance(run, ChatKind())
    await (await library.open(run.id)).append(Said(text="from another process"))
    with pytest.raises(RunFenced):
        await performance.write(Said(text="too late"))
    assert HEARD((await library.open(run.id)).entries) == ("from another process",)


async def test_a_follower_gets_an_answer_piece_by_piece_and_resumes_within_it(library: RunLibrary) -> None:
    performance = Performance(await library.create("said", "hello"), ChatKind())
    await performance.write(Said(text="Who?"), Thought(text="answer"))
    following = asyncio.create_task(followed(performance, Mark(), until=3))
    await asyncio.sleep(0)
    performance.hear(2, "It", "It")
    await asyncio.sleep(0)
    performance.hear(2, " was {hidden}", " was")
    await asyncio.sleep(0)
    resumed = asyncio.create_task(followed(performance, Mark(2, 2), until=3))
    await asyncio.sleep(0)
    performance.hear(2, " me.", " me.")
    await performance.write(Said(text="It was me."))
    whole = await following
    assert whole[:2] == [(Mark(1), "Who?"), (Mark(2), "")]
    assert "".join(text for mark, text in whole if mark.offset) == "It was me."
    assert whole[-1] == (Mark(3), "It was me.")
    assert "".join(text for mark, text in await resumed if mark.offset) == " was me."
    assert performance.followers == 0


async def test_a_follower_that_comes_when_the_answer_is_whole_gets_the_rest_of_it_from_the_log(
    library: RunLibrary,
) -> None:
    run = await library.create("said", "hello")
    await run.append(Thought(text="answer"), Said(text="It was me."))
    later = Performance(await library.open(run.id), ChatKind())
    assert await followed(later, Mark(1, 3), until=2) == [(Mark(1, 10), "was me."), (Mark(2), "It was me.")]


async def test_a_follower_of_what_is_not_played_gets_what_there_is_and_is_let_go(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    await run.append(Said(text="a"), Thought(text="unanswered"))
    performance = Performance(run, ChatKind())
    assert [one.seq async for one in performance.follow(live=False)] == [1, 2]


async def test_what_breaks_a_performance_is_told_to_everybody_who_follows(library: RunLibrary) -> None:
    async def broken(performance: Performance) -> None:
        await performance.write(Said(text="a"))
        raise KeyError("beat")

    kind = ChatKind(broken)
    run = await library.create("said", "hello")
    performance = Performance(run, kind)
    following = asyncio.create_task(followed(performance, Mark(), until=99))
    engine = LocalEngine(library)
    with pytest.raises(KeyError):
        await engine.start(performance)
    with pytest.raises(KeyError):
        await following
    assert (await library.get(run.id)).status == "stopped"
    assert isinstance(performance.run.entries[-1].event, RunStopped)


async def test_a_run_that_rests_is_stopped_when_there_is_nothing_to_do_and_can_be_started_again(
    library: RunLibrary,
) -> None:
    kind = ChatKind()
    performance = Performance(await library.create("said", "hello"), kind)
    engine = LocalEngine(library)
    for turn in (1, 2):
        await engine.start(performance)
        assert kind.played == turn
        assert (await library.get(performance.id)).status == "stopped"
        assert not engine.is_playing(performance.id)
    assert not any(isinstance(entry.event, RunStopped) for entry in performance.run.entries)


async def test_what_comes_in_while_a_run_goes_to_rest_is_played_too(library: RunLibrary) -> None:
    async def turn(performance: Performance) -> None:
        if performance.state == ("?",):
            await performance.write(Said(text="!"))
            performance.put(Said(text="?"))  # comes in when the turn has looked for the last time

    kind = ChatKind(turn)
    performance = Performance(await library.create("said", "hello"), kind)
    await performance.write(Said(text="?"))
    kind.has_work = lambda performance: performance.state == ("?", "!", "?") and kind.played == 1  # type: ignore[method-assign]
    await LocalEngine(library).start(performance)
    assert kind.played == 2


class NotedKind(ChatKind):
    """A conversation in which what is put in parentheses is shown at once."""

    def answer_at(self, performance: Performance, entry: Entry[Event]) -> AnswerSoFar | None:
        if not isinstance(entry.event, Thought):
            return None
        live = performance.live
        is_open = not any(isinstance(one.event, Said) and one.event.text == "." for one in performance.run.entries)
        return AnswerSoFar(live.shown if live is not None else "", is_open=is_open)

    def is_aside(self, entry: Entry[Event]) -> bool:
        return isinstance(entry.event, Said) and entry.event.text.startswith("(")


async def placed(performance: Performance, after: Mark) -> list[tuple[str, str]]:
    """What is there after a mark: its place and its text."""
    got, aside = [], after.aside
    async for one in performance.follow(after, live=False):
        if isinstance(one, Piece):
            got.append((str(one.mark), one.text))
        elif isinstance(one, Aside):
            aside = one.mark.aside
            got.append((str(one.mark), one.entry.event.text))
        else:
            got.append((str(Mark(one.seq, 0, aside)), getattr(one.event, "text", "")))
    return got


async def test_an_aside_is_shown_within_an_answer_once_wherever_a_client_resumes(library: RunLibrary) -> None:
    performance = Performance(await library.create("said", "hello"), NotedKind())
    (asked,) = await performance.write(Thought(text="?"))
    performance.hear(asked.seq, "One", "One")
    await performance.write(Said(text="plain"), Said(text="(aside)"))
    during = await placed(performance, Mark())
    performance.hear(asked.seq, "Two", "Two")
    await performance.write(Said(text="."))
    whole = [*during, *await placed(performance, Mark.read(during[-1][0]))]
    assert whole == [
        ("1", "?"), ("1.3", "One"), ("1.3~3", "(aside)"), ("1.6~3", "Two"), ("2.0~3", "plain"), ("4", "."),
    ]  # fmt: skip
    for place, (mark, _) in enumerate(whole):
        assert await placed(performance, Mark.read(mark)) == whole[place + 1 :] or place < 2
    assert [text for _, text in await placed(performance, Mark())] == ["?", "OneTwo", "plain", "(aside)", "."]


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_mark_reads_back_as_it_was_written(seq: int, offset: int) -> None:
    assert Mark.read(str(Mark(seq, offset))) == Mark(seq, offset)
    assert Mark.read(str(Mark(seq, offset, seq + 3))) == Mark(seq, offset, seq + 3)
    assert str(Mark(seq, offset, seq)) == str(Mark(seq, offset))


@pytest.mark.parametrize("text", ["", "x", "1.x", "1.2.3", "-1", "9" * 41, "9" * 19, "1." + "9" * 19])
def test_a_place_that_is_none_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(InvalidConfig, match="is not a place in a stream"):
        Mark.read(text)


async def test_a_run_of_another_kind_is_not_opened_as_one_of_this(library: RunLibrary) -> None:
    class SungKind(SaidKind):
        name = "sung"
        noun = "a song"

    run = await library.create("said", "hello")
    with pytest.raises(NotFound, match="is not a song"):
        await library.open_as(SungKind(), run.id)


def test_a_kind_is_made_once_and_only_when_it_is_needed() -> None:
    made = []

    def make() -> SaidKind:
        made.append(1)
        return SaidKind()

    kinds = Kinds({"said": make})
    assert "said" in kinds
    assert made == []
    assert kinds["said"] is kinds["said"]
    assert made == [1]
