"""Who plays which part in the run-up to a deed, and what kind of scene leads up to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dramaturg.scenes.rehearsal.deeds import Deed, deeds_of
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.rehearsal.portraits import portraits_of
from dramaturg.scenes.rehearsal.premise import Premise, harmful, premise_of

_FAMILIES: Mapping[str, str] = {
    "apologise": "fault", "confess": "fault", "realise": "fault", "accept": "fault", "forgive": "fault",
    "reveal": "secret", "accuse": "secret",
    "promise": "wanted", "give": "wanted", "yield": "wanted", "order": "wanted", "do": "wanted", "warn": "wanted",
    "decide": "risky", "stay": "risky", "leave": "risky",
    "refuse": "bargain", "offer": "bargain", "ask": "bargain", "agree": "bargain",
    "part": "bond", "thank": "bond", "reconcile": "bond", "invite": "bond", "welcome": "arrival", "breakup": "bond",
    "price": "bargain", "sell": "bargain", "bet": "game", "hire": "wanted", "lie": "secret", "catch": "secret",
}  # fmt: skip
AMBIENT = frozenset({"confront", "argue", "mediate", "present", "fact"})
_PURSUES = frozenset({"accuse", "offer", "ask", "warn", "order", "catch"})
_DANGER = re.compile(
    r"\b(?:storm|fire|flood|war|sea|ice|cliff|rocks|wreck|rescue|climb|gun|bomb|reactor|airlock|hull|enemy|danger\w*|"
    r"avalanche|wolves|wolf|mine|collaps\w*|gale|risk\w*|burning)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Act:
    """A stretch of the scene that leads to one deed.

    `family` is the kind of talk before it, `resister` and `pursuer` its two poles; `actor` does the deed and
    `other` is who it is done to.
    """

    deed: Deed
    family: str
    resister: str
    pursuer: str
    actor: str
    other: str

    @property
    def doer(self) -> str:
        """The subject of the deed: whoever is ordered, asked or warned, else whoever does it."""
        if self.deed.kind in ("order", "ask", "warn"):
            return self.resister
        return self.deed.actors[0] if len(self.deed.actors) == 1 else self.actor


def acts_of(book: Playbook) -> tuple[Act, ...]:
    """The deeds that carry the scene, in order; a scene without any gets one that suits its prompt."""
    premise = premise_of(book)
    names = tuple(part.name for part in book.cast)
    main = [deed for deed in deeds_of(book) if deed.kind not in AMBIENT]
    acts: list[Act] = []
    whole = _whole(main, book, premise)
    for place, deed in enumerate(whole):
        following = next((name for later in whole[place + 1 :] for name in later.actors), "")
        acts.append(_act(deed, book, premise, acts, names, following))
    return tuple(acts)


def _whole(main: list[Deed], book: Playbook, premise: Premise) -> Sequence[Deed]:
    """Add the deeds that others presuppose: no pardon without an apology, no scene without an end."""
    culprit = premise.culprit
    if not main:
        quarrels = [deed for deed in deeds_of(book) if deed.kind in ("confront", "argue")]
        accused = next((deed.partner for deed in quarrels if deed.partner), "") or culprit
        accused = accused or next(part.name for part in book.cast if part.name != book.opener)
        return Deed(0, "", "apologise", (accused,)), Deed(0, "", "agree")
    first = main[0]
    if first.kind in ("accept", "forgive") and first.actors:
        names = [part.name for part in book.cast]
        debtor = first.partner or (culprit if culprit not in first.actors else "")
        debtor = debtor or next(name for name in names if name not in first.actors)
        return (Deed(0, "", "apologise", (debtor,), first.actors[0]), *main)
    return main


def _act(
    deed: Deed, book: Playbook, premise: Premise, before: list[Act], names: tuple[str, ...], following: str
) -> Act:
    actor = _actor(deed, book, premise, before, names)
    other = _other(deed, actor, book, before, names, following)
    family = _FAMILIES.get(deed.kind, "wanted")
    if deed.kind == "confess" and not before and not premise.did and not harmful(deed.did):
        family = "secret"
    if deed.kind == "agree" and before:
        family = before[0].family
    if family == "risky" and not _DANGER.search(f"{book.prompt} {book.setting} {deed.text}"):
        family = "wanted"
    if (
        family == "bargain"
        and deed.kind not in ("price", "sell")
        and not before
        and not premise.thing
        and not _haggles(book)
    ):
        family = "wanted"
    resister, pursuer = (other, actor) if deed.kind in _PURSUES else (actor, other)
    return Act(deed, family, resister, pursuer, actor, other)


def _haggles(book: Playbook) -> bool:
    """Whether somebody's card has words for a bargain."""
    return any(portrait.own.keys() & {"offering", "planning"} for portrait in portraits_of(book).values())


def _actor(deed: Deed, book: Playbook, premise: Premise, before: list[Act], names: tuple[str, ...]) -> str:
    if len(deed.actors) == 1:
        return deed.actors[0]
    pool = deed.actors or names
    if before:
        last = before[-1]
        owing = before[0].resister if before[0].family == "fault" else ""
        for name in (owing, premise.culprit, last.other, last.resister, last.actor):
            if name in pool:
                return name
    if premise.culprit in pool:
        return premise.culprit
    return next((name for name in pool if name != book.opener), pool[0])


def _other(deed: Deed, actor: str, book: Playbook, before: list[Act], names: tuple[str, ...], following: str) -> str:
    wanted = [deed.partner, *deed.actors]
    if before:
        wanted += [before[-1].actor, before[-1].other]
    confronts = [one.actors[0] for one in deeds_of(book) if one.kind in ("confront", "argue") and one.actors]
    wanted += [*confronts, book.opener, following, *names]
    return next(name for name in wanted if name and name != actor and name in names)
