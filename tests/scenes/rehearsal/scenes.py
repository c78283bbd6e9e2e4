"""The scenes the company is tried on: the examples, and casts and goals it has never seen."""

from __future__ import annotations

from collections.abc import Callable

from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.scenes.rehearsal.playbook import Playbook
from tests.scenes.rehearsal.small_stage import example, scene

Maker = Callable[[int], Playbook]


def late(seed: int) -> Playbook:
    goals = ("Bob apologizes to Alice for being late", "Alice accepts")
    prompt = "Bob apologizes to Alice for being late. Alice accepts."
    return scene(prompt, goals, ("Alice", "Bob"), opener="Bob", seed=seed)


def office(seed: int) -> Playbook:
    prompt = (
        "Alice confronts Bob about missing the Henderson project deadline. Charlie is present as a witness. "
        "Scene goal: Bob apologizes sincerely, Alice accepts and they agree on next steps."
    )
    goals = ("Bob apologizes sincerely", "Alice accepts", "they agree on next steps")
    return scene(prompt, goals, ("Alice", "Bob", "Charlie"), seed=seed)


def five(seed: int) -> Playbook:
    prompt = "Mara broke the town clock, costing the town its market. Five neighbours meet in the bakery."
    goals = (
        "Mara confesses that she broke the clock",
        "Joss forgives Mara",
        "Ilse decides to tell the mayor",
        "Otto promises to repair the clock",
    )
    return scene(prompt, goals, ("Mara", "Joss", "Ilse", "Otto", "Prue"), opener="Joss", seed=seed)


def unicode_names(seed: int) -> Playbook:
    goals = ("Łukasz tells Zoë what he found in the river", "Zoë promises never to speak of it", "Åsa says goodbye")
    return scene("Three friends meet on the bridge at night.", goals, ("Zoë", "Łukasz", "Åsa"), seed=seed)


def odd_verbs(seed: int) -> Playbook:
    goals = ("Rook refuses to leave the money", "Sable orders Rook to drop the bag", "Rook juggles three oranges")
    return scene("Sable and Rook are in the vault, and dawn is close.", goals, ("Rook", "Sable", "Finch"), seed=seed)


def siblings(seed: int) -> Playbook:
    goals = ("Ben explains why he left", "Ada forgives Ben", "they reconcile")
    prompt = "Ada and Ben meet again at their father's house after ten years."
    return scene(prompt, goals, ("Ada", "Ben"), seed=seed)


def manor(seed: int) -> Playbook:
    goals = (
        "Inspector Holt identifies the thief",
        "Mr. Crane confesses to stealing the necklace",
        "Lady Vane thanks Inspector Holt",
    )
    cast = (
        Part("Lady Vane", "Mistress of the house", (("Personality", ("Formal and proud",)),)),
        Part("Mr. Crane", "Butler", (("Personality", ("Nervous, fidgets with his gloves",)),), 0.8),
        Part("Inspector Holt", "Detective", (("Personality", ("Dry, sceptical, patient",)),), 1.4),
    )
    names = tuple(part.name for part in cast)
    return scene("A necklace is gone.", goals, names, opener="Inspector Holt", cast=cast, seed=seed)


def prompt_as_goal(seed: int) -> Playbook:
    goals = ("Alice confronts Bob about project failure", "Charlie mediates")
    prompt = "Alice confronts Bob about project failure. Charlie mediates."
    return scene(prompt, goals, ("Alice", "Bob", "Charlie"), seed=seed)


EXAMPLES: dict[str, Maker] = {
    name: (lambda seed, name=name: example(name, seed))  # type: ignore[misc]
    for name in ("the-apology", "the-lighthouse", "the-last-slice")
}
UNSEEN: dict[str, Maker] = {
    maker.__name__: maker for maker in (late, office, five, unicode_names, odd_verbs, siblings, manor, prompt_as_goal)
}
EVERY = EXAMPLES | UNSEEN
