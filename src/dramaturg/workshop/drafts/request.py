"""What is asked for in a draft."""

from __future__ import annotations

from pydantic import Field

from dramaturg.workshop.works.work import WorkRequest

NAME = "draft"
MOST_VARIANTS = 12
LONGEST_BRIEF = 8000
FEWEST_WORDS, MOST_WORDS = 100, 20_000
DEFAULT_WORDS = 1500


class DraftRequest(WorkRequest):
    """The scene, who writes it and how."""

    target: str = Field(
        "", max_length=200, description="a scene or its scaffold, such as ch04-sc02; the next if not set"
    )
    brief: str = Field("", max_length=LONGEST_BRIEF, description="what should happen, in the writer's words")
    strategies: tuple[str, ...] = Field(
        (), max_length=MOST_VARIANTS, description="ACTION, CHARACTER and BALANCED if not set"
    )
    models: tuple[str, ...] = Field((), max_length=MOST_VARIANTS, description="the configured one if not set")
    words: int | None = Field(
        None, ge=FEWEST_WORDS, le=MOST_WORDS, description="the target; that of the scaffold, or 1,500, if not set"
    )
    base: str = Field("", max_length=80, description="the run of a scene that was performed, to be told as prose")
