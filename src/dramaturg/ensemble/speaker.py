"""The speaker of a slot: one question to its model per turn, and the line made from the answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import BaseModel

from dramaturg.ensemble.comment_routes import chosen_target, shuffled, wrong_target
from dramaturg.ensemble.conversation import messages_of, within
from dramaturg.ensemble.events import LoreTold, Seat, SlotCued, SlotSpoke, TurnIndex
from dramaturg.ensemble.forms import CommentSelection, SpokenResponse
from dramaturg.ensemble.lengths import LENGTHS, fit_text, without_interjection
from dramaturg.ensemble.lore import SlotLore, with_lore
from dramaturg.ensemble.rehearsal.cues import Remark, TableCue, TableSeat
from dramaturg.ensemble.salvage import fields_in, prose_in, refusal_in
from dramaturg.ensemble.state import EnsembleState
from dramaturg.ensemble.templates import ensemble_template
from dramaturg.kernel.errors import ModelError, ModelRejected, ModelUnreadable
from dramaturg.kernel.models.port import Cue, Message, Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.wrappers import ModelWrapper
from dramaturg.kernel.prompts import Template
from dramaturg.kernel.prompts.window import prompt_room
from dramaturg.kernel.text.control import plain
from dramaturg.kernel.text.escape import escaped
from dramaturg.model_notes.refusal import declines_to_play
from dramaturg.model_notes.spoken_part import spoken_part
from dramaturg.model_notes.structured import ask

T = TypeVar("T", bound=BaseModel)
CueSink = Callable[[SlotCued | LoreTold], object]
_BETWEEN_WORDS = re.compile(r"[\s-]+")
_TAGS = re.compile(r"</?(?:message|answer|comment)\b[^<>]{0,200}>", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")


class TranscribedModel(ModelWrapper):
    """A model wrapper that keeps every raw answer, readable or not."""

    def __init__(self, inner: Model) -> None:
        super().__init__(inner)
        self.said: list[str] = []

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        answer = await self.inner.complete(request)
        self.said.append(answer.text)
        return answer


@dataclass(frozen=True, slots=True)
class HeardAnswer(Generic[T]):
    """An answer, the words it came in, and whether it was not in its form."""

    value: T
    said: str
    salvaged: bool = False


@dataclass(frozen=True, slots=True)
class Speaker:
    """One slot, ready to be asked. `templates` has the question of each turn; `lore` is None without books."""

    seat: Seat
    persona: str
    model: Model
    system: str
    templates: Mapping[int, Template]
    session_id: str
    max_tokens: int
    temperature: float | None = None
    lore: SlotLore | None = None

    async def line(self, turn: TurnIndex, state: EnsembleState, log: CueSink) -> SlotSpoke:
        """This slot's line for a turn. Raises ModelError if the model cannot give one."""
        request = await self._request(turn, state, log)
        if turn == 2:
            return await self._comment(request, state)
        heard = await self._asked(request, SpokenResponse, spoken_in)
        text = self._said(request, heard.value.text)
        return self._line(turn, text, heard.value.voice_profile, state, salvaged=heard.salvaged)

    async def _comment(self, request: ModelRequest, state: EnsembleState) -> SlotSpoke:
        me, survivors = self.seat.slot_id, state.survivors()
        heard = await self._asked(request, CommentSelection, comment_in)
        chosen = heard.value
        target = slot_meant(chosen.target_slot_id, state.cast)
        if wrong := wrong_target(target, me, survivors):
            again = ensemble_template("turn2_choose_again").render(
                target=chosen.target_slot_id,
                is_own=wrong == "own",
                others=", ".join(str(other) for other in survivors if other != me),
            )
            chosen = await self._chosen_again(request, heard.said, again) or chosen
            target = slot_meant(chosen.target_slot_id, state.cast)
        repaired = wrong_target(target, me, survivors) is not None
        if repaired:
            target = chosen_target(self.session_id, me, survivors)
        text = self._said(request, chosen.comment)
        return self._line(
            2, text, chosen.voice_profile, state, target=target, repaired=repaired, salvaged=heard.salvaged
        )

    async def _asked(
        self, request: ModelRequest, form: type[T], saved: Callable[[Sequence[str]], T | None]
    ) -> HeardAnswer[T]:
        """An answer in its form, or what is `saved` of two that are not. Raises ModelError if that is nothing."""
        model = TranscribedModel(self.model)
        try:
            return HeardAnswer((await ask(model, request, form)).value, model.said[-1])
        except ModelUnreadable as error:
            if (value := saved(model.said)) is not None:
                return HeardAnswer(value, model.said[-1], salvaged=True)
            if refusal_in(model.said):
                raise ModelRejected("The model declined to play.", **error.context) from error
            raise

    def _said(self, request: ModelRequest, text: str) -> str:
        """What is said in a text. Raises ModelError if the model only thinks aloud, or speaks for itself."""
        said = own_words(spoken_part(text), self.seat)
        about = {"model": self.model.name, "key": request.key, "finish": "stop"}
        if not said.strip() and text.strip():
            raise ModelUnreadable("The answer has only thoughts and notes.", **about)
        if declines_to_play(said, tagged=False):
            raise ModelRejected("The model declined to play.", **about)
        return said

    async def _chosen_again(self, request: ModelRequest, said: str, correction: str) -> CommentSelection | None:
        """Ask once more, with a correction. None if that fails; the comment is kept anyway."""
        again = replace(
            request,
            key=f"{request.key}#target",
            purpose="repair",
            messages=(*request.messages, Message("assistant", said), Message("user", correction)),
        )
        try:
            return (await ask(self.model, again, CommentSelection)).value
        except ModelError:
            return None

    def _line(
        self,
        turn: TurnIndex,
        text: str,
        profile: str,
        state: EnsembleState,
        *,
        target: int | None = None,
        repaired: bool = False,
        salvaged: bool = False,
    ) -> SlotSpoke:
        said = plain(text)
        telling = without_interjection(said, LENGTHS[turn])
        fit = fit_text(telling, LENGTHS[turn])
        spelled = (profile.strip(), _BETWEEN_WORDS.sub("_", profile.strip().lower()))
        known = next((name for name in spelled if name in (*state.profiles, self.seat.voice_profile)), None)
        return SlotSpoke(
            turn=turn,
            slot_id=self.seat.slot_id,
            text=fit.text,
            voice_profile=known or self.seat.voice_profile,
            target=target,
            repaired=repaired,
            shortened=fit.shortened or telling != said,
            salvaged=salvaged,
            reprofiled=bool(profile.strip()) and known is None,
        )

    async def _request(self, turn: TurnIndex, state: EnsembleState, log: CueSink) -> ModelRequest:
        slot = self.seat.slot_id
        told = state.cues.get((turn, slot))
        if told is None:
            told = await self._informed(turn, state, self._told(turn, state), log)
            log(SlotCued(turn=turn, slot_id=slot, message=told))
        room = prompt_room(self.model, self.max_tokens, 0)
        return ModelRequest(
            key=f"turn-{turn}/slot-{slot}",
            purpose="acting",
            system=self.system,
            messages=messages_of(within(state.thread(slot), room, self.system, told), told),
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            cue=self._cue(turn, state) if self.model.profile.reads_cues else None,
        )

    async def _informed(self, turn: TurnIndex, state: EnsembleState, question: str, log: CueSink) -> str:
        """The question with the lore that it touches on, which is logged first and never looked up twice."""
        if self.lore is None:
            return question
        known = state.lore.get((turn, self.seat.slot_id))
        told = known or await self.lore.at(turn, state, peers(state, self.session_id, self.seat.slot_id))
        if known is None:
            log(told)
        return with_lore(question, told)

    def _told(self, turn: TurnIndex, state: EnsembleState) -> str:
        """The question of a turn, with exactly the documented variables."""
        slot = self.seat.slot_id
        common: dict[str, object] = {"slot_id": slot, "agent_id": escaped(self.seat.agent_id)}
        values = common | {"user_message": escaped(state.request.message)}
        if turn == 2:
            values["peer_responses"] = [
                {
                    "slotId": peer,
                    "agentId": escaped(state.seat(peer).agent_id),
                    "text": escaped(state.lines[1, peer].text),
                }
                for peer in peers(state, self.session_id, slot)
            ]
        if turn == 3:
            values["received_comments"] = [
                {
                    "fromSlotId": one.from_slot_id,
                    "fromAgentId": escaped(one.from_agent_id),
                    "comment": escaped(one.comment),
                }
                for one in state.comments_for(slot)
            ]
        return self.templates[turn].render(**values)

    def _cue(self, turn: TurnIndex, state: EnsembleState) -> Cue:
        slot = self.seat.slot_id
        said = tuple(one.answered for one in state.thread(slot))
        heard: Sequence[Remark] = ()
        if turn == 2:
            others = (peer for peer in state.survivors() if peer != slot)
            heard = [Remark(peer, state.seat(peer).name, state.lines[1, peer].text) for peer in others]
        if turn == 3:
            heard = [
                Remark(one.from_slot_id, state.seat(one.from_slot_id).name, one.comment)
                for one in state.comments_for(slot)
            ]
        return TableCue(
            turn=turn,
            me=slot,
            question=state.request.message,
            cast=tuple(TableSeat(s.slot_id, s.name, state.personas.get(s.slot_id, "")) for s in state.cast),
            heard=tuple(heard),
            own=state.lines[1, slot].text if turn > 1 else "",
            said=said,
            profile=self.seat.voice_profile,
            seed=state.request.seed,
        )


