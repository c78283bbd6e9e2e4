"""One consultation: the writer has spoken, the Foreman answers, and its actions are carried out. Read it top to bottom.

The log decides where to continue, so the same function finishes a turn that was killed at any point. The writer's words
are in the log before it begins; a complete answer is never paid for twice; a text is logged before it is replaced.
"""

from __future__ import annotations

from dramaturg.kernel.errors import AuthorError, BudgetExceeded, ModelError, StoreUnavailable
from dramaturg.kernel.models.bounds import read_answer_with
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.wrappers import open_stream
from dramaturg.workshop.assisted import answer_assisted
from dramaturg.workshop.book.files_seen import FilesSeen
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.book.snapshot import BookSnapshot
from dramaturg.workshop.cue import foreman_cue
from dramaturg.workshop.events import (
    ActionDone,
    ActionOffered,
    ActionRefused,
    ForemanAnswered,
    ForemanAnswerFailed,
    ForemanTurnEnded,
    ModeChanged,
    PromptAssembled,
    QuoteDoubted,
)
from dramaturg.workshop.foreman.actions import ACTIONS, KNOWN, action_named
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.foreman.answer import ActionRequest, ContentUpdate, ForemanAnswer, Oddity
from dramaturg.workshop.foreman.answer_reader import read_answer
from dramaturg.workshop.foreman.bench import BookBench, Rewrite
from dramaturg.workshop.foreman.citations import doubtful_quotes
from dramaturg.workshop.foreman.message_stream import READER, MessageReader
from dramaturg.workshop.foreman.prompt_assembly import AssembledPrompt, assemble_prompt
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.foreman.receipt import Turn
from dramaturg.workshop.notebooks import NotebookPassage
from dramaturg.workshop.notebooks.shelf import passages_told
from dramaturg.workshop.state import Consultation
from dramaturg.workshop.turn_context import TurnContext

MOST_ROUNDS = 3
"""How often the Foreman is asked at most per message: it may look something up and then answer."""
ONLY_THOUGHT = "The answer held only reasoning. Say what you have to say in <message>."
EMPTY = "The answer was empty. Say what you have to say in <message>."
BROKE_OFF = "The answer was cut at its longest. Say less, or say it in two answers."
NAMES = frozenset(name.lower() for name in ACTIONS)


async def play_turn(context: TurnContext, turn: int) -> None:
    """Answers a message of the writer's, continuing from whatever the log already has."""
    try:
        await context.report_works(turn)
        for round_ in range(1, MOST_ROUNDS + 1):
            answered = await answer(context, turn, round_)
            await carry_out(context, turn, answered)
            quotes = doubtful_quotes(answered.answer.message, _passages(context.state.turns[turn]))
            await context.write(*(QuoteDoubted(turn=turn, quote=one.quote, cited=one.cited) for one in quotes))
            if not _looked_up(context.state.turns[turn], round_):
                break
    except (ModelError, BudgetExceeded, AuthorError) as error:
        failed = ForemanAnswerFailed(turn=turn, error=error.message, code=error.code)
        await context.write(failed, ForemanTurnEnded(turn=turn, answered=bool(context.state.turns[turn].answers)))
        return
    await context.write(ForemanTurnEnded(turn=turn))


