"""The plan of a scene: which passages lead to which deed, and who speaks in them. The seed decides its shape."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from dramaturg.scenes.rehearsal.banks import sheet
from dramaturg.scenes.rehearsal.deeds import Deed, deeds_of, who_of
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.rehearsal.premise import premise_of
from dramaturg.scenes.rehearsal.reminiscences import LATE, Reminiscence, reminiscences_of
from dramaturg.scenes.rehearsal.roles import Act, acts_of
from dramaturg.scenes.rehearsal.scribe import PassageRequest, Scribe
from dramaturg.scenes.rehearsal.steps import Step, beats_of
from dramaturg.scenes.rehearsal.verdicts import findings

# How much is played before the first deed, and before how many later ones, from the fullest scene down.
_FULLNESS = ((5, 9), (4, 9), (4, 1), (3, 1), (2, 1), (2, 0), (1, 0))
MOST_RECALLED = 2
"""The most mentions of an earlier scene in one scene."""
ON_THE_WAY = ("fact", "mediate", "argue", "confront")
_NO_JOY = frozenset({"refuse", "part", "breakup", "leave"})
"""Deeds after which nobody says that all is well."""
_ARCS = {"wanted": "choice", "risky": "choice"}
_STRANGERS = re.compile(r"\b(?:strangers?|new|newcomer|first time|never met|arrived|arrives|unknown)\b", re.IGNORECASE)
_SEEN = re.compile(r"what (?:\w+ )?(?:saw|heard|found|happened|knows?|knew)")


@lru_cache(maxsize=256)
def outline_of(book: Playbook) -> tuple[Step, ...]:
    """The fullest plan of a scene that fits its number of beats."""
    acts = acts_of(book)
    spread = random.Random(f"{book.seed}/{book.name}/length").randint(0, 2)
    aside = sum(deed.kind in ON_THE_WAY for deed in deeds_of(book))
    aside += 2 * min(MOST_RECALLED, len(reminiscences_of(book)))
    room = min(book.max_beats - 1, 4 + spread + 3 * len(acts) + aside + 2 * max(0, len(book.cast) - 3))
    steps: tuple[Step, ...] = ()
    for arc, bridges in _FULLNESS:
        steps = _Draft(book, acts, arc, bridges).write()
        if not any(step.cuts for step in steps):
            steps = _Draft(book, acts, arc, bridges, cutting=True).write()
        if beats_of(steps) <= room:
            break
    return steps


class _Draft:
    """One attempt: an arc of the given number of passages, and bridges to the given number of later deeds."""

    def __init__(self, book: Playbook, acts: Sequence[Act], arc: int, bridges: int, *, cutting: bool = False) -> None:
        self._book, self._acts, self._length, self._bridges, self._cutting = book, acts, arc, bridges, cutting
        self._names = tuple(part.name for part in book.cast)
        self._rng = random.Random(f"{book.seed}/{book.name}/outline")
        self._scribe = Scribe(book)
        self._steps: list[Step] = []
        self._recalled: list[Reminiscence] = []

    def write(self) -> tuple[Step, ...]:
        self._lead_up(self._acts[0])
        for place, act in enumerate(self._acts):
            following = self._acts[place + 1] if place + 1 < len(self._acts) else None
            if place and following is None:
                self._recall(act, late=True)
            bridged = place > 0 and place >= len(self._acts) - self._bridges
            self._turn_to(act, following, bridged=bridged)
        self._bystanders(self._acts[-1])
        self._close()
        return tuple(self._steps)

    def _turn_to(self, act: Act, following: Act | None, *, bridged: bool) -> None:
        """The deed, after a passage that leads up to it if one fits."""
        answered = following is not None and following.actor == act.other
        deed = replace(self._request("deed", act), trim=answered)
        steps, scribe = list(self._steps), self._scribe.copy()
        if bridged and self._play(replace(self._request("then", _poles(act)), loose=False)):
            if self._play(replace(deed, loose=False, tags=deed.tags | {"led"})):
                return
            self._steps, self._scribe = steps, scribe
        if act is self._acts[0]:
            deed = replace(deed, tags=deed.tags | {"led"})
        if not self._play(deed):
            self._play(replace(deed, tags=self._tags(act, kind="plain")))

    def _lead_up(self, act: Act) -> None:
        """Everything before the first deed. A passage that cannot follow the last speaker is postponed."""
        poles = _poles(act)
        self._recall(act, late=False)
        opening = replace(self._request("open", poles), first="" if self._steps else self._book.opener)
        if not self._play(opening):
            self._play(replace(opening, tags=self._tags(act, family="any")))
        put_off: list[str] = []
        for move in self._arc(act)[1:]:
            put_off = [one for one in (*put_off, move) if not self._lead(one, poles)]
        for move in put_off:
            self._lead(move, poles)
        if self._wants_a_cut():
            self._play(replace(self._request("resist", poles), cutting=True))
        for deed in deeds_of(self._book):
            if deed.kind in ON_THE_WAY and deed.number not in self._met():
                self._play(self._request("deed", self._on_the_way(deed, act)))

    def _recall(self, act: Act, *, late: bool) -> None:
        """Somebody mentions an earlier scene with somebody else: the opener first, and once more later.

        Nothing is done by it: a passage that would meet a goal is not played.
        """
        for one in reminiscences_of(self._book):
            known = any((one.kind, {one.me, one.other}) == (old.kind, {old.me, old.other}) for old in self._recalled)
            if known or (one.kind not in LATE if late else one.me != self._book.opener):
                continue
            played, scribe, met = list(self._steps), self._scribe.copy(), self._met()
            stretch = replace(act, actor=one.other, other=one.me)
            request = PassageRequest(
                "recall", stretch, {"P": one.me, "A": one.other}, frozenset({one.tag}), recalled=one
            )
            if self._play(replace(request, first="" if late else one.me, loose=False)):
                if self._met() == met:
                    self._recalled.append(one)
                    return
                self._steps, self._scribe = played, scribe

    def _wants_a_cut(self) -> bool:
        return self._cutting and not any(step.cuts for step in self._steps)

    def _met(self) -> frozenset[int]:
        """The goals that the lines so far would meet."""
        heard: list[HeardLine] = []
        for step in self._steps:
            if step.cuts and heard:
                heard[-1] = replace(heard[-1], content=f"{heard[-1].content.split(', ')[0]}—", cut=True)
            heard.append(HeardLine(0, "line", step.speaker, "interrupt" if step.cuts else "speak", step.text))
        return frozenset(finding.goal for finding in findings(self._book, tuple(heard)))

    def _lead(self, move: str, poles: Act) -> bool:
        request = replace(self._request(move, poles), loose=False)
        if self._wants_a_cut() and self._play(replace(request, cutting=True)):
            return True
        return self._play(request)

    def _arc(self, act: Act) -> list[str]:
        arc = self._rng.choice(sheet("arcs")[_ARCS.get(act.family, act.family)]).split()
        thirds = len(self._names) - 2
        if thirds == 0:
            arc = [move for move in arc if move != "third"]
        while len(arc) > self._length:
            spare = [move for move in arc if move in ("press", "account")] or [move for move in arc if move == "third"]
            arc.remove(self._rng.choice(spare or ["resist"]))
        for _ in range(min(2, thirds - 1)):
            arc.insert(self._rng.randrange(2, len(arc) + 1), "third")
        return arc

    def _on_the_way(self, deed: Deed, act: Act) -> Act:
        """A sub-goal that is met along the way: somebody confronts, somebody calms."""
        actor = deed.actors[0] if deed.actors else act.pursuer
        other = deed.partner or next(name for name in (act.resister, *self._names) if name != actor)
        return Act(deed, act.family, actor, other, actor, other)

    def _bystanders(self, act: Act) -> None:
        """A line for somebody who has no part in the deeds."""
        for deed in deeds_of(self._book):
            silent = [name for name in deed.actors if not any(step.speaker == name for step in self._steps)]
            if deed.kind == "present" and silent:
                self._play(self._request("third", act, silent[0]))

    def _close(self) -> None:
        """A last word from everybody who has not just spoken, in keeping with where they stood at the start."""
        act, kind = _poles(self._acts[0]), self._acts[-1].deed.kind
        last = [step.speaker for step in self._steps[-2:]]
        waiting = [name for name in self._names if name not in last]
        waiting.sort(key=lambda name: name in (act.actor, act.other))
        if not waiting:
            waiting = [name for name in (act.actor, act.other) if name != self._steps[-1].speaker][:1]
        for place, name in enumerate(waiting[:3]):
            part = "A" if name == act.actor else "P" if name == act.other else "T"
            tags = self._tags(act, kind=kind) | ({"witness"} if part == "T" else frozenset())
            move = "last" if kind in _NO_JOY else "close"
            if self._play(replace(self._request(move, act, name), alone=part, tags=tags)) and place % 2:
                self._steps[-1] = replace(self._steps[-1], quick=True)

    def _request(self, move: str, act: Act, third: str = "") -> PassageRequest:
        return PassageRequest(move, act, self._parts(act, third), self._tags(act))

    def _play(self, request: PassageRequest) -> bool:
        """Add a passage. Returns False if none fits."""
        last = self._steps[-1].speaker if self._steps else ""
        steps = self._scribe.write(replace(request, not_first=last))
        self._steps += (replace(step, move="close") if step.move == "last" else step for step in steps)
        return bool(steps)

    def _parts(self, act: Act, third: str) -> dict[str, str]:
        spoken = {name: sum(step.speaker == name for step in self._steps) for name in self._names}
        others = [name for name in self._names if name not in (act.actor, act.other)]
        others.sort(key=lambda name: (name != third, spoken[name]))
        return {"A": act.actor, "P": act.other} | dict(zip(("T", "U"), others, strict=False))

    def _tags(self, act: Act, family: str = "", kind: str = "") -> frozenset[str]:
        deed = act.deed
        known = {
            "bare": not deed.do,
            "equal": act.family not in ("fault", "bargain"),
            "task": deed.kind in ("promise", "do"),
            "seen": bool(_SEEN.match(deed.what)),
            "why": deed.what.startswith("why"),
            "that": bool(deed.did) and not deed.what,
            "object": bool(deed.thing),
            "mute": not deed.what,
            "nothing": not deed.thing and not deed.do,
            "vague": not deed.do and not who_of(deed),
            "pick": deed.kind == "decide" and bool(deed.thing),
            "who": bool(who_of(deed)),
            "past": not _STRANGERS.search(self._book.prompt),
            "two": len(self._names) == 2,
            f"in-{self._acts[0].family}": True,
        }
        more = (tag for tag, fits in known.items() if fits)
        return frozenset((family or act.family, kind or deed.kind, premise_of(self._book).domain, "any", *more))


def _poles(act: Act) -> Act:
    """The same act with the resister as A, whoever does the deed in the end."""
    return replace(act, actor=act.resister, other=act.pursuer)