def peers(state: EnsembleState, session_id: str, slot: int) -> tuple[int, ...]:
    """The other slots that answered, in the order this slot sees them."""
    return shuffled([peer for peer in state.survivors() if peer != slot], session_id, slot)


def slot_meant(target: int | str | None, cast: Sequence[Seat]) -> int | None:
    """The slot a comment is about, by its number, or by an agent or a name that only one seat has."""
    if not isinstance(target, str):
        return target
    name = target.strip().casefold()
    meant = [seat.slot_id for seat in cast if name in (seat.agent_id.casefold(), seat.name.casefold())]
    return meant[0] if len(meant) == 1 else None


def own_words(said: str, seat: Seat) -> str:
    """A line without tags of the question, the own name in front, and quotation marks around all of it."""
    said = _TAGS.sub("", said).strip()
    names = "|".join(re.escape(name) for name in (seat.name, seat.agent_id))
    bare = re.sub(rf"\A[*_\[(]*(?:{names})[*_\])]*\s?:[*_\])]*\s+", "", said, count=1, flags=re.I)
    quoted = _QUOTED.fullmatch(bare)
    return quoted[1] if quoted else bare


def spoken_in(said: Sequence[str]) -> SpokenResponse | None:
    """An answer or a reply in broken JSON, or in plain words."""
    prose = prose_in(said)
    return fields_in(said, SpokenResponse) or (SpokenResponse(text=prose) if prose else None)


def comment_in(said: Sequence[str]) -> CommentSelection | None:
    """A comment in broken JSON. Plain words do not tell whom they are about."""
    return fields_in(said, CommentSelection)
