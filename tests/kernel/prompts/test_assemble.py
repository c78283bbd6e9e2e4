"""Layers and a budget in, a prompt and its receipt out."""

from __future__ import annotations

from hashlib import sha256

import pytest

from dramaturg.kernel.errors import PromptError
from dramaturg.kernel.prompts.assemble import assemble
from dramaturg.kernel.prompts.layers import Layer, Prompt


def words(text: str) -> int:
    return len(text.split())


def fates(prompt: Prompt) -> dict[str, str]:
    return {line.name: line.fate for line in prompt.receipt.layers}


def test_everything_that_fits_goes_out_whole_and_in_order() -> None:
    prompt = assemble(
        [Layer(name="card", text="You are Alice."), Layer(name="goal", text="Make peace.")], 10, count=words
    )
    assert prompt.text == "You are Alice.\n\nMake peace."
    assert (prompt.receipt.tokens, prompt.receipt.budget) == (5, 10)
    assert fates(prompt) == {"card": "whole", "goal": "whole"}
    assert prompt.receipt.omissions == ()
    line = prompt.receipt.layers[0]
    assert (line.tokens, line.wanted, line.sha256) == (3, 3, sha256(b"You are Alice.").hexdigest()[:12])


def test_the_house_counts_by_its_own_estimate_unless_told_otherwise() -> None:
    assert assemble([Layer(name="card", text="You are Alice.")], 1000).receipt.tokens > 0


def test_optional_layers_leave_by_priority_the_lowest_first() -> None:
    layers = [
        Layer(name="lore", text="a b c", required=False, priority=1),
        Layer(name="card", text="You are Alice."),
        Layer(name="memory", text="d e f", required=False, priority=2),
    ]
    prompt = assemble(layers, 6, count=words)
    assert prompt.text == "You are Alice.\n\nd e f"
    assert fates(prompt) == {"lore": "left out", "card": "whole", "memory": "whole"}
    lore = prompt.receipt.omissions[0]
    assert (lore.reason, lore.tokens, lore.wanted) == ("over the budget", 0, 3)
    assert prompt.layer("lore") == ""
    assert prompt.layer("memory") == "d e f"


def test_a_smaller_layer_takes_the_seat_a_larger_one_cannot() -> None:
    layers = [
        Layer(name="card", text="Alice"),
        Layer(name="large", text="a b c d e f", required=False, priority=9),
        Layer(name="small", text="g h", required=False),
    ]
    assert assemble(layers, 4, count=words).text == "Alice\n\ng h"


def test_a_transcript_gives_up_its_oldest_lines() -> None:
    layers = [
        Layer(name="transcript", text="So far:", entries=("one one", "two two", "three three"), priority=1),
        Layer(name="card", text="You are Alice."),
    ]
    prompt = assemble(layers, 9, count=words)
    assert prompt.layer("transcript") == "So far:\ntwo two\nthree three"
    line = prompt.receipt.layers[0]
    assert (line.fate, line.dropped_entries, line.tokens, line.wanted) == ("trimmed", 1, 6, 8)
    assert line.reason == "1 oldest of 3 entries left out"
    assert "transcript: trimmed, 6 tokens" in str(prompt.receipt)


def test_a_transcript_gives_lines_before_a_layer_of_its_rank_leaves() -> None:
    layers = [
        Layer(name="transcript", entries=("one one", "two two")),
        Layer(name="lore", text="a b", required=False),
    ]
    assert assemble(layers, 4, count=words).text == "two two\n\na b"


def test_a_layer_has_a_limit_of_its_own() -> None:
    layers = [
        Layer(name="card", text="Alice"),
        Layer(name="transcript", entries=("a", "b", "c", "d"), max_tokens=2),
        Layer(name="lore", text="a b c", required=False, max_tokens=2),
    ]
    prompt = assemble(layers, 100, count=words)
    assert prompt.text == "Alice\n\nc\nd"
    assert prompt.receipt.omissions[1].reason == "over its own limit"
    with pytest.raises(PromptError, match="'card' needs 3 tokens; its limit is 2"):
        assemble([Layer(name="card", text="a b c", max_tokens=2)], 100, count=words)


def test_a_transcript_with_nothing_in_it_is_left_out() -> None:
    layers = [
        Layer(name="card", text="Alice"),
        Layer(name="transcript", text="So far:", entries=()),
        Layer(name="note", text=" ", required=False),
    ]
    prompt = assemble(layers, 10, count=words)
    assert prompt.text == "Alice"
    assert [line.reason for line in prompt.receipt.omissions] == ["empty", "empty"]


def test_required_layers_that_cannot_fit_say_which_how_much_and_of_what() -> None:
    layers = [Layer(name="card", text="a b c d"), Layer(name="talk", entries=("e", "f", "g"), min_entries=2)]
    with pytest.raises(PromptError) as caught:
        assemble(layers, 5, count=words)
    assert "the layer 'card' needs 4 tokens and the budget is 5 (required: card 4, talk 2)" in str(caught.value)
    assert caught.value.context == {"layer": "card", "tokens": 4, "budget": 5}


@pytest.mark.parametrize(
    ("layers", "budget", "said"),
    [
        ([Layer(name="card", text=" ")], 10, "The required layer 'card' is empty"),
        ([Layer(name="a", text="x"), Layer(name="a", text="y")], 10, "Two layers are called 'a'"),
        ([Layer(name="a", text="x y", required=False)], 1, "Nothing is left of the prompt"),
        ([], 10, "there are none"),
        ([Layer(name="a", text="x")], 0, "cannot be made in 0 tokens"),
    ],
)
def test_a_prompt_that_would_be_empty_or_muddled_is_refused(layers: list[Layer], budget: int, said: str) -> None:
    with pytest.raises(PromptError, match=said):
        assemble(layers, budget, count=words)


def test_a_count_that_weighs_the_whole_above_its_parts_is_obeyed() -> None:
    layers = [Layer(name="talk", entries=tuple("abcdefgh"))]
    prompt = assemble(layers, 10, count=lambda text: words(text) ** 2)
    assert prompt.text == "f\ng\nh"
    assert prompt.receipt.tokens == 9


def test_pieces_already_weighed_are_not_weighed_again() -> None:
    weighed: list[str] = []

    def count(text: str) -> int:
        weighed.append(text)
        return words(text)

    for talk in (("a", "b"), ("a", "b", "c")):
        assemble([Layer(name="card", text="Alice"), Layer(name="talk", entries=talk)], 100, count=count)
    assert weighed.count("Alice") == weighed.count("a") == 1
