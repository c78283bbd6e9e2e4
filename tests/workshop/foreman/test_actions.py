"""Every action of the Foreman has an example that is read as it stands, and what is not there yet is no action."""

from __future__ import annotations

from typing import Any

import pytest

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions import ACTIONS, KNOWN, NOT_YET, action_named
from dramaturg.workshop.foreman.actions.action import ForemanAction
from dramaturg.workshop.foreman.answer_reader import read_answer


@pytest.mark.parametrize("action", ACTIONS.values(), ids=lambda action: action.name)
def test_the_example_of_an_action_is_read_and_valid(action: ForemanAction[Any]) -> None:
    (asked,) = read_answer(action.example_call, KNOWN).actions
    assert asked.type == action.name
    action.read(asked.params)
    assert set(action.example) <= set(action.parameters)


def test_what_is_there_is_not_called_absent() -> None:
    for action in ACTIONS.values():
        assert action_named(action.name, next(iter(action.modes))) is action
    for name in NOT_YET:
        with pytest.raises(InvalidConfig, match="not there yet"):
            action_named(name, Mode.EDITOR)
