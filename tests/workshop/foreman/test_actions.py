"""Every action of the Foreman has an example that is read as it stands, and is found by its name."""

from __future__ import annotations

from typing import Any

import pytest

from dramaturg.workshop.foreman.actions import ACTIONS, KNOWN, action_named
from dramaturg.workshop.foreman.actions.action import ForemanAction
from dramaturg.workshop.foreman.answer_reader import read_answer


@pytest.mark.parametrize("action", ACTIONS.values(), ids=lambda action: action.name)
def test_the_example_of_an_action_is_read_and_valid(action: ForemanAction[Any]) -> None:
    (asked,) = read_answer(action.example_call, KNOWN).actions
    assert asked.type == action.name
    action.read(asked.params)
    assert set(action.example) <= set(action.parameters)


def test_an_action_is_found_by_its_name_in_each_of_its_modes() -> None:
    for action in ACTIONS.values():
        assert all(action_named(action.name, mode) is action for mode in action.modes)
