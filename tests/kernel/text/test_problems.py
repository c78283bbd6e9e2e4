"""Problems in an author's and a client's words."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from dramaturg.kernel.text.problems import real_problems, worded_problem

Numbers = Annotated[tuple[int, ...], Field(min_length=2)]


def problems(value: object) -> list[ErrorDetails]:
    with pytest.raises(ValidationError) as refused:
        TypeAdapter[tuple[int, ...]](Numbers).validate_python(value)
    return refused.value.errors()


def test_a_list_with_a_wrong_entry_is_not_called_too_short_and_a_short_one_is() -> None:
    assert [one["type"] for one in real_problems(problems([1, "x"]))] == ["int_parsing"]
    assert [worded_problem(one) for one in real_problems(problems([1]))] == ["expected at least 2 entries"]


def test_a_list_is_described_as_it_is_written_there() -> None:
    (found,) = problems("two")
    assert worded_problem(found) == "expected a list in brackets, such as [1, 2]"
    assert worded_problem(found, in_json=False) == "expected a list, one entry per line after a dash"
