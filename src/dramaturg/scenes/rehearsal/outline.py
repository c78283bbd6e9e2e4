"""The plan of a scene, made of the author's lines. What nobody wrote words for is walked through.

The seed chooses among the ways to play a moment. A scene without lines of its own is put together from the cards:
their lines by the moments they are for, each once, and the sub-goals in order.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.kernel.text.words import content, stem, words
from dramaturg.scenes.director.denial import why_undone
from dramaturg.scenes.director.evidence import fitting_speakers, subject_of
from dramaturg.scenes.director.goals import Goal, asks_more, is_lasting, leaves_undone, walked_text
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.director.tables import lexicon
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.response import NO_TONE, ResponseAction
from dramaturg.scenes.script import CardLine, ScriptLine, ScriptMoment, card_lines, is_lines_heading

GESTURE_SHARE = 0.35
_KANJI = re.compile(r"[\u3400-\u9fff]")
_OPENING = frozenset("open begin start first anfang beginn début inicio comienzo inizio início".split())
_CLOSING = frozenset("end clos leav last part goodbye ende schluss abschied fin final adieu fine addio fim".split())
_REMEMBERED = re.compile(
    r"^(?:when |wenn |quand |cuando |quando )?(?:remember\w*|erinner\w*|souv\w*|recuerd\w*)\b", re.I
)
_HAPPENING = re.compile(r"^(?:when|wenn|quand|cuando|quando) (?:the|der|die|das|le|la|el|il|o|a) \w+ \w+", re.I)
_WHEN = frozenset(
    "when at if before after on while the is are wenn beim am als zum quand lorsque en cuando al quando alla".split()
)


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the plan. `deed` is set on the line that does what sub-goal `goal` asks for.

    `walked` steps have no words: they show what a language model would act. `moment` groups lines that belong together.
    """

    speaker: str
    action: ResponseAction
    text: str = ""
    tone: str = NO_TONE
    target: str = ""
    gesture: str = ""
    cut_after: str = ""
    goal: int = 0
    moment: int = 0
    deed: bool = False
    walked: bool = False

    @property
    def joins(self) -> bool:
        """Whether it is heard in the beat of the line before it."""
        return self.action == "interrupt" or (self.action == "react" and not self.walked)


def beats_of(steps: Iterable[Step]) -> int:
    """How many beats these lines take."""
    return sum(not step.joins for step in steps)


def lines_of(part: Part) -> tuple[CardLine, ...]:
    """The lines of a card that its character has in this scene: one it is said to remember, only if it does."""
    rows = (row for heading, rows in part.sections if is_lines_heading(heading) for row in rows)
    remembered = " ".join(part.memories)
    return tuple(
        line
        for line in card_lines(rows)
        if not _REMEMBERED.match(line.key) or set(_key_words(line.key)[1:]) & set(content(remembered))
    )


@lru_cache(maxsize=256)
def outline_of(book: Playbook) -> tuple[Step, ...]:
    """The whole plan."""
    draft = _Draft(book)
    steps = draft.scripted() if book.script else draft.from_cards()
    return tuple(replace(step, moment=step.moment) for step in _in_beats(steps))


def _in_beats(steps: Iterable[Step]) -> Iterator[Step]:
    """Nobody reacts or cuts in before anything was said."""
    before: Step | None = None
    for step in steps:
        if step.action == "interrupt" and (before is None or step.cut_after.casefold() not in before.text.casefold()):
            other = before.speaker if before is not None and before.speaker != step.speaker else ""
            step = replace(step, action="speak", cut_after="", target=other)
        yield step
        before = step


def _before_exits(steps: Sequence[Step]) -> list[Step]:
    """The same steps; whoever goes off has said everything before."""
    ordered = list(steps)
    for leaving in [step for step in steps if step.walked and _is_exit(step.gesture)]:
        place = ordered.index(leaving)
        late = [step for step in ordered[place + 1 :] if step.speaker == leaving.speaker and not step.goal]
        others = [step for step in ordered[place + 1 :] if step not in late]
        ordered = [*ordered[:place], *late, leaving, *others]
    return ordered


def _is_exit(act: str) -> bool:
    """Whether somebody who does this is gone afterwards."""
    done = act.casefold().rstrip(" .!。！")
    return any(done == way or (" " in way and done.startswith(f"{way} ")) for way in lexicon("clauses")["exits"])


