"""A model's window must hold the prompt and the answer; where it holds only the prompt, the tier is smaller."""

from __future__ import annotations

import pytest

from dramaturg.kernel.models.profiles import profile_of
from dramaturg.workshop.foreman.budgets import BUDGETS
from dramaturg.workshop.foreman.prompt_assembly import tier_of


@pytest.mark.parametrize(("tier", "smaller"), [("full", "medium"), ("medium", "minimal")])
def test_the_room_for_the_answer_counts(tier: str, smaller: str) -> None:
    budget = BUDGETS[tier]
    model = profile_of("openai/gpt-4o").model_copy(update={"tier": tier})
    fits = model.model_copy(update={"context_window": budget.input + budget.reserve})
    assert tier_of(fits) == tier
    for window in (budget.input + budget.reserve - 1, budget.input + 1, budget.input):
        assert tier_of(model.model_copy(update={"context_window": window})) == smaller


def test_the_smallest_tier_is_never_left() -> None:
    model = profile_of("openai/gpt-4o").model_copy(update={"context_window": 1})
    assert tier_of(model) == "minimal"
