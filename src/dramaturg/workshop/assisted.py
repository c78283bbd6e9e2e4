"""One answer of the assisted Foreman: the house's decision, a form to fill in if need be, and the model's words."""

from __future__ import annotations

from dramaturg.kernel.models.port import Message, Model, ModelRequest
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.workshop.book.snapshot import BookSnapshot
from dramaturg.workshop.cue import foreman_cue
from dramaturg.workshop.events import ForemanAnswered, PromptAssembled, WriterSpoke
from dramaturg.workshop.foreman.assisted_answer import (
    FORM_TOKENS,
    WORDS_TOKENS,
    AssistedTurn,
    assisted_turn,
    was_unusable,
)
from dramaturg.workshop.foreman.prompt_assembly import AssembledPrompt
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.foreman.receipt import BlindSpot, ForemanReceipt, LayerNote
from dramaturg.workshop.state import Consultation, ForemanState
from dramaturg.workshop.turn_context import TurnContext

TEMPERATURE = 0.4
UNSEEN = BlindSpot(what="the state of the book and the conversation", reason="an assisted model only finds words")


def assisted_prompt(
    files: PromptFiles, state: ForemanState, turn: int, assisted: AssistedTurn, model: str
) -> AssembledPrompt:
    """What an assisted model is asked for, and its receipt."""
    before = [one.answers[-1].answer for number, one in sorted(state.turns.items()) if number < turn and one.answers]
    text = assisted.words(files, was_unusable(before))
    tokens = estimate_tokens(text)
    layers = (LayerNote(name="assisted", tokens=tokens),)
    receipt = ForemanReceipt(
        model=model, tier="minimal", tokens=tokens, reserve=WORDS_TOKENS, layers=layers, blind_spots=(UNSEEN,)
    )
    return AssembledPrompt("", (Message("user", text),), receipt, WORDS_TOKENS)


def assisted_preview(
    files: PromptFiles, state: ForemanState, snapshot: BookSnapshot, message: str, model: str
) -> AssembledPrompt:
    """What an assisted model would be asked for about a message."""
    turn = state.next_turn
    spoken = state.changed(turn, Consultation(WriterSpoke(turn=turn, text=message), at=0.0))
    return assisted_prompt(files, state, turn, assisted_turn(foreman_cue(snapshot, spoken, turn)), model)


async def answer_assisted(
    context: TurnContext, model: Model, snapshot: BookSnapshot, turn: int, round_: int
) -> ForemanAnswered:
    """The assisted answer of a round. Each question to the model is recorded under a key of its own."""
    assisted = assisted_turn(foreman_cue(snapshot, context.state, turn))
    prompt = assisted_prompt(context.prompts, context.state, turn, assisted, model.profile.id)
    key = f"turn-{turn}/answer-{round_}"
    if not any(one.round == round_ for one in context.state.turns[turn].prompts):
        asked = PromptAssembled(
            turn=turn, round=round_, key=key, model=model.name, state="", receipt=prompt.receipt, seen=snapshot.seen,
            assisted=True,
        )  # fmt: skip
        await context.write(asked)
    form = ""
    if assisted.unnamed is not None:
        form = await _asked(model, f"{key}/form", assisted.form(context.prompts), FORM_TOKENS)
    words = await _asked(model, key, prompt.messages[0].text, WORDS_TOKENS)
    answered = ForemanAnswered(
        turn=turn, round=round_, model=model.name, answer=assisted.answer(words, prompt.messages[0].text, form)
    )
    await context.write(answered)
    return answered


async def _asked(model: Model, key: str, text: str, most: int) -> str:
    request = ModelRequest(
        key=key,
        purpose="writing",
        system="",
        messages=(Message("user", text),),
        max_tokens=most,
        temperature=TEMPERATURE,
    )
    return (await model.complete(request)).text
