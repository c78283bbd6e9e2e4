"""Whose judgement counts: the model a project names for it, else the one that plays, unless it is too small."""

from __future__ import annotations

from dramaturg.kernel.models.profiles import REHEARSAL, ModelProfile


def needs_help(profile: ModelProfile) -> bool:
    """Whether a model plays assisted, and must not judge."""
    return profile.instruction_following == "low"


def who_judges(director: str | None, default: str, profile: ModelProfile) -> tuple[str, str]:
    """The name of the model that judges, and why it is not the default one with this profile; empty if it is.

    Nobody overrules an author who has named a `director`.
    """
    if director or not needs_help(profile):
        return director or default, ""
    return REHEARSAL, f"since {default} is too small to be trusted with it; [models] director names another"