class _Draft:
    """A plan while it is written."""

    def __init__(self, book: Playbook) -> None:
        self._book = book
        self._names = CastNames(book.names)
        self._goals = tuple(Goal(id=number, text=text) for number, text in enumerate(book.goals, start=1))
        self._rng = random.Random(f"{book.seed}/{book.name}/outline")
        self._lines = {part.name: list(lines_of(part)) for part in book.cast if not part.guest}
        self._gestures = {part.name: list(_gestures(part)) for part in book.cast}
        self._made: set[str] = set()
        self._last = ""

    def scripted(self) -> list[Step]:
        """The moments of the scene's script, in order, one way of playing each; sub-goals without one at their turn."""
        steps: list[Step] = []
        moments = _moments(self._book.script)
        done: set[int] = set()
        last = max((spot for spot, options in enumerate(moments) if options[0].goal), default=len(moments) - 1)
        for place, options in enumerate(moments):
            moment = self._rng.choice(options)
            if moment.goal:
                steps.extend(self._walks(goal for goal in self._goals if goal.id < moment.goal and goal.id not in done))
                done.update(range(1, moment.goal + 1))
            steps.extend(self._played(moment, place))
            if place == last:
                steps.extend(self._walks(goal for goal in self._goals if goal.id not in done))
                done.update(goal.id for goal in self._goals)
        return steps

    def from_cards(self) -> list[Step]:
        """Openings, then every sub-goal with a share of the other lines before it, then the last words.

        A line that does what no sub-goal asks for, such as forgiving, was written for another scene and is left out.
        """
        openings, closings = self._take_by(_OPENING), self._take_by(_CLOSING)
        deeds = {goal.id: found for goal in self._goals if (found := self._take_deed(goal)) is not None}
        self._lines = {
            name: [line for line in own if not _happens(line.key) and not _is_deed(line.key)]
            for name, own in self._lines.items()
        }
        others = self._in_turn()
        steps = [*openings]
        acts = [goal for goal in self._goals if not is_lasting(goal)]
        for place, goal in enumerate(acts):
            share = len(others) * (place + 1) // len(acts) - len(others) * place // len(acts)
            offset = len(others) * place // len(acts)
            steps.extend(others[offset : offset + share])
            deed = deeds.get(goal.id)
            steps.extend([deed] if deed else self._walks([goal]))
        if not acts:
            steps.extend(others)
            steps.extend(self._walks(self._goals[:1], lasting=True) if not steps else ())
        whole = _before_exits([*_opener_first(steps, self._book.opener), *closings])
        return [replace(step, moment=place) for place, step in enumerate(whole)]

    def _played(self, moment: ScriptMoment, place: int) -> Iterator[Step]:
        fresh = [take for take in moment.takes if take and take[0].speaker != self._last]
        take = self._rng.choice(fresh or moment.takes)
        steps = [step for line in take if (step := self._step(line)) is not None]
        self._last = next((step.speaker for step in reversed(steps) if step.text), self._last)
        spoken = [spot for spot, step in enumerate(steps) if step.text]
        for spot, step in enumerate(steps):
            deed = bool(moment.goal) and bool(spoken) and spot == spoken[-1]
            yield replace(step, goal=moment.goal or 0, deed=deed, moment=place)

    def _step(self, line: ScriptLine) -> Step | None:
        if line.speaker not in self._lines:
            return None
        text = f"{self._drawn(line) if line.key else ''} {line.response.content}".strip()
        made = line.response.nonverbal in self._made
        if not text and (line.key or made):
            return None
        said = line.response
        gesture = self._own_gesture(line.speaker, said.nonverbal or "", spoken=bool(text))
        action: ResponseAction = "react" if not text else "interrupt" if said.interrupt_after else "speak"
        return Step(line.speaker, action, text, said.tone, said.target or "", gesture, said.interrupt_after or "")

    def _drawn(self, line: ScriptLine) -> str:
        """A line of the card for this key; each is said once."""
        wanted = _key_words(line.key)
        fitting = [one for one in self._lines[line.speaker] if _key_words(one.key) == wanted]
        if not fitting:
            return ""
        chosen = self._rng.choice(fitting)
        self._lines[line.speaker].remove(chosen)
        return chosen.text

    def _walks(self, goals: Iterable[Goal], *, lasting: bool = False) -> Iterator[Step]:
        """Steps that show sub-goals in their own words; what must not happen needs no step."""
        for goal in goals:
            if is_lasting(goal) and not lasting:
                continue
            fitting = [name for name in fitting_speakers(goal, self._names) if name in self._lines]
            turn = [name for name in fitting if name != self._last] or fitting
            if not turn:
                continue
            doer = subject_of(goal, self._names)
            who = doer if doer in fitting else turn[0] if len(turn) < len(self._book.cast) else self._turn(turn)
            self._last = who
            act, tone = walked_text(goal, self._names), _tone_for(goal)
            yield Step(who, "react", tone=tone, gesture=act, goal=goal.id, walked=True)

    def _turn(self, names: Sequence[str]) -> str:
        return self._book.opener if self._book.opener in names and not self._last else names[0]

    def _take_by(self, keys: frozenset[str]) -> list[Step]:
        found = []
        for name in self._from_opener():
            for line in [one for one in self._lines[name] if keys & set(_key_words(one.key))]:
                self._lines[name].remove(line)
                found.append(self._said(name, line))
        return found

    def _take_deed(self, goal: Goal) -> Step | None:
        """A line whose key is in the words of the sub-goal, of somebody who can do it.

        If the sub-goal is that the deed is left undone, the lines for it show the opposite: nobody says them. Nor those
        that fall short of it: for "apologizes twice", one apology.
        """
        more = {word for phrase in lexicon("clauses")["asks_more"] for word in words(phrase)}
        said = {stem(word) for word in words(goal.text) if word in more}
        asked = set(content(goal.text)) | said | set(_KANJI.findall(goal.text))
        for name in fitting_speakers(goal, self._names):
            own = {stem(word) for word in words(name)} | set(_KANJI.findall(name))
            keys = {line: set(_key_words(line.key)) - own for line in self._lines.get(name, ())}
            fitting = [line for line, key in keys.items() if key and (key <= asked or key == {"goal", str(goal.id)})]
            undone = [line for line in fitting if self._falls_short(goal, line, frozenset(keys[line]))]
            if fitting:
                self._lines[name] = [line for line in self._lines[name] if line not in fitting]
            if fitting := [line for line in fitting if line not in undone]:
                chosen = self._rng.choice(fitting)
                return replace(self._said(name, chosen), goal=goal.id, deed=True)
        return None

    def _falls_short(self, goal: Goal, line: CardLine, deed: frozenset[str]) -> bool:
        """Whether a line for a deed does not show the sub-goal: that asks for more or less, or the line denies it."""
        named = deed == {"goal", str(goal.id)}
        if why_undone(goal, line.text, self._names) is not None:
            return True
        return not named and (leaves_undone(goal, deed) or asks_more(goal, deed))

    def _in_turn(self) -> list[Step]:
        """The remaining lines, one of each in turn."""
        rows = [[self._said(name, line) for line in self._lines[name]] for name in self._from_opener()]
        return [row[place] for place in range(max(map(len, rows), default=0)) for row in rows if place < len(row)]

    def _from_opener(self) -> list[str]:
        return sorted(self._lines, key=lambda name: name != self._book.opener)

    def _said(self, name: str, line: CardLine) -> Step:
        tone = line.tone or _tone_of(line.key)
        return Step(name, "speak", line.text, tone, gesture=line.gesture or self._gesture(name))

    def _own_gesture(self, name: str, given: str, *, spoken: bool) -> str:
        """The gesture of the script, where it was not made yet; else perhaps one of the card."""
        if given and spoken and given in self._made:
            return ""
        self._made.add(given)
        self._gestures[name] = [one for one in self._gestures[name] if one != given]
        return given or (self._gesture(name) if spoken else "")

    def _gesture(self, name: str) -> str:
        own = self._gestures.get(name)
        if not own or self._rng.random() > GESTURE_SHARE:
            return ""
        chosen = own.pop(self._rng.randrange(len(own)))
        self._made.add(chosen)
        return chosen


