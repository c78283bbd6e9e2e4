"""What a prompt left out is worked out from the log when somebody asks for its receipt."""

from __future__ import annotations

from pathlib import Path

from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.decisions import NewDecision
from dramaturg.workshop.events import PromptAssembled, WriterSpoke
from dramaturg.workshop.foreman.receipt import BlindSpot, ForemanReceipt
from dramaturg.workshop.receipts import whole_receipts
from dramaturg.workshop.state import Consultation, ForemanState
from dramaturg.workshop.wire import PromptSent
from tests.workshop.workroom import acting, at_work, fill_the_bible, heard, saying

SAID = ("The lamp.", "And the mill?", "She crosses by ferry.", "The bell, then.", "The lamp again.")


def deciding(number: int) -> str:
    return acting("save_decision", category="world", key=f"said_{number}", value=f"The bell rings {number} times.")


async def test_a_receipt_lists_what_the_preview_of_its_message_listed_whatever_changed_since(tmp_path: Path) -> None:
    fill_the_bible(tmp_path)
    previews: list[tuple[str, ...]] = []
    shown: list[int] = []
    async with at_work(tmp_path, [saying("Noted.", deciding(n)) for n in range(len(SAID))]) as foreman:
        for turn, said in enumerate(SAID):
            for number in range(8):
                value = f"The {('lamp', 'mill', 'ferry')[number % 3]} of house {number} is out, {turn}."
                await foreman.decide(NewDecision(category="world", key=f"house_{number + turn}", value=value))
            if turn == 2:
                await foreman.undo()
                StoryBible(tmp_path).write("theme", {"central_theme": f"The bell tolls in turn {turn}."})
            previews.append((await foreman.prompt(said)).blind_spots)
            shown += [event.blind_spots for event in await heard(foreman, said) if isinstance(event, PromptSent)]
    async with at_work(tmp_path, []) as later:
        state = await later.conversation()
    receipts = whole_receipts(state, state.turns)
    listed = [[f"{one.what} ({one.reason})" for one in found.blind_spots] for [found] in receipts.values()]
    assert listed == [list(one) for one in previews]
    assert shown == [len(one) for one in previews]
    assert len(listed[-1]) > len(listed[0]) > 8
    assert [len(found) for found in whole_receipts(state, [2]).values()] == [1]


def test_a_receipt_of_an_earlier_version_is_shown_as_it_is() -> None:
    spot = BlindSpot(what="lamp: It is out.", reason="world, beyond the full tier")
    receipt = ForemanReceipt(model="m", tier="full", tokens=9, reserve=1, layers=(), blind_spots=(spot,))
    prompt = PromptAssembled(turn=1, round=1, key="turn-1/answer-1", model="m", state="", receipt=receipt)
    assert "known" not in prompt.model_dump()
    state = ForemanState(turns={1: Consultation(WriterSpoke(turn=1, text="?"), at=0.0)}, prompts=(prompt,))
    assert whole_receipts(state, [1]) == {1: (receipt,)}
