"""The rehearsal company's Foreman: takes a writer from an idea to the gate of the story bible, in the full protocol.

An answer is a pure function of the cue. A note in the Foreman's own reasoning says what it asked for last.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dramaturg.kernel.text.words import content
from dramaturg.workshop.rehearsal.fields import NAME, key_name, labelled_fields, title_of
from dramaturg.workshop.rehearsal.lines import foreman_bank
from dramaturg.workshop.rehearsal.planner import CATEGORIES, ORDER, Planner
from dramaturg.workshop.rehearsal.question import ADVANCE, PREMISE
from dramaturg.workshop.rehearsal.reply import ForemanReply
from dramaturg.workshop.rehearsal.utterance import Utterance, UtteranceKind, utterance_of
from dramaturg.workshop.rehearsal.weakness import clipped, short_quote

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.cues import ForemanCue

MOST_ASKED = 3
FEWEST_NOTED = 4
FEWEST_PREMISE = 4
MOST_RECALLED = 3
PREMISES = ("answer", "remember", "change", "remark", "question")
_YES = re.compile(r"^\W*(?:yes|yep|sure|ok(?:ay)?|please|do(?: it| so)?|go(?: on| ahead)?|open(?: it)?|ready)\b", re.I)
_ONWARD = re.compile(r"\b(?:advance|next mode|open the gate|through the gate|find the voice)\b", re.I)
_FORCE = re.compile(r"\b(?:anyway|force|regardless|all the same)\b", re.I)
_BACK = re.compile(r"\b(?:go|step) back(?: to (?:the )?(\w+))?\b", re.I)
_NOTES = re.compile(r"\b(?:notebooks?|my notes|research)\b(?:.{0,400}?\b(?:about|on|for|say of)\b(.+))?", re.I | re.S)
_LIKES = re.compile(
    r"\bi (?:hate|love|prefer|like|dislike|(?:never |always )?want|can'?t stand|do ?n[o']t (?:like|want))\b", re.I
)
_RULED = re.compile(r"\b(?:never|always|must|no|avoid|don'?t|use)\b", re.I)


def foreman_text(cue: ForemanCue) -> str:
    """The Foreman's answer to a cue."""
    return foreman_reply(cue).text()


def foreman_reply(cue: ForemanCue) -> ForemanReply:
    """The same in its parts: what is said, what is done, and what is noted."""
    return _Foreman(cue).answer()


