"""Laws of prompts: the budget holds, the order holds, nothing vanishes, values are never executed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import PromptError
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.prompts.assemble import assemble
from dramaturg.kernel.prompts.layers import Layer, Prompt
from dramaturg.kernel.prompts.template import load_template

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
ONE_LAYER = st.builds(
    Layer,
    name=st.uuids().map(str),
    text=TEXT,
    entries=st.none() | st.lists(TEXT, max_size=8).map(tuple),
    required=st.booleans(),
    priority=st.integers(-2, 2),
    min_entries=st.integers(1, 3),
    max_tokens=st.none() | st.integers(1, 40),
)
LAYERS = st.lists(ONE_LAYER, max_size=7)
COUNTS = st.sampled_from(
    [
        estimate_tokens,
        len,
        lambda text: len(text.split()),
        lambda text: len(text) ** 2,
        lambda text: len(text) // 7,
    ]
)


def tried(layers: list[Layer], budget: int, count: Callable[[str], int]) -> Prompt | None:
    try:
        return assemble(layers, budget, count=count)
    except PromptError:
        return None


@given(LAYERS, st.integers(-1, 300), COUNTS)
def test_a_prompt_never_exceeds_its_budget(layers: list[Layer], budget: int, count: Callable[[str], int]) -> None:
    prompt = tried(layers, budget, count)
    if prompt:
        assert count(prompt.text) == prompt.receipt.tokens <= budget


@given(LAYERS, st.integers(1, 300), COUNTS)
def test_layers_stay_in_order_and_what_is_missing_is_on_the_receipt(
    layers: list[Layer], budget: int, count: Callable[[str], int]
) -> None:
    prompt = tried(layers, budget, count)
    if not prompt:
        return
    receipt = prompt.receipt
    assert [line.name for line in receipt.layers] == [layer.name for layer in layers]
    sent = {layer.name: layer for layer in prompt.layers}
    assert list(sent) == [line.name for line in receipt.layers if line.fate != "left out"]
    assert prompt.text == "\n\n".join(str(layer) for layer in prompt.layers)
    for layer, line in zip(layers, receipt.layers, strict=True):
        kept = sent.get(layer.name)
        entries = layer.entries or ()
        assert line.dropped_entries == len(entries) - len((kept.entries or ()) if kept else ())
        assert (line.fate == "whole") == (kept == layer)
        assert (line.fate == "whole") == (not line.reason)
        if kept:
            assert entries[line.dropped_entries :] == (kept.entries or ())
        elif layer.required:
            assert line.reason == "empty"


@given(LAYERS)
def test_with_room_enough_only_what_is_empty_or_limited_is_missing(layers: list[Layer]) -> None:
    prompt = tried(layers, 1_000_000, len)
    if prompt:
        limited = {layer.name for layer in layers if layer.max_tokens is not None}
        for line in prompt.receipt.omissions:
            assert line.reason == "empty" or line.name in limited


@given(st.sampled_from(["{{ 7 * 7 }}", "{% raw %}", "{# x #}", "{{ value }}", "{{", "%}", "---\n"]), TEXT)
def test_what_stands_in_a_value_is_never_executed(mark: str, text: str) -> None:
    value = f"{text}{mark}{text}"
    with TemporaryDirectory() as folder:
        Path(folder, "line.md").write_text("---\nvariables: [value]\n---\nA {{ value }} B\n", encoding="utf-8")
        assert load_template(Path(folder), "line").render(value=value) == f"A {value} B"
