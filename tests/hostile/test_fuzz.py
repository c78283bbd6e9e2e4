"""Every reader of what we did not write, fuzzed: a seeded sample here, more in `make test-hostile` and by hand."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.hostile.fuzz.campaign import CORPUS, Campaign, corpus_of, minimized, tried
from tests.hostile.fuzz.loop import close
from tests.hostile.fuzz.mutations import LONGEST, mutated
from tests.hostile.fuzz.target import Target
from tests.hostile.fuzz.targets import TARGETS

LONG = bool(os.environ.get("DRAMATURG_HOSTILE"))


@pytest.fixture(autouse=True, scope="module")
def _closed() -> Iterator[None]:
    yield
    close()


@pytest.mark.parametrize("name", TARGETS)
def test_a_reader_survives_what_was_found_before_and_a_seeded_campaign(name: str) -> None:
    target = TARGETS[name]
    campaign = Campaign(target)
    campaign.run(iterations=target.long if LONG else target.short)
    findings = [minimized(target, finding, most_tries=60) for finding in campaign.findings.values()]
    assert not findings, "\n".join(f"{finding}\n  all of it: {finding.data!r}" for finding in findings)


def test_every_target_has_a_corpus_and_every_corpus_a_target() -> None:
    folders = {path.name for path in CORPUS.iterdir()}
    assert folders == set(TARGETS)
    assert all(len(corpus_of(name)) > 1 for name in TARGETS)


def test_the_same_seed_gives_the_same_campaign() -> None:
    inputs: list[list[bytes]] = []
    for _ in range(2):
        seen: list[bytes] = []
        Campaign(Target("mark", seen.append)).run(iterations=60)
        inputs.append(seen)
    assert inputs[0] == inputs[1]
    assert len(set(inputs[0])) > 40


def test_a_reader_that_raises_something_else_is_found_and_its_input_shortened() -> None:
    def read(data: bytes) -> None:
        if b"{" in data:
            raise KeyError("brace")

    target = Target("server-sent", read)
    campaign = Campaign(target)
    campaign.run(iterations=200)
    (finding,) = campaign.findings.values()
    assert minimized(target, finding).data == b"{"


def test_a_quadratic_reader_is_found_by_the_lines_it_executes() -> None:
    from dramaturg.kernel.text.words import words

    def read(data: bytes) -> None:
        for end in range(len(data)):
            words(data[:end].decode("latin-1"))

    _, finding = tried(Target("quadratic", read, lines_per_byte=1, base_bytes=0), b"word " * 200)
    assert finding is not None
    assert "lines executed" in finding.what


def test_an_expression_that_backtracks_for_ever_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    import re

    from tests.hostile.fuzz import watch

    monkeypatch.setattr(watch, "CPU_SECONDS", 0.05)
    _, finding = tried(Target("backtracks", lambda data: re.match(rb"(a+)+$", data)), b"a" * 60 + b"!")
    assert finding is not None
    assert "CPU time" in finding.what


def test_mutations_stay_short_and_keep_json_json_half_of_the_time() -> None:
    import json
    from random import Random

    random, whole = Random(1), b'{"a": [1, {"b": "c"}], "d": null}'
    made = [mutated(random, whole, [whole], (b"{",)) for _ in range(400)]
    assert max(map(len, made)) <= LONGEST
    assert sum(_is_json(json, data) for data in made) > 150


def _is_json(json, data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
