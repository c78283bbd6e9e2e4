"""An answer ends where the model begins a turn of somebody else's, in the marks of any chat template."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.model_notes.own_turn import OwnTurn, own_turn

SAID = "The lamp is good."
CUT = (
    "<|im_start|>user\nYes.",
    "<|im_start|>system\nYes.<|im_end|>\n<|im_start|>assistant\nNo.",
    "<|im_start|>tool\n{}",
    "<|start_header_id|>user<|end_header_id|>\n\nYes.",
    "<|start_header_id|>ipython<|end_header_id|>\n\nYes.",
    "<|start|>user<|message|>Yes.<|end|>",
    "<|start|>functions.look to=assistant<|message|>Yes.",
    "<start_of_turn>user\nYes.<end_of_turn>",
    "<|start_of_role|>user<|end_of_role|>Yes.",
    "<｜User｜>Yes.",
    "<|user|>\nYes.",
    "<|observation|>\nYes.",
    "<|USER_TOKEN|>Yes.",
    "<|im_user|>user<|im_middle|>Yes.",
    "[INST] Yes. [/INST] No.",
    "<<SYS>>\nYes.",
)
KEPT = (
    "The user: who is that?",
    "Human: a robot's word for us.",
    "She [inst]ructed them, [I think].",
    "Nobody types `<|im_start|>user` or `[INST]` in a novel.",
    "A <details> tag, <details><summary>One</summary>Two</details>.",
    "<user> is a tag in no template.",
    "3 < 4 <3 [1] <<FIRE>> <|> <| |>",
    "<start of the pier>",
)
HIDDEN = (
    '<details type="reasoning">SECRET</details>',
    "<details open type='reasoning' done=\"true\"><summary>Thought</summary>\nSECRET\n</details >",
    "<|im_start|>think\nSECRET<|im_end|>",
    "<|start_header_id|>thought<|end_header_id|>SECRET<|eot_id|>",
    "<end_of_turn>",
)


@pytest.mark.parametrize("cut", CUT)
def test_an_answer_ends_where_the_turn_of_somebody_else_begins(cut: str) -> None:
    assert own_turn(f"{SAID}{cut}") == SAID


@pytest.mark.parametrize("words", KEPT)
def test_words_that_only_speak_of_others_stay(words: str) -> None:
    assert own_turn(words) == words


@pytest.mark.parametrize("hidden", HIDDEN)
def test_a_turn_and_details_of_reasoning_are_left_out(hidden: str) -> None:
    assert own_turn(f"{hidden}{SAID}") == SAID
    assert own_turn(f"{SAID}{hidden}{SAID}") == SAID * 2


@pytest.mark.parametrize("mark", ["<|im_start|>assistant\n", "<start_of_turn>model\n"])
def test_the_mark_of_the_own_turn_is_no_part_of_it(mark: str) -> None:
    assert own_turn(f"{mark}{SAID}").strip() == SAID


PIECES = st.sampled_from(
    [
        *("<", "|", "<|im_start|>", "user", "think", "assistant", "<|im_end|>", "|>", "[INST]", "`", "\n", " ", "a"),
        *("<details ", 'type="reasoning"', ">", "</details>", "<|user|>", "<start_of_turn>", "<end_of_turn>", "<<SYS"),
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join), st.integers(1, 9))
def test_the_pieces_of_an_answer_do_not_matter(text: str, size: int) -> None:
    own = OwnTurn()
    passed = "".join(own.feed(text[at : at + size]) for at in range(0, len(text), size))
    assert passed + own.close() == own_turn(text)
