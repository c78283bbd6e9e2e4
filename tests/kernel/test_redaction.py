"""Secrets are removed from text in every spelling, and from nothing else."""

from __future__ import annotations

import base64
import json
import re
import sys
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dramaturg.kernel import redaction
from dramaturg.kernel.redaction import redacted, secrets_in, without_secrets
from dramaturg.kernel.settings import Settings, StoreSettings
from dramaturg.kernel.values import Value

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
        SECRET.replace("d&", "d\n&"),
        SECRET.replace("p", "%70"),
        SECRET.replace("a", "\\u0061"),
        SECRET.replace("w", "\\\\u0077"),
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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("at http://bob@host/a", "at http://***@host/a"),
        ("at http://bob:a/b@c@host/?a=1&api_key=x&b=2", "at http://***@host/?a=1&api_key=***&b=2"),
        ("at http://host:80/a and b@c", "at http://host:80/a and b@c"),
        ("http://host/a@b", "http://host/a@b"),
        ("http://http://bob:b@host", "http://***@host"),
        (f"http://bob:{'x' * 5000}@host", "http://***@host"),
        ("a?x;session-token='a'", "a?x;session-token=***'a'"),
    ],
)
def test_users_and_keys_in_addresses_are_hidden(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


@pytest.mark.parametrize("token", ["http://", "a" * 40 + "://", "://u:", " ://a", "://@ ", "://a:b@"])
def test_each_part_of_a_text_is_looked_at_once(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0

    class Watched:
        def __init__(self, pattern: re.Pattern[str]) -> None:
            self._pattern = pattern

        def search(self, text: str, start: int, end: int = sys.maxsize) -> re.Match[str] | None:
            nonlocal looked_at
            found = self._pattern.search(text, start, end)
            looked_at += (found.end() if found else min(end, len(text))) - start
            return found

    for name in ("_END_OF_USER", "_SPACE"):
        monkeypatch.setattr(redaction, name, Watched(getattr(redaction, name)))
    text = token * 2000
    without_secrets(text)
    assert looked_at <= 3 * len(text)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (Settings, {"env": {"KEY": [SECRET]}}),
        (Settings, {"providers": {"attic": {"key": SECRET}}}),
        (Settings, {"store": {"url": [SECRET]}}),
        (StoreSettings, {"url": [SECRET]}),
    ],
)
def test_no_error_about_settings_quotes_what_was_given(kind: type[Value], given: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refused:
        kind.model_validate(given)
    assert SECRET not in str(refused.value)
