"""Inclusion groups: of the entries in one group, only one is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from dramaturg.characters.lorebook.entry import LoreEntry


def losers(
    entries: Sequence[LoreEntry],
    told: Sequence[LoreEntry],
    sticky: frozenset[str],
    scores: Mapping[str, int],
    scoring: bool,
    seed: str,
) -> Mapping[str, str]:
    """The entries that lose in their group, by uid, each with what it lost to.

    An entry that was told before, or that is sticky, keeps its group. Otherwise, where scores count, the entries that
    matched fewer keys lose; then the highest order among those that override wins; then weighted dice decide.
    """
    lost: dict[str, str] = {}
    groups, before = _by_group(entries), _by_group(told)
    for group in sorted(groups):
        members = [entry for entry in groups[group] if entry.uid not in lost]
        if not members:
            continue
        winners = {entry.uid for entry in members if entry.uid in sticky}
        if group in before and not winners:
            winner = before[group][0].label
        else:
            chosen = _chosen(members, scores, scoring, Random(f"{seed}/group/{group}"))
            winners = winners or {chosen.uid}
            winner = next(entry.label for entry in members if entry.uid in winners)
        for entry in members:
            if entry.uid not in winners:
                lost[entry.uid] = f"group {group!r} went to {winner!r}"
    return lost


def _by_group(entries: Sequence[LoreEntry]) -> Mapping[str, list[LoreEntry]]:
    found: dict[str, list[LoreEntry]] = {}
    for entry in entries:
        for group in dict.fromkeys(entry.groups):
            found.setdefault(group, []).append(entry)
    return found


def _chosen(members: Sequence[LoreEntry], scores: Mapping[str, int], scoring: bool, random: Random) -> LoreEntry:
    members = _best(members, scores, scoring)
    overriding = [entry for entry in members if entry.group_override]
    if overriding:
        return max(overriding, key=lambda entry: entry.order)
    weights = [max(0.0, entry.group_weight) for entry in members]
    if not sum(weights):
        return members[0]
    return random.choices(members, weights)[0]


def _best(members: Sequence[LoreEntry], scores: Mapping[str, int], scoring: bool) -> Sequence[LoreEntry]:
    def is_scored(entry: LoreEntry) -> bool:
        return scoring if entry.group_scoring is None else entry.group_scoring

    if not any(is_scored(entry) for entry in members):
        return members
    best = max(scores.get(entry.uid, 0) for entry in members)
    return [entry for entry in members if scores.get(entry.uid, 0) == best or not is_scored(entry)]
