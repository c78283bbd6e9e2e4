"""Secrets are removed from text in every spelling, and from nothing else."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.redaction import redacted, secrets_in

SECRET = "pass word&/+=é"


@pytest.mark.parametrize(
    "text",
    [
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        quote(SECRET, safe="").lower(),
        quote_plus(SECRET),
        json.dumps(SECRET)[1:-1],
        SECRET.replace("&", "&amp;"),
        SECRET.encode().hex(),
    ],
)
def test_a_secret_is_hidden_however_it_is_spelled(text: str) -> None:
    assert redacted(f"the key {text} is wrong", [SECRET]) == "the key *** is wrong"


@given(st.binary(max_size=9), st.binary(max_size=9))
def test_a_secret_in_base64_is_hidden_whatever_stands_around_it(before: bytes, after: bytes) -> None:
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        text = redacted(encode(before + SECRET.encode() + after).decode(), [SECRET])
        assert "***" in text
        assert len(text) <= len("***") + 2 * (len(before) + len(after)) + 8


def test_text_without_a_secret_stays_as_it_is() -> None:
    assert redacted("A key is a key.", [SECRET, "another-secret"]) == "A key is a key."


def test_the_secrets_of_an_environment_are_named_ones_and_passwords_in_addresses() -> None:
    env = {
        "HOUSE_KEY": "house-key-1",
        "DRAMATURG_STAGE_DOOR": "stage-door-1",
        "HOME": "some/folder/here",
        "SHORT_TOKEN": "short",
        "HTTPS_PROXY": "http://me:p%40ssword1@proxy:3128",
        "DRAMATURG_STORE_URL": "postgresql://me:data/base@host/stage",
    }
    found = secrets_in(env, "DRAMATURG_STAGE_DOOR")
    assert found == ("house-key-1", "stage-door-1", "p%40ssword1", "p@ssword1", "data/base")
