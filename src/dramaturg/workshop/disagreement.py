"""A decision and its field in the story bible that say different things: found, and settled for the file."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.kernel.errors import NotFound
from dramaturg.workshop.book.decisions import LONGEST_VALUE, Decision, NewDecision, key_name
from dramaturg.workshop.book.knowledge import Disagreement
from dramaturg.workshop.foreman.actions.action import Outcome
from dramaturg.workshop.foreman.bench import BookBench


def differing(all_: Sequence[Disagreement], key: str) -> Disagreement:
    """The difference under this key. Raises NotFound with the keys of those there are."""
    found = next((one for one in all_ if one.key == key_name(key)), None)
    if found is None:
        known = ", ".join(one.key for one in all_) or "none"
        raise NotFound(f"No decision '{key}' differs from the story bible (those that do: {known}).", key=key)
    return found


async def follow_the_file(bench: BookBench, differs: Disagreement, decisions: Sequence[Decision]) -> Outcome:
    """The decision gets the words of the file."""
    held = next(one for one in decisions if one.key == differs.key)
    new = NewDecision(
        category=held.category, key=held.key, value=differs.written[:LONGEST_VALUE], source=differs.path, kind=held.kind
    )
    kept = await bench.decide(new)
    return Outcome(said=f"Decided: {kept.key} as {differs.path} says.", decided=kept.id)