def _happens(key: str) -> bool:
    """Whether a line is for something that happens around the cast: "when the thunder breaks"."""
    return bool(_HAPPENING.match(key))


def _moments(script: Sequence[ScriptMoment]) -> list[list[ScriptMoment]]:
    """The moments in order; those of one name are ways to play the same one."""
    found: dict[tuple[str, int | None, int], list[ScriptMoment]] = {}
    for place, moment in enumerate(script):
        found.setdefault((moment.at, moment.goal, 0 if moment.at else place), []).append(moment)
    return list(found.values())


def _opener_first(steps: list[Step], opener: str) -> list[Step]:
    """Whoever opens the scene has the first line, if there is one that does no deed."""
    place = next((spot for spot, step in enumerate(steps) if step.speaker == opener), None)
    if place is None or any(step.deed or step.walked for step in steps[: place + 1]):
        return steps
    return [steps[place], *steps[:place], *steps[place + 1 :]]


def _key_words(key: str) -> tuple[str, ...]:
    """What a key is about: its stems without "when" and pronouns; single signs where words are not divided."""
    if _KANJI.search(key):
        return tuple(_KANJI.findall(key))
    skip = _WHEN | set(lexicon("clauses")["pronoun"])
    return tuple(stem(word) for word in words(key) if word not in skip)


def _is_deed(key: str) -> bool:
    return not _TONES.keys().isdisjoint(_key_words(key))


def _tone_of(key: str) -> str:
    """A short key says how a line is said: "when pressing". One in a sentence does not."""
    plain = [word for word in key.split() if word.casefold() not in ("when", "at", "on", "if")]
    fits = len(plain) == 1 and plain[0].isascii() and plain[0].casefold().endswith("ing")
    return plain[0].casefold() if fits and not set(_key_words(key)) & (_OPENING | _CLOSING) else NO_TONE


_TONES = {
    "admit": "breaking", "confess": "breaking", "apologiz": "low", "apologis": "low", "forgiv": "softening",
    "accept": "softening", "refus": "firm", "declin": "firm", "promis": "earnest", "swear": "earnest",
    "reveal": "hushed", "tell": "plain", "decid": "resolute", "agre": "settled", "thank": "warm",
    "accus": "hard", "demand": "hard", "beg": "pleading", "ask": "quiet", "leav": "quiet", "part": "quiet",
}  # fmt: skip


def _tone_for(goal: Goal) -> str:
    return next((_TONES[word] for word in content(goal.text) if word in _TONES), NO_TONE)


def _gestures(part: Part) -> Iterator[str]:
    """The card's gestures that fit any moment."""
    for heading, rows in part.sections:
        if "gesture" in heading.casefold():
            yield from (row.strip().rstrip(".") for row in rows if row.strip() and ":" not in row)
