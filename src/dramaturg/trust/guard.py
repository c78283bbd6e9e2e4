"""The guard at the door: a project that asks for more than its user allowed is not opened."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dramaturg.kernel.errors import NotTrusted
from dramaturg.kernel.settings import Settings
from dramaturg.trust.consent import ConsentBook
from dramaturg.trust.wishes import Wish, model_wish, shown, wishes_of


def missing_consent(settings: Settings) -> tuple[Wish, ...]:
    """What the settings ask for and the user has not allowed."""
    if not settings.asks_first:
        return ()
    wishes = wishes_of(settings)
    if not wishes:
        return ()
    return ConsentBook.of(settings.env).missing(settings.project, wishes)


def require_consent(settings: Settings) -> None:
    """Raises NotTrusted if the settings ask for something that the user has not allowed."""
    missing = missing_consent(settings)
    if missing:
        raise refusal(settings.project, missing)


def check_authored_model(settings: Settings, name: str | None, where: str) -> str | None:
    """The name of a model that a card or an ensemble chose. Raises NotTrusted if playing with it needs consent."""
    wish = model_wish(name, settings.project, where) if name and settings.asks_first else None
    if wish and not ConsentBook.of(settings.env).allows(settings.project, wish):
        raise refusal(settings.project, (wish,))
    return name


def refusal(project: Path, wishes: Sequence[Wish]) -> NotTrusted:
    """The error that says what is asked for, where, and how to allow it."""
    option = "" if project == Path() else f" --project {shown(str(project))}"
    listed = "\n".join(f"  - {wish.sentence}" for wish in wishes)
    return NotTrusted(
        f"This project asks for something that you have not allowed. It would:\n{listed}\n"
        f"If you trust whoever wrote it, allow it with 'dramaturg trust{option}'. Where nobody sits at a terminal, use "
        "--trust or set DRAMATURG_TRUST=1.",
        project=str(project),
        wishes=[wish.sentence for wish in wishes],
    )
