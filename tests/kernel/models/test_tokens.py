"""The estimate of tokens against what a real tokenizer counted."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from dramaturg.kernel.models.port import Message
from dramaturg.kernel.models.tokens import estimate_request, estimate_tokens
from tests.model_server.asking import question

COUNTED = tomllib.loads((Path(__file__).parent / "token_counts.toml").read_text(encoding="utf-8"))
TEXTS = {f"{group}.{name}": row for group, rows in COUNTED.items() for name, row in rows.items()}


@pytest.mark.parametrize("name", TEXTS)
def test_the_estimate_is_within_a_tenth_of_the_count(name: str) -> None:
    text, tokens = TEXTS[name]["text"].strip(), TEXTS[name]["tokens"]
    assert len(text) >= 250
    most = 1.20 if TEXTS[name].get("is_high") else 1.10
    assert 0.90 * tokens <= estimate_tokens(text) <= most * tokens


def test_a_request_is_its_system_prompt_and_its_messages() -> None:
    short, long = question("Halt!"), question(messages=(Message("user", "Halt!"), Message("assistant", "Who?")))
    assert estimate_request(long) == estimate_request(short) + estimate_tokens("Who?") + 4


def test_nothing_is_nothing() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") == 1
