"""The rehearsal company's Foreman: takes a writer from an idea to the gate of the story bible, in the full protocol.

An answer is a pure function of the cue. A note in the Foreman's own reasoning says what it asked for last.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dramaturg.workshop.rehearsal.fields import NAME, key_name, labelled_fields, title_of
from dramaturg.workshop.rehearsal.lines import foreman_bank, line_for, slots_of
from dramaturg.workshop.rehearsal.question import ADVANCE, PREMISE, LastQuestion, last_question
from dramaturg.workshop.rehearsal.reply import ForemanReply
from dramaturg.workshop.rehearsal.weakness import (
    clipped,
    count_rules,
    in_words,
    is_placeholder,
    rules_in,
    short_quote,
    topic_of,
    weakness,
)

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.cues import ForemanCue

ORDER = ("protagonist", "theme", "world_rules", "beat_sheet")
CATEGORIES = {"protagonist": "character", "theme": "structure", "world_rules": "world", "beat_sheet": "structure"}
MOST_SAVED = 6
MOST_ASKED = 3
FEWEST_NOTED = 6
_YES = re.compile(r"^\W*(?:yes|yep|sure|ok(?:ay)?|please|do(?: it| so)?|go(?: on| ahead)?|open(?: it)?|ready)\b", re.I)
_INSIST = re.compile(r"\b(?:keep it|it stays|i insist|i mean it|leave it|as it is|take it as it is|it stands)\b", re.I)
_SKIP = re.compile(r"^\W*(?:skip|pass|later|next one|move on)\b[\w\s]{0,20}\W*$", re.I)
_STATUS = re.compile(r"\b(?:where (?:are|do) we|status|what(?:'s| is) (?:next|left|missing|open)|work order)\b", re.I)
_ONWARD = re.compile(r"\b(?:advance|next mode|open the gate|through the gate|find the voice)\b", re.I)
_FORCE = re.compile(r"\b(?:anyway|force|regardless|all the same)\b", re.I)
_BACK = re.compile(r"\b(?:go|step) back(?: to (\w+))?\b", re.I)
_NOTES = re.compile(r"\b(?:notebooks?|my notes|research)\b(?:.{0,400}?\b(?:about|on|for|say of)\b(.+))?", re.I | re.S)
_ASKS = re.compile(r"^\W*(?:what|why|how|which|can you|could you|give me an example|explain|help)\b", re.I)
_GREETING = re.compile(r"^\W*(?:hi|hello|hey|good (?:morning|evening|day)|start|begin)\b[\w\s,]{0,20}\W*$", re.I)
_INTO = re.compile(
    r"^(?:(?:her|his|their|its) name is|she is called|he is called|it(?:'s| is)|call (?:her|him|them))\s+", re.I
)


def foreman_text(cue: ForemanCue) -> str:
    """The Foreman's answer to a cue."""
    return _Foreman(cue).answer()


