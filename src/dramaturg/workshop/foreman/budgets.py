"""How much of a prompt each layer may take, by tier."""

from __future__ import annotations

from collections.abc import Mapping

from dramaturg.kernel.models.profiles import Tier
from dramaturg.kernel.values import Value


class TierBudget(Value):
    """The token budget of each layer, and how many turns are included."""

    identity: int
    process_map: int
    mode_rules: int
    session_state: int
    protocols: int
    conversation: int
    user_message: int
    reserve: int
    turns: int

    @property
    def input(self) -> int:
        parts = (self.identity, self.process_map, self.mode_rules, self.session_state, self.protocols)
        return sum(parts) + self.conversation + self.user_message


BUDGETS: Mapping[Tier, TierBudget] = {
    "full": TierBudget(
        identity=500, process_map=1000, mode_rules=800, session_state=800, protocols=800,
        conversation=4000, user_message=500, reserve=4000, turns=10,
    ),
    "medium": TierBudget(
        identity=500, process_map=400, mode_rules=600, session_state=400, protocols=600,
        conversation=2000, user_message=500, reserve=2000, turns=5,
    ),
    "minimal": TierBudget(
        identity=200, process_map=0, mode_rules=300, session_state=150, protocols=200,
        conversation=500, user_message=500, reserve=1000, turns=2,
    ),
}  # fmt: skip
LOOKED_UP: Mapping[Tier, int] = {"full": 2000, "medium": 1000, "minimal": 400}
"""The token budget for what notebooks brought in a turn, on top of the other layers."""
SCENE_TEXT: Mapping[Tier, int] = {"full": 3000, "medium": 1200, "minimal": 400}
"""The token budget for the prose that is worked on, on top of the other layers."""
ELSEWHERE: Mapping[Tier, int] = {"full": 1200, "medium": 500, "minimal": 200}
"""The token budget for passages of other scenes that the message speaks of, on top of the other layers."""
LARGER: Mapping[Tier, Tier] = {"minimal": "medium", "medium": "full"}
