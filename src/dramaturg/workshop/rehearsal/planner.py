"""The plan of a book in the company's hands: what is asked for next, and how an answer is weighed and kept."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from dramaturg.workshop.rehearsal.fields import NAME, key_name, title_of
from dramaturg.workshop.rehearsal.lines import foreman_bank
from dramaturg.workshop.rehearsal.question import ADVANCE, PREMISE
from dramaturg.workshop.rehearsal.speaker import Speaker
from dramaturg.workshop.rehearsal.utterance import Utterance, utterance_of
from dramaturg.workshop.rehearsal.weakness import (
    count_rules,
    in_words,
    rules_in,
    short_quote,
    topic_of,
    weakness,
)

if TYPE_CHECKING:
    from dramaturg.workshop.rehearsal.cues import ForemanCue

ORDER = ("protagonist", "theme", "world_rules", "beat_sheet")
CATEGORIES = {"protagonist": "character", "theme": "structure", "world_rules": "world", "beat_sheet": "structure"}
RULES = "world_rules.fundamental_rules"
MOST_SAVED = 6
"""Of more fields than that at once, only the pages are written: a field of the bible is a decision as it stands."""
_INSIST = re.compile(r"\b(?:keep it|it stays|i insist|i mean it|leave it|as it is|take it as it is|it stands)\b", re.I)
_INTO = re.compile(
    r"^(?:(?:her|his|their|its) name is|she is called|he is called|it(?:'s| is)|call (?:her|him|them)"
    r"|(?:sie|er) heißt|(?:elle|il) s['’]appelle|(?:ella |él )?se llama|(?:lei |lui )?si chiama)\s+",
    re.I,
)


class Planner(Speaker):
    """Takes answers into the story bible and asks for the next thing that is missing."""

    def __init__(self, cue: ForemanCue) -> None:
        super().__init__(cue)
        self._called = list(cue.complete)

    def _premise(self) -> None:
        self._reply.save("structure", "premise", self._said)
        self._say("premise")
        self._note(NAME, "The idea is noted; a protagonist comes next.")

    def _named(self, said: str) -> None:
        name = _INTO.sub("", said).strip(" .!")
        short = re.split(r"[,.;(\n]| who | is | - | — ", name)[0].strip()
        self._name = " ".join(short.split()[:4]) or name[:60]
        self._reply.save("character", "protagonist_name", self._name)
        self._reply.write("protagonist", {"name": self._name})
        rest = name[len(short) :].strip(" ,.;-—()")
        if len(rest.split()) > 2:
            self._reply.save("character", f"{key_name(self._name)}_who", rest)
        self._last = NAME
        self._say("accept name")
        self._ask(self._next())

    def _insists(self) -> bool:
        return self._challenged and bool(_INSIST.search(self._said))

    def _weigh(self, asked: str, said: str) -> None:
        """A value for a field: kept, or challenged once if it is weak."""
        name, insists = asked.partition(".")[2], self._insists()
        given = self._said_before() if insists and self._cue.said_before else said
        if asked == RULES:
            self._rules(given, insists)
            return
        weak = weakness(name, given, flaw=self._values.get("protagonist.fatal_flaw", ""))
        if weak and not insists and not (self._challenged and asked == self._asked):
            self._say(f"challenge {weak}", answer=short_quote(given), topic=topic_of(given))
            self._note(asked, f"“{name}” as it was given is weak: {weak}.", challenged=True)
            return
        self._settle({asked: given}, stubborn=bool(weak))

    def _said_before(self) -> str:
        """The value in the message that was challenged."""
        before = self._cue.said_before
        heard = utterance_of(before, self._cue.fields, self._asked, self._last)
        return heard.value if heard.kind in ("answer", "change") and heard.value else before

    def _rules(self, given: str, insists: bool) -> None:
        before = next((one.value for one in self._cue.fields if one.name == "fundamental_rules"), "")
        rules = list(dict.fromkeys([*rules_in(before), *rules_in(given)]))
        text = "\n".join(f"- {rule}" for rule in rules)
        if len(rules) < 3:
            self._reply.write("world_rules", {"fundamental_rules": text})
            self._last = RULES
            self._say("challenge rules", count=in_words(len(rules)))
            self._note(RULES, "Three rules are needed.")
            return
        self._settle({RULES: text}, stubborn=insists)

    def _take(self, labelled: Mapping[str, str]) -> None:
        """Several labelled fields at once. All are kept; the first weak one is asked for again."""
        given = dict(labelled)
        if name := given.pop(NAME, ""):
            self._name = name
            self._reply.save("character", "protagonist_name", name)
            self._reply.write("protagonist", {"name": name})
        weak = {where: weakness(where.partition(".")[2], text) for where, text in given.items()}
        bad = next((where for where in given if weak[where]), None)
        if bad is None:
            self._settle(given)
            return
        self._settle(given if len(given) > 1 else {}, ask=False)
        self._say(f"challenge {weak[bad]}", answer=short_quote(given[bad]), topic=topic_of(given[bad]))
        self._note(bad, f"{bad} as it was given is weak: {weak[bad]}.", challenged=True)

    def _settle(self, given: Mapping[str, str], *, stubborn: bool = False, ask: bool = True) -> None:
        """Record the decisions, acknowledge them, connect them, and continue."""
        for where, text in given.items() if len(given) <= MOST_SAVED else ():
            template, _, name = where.partition(".")
            key = f"{key_name(self._name)}_{name}" if template == "protagonist" else name
            self._reply.save(CATEGORIES[template], key, text)
        for template in ORDER:
            fields = {where.partition(".")[2]: text for where, text in given.items() if where.startswith(template)}
            if fields:
                self._reply.write(template, fields)
        self._values.update(given)
        self._last = next(reversed([*given]), self._last)
        self._acknowledge(given, stubborn)
        self._complete()
        if ask:
            self._ask(self._resumed())

    def _resumed(self) -> str:
        """The open question if it is still open, else the next."""
        is_open = "." in self._asked and self._asked not in self._values and self._asked not in self._open
        return self._asked if is_open and self._asked != NAME else self._next()

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

    def _question(self) -> str:
        """What is asked for at the end of an answer to something else."""
        return self._asked if self._asked not in ("", PREMISE, ADVANCE) else self._next()

    @property
    def _plans(self) -> bool:
        return self._cue.mode == "ARCHITECT"

    def _go_on(self) -> None:
        """Return to the open question; in the modes after the plan, to what the mode is about."""
        if self._plans:
            self._ask(self._question())
            return
        self._say(self._cue.mode)
        self._reply.why = self._reply.why or f"The book is in {self._cue.mode}; the rehearsal company only keeps notes."

    def _told(self, heard: Utterance) -> None:
        """Everything that is settled, in the writer's own words."""
        self._reply.stands = True
        held = ({NAME: self._name} if self._name else {}) | self._values
        rows = [f"- {title_of(where, self._cue.fields)}: “{short_quote(text)}”" for where, text in held.items()]
        self._say("settled" if rows else "recall nothing")
        self._reply.said.append("\n".join(row.replace(NAME, "protagonist") for row in rows))
        self._go_on()

    def _at_the_gate(self, heard: Utterance) -> None:
        """Whether the gate is open is told; nothing is opened by a question."""
        self._reply.stands = True
        if self._cue.gate:
            self._say("closed", missing="; ".join(self._cue.gate))
            self._go_on()
        else:
            self._say("offer gate", next=self._cue.next_mode or "")
            self._note(ADVANCE, "The writer asks whether the gate is open.")

    def _parted(self, heard: Utterance) -> None:
        self._reply.stands = True
        self._say("farewell")
        self._note(self._asked or PREMISE, "The writer stops for today; the open question waits.")
