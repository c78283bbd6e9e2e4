"""One window for every conversation: the oldest entries go first, by the rule that was asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.prompts.window import Window

WEIGHTS = st.lists(st.integers(0, 50), max_size=40)
WINDOWS = st.builds(
    Window, st.none() | st.integers(0, 40), st.integers(1, 9), st.sampled_from((0.0, 0.25, 0.5, 0.75, 1.0))
)


@pytest.mark.parametrize(
    ("window", "weights", "room", "start"),
    [
        pytest.param(Window(), [5, 5, 5], 15, 0, id="everything fits"),
        pytest.param(Window(), [5, 5, 5], 14, 1, id="one too many"),
        pytest.param(Window(), [5, 5, 50], 14, 3, id="the newest alone does not fit"),
        pytest.param(Window(), [], 0, 0, id="nothing said yet"),
        pytest.param(Window(), [0], -1, 1, id="no room at all"),
        pytest.param(Window(most=2), [1, 1, 1], 15, 1, id="fewer entries than fit"),
        pytest.param(Window(most=0), [1, 1, 1], 15, 3, id="no entries wanted"),
        pytest.param(Window(step=2), [5, 5, 5, 5, 5], 24, 2, id="two at a time"),
        pytest.param(Window(step=8), [5, 5, 5], 14, 3, id="a step beyond the end"),
        pytest.param(Window(share=0.5), [5, 5, 5, 5], 19, 3, id="down to half of the room"),
        pytest.param(Window(share=0), [5, 5, 5, 5], 19, 4, id="start over"),
    ],
)
def test_the_oldest_entries_go_first(window: Window, weights: list[int], room: int, start: int) -> None:
    assert window.newest(weights, room, int) == weights[start:]


@given(WINDOWS, WEIGHTS, st.integers(-10, 500))
def test_what_is_sent_always_fits(window: Window, weights: list[int], room: int) -> None:
    kept = window.newest(weights, room, int)
    assert kept == weights[len(weights) - len(kept) :]
    assert sum(kept) <= max(room, 0)
    assert window.most is None or len(kept) <= window.most


@given(st.lists(st.integers(1, 20), min_size=60, max_size=60))
def test_steps_keep_the_beginning_of_a_growing_conversation(weights: list[int]) -> None:
    kept = [len(Window(step=8).newest(weights[:length], 200, int)) for length in range(61)]
    starts = {length - count for length, count in enumerate(kept)}
    assert starts <= {*range(0, 60, 8), 60}


@given(st.lists(st.integers(1, 20), min_size=60, max_size=60))
def test_a_thread_that_is_cut_to_half_grows_again_for_a_while(weights: list[int]) -> None:
    window, thread, cuts = Window(share=0.5), [], 0
    for weight in weights:
        longer = [*thread, weight]
        thread = list(window.newest(longer, 200, int))
        cuts += len(thread) < len(longer)
    assert cuts <= sum(weights) // 100


def test_only_the_entries_that_may_be_sent_are_weighed() -> None:
    weighed: list[int] = []
    assert Window(most=2).newest([1, 2, 3], 9, lambda entry: weighed.append(entry) or entry) == [2, 3]
    assert weighed == [2, 3]
