"""One answer of the assisted Foreman: the house's decision, a form to fill in if need be, and the model's words."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.kernel.models.port import Message, Model, ModelRequest
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.text.escape import one_line
from dramaturg.model_notes.spoken_part import spoken_part
from dramaturg.workshop.book.book import Book
from dramaturg.workshop.book.files_seen import FilesSeen
from dramaturg.workshop.book.knowledge import KnowledgeEntry, told_facts
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
from dramaturg.workshop.foreman.scene_passage import scene_passage
from dramaturg.workshop.foreman.shortened import shortened
from dramaturg.workshop.state import Consultation, ForemanState
from dramaturg.workshop.turn_context import TurnContext

TEMPERATURE = 0.4
MOST_FACTS, FACT_TOKENS, SCENE_TOKENS, ELSEWHERE_TOKENS = 5, 40, 250, 120
UNSEEN = BlindSpot(what="the conversation and the rules of the mode", reason="an assisted model only finds words")


def assisted_prompt(
    files: PromptFiles, state: ForemanState, turn: int, assisted: AssistedTurn, book: Book, model: str
) -> AssembledPrompt:
    """What an assisted model is asked for, and its receipt."""
    before = [one.answers[-1].answer for number, one in sorted(state.turns.items()) if number < turn and one.answers]
    told = book.knowledge[:MOST_FACTS]
    facts, scene = _facts(told), _scene(book, assisted.cue.message)
    text = assisted.words(files, was_unusable(before), "\n\n".join(filter(None, (facts, scene))))
    tokens = estimate_tokens(text)
    weights = {"knowledge": estimate_tokens(facts), "manuscript": estimate_tokens(scene)}
    layers = [LayerNote(name=name, tokens=weight) for name, weight in weights.items() if weight]
    receipt = ForemanReceipt(
        model=model,
        tier="minimal",
        tokens=tokens,
        reserve=WORDS_TOKENS,
        layers=(LayerNote(name="assisted", tokens=tokens - sum(weights.values())), *layers),
        blind_spots=(UNSEEN,),
        facts=told_facts(told),
    )
    return AssembledPrompt("", (Message("user", text),), receipt, WORDS_TOKENS, told=told)


def _facts(told: Sequence[KnowledgeEntry]) -> str:
    """What is settled: the protagonist's core and what is nearest to what was said."""
    rows = [f"- {one.key.replace('_', ' ')}: {shortened(one_line(one.value), FACT_TOKENS)}" for one in told]
    return "\n".join(["What is settled about the book:", *rows]) if rows else ""


def _scene(book: Book, message: str) -> str:
    """The passage that is worked on, as it stands, and one of another scene that the message speaks of."""
    at_hand = scene_passage(book.active.file, book.prose, message, SCENE_TOKENS) if book.prose else None
    found = (scene_passage(one.file, one.text, message, ELSEWHERE_TOKENS) for one in book.spoken_of[:1])
    told = [("The scene at hand", at_hand), *(("From another scene", one) for one in found)]
    return "\n\n".join(
        "\n\n".join([f"{what}, {passage.file}:", *passage.paragraphs]) for what, passage in told if passage
    )


def assisted_preview(
    files: PromptFiles, state: ForemanState, snapshot: BookSnapshot, message: str, model: str
) -> AssembledPrompt:
    """What an assisted model would be asked for about a message."""
    turn = state.next_turn
    spoken = state.changed(turn, Consultation(WriterSpoke(turn=turn, text=message), at=0.0))
    return assisted_prompt(files, state, turn, assisted_turn(foreman_cue(snapshot, spoken, turn)), snapshot.book, model)


async def answer_assisted(
    context: TurnContext, model: Model, snapshot: BookSnapshot, turn: int, round_: int
) -> ForemanAnswered:
    """The assisted answer of a round. Each question to the model is recorded under a key of its own."""
    assisted = assisted_turn(foreman_cue(snapshot, context.state, turn))
    prompt = assisted_prompt(context.prompts, context.state, turn, assisted, snapshot.book, model.profile.id)
    key = f"turn-{turn}/answer-{round_}"
    if not any(one.round == round_ for one in context.state.turns[turn].prompts):
        asked = PromptAssembled(
            turn=turn, round=round_, key=key, model=model.name, state="", receipt=prompt.receipt, assisted=True,
            files=FilesSeen.between(context.state.seen, snapshot.seen),
            known=snapshot.known.change(context.state.known, prompt.told, snapshot.book.active),
        )  # fmt: skip
        await context.write(asked)
    form = ""
    if assisted.unnamed is not None:
        form = await _asked(model, f"{key}/form", assisted.form(context.prompts), FORM_TOKENS)
    words = "" if assisted.reply.stands else await _asked(model, key, prompt.messages[0].text, WORDS_TOKENS)
    answered = ForemanAnswered(
        turn=turn,
        round=round_,
        model=model.name,
        answer=assisted.answer(words, assisted.instructions(context.prompts), form),
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
    return spoken_part((await model.complete(request)).text)
