"""Readers of what an earlier process wrote or a client hands back: log entries, marks, tokens, holders."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter, ValidationError

from dramaturg.ensemble.events import ENSEMBLE_EVENTS
from dramaturg.episodes.events import EPISODE_EVENTS
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs.holder import Holder
from dramaturg.kernel.runs.performance import Mark
from dramaturg.scenes.events import SCENE_EVENTS
from dramaturg.server.http.player_tokens import PlayerTokens
from dramaturg.server.push.osc import read_address
from dramaturg.workshop.events import FOREMAN_EVENTS
from tests.hostile.fuzz.target import Target, text_of, tokens

TOKENS = PlayerTokens(b"0123456789abcdef")


def _entry(name: str, events: TypeAdapter[Any]) -> Target:
    def read(data: bytes) -> None:
        event = events.validate_json(data)
        assert events.validate_json(events.dump_json(event)) == event, "a written event reads back differently"

    return Target(f"entry-{name}", read, tokens("entry"), allowed=(ValidationError,))


def _mark(data: bytes) -> None:
    mark = Mark.read(text_of(data))
    assert Mark.read(str(mark)) == mark
    assert 0 <= mark.seq < 2**63, "no database has so many entries"


def _holder(data: bytes) -> None:
    holder = Holder.read(text_of(data))
    if holder is not None:
        assert Holder.read(str(holder)) == holder
        holder.may_be_alive()


def _token(data: bytes) -> None:
    text = data.decode("latin-1")
    claim = TOKENS.read(text)
    assert claim is None or not claim.dated or TOKENS.mint(claim.player, claim.token_id) == text


def _osc(data: bytes) -> None:
    host, port = read_address(text_of(data))
    assert host
    assert 0 < port < 65536


TARGETS = (
    _entry("scene", SCENE_EVENTS),
    _entry("episode", EPISODE_EVENTS),
    _entry("ensemble", ENSEMBLE_EVENTS),
    _entry("foreman", FOREMAN_EVENTS),
    Target("mark", _mark, tokens("mark"), allowed=(InvalidConfig,)),
    Target("holder", _holder, tokens("holder"), allowed=()),
    Target("player-token", _token, tokens("player-token"), allowed=()),
    Target("osc-address", _osc, tokens("osc")),
)