class _Foreman:
    def __init__(self, cue: ForemanCue) -> None:
        self._cue = cue
        self._said = cue.message.strip()
        question = last_question(cue)
        self._asked, self._challenged, self._open = question.field, question.challenged, list(question.skipped)
        self._values = {f"{one.template}.{one.name}": one.value for one in cue.fields if not one.missing}
        self._name = cue.protagonist
        self._called = list(cue.complete)
        self._reply = ForemanReply()

    def answer(self) -> str:
        if self._cue.brought:
            self._from_notes()
        elif not self._command():
            self._listen()
        return self._reply.text()

    # Commands to the Foreman, rather than answers about the book.

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
        if _STATUS.search(said):
            return self._report()
        return False

    def _advance(self) -> bool:
        forced = bool(_FORCE.search(self._said))
        if self._cue.gate and not forced:
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
        if not earlier:
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
        self._ask(self._asked if self._asked not in ("", PREMISE, ADVANCE) else self._next())

    def _report(self) -> bool:
        done = sum(not one.missing for one in self._cue.fields)
        rows = []
        for template in ORDER:
            left = [one.title for one in self._cue.fields if one.template == template and one.missing]
            title = template.replace("_", " ").capitalize()
            rows.append(f"- {title}: {'missing ' + ', '.join(left) if left else 'all there'}")
        self._say("status", missing=f"{done} of {len(self._cue.fields)} fields are filled.\n\n" + "\n".join(rows))
        self._ask(self._next())
        return True

    # The book.

    def _listen(self) -> None:
        if self._cue.mode != "ARCHITECT":
            self._elsewhere()
        elif labelled := labelled_fields(self._said, self._cue.fields):
            self._take(labelled)
        elif not self._asked:
            self._meet()
        elif _SKIP.match(self._said) and self._asked not in (PREMISE, ADVANCE):
            self._open.append(self._asked)
            self._say("skip")
            self._ask(self._next())
        elif self._is_question():
            self._explain()
        elif is_placeholder(self._said):
            self._help()
        else:
            self._hear()

    def _meet(self) -> None:
        """The writer's first message to this Foreman, or to one that takes over from another model."""
        fresh = not self._values and not self._name
        if not fresh:
            self._say("hello again")
            self._ask(self._next())
        elif _GREETING.match(self._said) or len(self._said.split()) < 4:
            self._say("hello")
            self._note(PREMISE, "Nothing is there yet; the idea comes first.")
        else:
            self._premise()

    def _premise(self) -> None:
        self._reply.save("structure", "premise", self._said)
        self._say("premise")
        self._note(NAME, "The idea is noted; a protagonist comes next.")

    def _hear(self) -> None:
        """The writer's answer to the last question."""
        if self._asked == PREMISE:
            self._premise()
        elif self._asked == NAME:
            self._named(_INTO.sub("", self._said).strip(" .!"))
        elif self._asked == ADVANCE:
            self._say("noted")
            self._ask(self._next())
        else:
            self._weigh(self._asked)

    def _named(self, name: str) -> None:
        short = re.split(r"[,.;(\n]| who | is | - | — ", name)[0].strip()
        self._name = " ".join(short.split()[:4]) or name[:60]
        self._reply.save("character", "protagonist_name", self._name)
        self._reply.write("protagonist", {"name": self._name})
        rest = name[len(short) :].strip(" ,.;-—()")
        if len(rest.split()) > 2:
            self._reply.save("character", f"{key_name(self._name)}_who", rest)
        self._say("accept name")
        self._ask(self._next())

    def _weigh(self, asked: str) -> None:
        name = asked.partition(".")[2]
        insists = self._challenged and bool(_INSIST.search(self._said))
        given = self._cue.said_before if insists and self._cue.said_before else self._said
        if name == "fundamental_rules":
            self._rules(given, insists)
            return
        weak = weakness(name, given, flaw=self._values.get("protagonist.fatal_flaw", ""))
        if weak and not insists and not self._challenged:
            self._say(f"challenge {weak}", answer=short_quote(given), topic=topic_of(given))
            self._note(asked, f"“{name}” as it was given is weak: {weak}.", challenged=True)
            return
        self._settle({asked: given}, stubborn=bool(weak))

    def _rules(self, given: str, insists: bool) -> None:
        before = next((one.value for one in self._cue.fields if one.name == "fundamental_rules"), "")
        rules = list(dict.fromkeys([*rules_in(before), *rules_in(given)]))
        text = "\n".join(f"- {rule}" for rule in rules)
        if len(rules) < 3:
            self._reply.write("world_rules", {"fundamental_rules": text})
            self._say("challenge rules", count=in_words(len(rules)))
            self._note("world_rules.fundamental_rules", "Three rules are needed.")
            return
        self._settle({"world_rules.fundamental_rules": text}, stubborn=insists)

    def _take(self, labelled: Mapping[str, str]) -> None:
        """Several labelled fields at once."""
        given = dict(labelled)
        if name := given.pop(NAME, ""):
            self._name = name
            self._reply.save("character", "protagonist_name", name)
            self._reply.write("protagonist", {"name": name})
        weak = {where: weakness(where.partition(".")[2], text) for where, text in given.items()}
        good = {where: text for where, text in given.items() if not weak[where]}
        if bad := next((where for where in given if weak[where]), None):
            self._settle(good, ask=False)
            self._say(f"challenge {weak[bad]}", answer=short_quote(given[bad]), topic=topic_of(given[bad]))
            self._note(bad, f"{bad} as it was given is weak: {weak[bad]}.", challenged=True)
        else:
            self._settle(good)

    def _settle(self, given: Mapping[str, str], *, stubborn: bool = False, ask: bool = True) -> None:
        """Record the decisions, acknowledge them, connect them, and continue."""
        for where, text in list(given.items())[:MOST_SAVED]:
            template, _, name = where.partition(".")
            key = f"{key_name(self._name)}_{name}" if template == "protagonist" else name
            self._reply.save(CATEGORIES[template], key, text)
        for template in ORDER:
            fields = {where.partition(".")[2]: text for where, text in given.items() if where.startswith(template)}
            if fields:
                self._reply.write(template, fields)
        self._values.update(given)
        self._acknowledge(given, stubborn)
        self._complete()
        if ask:
            self._ask(self._next())

    def _acknowledge(self, given: Mapping[str, str], stubborn: bool) -> None:
        if len(given) > 1:
            self._say("accept several", count=in_words(len(given)).capitalize())
            return
        for where, text in given.items():
            name = where.partition(".")[2]
            if stubborn:
                self._say("insist", answer=short_quote(text), field=title_of(where, self._cue.fields))
                continue
            rules = in_words(count_rules(text)).capitalize()
            self._say(f"accept {name}", answer=short_quote(text), count=rules)
            if f"synthesis {name}" in foreman_bank():
                self._say(f"synthesis {name}", answer=short_quote(text))

    def _complete(self) -> None:
        """Mark every page without missing fields as complete."""
        for template in ORDER:
            wanted = [f"{template}.{one.name}" for one in self._cue.fields if one.template == template]
            if all(where in self._values for where in wanted) and template not in self._called:
                self._called.append(template)
                self._reply.act("update_status", {"template": template, "status": "complete"})

    def _ask(self, where: str) -> None:
        """Ask for a field; if nothing is missing, offer the gate."""
        if where == ADVANCE:
            self._complete()
            self._say("all there")
            self._say("offer gate", next=self._cue.next_mode)
            self._note(ADVANCE, "Nothing is missing.")
            return
        name = where.partition(".")[2]
        self._say(f"ask {name}")
        if not self._reply.why:
            self._reply.why = f"The next thing missing is {name}."
        self._note(where, self._reply.why)

    def _next(self) -> str:
        """The first missing field, in planning order; skipped fields come last."""
        missing = [
            f"{one.template}.{one.name}"
            for template in ORDER
            for one in self._cue.fields
            if one.template == template and f"{one.template}.{one.name}" not in self._values
        ]
        if not self._name and NAME not in self._open:
            missing.insert(0, NAME)
        fresh = [where for where in missing if where not in self._open]
        return (fresh or missing or [ADVANCE])[0]

    def _is_question(self) -> bool:
        return self._said.endswith("?") and bool(_ASKS.match(self._said)) and len(self._said.split()) < 30

    def _explain(self) -> None:
        where = self._asked if "." in self._asked else self._next()
        name = where.partition(".")[2]
        family = "arc" if name.startswith("arc_") else "beat" if name.startswith("beat_") else name
        if f"explain {family}" in foreman_bank():
            self._say(f"explain {family}")
        self._reply.why = "The writer asks what is meant."
        self._ask(where)

    def _help(self) -> None:
        where = self._asked if "." in self._asked else self._next()
        name = where.partition(".")[2]
        hint = f"hint {'beat' if name.startswith('beat_') else name}"
        self._say("stuck")
        if hint in foreman_bank():
            self._say(hint)
        self._note(where, f"The writer has no answer for {name} yet.")

    def _elsewhere(self) -> None:
        if len(self._said.split()) >= FEWEST_NOTED and not self._said.endswith("?"):
            category = "voice" if self._cue.mode == "VOICE_CALIBRATION" else "structure"
            self._reply.save(category, f"note_{self._cue.turn}", self._said)
        self._say(self._cue.mode)
        self._reply.why = f"The book is in {self._cue.mode}; the rehearsal company only keeps notes there."

    # Words and tags.

    def _say(self, occasion: str, **more: str) -> None:
        self._reply.said.append(self._line(occasion, **more))

    def _line(self, occasion: str, **more: str) -> str:
        return line_for(self._cue, occasion, slots_of(self._cue, self._name, self._values) | more)

    def _note(self, asked: str, why: str, *, challenged: bool = False) -> None:
        self._reply.why = why
        left = tuple(name for name in dict.fromkeys(self._open) if name not in self._values)
        self._reply.note = LastQuestion(asked, challenged, left).note()
