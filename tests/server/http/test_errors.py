"""Every refusal in the one shape, with the right status, and nothing of this machine in it."""

import inspect
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import ASGIApp, Receive, Scope, Send

from dramaturg.kernel import errors
from dramaturg.kernel.errors import DramaturgError, ModelOverloaded, StoreUnavailable
from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.server.app import create_app
from dramaturg.server.http.bodies import ErrorDetail
from dramaturg.server.http.errors import AUTHOR, install_error_handlers, status_of
from dramaturg.server.http.origin_guard import MOST_BYTES
from dramaturg.server.http.redaction import Redactor
from tests.server.visitor import SCENE, Insider, Visitor, inside

TREE = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, DramaturgError)]
NOBODY = "0" * 18
CONTENT = {"role": "user", "content": 4}
WRITTEN = {**SCENE, "name": "on-the-stairs"}


@given(
    message=st.text(st.characters(exclude_categories=())),
    context=st.dictionaries(st.text(st.characters(exclude_categories=())), st.floats() | st.lists(st.floats())),
)
def test_whatever_an_error_holds_can_be_sent(message: str, context: dict[str, Any]) -> None:
    detail = ErrorDetail(code="NOT_FOUND", message=message, context=context)
    assert ErrorDetail.model_validate_json(detail.model_dump_json()) == detail


def test_every_branch_of_the_tree_has_a_status_of_its_own() -> None:
    found = {kind.code: status_of(kind("x")) for kind in TREE if kind is not DramaturgError}
    assert found == {
        "AUTHOR_ERROR": 422,
        "INVALID_CONFIG": 422,
        "CHARACTER_LOAD_ERROR": 422,
        "INVALID_SETTINGS": 422,
        "NOT_TRUSTED": 422,
        "PROMPT_ERROR": 422,
        "ALREADY_USED": 409,
        "FILE_CHANGED": 409,
        "NOTEBOOK_UNAVAILABLE": 422,
        "NOT_FOUND": 404,
        "MODEL_ERROR": 502,
        "MODEL_UNAVAILABLE": 503,
        "MODEL_OVERLOADED": 503,
        "MODEL_TIMEOUT": 503,
        "MODEL_REJECTED": 502,
        "KEY_REJECTED": 502,
        "MODEL_NOT_FOUND": 502,
        "MODEL_UNREADABLE": 502,
        "LINE_UNSPEAKABLE": 422,
        "NO_SUCH_VOICE": 422,
        "NOT_SPOKEN": 409,
        "VOICE_ERROR": 502,
        "VOICE_UNAVAILABLE": 503,
        "VOICE_TIMEOUT": 503,
        "VOICE_REJECTED": 502,
        "VOICE_UNREADABLE": 502,
        "BUDGET_EXCEEDED": 402,
        "PROVIDER_BUSY": 503,
        "STORE_ERROR": 503,
        "STORE_UNAVAILABLE": 503,
        "FENCED": 409,
    }


