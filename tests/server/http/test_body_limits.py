"""How much a JSON body may hold, at every route that takes one, and how little of a wrong one is said again."""

from __future__ import annotations

import gzip
import json

import pytest
from starlette.exceptions import HTTPException

from dramaturg.kernel.values import DEEPEST_DATA, JsonData, Value
from dramaturg.server.http.body_limits import MOST_VALUES, check_size
from tests.server.visitor import Visitor

ROUTES = (
    ("POST", "/v1/sessions"),
    ("POST", "/v1/scenes"),
    ("POST", "/v1/login"),
    ("PUT", "/v1/sessions/00000000000000000a/voice"),
)


class Held(Value):
    one: JsonData


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize(
    "body",
    [
        pytest.param({str(number): 0 for number in range(MOST_VALUES + 1)}, id="keys"),
        pytest.param({"template": [0] * (MOST_VALUES + 1)}, id="a list"),
        pytest.param({"template": [[0] * 10] * (MOST_VALUES // 10)}, id="lists in lists"),
    ],
)
async def test_a_body_of_too_many_values_is_refused_before_it_is_validated(
    method: str, path: str, body: object, visitor: Visitor
) -> None:
    refused = await visitor.ask(method, path, json=body)
    assert (refused.status, refused.code) == (413, "CONTENT_TOO_LARGE")


async def test_a_body_that_is_too_deep_is_refused(visitor: Visitor) -> None:
    refused = await visitor.ask("POST", "/v1/sessions", json={"template": nested(DEEPEST_DATA)})
    assert (refused.status, refused.code) == (400, "BAD_REQUEST")


@pytest.mark.parametrize(("method", "path"), ROUTES)
@pytest.mark.parametrize(
    "body",
    [
        pytest.param({str(number): 0 for number in range(MOST_VALUES)}, id="many keys"),
        pytest.param({"k" * 800_000: 0}, id="a long key"),
        pytest.param({"name": "x", "prompt": "x" * 800_000, "characters": 4}, id="a long text"),
        pytest.param({"name": "x", "characters": {"k" * 800_000: [0]}}, id="a long key inside"),
        pytest.param({"name": "x", "template": ["x" * 90] * MOST_VALUES}, id="many texts"),
    ],
)
async def test_what_is_said_of_a_wrong_body_is_short(method: str, path: str, body: object, visitor: Visitor) -> None:
    data = json.dumps(body, separators=(",", ":")).encode()[:990_000]
    refused = await visitor.ask(method, path, data=data, headers={"Content-Type": "application/json"})
    assert 400 <= refused.status < 500
    assert len(refused.text) < 30_000


def test_a_value_is_counted_and_no_deeper_than_it_may_be() -> None:
    check_size({"a": [1, {"b": nested(DEEPEST_DATA - 4)}]}, 200)
    with pytest.raises(HTTPException, match="nested at most 100 levels deep"):
        check_size({"a": [1, {"b": nested(DEEPEST_DATA)}]}, 200)
    with pytest.raises(HTTPException):
        check_size({"a": [1] * 200}, 200)


def test_a_stored_value_is_not_deeper_than_it_may_be() -> None:
    assert Held.model_validate({"one": nested(DEEPEST_DATA)}).one
    with pytest.raises(ValueError, match="levels inside one another"):
        Held.model_validate({"one": nested(500)})


async def test_a_compressed_body_is_told_that_it_is_compressed(visitor: Visitor) -> None:
    plain = json.dumps({"template": "last-orders"}).encode()
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    refused = await visitor.ask("POST", "/v1/sessions", data=gzip.compress(plain), headers=headers)
    assert (refused.status, refused.code) == (400, "BAD_REQUEST")
    assert "Compressed bodies are not read" in refused.text
    unnamed = {"Content-Type": "application/octet-stream", "Content-Encoding": "gzip"}
    assert "Compressed bodies" in (await visitor.ask("POST", "/v1/sessions", data=b"x", headers=unnamed)).text
    broken = await visitor.ask("POST", "/v1/sessions", data=b"\xff", headers={"Content-Type": "application/json"})
    assert (broken.status, "Compressed" in broken.text) == (400, False)
