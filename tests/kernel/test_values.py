"""What every stored value promises: it is written as it is, and reads back the same."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from dramaturg.ensemble.events import ENSEMBLE_EVENTS
from dramaturg.kernel.models.port import ModelAnswer
from dramaturg.kernel.runs.events import ModelAnswered
from dramaturg.kernel.values import JsonData, Value
from dramaturg.workshop.foreman.answer import ActionRequest

ENDLESS = (math.inf, -math.inf, math.nan)
JSON: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


class Noted(Value):
    told: Mapping[str, JsonData]


@pytest.mark.parametrize("cost", ENDLESS)
def test_a_price_without_an_end_is_no_price(cost: float) -> None:
    with pytest.raises(ValidationError, match="finite number"):
        ModelAnswer(text="Good evening.", model="house", cost_usd=cost)


@pytest.mark.parametrize("cost", ["1e999", "-1e999", "NaN", "Infinity"])
def test_a_log_entry_with_a_price_without_an_end_is_not_read_as_another_price(cost: str) -> None:
    entry = ModelAnswered(
        key="1", purpose="acting", answer=ModelAnswer(text="Good evening.", model="house", cost_usd=0.25)
    )
    written = ENSEMBLE_EVENTS.dump_json(entry)
    assert ENSEMBLE_EVENTS.validate_json(written) == entry
    with pytest.raises(ValidationError, match="finite number"):
        ENSEMBLE_EVENTS.validate_json(written.replace(b"0.25", cost.encode()))


@given(told=st.dictionaries(st.text(max_size=3), JSON, max_size=3))
def test_json_of_any_form_reads_back_as_it_is_held(told: dict[str, JsonValue]) -> None:
    value = Noted(told=told)
    assert Noted.model_validate_json(value.model_dump_json()) == value


def test_what_a_model_wrote_as_no_number_is_nothing_and_the_rest_of_its_action_stays() -> None:
    asked = ActionRequest(type="plan_scene", params={"scene": 3, "words": math.inf, "beats": [1, math.nan, {"x": 2.5}]})
    assert asked.params == {"scene": 3, "words": None, "beats": [1, None, {"x": 2.5}]}