async def answer(context: TurnContext, turn: int, round_: int) -> ForemanAnswered:
    """The Foreman's answer of a round, streamed as it arrives, or taken from the log if it is there."""
    here = context.state.turns[turn]
    known = next((one for one in here.answers if one.round == round_), None)
    if known is not None:
        return known
    snapshot = await context.snapshot(turn)
    model = await context.pick_model(turn, snapshot.book.mode, here.spoke.model)
    if context.is_assisted(model):
        return await answer_assisted(context, model, snapshot, turn, round_)
    prompt = assemble_prompt(
        snapshot.book,
        model.profile,
        context.prompts,
        context.state.conversation(turn),
        here.spoke.text,
        looked_up(here, context.prompts),
    )
    key = f"turn-{turn}/answer-{round_}"
    if not any(one.round == round_ for one in here.prompts):
        assembled = PromptAssembled(
            turn=turn,
            round=round_,
            key=key,
            model=model.name,
            state=prompt.state,
            receipt=prompt.receipt,
            files=FilesSeen.between(context.state.seen, snapshot.seen),
            known=snapshot.known.change(context.state.known, prompt.told, snapshot.book.active),
        )
        await context.write(assembled)
    given = await listen(context, model, request_of(prompt, key, snapshot, context, turn), turn)
    answered = ForemanAnswered(turn=turn, round=round_, model=model.name, answer=taken_apart(given))
    await context.write(answered)
    return answered


def request_of(
    prompt: AssembledPrompt, key: str, snapshot: BookSnapshot, context: TurnContext, turn: int
) -> ModelRequest:
    return ModelRequest(
        key=key,
        purpose="writing",
        system=prompt.system,
        messages=prompt.messages,
        max_tokens=prompt.max_tokens,
        temperature=context.temperature,
        cue=foreman_cue(snapshot, context.state, turn),
    )


async def listen(context: TurnContext, model: Model, request: ModelRequest, turn: int) -> ModelAnswer:
    """Streams the model's answer. Every piece is recorded at once; only the text of its message is shown."""
    reader, whole = MessageReader(NAMES), ""
    async with open_stream(model, request) as pieces:
        async for piece in pieces:
            if isinstance(piece, ModelAnswer):
                # Whatever was not streamed: some servers send the end only with the complete answer.
                rest = piece.text[len(whole) :] if piece.text.startswith(whole) else ""
                context.hear(turn, rest, _fed(reader, rest, request.key) + reader.close())
                return piece
            whole += piece
            context.hear(turn, piece, _fed(reader, piece, request.key))
    raise ModelError(f"{model.name} ended its stream early. Send the message again.", model=model.name)


def _fed(reader: MessageReader, piece: str, key: str) -> str:
    return read_answer_with(READER, lambda: reader.feed(piece), key=key)


def taken_apart(given: ModelAnswer) -> ForemanAnswer:
    """Parses an answer and adds what is odd about it as a whole."""
    read = read_answer_with(READER, lambda: read_answer(given.text, KNOWN))
    odd = list(read.oddities)
    if given.finish == "length":
        odd.append(Oddity(kind="mended", what=BROKE_OFF))
    if not read.message and not read.actions and not read.updates:
        odd.append(Oddity(kind="unclear", what=ONLY_THOUGHT if read.thinking else EMPTY))
    return read.model_copy(update={"oddities": tuple(odd)})


async def carry_out(context: TurnContext, turn: int, answered: ForemanAnswered) -> None:
    """Carries out the actions of an answer, in order, up to the limit; nothing is done twice.

    Each is validated, checked against the mode and done; a refusal is logged and does not stop the next one.
    """
    seen = dict(context.state.seen) | {
        change.path: change.digest for one in context.state.turns[turn].done for change in one.outcome.files
    }
    wanted: list[ActionRequest | ContentUpdate] = [*answered.answer.actions, *answered.answer.updates]
    for number, one in enumerate(wanted[: context.most_actions], start=1):
        act = f"{turn}.{answered.round}.{number}"
        if act in context.state.turns[turn].acts:
            continue
        bench = context.bench(act, None, seen)
        await perform(context, bench, turn, one)
    left = len(wanted) - context.most_actions
    act = f"{turn}.{answered.round}.more"
    if left > 0 and act not in context.state.turns[turn].acts:
        reason = f"{left} more were not done: at most {context.most_actions} are, of one answer."
        await context.write(ActionRefused(act=act, turn=turn, action="actions", reason=reason))


