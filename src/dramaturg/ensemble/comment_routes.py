"""The order in which slots see each other's answers, and which comments reach whom: random, seeded by session id."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from dramaturg.ensemble.events import Assignment, CommentsRouted

MOST_COMMENTS = 3
WrongTarget = Literal["own", "unknown"]
T = TypeVar("T")


def chance(session_id: str, *about: object) -> random.Random:
    """A random generator that depends only on the session and the question, not on who else draws."""
    return random.Random("/".join((session_id, *map(str, about))))


def shuffled(peers: Sequence[T], session_id: str, slot: int) -> tuple[T, ...]:
    """The others' answers in this slot's own order, so that nobody is always read first."""
    order = list(peers)
    chance(session_id, "peers", slot).shuffle(order)
    return tuple(order)


def wrong_target(target: int | None, slot: int, survivors: Sequence[int]) -> WrongTarget | None:
    """Why a slot cannot comment on this one; None if it can."""
    if target == slot:
        return "own"
    return None if target in survivors else "unknown"


def chosen_target(session_id: str, slot: int, survivors: Sequence[int]) -> int:
    """A random valid target for a slot that named none."""
    return chance(session_id, "target", slot).choice([other for other in sorted(survivors) if other != slot])


def route(targets: Mapping[int, int], session_id: str) -> CommentsRouted:
    """The comments each slot receives: at most three, drawn by lot; the rest are dropped and listed."""
    kept: list[Assignment] = []
    dropped: list[Assignment] = []
    for target in sorted(set(targets.values())):
        senders = sorted(slot for slot, aimed_at in targets.items() if aimed_at == target)
        lot = senders
        if len(senders) > MOST_COMMENTS:
            lot = chance(session_id, "route", target).sample(senders, MOST_COMMENTS)
        for sender in senders:
            (kept if sender in lot else dropped).append(Assignment(slot_id=sender, target_slot_id=target))
    return CommentsRouted(assignments=tuple(kept), dropped=tuple(dropped))