@pytest.mark.parametrize(
    ("body", "status", "code", "words"),
    [
        ({}, 422, "INVALID_CONFIG", "'name' is missing"),
        ({**WRITTEN, "prompt": " "}, 422, "INVALID_CONFIG", "Scene prompt is required"),
        ({**WRITTEN, "charcters": []}, 422, "INVALID_CONFIG", "Did you mean 'characters'?"),
        ({**WRITTEN, "maxBeats": 0}, 422, "INVALID_CONFIG", "maxBeats"),
        ({**WRITTEN, "seed": 2**63}, 422, "INVALID_CONFIG", "seed"),
        ({**WRITTEN, "name": "../up"}, 422, "INVALID_CONFIG", "cannot name a folder"),
        ({**WRITTEN, "model": 7}, 422, "INVALID_CONFIG", "model"),
        ({**WRITTEN, "model": "nobody/nothing"}, 422, "INVALID_SETTINGS", "nobody"),
        ({**WRITTEN, "model": "anthropic"}, 502, "KEY_REJECTED", "ANTHROPIC_API_KEY"),
        ({**WRITTEN, "characters": ["alice", "zoe"]}, 422, "CHARACTER_LOAD_ERROR", ".claude/agents/zoe.md"),
        ({"scene": "argumant"}, 404, "NOT_FOUND", "Did you mean 'argument'?"),
        ({"scene": "argument", "sed": 1}, 422, "INVALID_CONFIG", "sed"),
        ({"scene": 5}, 422, "INVALID_CONFIG", "scene"),
        ([], 422, "INVALID_CONFIG", "expected keys"),
        ("play", 422, "INVALID_CONFIG", "expected keys"),
        (None, 422, "INVALID_CONFIG", "body"),
    ],
)
async def test_what_cannot_be_played_is_refused_and_leaves_no_run(
    insider: Insider, body: Any, status: int, code: str, words: str
) -> None:
    answer = await insider.post("/v1/scenes", body)
    assert (answer.status, answer.code) == (status, code)
    assert words in answer.json["error"]["message"]
    assert (await insider.get("/v1/runs")).json["runs"] == []


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/nowhere", 404, "NOT_FOUND"),
        ("PUT", "/v1/scenes", 405, "METHOD_NOT_ALLOWED"),
        ("GET", f"/v1/runs/{NOBODY}", 404, "NOT_FOUND"),
        ("GET", f"/v1/runs/{NOBODY}/events", 404, "NOT_FOUND"),
        ("GET", f"/v1/runs/{NOBODY}/transcript", 404, "NOT_FOUND"),
        ("GET", f"/v1/runs/{NOBODY}/result", 404, "NOT_FOUND"),
        ("GET", f"/v1/runs/{NOBODY}/costs", 404, "NOT_FOUND"),
        ("POST", f"/v1/runs/{NOBODY}/cancel", 404, "NOT_FOUND"),
        ("POST", f"/v1/runs/{NOBODY}/resume", 404, "NOT_FOUND"),
        ("DELETE", f"/v1/runs/{NOBODY}", 404, "NOT_FOUND"),
        ("DELETE", "/v1/runs/0000", 404, "NOT_FOUND"),
        ("GET", "/v1/runs/..%2f..%2fetc", 404, "NOT_FOUND"),
        ("GET", f"/v1/runs/{'x' * 5000}", 404, "NOT_FOUND"),
        ("GET", "/v1/runs/%00%0a", 404, "NOT_FOUND"),
        ("GET", "/v1/runs?limit=0", 422, "INVALID_CONFIG"),
        ("GET", "/v1/runs?status=sleeping", 422, "INVALID_CONFIG"),
        ("GET", f"/v1/runs/{NOBODY}/events?after=-1", 422, "INVALID_CONFIG"),
    ],
)
async def test_what_is_not_there_is_refused(insider: Insider, method: str, path: str, status: int, code: str) -> None:
    answer = await insider.ask(method, path)
    assert (answer.status, answer.code) == (status, code)
    assert len(answer.text) < 2000


@pytest.mark.parametrize(
    ("method", "path", "words"),
    [
        ("GET", "/nowhere", "There is nothing at this address."),
        ("GET", "/v1/episods", "There is nothing at this address."),
        ("PUT", "/v1/scenes", "This address does not take PUT."),
        ("POST", "/healthz", "This address does not take POST."),
    ],
)
async def test_an_address_that_is_not_there_is_refused_with_where_to_look(
    insider: Insider, method: str, path: str, words: str
) -> None:
    message = (await insider.ask(method, path)).json["error"]["message"]
    assert message.startswith(words)
    assert "/docs" in message


@pytest.mark.parametrize("path", ["/v1/sessions", "/v1/chat", "/v1/chat/completions", "/v1/host/episodes", "/v1/acts"])
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_json_that_does_not_say_it_is_json_is_refused_for_that_reason(
    insider: Insider, path: str, kind: str
) -> None:
    answer = await insider.ask("POST", path, data=b'{"template": "tea"}', headers={"Content-Type": kind})
    assert (answer.status, answer.code) == (422, "INVALID_CONFIG")
    assert "Content-Type: application/json" in answer.json["error"]["message"]


async def test_the_health_check_answers_a_head_as_well(insider: Insider) -> None:
    assert ((await insider.ask("HEAD", "/healthz")).status, (await insider.get("/healthz")).status) == (200, 200)


@pytest.mark.parametrize(
    ("data", "kind", "status", "words"),
    [
        (b'{"scene": ', "application/json", 422, "not JSON"),
        (b'{"scene": "argument"}', "text/plain", 422, "Content-Type: application/json"),
        (b'"\xfa"', "application/json", 400, "The body cannot be read. Send JSON in UTF-8"),
        (b"[" * 200_000, "application/json", 400, "at most 100 levels deep"),
        (b'{"scene": "' + b"a" * MOST_BYTES + b'"}', "application/json", 413, "1000 kB"),
    ],
)
async def test_a_body_that_cannot_be_read_is_refused(
    insider: Insider, data: bytes, kind: str, status: int, words: str
) -> None:
    answer = await insider.ask("POST", "/v1/scenes", data=data, headers={"Content-Type": kind})
    assert answer.code
    assert answer.status == status
    assert words in answer.json["error"]["message"]