class _Foreman(Planner):
    def answer(self) -> ForemanReply:
        if self._cue.brought:
            self._from_notes()
        elif not self._command():
            self._listen()
        return self._reply

    # Commands to the Foreman, rather than words about the book.

    def _command(self) -> bool:
        said = self._said
        if len(said) > 200:
            return False
        if self._asked == ADVANCE and (_YES.match(said) or _ONWARD.search(said)):
            return self._advance()
        if _ONWARD.search(said) or (self._asked == ADVANCE and _FORCE.search(said)):
            return self._advance()
        if back := _BACK.search(said):
            return self._go_back(back[1])
        if self._cue.notebooks and (notes := _NOTES.search(said)):
            return self._look_up(notes[1] or said)
        return False

    def _advance(self) -> bool:
        forced = bool(_FORCE.search(self._said))
        if self._cue.gate and not forced:
            self._reply.stands = True
            self._say("closed", missing="; ".join(self._cue.gate))
            self._note(ADVANCE, "The gate is closed and the writer wants through.")
            return True
        self._say("forced" if self._cue.gate else "through", missing="; ".join(self._cue.gate))
        to = {"to": self._cue.next_mode} if self._cue.next_mode else {}
        self._reply.act("advance_mode", {**to, **({"force": "true"} if self._cue.gate else {})})
        self._reply.why = "The writer wants the next mode."
        return True

    def _go_back(self, to: str | None) -> bool:
        modes = ("ARCHITECT", "VOICE_CALIBRATION", "DIRECTOR", "EDITOR")
        earlier = modes[: modes.index(self._cue.mode)]
        named = next((mode for mode in earlier if to and mode.startswith(to.upper()[:5])), None)
        if not earlier or (not named and utterance_of(self._said, self._cue.fields).where):
            return False
        self._say("back")
        self._reply.act("advance_mode", {"to": named or earlier[-1]})
        self._reply.why = "The writer wants to go back, which is always allowed."
        return True

    def _look_up(self, about: str) -> bool:
        self._say("notes")
        for notebook in self._cue.notebooks[:MOST_ASKED]:
            self._reply.act("query_notebook", {"notebook_id": notebook, "query": about.strip(" ?.!")})
        self._note(self._asked or self._next(), "The notebook is asked before the writer is.")
        return True

    def _from_notes(self) -> None:
        found = re.findall(r"^\[(\d+)\] ([^\n]+)\n“(.{1,1000}?)”(?=\n\n|\Z)", self._cue.brought, re.M | re.S)
        if found:
            quotes = [f"> “{clipped(text)}” [{number}]\n> — {place}" for number, place, text in found[:3]]
            self._reply.said += [self._line("found"), *quotes]
        else:
            self._say("nothing found")
        self._go_on()

    # What was said, and what it is met with.

    def _listen(self) -> None:
        if (labelled := labelled_fields(self._said, self._cue.fields)) and self._plans:
            self._take(labelled)
            return
        if self._plans and self._insists() and "." in self._asked:
            self._weigh(self._asked, self._said)
            return
        heard = utterance_of(self._said, self._cue.fields, self._asked, self._last)
        if self._wants_premise and heard.kind in PREMISES and len(self._said.split()) >= FEWEST_PREMISE:
            heard = Utterance("answer", self._said)
        _MET[heard.kind](self, heard)

    @property
    def _wants_premise(self) -> bool:
        """Whether the idea of the book comes first: it was asked for, or nothing is there yet."""
        return self._plans and (self._asked == PREMISE or not (self._asked or self._values or self._name))

    def _greet(self, heard: Utterance) -> None:
        if self._plans and not self._values and not self._name:
            self._say("hello")
            self._note(PREMISE, "Nothing is there yet; the idea comes first.")
            return
        self._say("hello again")
        self._go_on()

    def _answered(self, heard: Utterance) -> None:
        """The writer's answer to the last question; what answers no question is kept as a note."""
        if not self._plans:
            self._noted(heard)
        elif self._asked == PREMISE or (self._wants_premise and len(self._said.split()) >= FEWEST_PREMISE):
            self._premise()
        elif self._wants_premise:
            self._greet(heard)
        elif heard.where:
            self._changed(heard)
        elif self._asked == NAME:
            self._named(heard.value)
        elif self._asked in ("", ADVANCE):
            self._noted(heard)
        else:
            self._weigh(self._asked, heard.value)

    def _noted(self, heard: Utterance) -> None:
        """Words that answer no question: kept as they are, and said back."""
        if len(self._said.split()) < FEWEST_NOTED:
            self._say("heard", answer=short_quote(self._said))
        else:
            category = "voice" if self._cue.mode == "VOICE_CALIBRATION" else "structure"
            self._reply.save(category, f"note_{self._cue.turn}", self._said)
            self._say("noted words", answer=short_quote(self._said))
        self._go_on()

    def _changed(self, heard: Utterance) -> None:
        """A new value for a field, whatever was asked for."""
        template, _, name = heard.where.partition(".")
        if not self._plans:
            key = f"{key_name(self._name)}_{name}" if template == "protagonist" else name
            self._reply.save(CATEGORIES[template], key, heard.value)
            self._say(
                "changed elsewhere", answer=short_quote(heard.value), field=title_of(heard.where, self._cue.fields)
            )
            self._go_on()
        elif heard.where == NAME:
            self._named(heard.value)
        else:
            self._weigh(heard.where, heard.value)

    def _turn(self, heard: Utterance) -> None:
        """Another subject than the one that was asked about."""
        if not heard.where:
            self._say("turn unknown", topic=heard.value.replace("{", "").replace("}", ""))
            self._go_on()
        elif not self._plans:
            self._recall(heard)
        else:
            self._open_again(heard.where, "turn")

    def _open_again(self, where: str, occasion: str) -> None:
        held = self._name if where == NAME else self._values.get(where, "")
        if not held:
            self._say(occasion)
            self._ask(where)
            return
        self._say(f"{occasion} settled", answer=short_quote(held), field=title_of(where, self._cue.fields))
        self._note(where, "The writer wants to look at this again.")

    def _wrong(self, heard: Utterance) -> None:
        """What was settled last is asked for again; what is open stays open."""
        where = self._asked if self._challenged or not self._last else self._last
        if not self._plans or "." not in where:
            self._say("wrong elsewhere")
            self._go_on()
        else:
            self._open_again(where, "wrong")

    def _undone(self, heard: Utterance) -> None:
        self._reply.stands = True
        self._say("undo")
        self._go_on()

    def _previous(self, heard: Utterance) -> None:
        if not self._plans:
            self._say("hello again")
            self._go_on()
            return
        order = [
            NAME,
            *(f"{one.template}.{one.name}" for part in ORDER for one in self._cue.fields if one.template == part),
        ]
        at = order.index(self._asked) if self._asked in order else len(order)
        before = self._last or (order[at - 1] if at else NAME)
        self._open_again(before, "previous")

    def _recall(self, heard: Utterance) -> None:
        """What is settled about a field or a matter, in the writer's own words."""
        held = self._name if heard.where == NAME else self._values.get(heard.where, "")
        if held:
            self._say("recall", answer=short_quote(held), field=title_of(heard.where, self._cue.fields))
        else:
            wanted = set(content(heard.value))
            rows = [one for one in self._cue.decided if wanted & set(content(one.replace("_", " ")))]
            self._reply.said += (
                [self._line("recall many"), *(f"- {clipped(one)}" for one in rows[:MOST_RECALLED])] if rows else []
            )
            if not rows:
                self._say("recall nothing")
        self._reply.why = "The writer asks what is settled."
        self._go_on()

    def _remembered(self, heard: Utterance) -> None:
        """A fact, a rule or a taste that no field is asked for."""
        category = (
            "preference" if _LIKES.search(heard.value) else "constraint" if _RULED.match(heard.value) else "structure"
        )
        self._reply.save(category, f"note_{self._cue.turn}", heard.value)
        self._say("noted words", answer=short_quote(heard.value))
        self._go_on()

    def _explained(self, heard: Utterance) -> None:
        where = self._question() if self._plans else ""
        name = where.partition(".")[2]
        family = "arc" if name.startswith("arc_") else "beat" if name.startswith("beat_") else name
        occasion = f"explain {family or self._cue.mode}"
        if occasion in foreman_bank():
            self._say(occasion)
        self._reply.why = "The writer asks what is meant."
        self._go_on()

    def _cannot(self, heard: Utterance) -> None:
        self._say("cannot", answer=short_quote(self._said))
        self._go_on()

    def _remarked(self, heard: Utterance) -> None:
        """A remark about the plan: the field it names is opened again; nothing is written."""
        if self._plans and (heard.where in self._values or (heard.where == NAME and self._name)):
            self._open_again(heard.where, "turn")
            return
        self._say("heard", answer=short_quote(self._said))
        self._go_on()

    def _aside(self, heard: Utterance) -> None:
        if not self._asked and self._plans and not self._values and not self._name:
            self._greet(heard)
            return
        self._say("aside")
        self._go_on()

    def _skipped(self, heard: Utterance) -> None:
        if self._plans and "." in self._asked:
            self._open.append(self._asked)
            self._say("skip")
            self._ask(self._next())
        else:
            self._aside(heard)

    def _stuck(self, heard: Utterance) -> None:
        if not self._plans:
            self._say("stuck")
            self._go_on()
            return
        where = self._question()
        name = where.partition(".")[2]
        hint = f"hint {'beat' if name.startswith('beat_') else name}"
        self._say("stuck")
        if hint in foreman_bank():
            self._say(hint)
        self._note(where, f"The writer has no answer for {name} yet.")

    def _report(self, heard: Utterance) -> None:
        self._reply.stands = True
        done = sum(not one.missing for one in self._cue.fields)
        rows = []
        for template in ORDER:
            left = [one.title for one in self._cue.fields if one.template == template and one.missing]
            title = template.replace("_", " ").capitalize()
            rows.append(f"- {title}: {'missing ' + ', '.join(left) if left else 'all there'}")
        self._say("status", missing=f"{done} of {len(self._cue.fields)} fields are filled.\n\n" + "\n".join(rows))
        if self._plans:
            self._ask(self._next())
        else:
            self._go_on()


_MET: Mapping[UtteranceKind, Callable[[_Foreman, Utterance], None]] = {
    "answer": _Foreman._answered,
    "change": _Foreman._changed,
    "turn": _Foreman._turn,
    "previous": _Foreman._previous,
    "wrong": _Foreman._wrong,
    "undo": _Foreman._undone,
    "recall": _Foreman._recall,
    "remember": _Foreman._remembered,
    "question": _Foreman._explained,
    "request": _Foreman._cannot,
    "again": _Foreman._explained,
    "greeting": _Foreman._greet,
    "aside": _Foreman._aside,
    "farewell": _Foreman._parted,
    "settled": _Foreman._told,
    "gate": _Foreman._at_the_gate,
    "skip": _Foreman._skipped,
    "stuck": _Foreman._stuck,
    "status": _Foreman._report,
    "remark": _Foreman._remarked,
}