async def perform(context: TurnContext, bench: BookBench, turn: int, wanted: ActionRequest | ContentUpdate) -> None:
    """Carries out one action or update, or logs the reason why it was refused."""
    name = wanted.type if isinstance(wanted, ActionRequest) else "content_update"
    try:
        outcome = await (_act(bench, wanted) if isinstance(wanted, ActionRequest) else _update(bench, wanted))
    except (AuthorError, StoreUnavailable) as error:
        reason, quote = error.message, wanted.raw if isinstance(wanted, ActionRequest) else wanted.text
        if isinstance(wanted, ContentUpdate):
            reason += f" Its text lies in {bench.set_aside(wanted.text)}."
        short = " ".join(quote.split())[:80]
        await context.write(ActionRefused(act=bench.act, turn=turn, action=name, reason=reason, quote=short))
        return
    if outcome.awaits_yes and isinstance(wanted, ActionRequest):
        offer = ActionOffered(act=bench.act, turn=turn, action=name, params=dict(wanted.params), said=outcome.said)
        await context.write(offer)
        return
    if outcome.decided in context.state.decided:
        outcome = outcome.model_copy(update={"decided": None})  # it held already, so there is nothing to undo
    done = ActionDone(act=bench.act, turn=turn, action=name, outcome=outcome)
    await context.write(*mode_change(bench.act, bench.mode, outcome), done)


def mode_change(act: str, before: Mode, outcome: Outcome) -> tuple[ModeChanged, ...]:
    if outcome.advanced is None:
        return ()
    return (ModeChanged(act=act, before=before, after=outcome.advanced, risks=outcome.forced),)


async def _act(bench: BookBench, asked: ActionRequest) -> Outcome:
    action = action_named(asked.type, bench.mode)
    return await action.do(bench, action.read(asked.params))


async def _update(bench: BookBench, update: ContentUpdate) -> Outcome:
    if not bench.mode.rules.has_prose:
        where = " and ".join(mode for mode in Mode if mode.rules.has_prose)
        raise AuthorError(f"Prose is saved in {where}; the book is in {bench.mode}.")
    if not update.whole:
        raise AuthorError(f"The text for {update.target} broke off and was not saved.")
    rewrite = await bench.rewrite_manuscript(update.target, update.text)
    if rewrite is not None:
        return Outcome(said=_rewritten(rewrite), proposed=rewrite.proposed)
    written = await bench.write_manuscript(update.target, update.text)
    return Outcome(said=f"Saved {written.path}, {len(update.text.split())} words.", written=written)


def _rewritten(rewrite: Rewrite) -> str:
    numbers = rewrite.proposed
    if not numbers:
        return f"{rewrite.path} says the same already; nothing was changed."
    which = f"patch {numbers[0]} waits" if len(numbers) == 1 else f"patches {numbers[0]} to {numbers[-1]} wait"
    return f"{rewrite.path} was left as it is: {which} for the writer, who accepts or rejects them one by one."


def looked_up(here: Consultation, prompts: PromptFiles) -> tuple[Turn, ...]:
    """The answers of this turn that queried a notebook, each with the result."""
    given = []
    for one in here.answers:
        brought = [f"{done.outcome.said}\n\n{done.outcome.brought}" for done in _queries(here, one.round)]
        told = "\n\n".join([*brought, prompts.go_on()])
        said = one.answer.message or "I look it up."
        given.append(Turn(writer=told, foreman=f"<message>\n{said}\n</message>"))
    return tuple(given)


def _queries(here: Consultation, round_: int) -> list[ActionDone]:
    prefix = f"{here.spoke.turn}.{round_}."
    return [one for one in here.done if one.act.startswith(prefix) and one.outcome.brought]


def _looked_up(here: Consultation, round_: int) -> bool:
    return bool(_queries(here, round_))


def _passages(here: Consultation) -> dict[int, NotebookPassage]:
    """The passages that this turn has brought, by their numbers."""
    return passages_told("\n\n".join(one.outcome.brought for one in here.done if one.outcome.brought))