async def test_a_body_of_unknown_length_is_counted_as_it_comes(visitor: Visitor) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(20):
            yield b" " * (MOST_BYTES // 10)

    answer = await visitor.ask("POST", "/v1/scenes", data=pieces(), headers={"Content-Type": "application/json"})
    assert (answer.status, answer.code) == (413, "CONTENT_TOO_LARGE")


async def test_a_foreign_name_for_this_machine_is_not_answered(insider: Insider) -> None:
    for host in ("evil.example", "127.0.0.1.evil.example", ""):
        answer = await insider.get("/v1/runs", headers={"Host": host})
        assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert (await insider.get("/v1/runs", headers={"Host": "localhost:9999"})).status == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://[", "http://localhost.evil.example"])
async def test_a_page_of_another_site_makes_nothing_happen_here(insider: Insider, origin: str) -> None:
    answer = await insider.post("/v1/scenes", {"scene": "argument"}, headers={"Origin": origin})
    assert (answer.status, answer.code) == (403, "FORBIDDEN")
    assert (await insider.get("/v1/runs")).json["runs"] == []


async def test_only_our_own_page_may_and_another_port_is_another_page(insider: Insider) -> None:
    assert await insider.play(headers={"Origin": "http://localhost"})
    for other in ("http://localhost:5173", "http://127.0.0.1", "https://localhost:80", "http://localhost:81"):
        assert (await insider.post("/v1/scenes", {"scene": "argument"}, headers={"Origin": other})).status == 403
        assert (await insider.get("/v1/runs", headers={"Origin": other})).status == 403


async def test_a_server_for_the_network_answers_to_any_name_but_not_to_other_sites(story: Path) -> None:
    async with inside(create_app(read_settings(story, {}), hosts=None)) as insider:
        house = {"Host": "story.example"}
        assert (await insider.get("/v1/runs", headers=house)).status == 200
        own, other = {"Origin": "https://story.example"}, {"Origin": "https://evil.example"}
        assert await insider.play(headers=house | own)
        assert (await insider.post("/v1/scenes", {"scene": "argument"}, headers=house | other)).status == 403


async def test_a_fault_of_ours_is_owned_up_to_without_a_traceback(story: Path) -> None:
    app = create_app(read_settings(story, {}))

    @app.get("/fault")
    async def fault() -> None:
        raise RuntimeError(f"a secret of {story}")

    async with inside(app) as insider:
        answer = await insider.get("/fault")
    assert (answer.status, answer.code) == (500, "INTERNAL")
    assert "secret" not in answer.text


async def test_an_error_keeps_the_place_of_the_project_and_its_keys_to_itself(story: Path) -> None:
    settings = read_settings(story, {"HOUSE_API_KEY": "sk-very-secret"})
    app = create_app(settings)
    place = story / "data" / "dramaturg.db"
    app.add_middleware(SentBy, author=True)

    @app.get("/full")
    async def full() -> None:
        raise StoreUnavailable(f"The store {place}: the disk is full (sk-very-secret).", place=str(place), root=story)

    @app.get("/busy")
    async def busy() -> None:
        raise ModelOverloaded("Too many.", retry_after=2.4, asked=[{"key": "sk-very-secret"}], tries=3)

    async with inside(app) as insider:
        answer, busy_answer = await insider.get("/full"), await insider.get("/busy")
    assert answer.status == 503
    assert answer.json["error"] == {
        "code": "STORE_UNAVAILABLE",
        "message": "The store data/dramaturg.db: the disk is full (***).",
        "context": {"place": "data/dramaturg.db", "root": "the project"},
    }
    assert busy_answer.headers["retry-after"] == "2"
    assert busy_answer.json["error"]["context"] == {"asked": [{"key": "***"}], "tries": 3}


@given(
    before=st.text(alphabet="abc .'(\"=", max_size=12),
    folders=st.lists(st.text(alphabet="abcXYZ09_.", min_size=1, max_size=8), min_size=1, max_size=4),
    after=st.text(alphabet="abc .,;:)", max_size=12),
)
def test_no_absolute_path_leaves_the_house(before: str, folders: list[str], after: str) -> None:
    path = "/" + "/".join(folders) + "/file.db"
    said = Redactor(Settings()).text(f"{before} {path} {after}")
    assert path not in said
    assert "/file.db" not in said
    assert "file.db" in said


@pytest.mark.parametrize("path", ["//srv/share/file.db", "/,a/file.db", "/):/file.db"])
def test_a_strange_absolute_path_does_not_leave_the_house_either(path: str) -> None:
    assert Redactor(Settings()).text(f"It is '{path}'.") == "It is 'file.db'."


def test_addresses_and_relative_paths_stay_readable() -> None:
    for text in (
        "no connection to http://127.0.0.1:8080/v1 (refused)",
        "Ensure .claude/agents/zoe.md exists",
        "3/4 a b/c",
        "it contains '/'",
        "and / or (/), /",
    ):
        assert Redactor(Settings()).text(text) == text


@pytest.mark.parametrize("name", ["p", "story", "story-bible"])
def test_the_name_of_the_project_stays_in_other_words(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = Redactor(Settings(project=Path(name))).text
    for text in ("The story-bible of a story is a paper.", "it is p, not story", "xp/1 and my-story/2", f"a {name}."):
        assert said(text) == text
    assert said(f"'{name}/cards/mina.md' and {tmp_path / name}/a.md") == "'cards/mina.md' and a.md"
    assert (
        said(f"{tmp_path / name} is empty: sqlite:///{tmp_path / name}/x.db") == "the project is empty: sqlite:///x.db"
    )
    assert said(f"It is {tmp_path / name}.") == "It is the project."
    assert said(f"{tmp_path / name}-2/x") == "x"


class SentBy:
    """Marks every request as the author's, or as a player's."""

    def __init__(self, app: ASGIApp, author: bool | None) -> None:
        self._app, self._author = app, author

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app({**scope, AUTHOR: self._author}, receive, send)


@pytest.mark.parametrize("author", [True, False, None])
async def test_only_the_author_is_told_where_the_store_is(author: bool | None, tmp_path: Path) -> None:
    app = FastAPI()
    install_error_handlers(app, read_settings(tmp_path, {}, trust=True))
    app.add_middleware(SentBy, author=author)

    @app.get("/fails")
    async def fails() -> None:
        place = "postgresql://***@127.0.0.1:54399/postgres"
        raise StoreUnavailable(f"The store {place}: it could not be reached.", place=place)

    async with inside(app) as insider:
        answer = await insider.get("/fails")
    assert (answer.status, answer.json["error"]["code"]) == (503, "STORE_UNAVAILABLE")
    assert ("54399" in answer.text) is bool(author)


@pytest.mark.parametrize("author", [True, False])
async def test_only_the_author_is_told_what_a_provider_said(author: bool, tmp_path: Path) -> None:
    app = FastAPI()
    install_error_handlers(app, read_settings(tmp_path, {}, trust=True))
    app.add_middleware(SentBy, author=author)

    @app.get("/fails")
    async def fails() -> None:
        raise errors.KeyRejected("api.example.com refused the key of org-7.", org="org-7")

    async with inside(app) as insider:
        answer = await insider.get("/fails")
    assert (answer.status, answer.json["error"]["code"]) == (502, "KEY_REJECTED")
    assert ("example.com" in answer.text) is author
    assert ("org-7" in answer.text) is author


@pytest.mark.parametrize(
    ("method", "path", "body", "where"),
    [
        ("POST", "/v1/scenes", {"scene": "argument", "seed": "many"}, "body.seed"),
        ("POST", "/v1/chat/completions", {"model": "a", "messages": [CONTENT]}, "body.messages.0.content"),
        ("POST", "/v1/audio/speech", {"model": "voice/default", "input": "Hello.", "voice": 3}, "body.voice"),
        ("GET", "/v1/runs?limit=many", None, "query.limit"),
        ("GET", f"/v1/runs/{NOBODY}/events?after=many", None, "query.after"),
    ],
)  # fmt: skip
async def test_a_problem_is_where_the_client_wrote_it(
    insider: Insider, method: str, path: str, body: Any, where: str
) -> None:
    refused = await insider.ask(method, path, **({"json": body} if body else {}))
    assert refused.status == 422
    assert [one["where"] for one in refused.json["error"]["context"]["problems"]] == [where]
