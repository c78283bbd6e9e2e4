"""What a chat program is sent: chunks, usage, errors, the list of models; and never what is hidden."""

import json
from pathlib import Path

import openai
import pytest
from openai import AsyncOpenAI

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.model_server import ModelServer
from tests.server.completions.chat_program import PLAYERS, TOKEN, Chat, program, write_house
from tests.server.test_restart import process
from tests.server.visitor import Visitor, served

HELLO = [{"role": "user", "content": "Hello."}]


async def test_a_stream_has_the_role_the_pieces_the_end_and_if_wanted_the_usage(client: AsyncOpenAI) -> None:
    stream = await client.chat.completions.create(
        model="character/mina", messages=HELLO, stream=True, stream_options={"include_usage": True}
    )
    chunks = [one async for one in stream]
    assert chunks[0].choices[0].delta.role == "assistant"
    text = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    assert text == '*She wipes a glass*\n"Answer 1."'
    assert [one.choices[0].finish_reason for one in chunks if one.choices][-1] == "stop"
    assert chunks[-1].choices == []
    assert chunks[-1].usage
    assert chunks[-1].usage.total_tokens == chunks[-1].usage.prompt_tokens + chunks[-1].usage.completion_tokens > 0
    assert len({one.id for one in chunks}) == 1
    assert {one.object for one in chunks} == {"chat.completion.chunk"}


async def test_a_streamed_answer_is_found_again(client: AsyncOpenAI, visitor: Visitor) -> None:
    chat = Chat(client)
    assert "".join(await chat.stream("Hello.")).endswith('Answer 1."')
    await chat.stream("Go on.")
    assert len(await visitor.studio.episodes.sessions(limit=9)) == 1


async def test_a_whole_completion_has_its_usage_and_its_run(client: AsyncOpenAI, models: ModelServer) -> None:
    made = await client.chat.completions.create(model="character/mina", messages=HELLO)
    assert made.usage
    assert made.usage.prompt_tokens > made.usage.completion_tokens > 0
    assert made.choices[0].finish_reason == "stop"
    assert made.id == f"chatcmpl-{made.session}"  # type: ignore[attr-defined]


async def test_nothing_hidden_is_sent(client: AsyncOpenAI, visitor: Visitor) -> None:
    body = {
        "model": "episode/last-orders",
        "messages": HELLO,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    sent = (await visitor.post("/v1/chat/completions", body)).text
    sent += (await visitor.post("/v1/chat/completions", {**body, "stream": False})).text
    assert "Answer 1." in sent
    for hidden in ("SECRET-THOUGHT", "internal", "tension_shift", "completion_eligible", "establishment", "mood"):
        assert hidden not in sent


async def test_an_episode_begins_with_its_setting_and_its_first_words(client: AsyncOpenAI, visitor: Visitor) -> None:
    chat = Chat(client, "episode/last-orders")
    first = await chat.say("Good evening.")
    assert first.startswith("> A bar after closing\n> One lamp is still lit.\n\nWe're closed. Sit down.\n\n*She wipes")
    assert not (await chat.say("Thank you.")).startswith(">")
    assert "The episode is complete" in await chat.say("To you.")
    await chat.say("And now?")
    assert len(await visitor.studio.episodes.sessions(limit=9)) == 1


async def test_fields_that_have_no_effect_are_named_and_do_no_harm(client: AsyncOpenAI) -> None:
    raw = await client.chat.completions.with_raw_response.create(
        model="character/mina", messages=[{"role": "developer", "content": "x"}, *HELLO], temperature=0, max_tokens=1,
        stop=["Answer"], seed=3, tools=[], extra_body={"logit_bias": {}, "nobody_knows": 1},
    )  # fmt: skip
    assert "Answer 1." in (raw.parse().choices[0].message.content or "")
    named = raw.headers["x-dramaturg-ignored"].split(", ")
    assert named == sorted(
        ["temperature", "max_tokens", "stop", "seed", "tools", "logit_bias", "nobody_knows", "messages.developer"]
    )


async def test_text_parts_are_read_and_pictures_are_not(client: AsyncOpenAI, models: ModelServer) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    parts = [{"type": "text", "text": "Who is this?"}, picture]
    asked = [{"role": "user", "content": parts}]
    raw = await client.chat.completions.with_raw_response.create(model="character/mina", messages=asked)
    assert "Who is this?" in str(models.requests[-1].body)
    assert raw.headers["x-dramaturg-ignored"] == "messages.image_url"
    with pytest.raises(openai.UnprocessableEntityError, match="Pictures, files and sound are not read here"):
        await client.chat.completions.create(model="character/mina", messages=[{"role": "user", "content": [picture]}])


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"model": "character/nobody", "messages": HELLO}, 404, "character/mina"),
        ({"model": "gpt-4o", "messages": HELLO}, 404, "The list of models"),
        ({"model": "character/../mina", "messages": HELLO}, 404, "There is no"),
        ({"model": "character/mina", "messages": []}, 422, "messages: expected at least 1 entry."),
        ({"model": "character/mina", "messages": HELLO, "n": 2}, 422, "n: one answer is all there is; leave it out."),
        ({"model": "character/mina", "messages": HELLO, "n": 0}, 422, "n: one answer is all there is; leave it out."),
        ({"model": "character/mina", "messages": [{"role": "user", "content": " "}]}, 422, "text"),
        ({"model": "character/mina"}, 422, "messages: this is missing; add it."),
        ({"model": "character/mina", "messages": [{"role": "user", "content": "x" * 9000}]}, 422, "limit"),
        ({"model": "character/mina", "messages": [{"role": "ghost", "content": "x"}]}, 422, "role"),
    ],
)
async def test_a_mistake_is_an_error_in_openais_form(
    visitor: Visitor, body: dict[str, object], status: int, says: str
) -> None:
    answer = await visitor.post("/v1/chat/completions", body)
    error = answer.json["error"]
    kind = "not_found_error" if status == 404 else "invalid_request_error"
    assert (answer.status, error["type"]) == (status, kind)
    assert says in error["message"]
    assert set(error) == {"code", "message", "context", "type", "param"}
    assert answer.json["success"] is False
    assert await visitor.studio.episodes.sessions(limit=9) == ()


async def test_a_role_that_there_is_not_is_the_only_problem_that_is_listed(visitor: Visitor) -> None:
    body = {"model": "character/mina", "messages": [{"role": "wizard", "content": "x"}]}
    error = (await visitor.post("/v1/chat/completions", body)).json["error"]
    assert [one["where"] for one in error["context"]["problems"]] == ["body.messages.0.role"]
    assert "expected 'system', 'developer', 'user', 'assistant', 'tool' or 'function'" in error["message"]


async def test_an_error_names_the_field_as_the_sdk_reads_it(client: AsyncOpenAI) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as raised:
        await client.chat.completions.create(model="character/mina", messages=HELLO, n=2)
    assert raised.value.param == "n"
    assert raised.value.code == "INVALID_CONFIG"
    assert raised.value.type == "invalid_request_error"


async def test_a_model_that_fails_keeps_what_was_typed_and_the_next_attempt_answers_it(
    client: AsyncOpenAI, visitor: Visitor, models: ModelServer
) -> None:
    models.fault("422", times=9)
    with pytest.raises(openai.APIStatusError) as raised:
        await client.chat.completions.create(model="character/mina", messages=HELLO)
    assert raised.value.status_code in (502, 503)
    stream = await client.chat.completions.create(model="character/mina", messages=HELLO, stream=True)
    with pytest.raises(openai.APIError):
        [one async for one in stream]
    (session,) = await visitor.studio.episodes.sessions(limit=9)
    view = await visitor.studio.episodes.view(session.id)
    assert [one.content for one in view.messages] == ["Hello."]
    models.reset()
    chat = Chat(client, messages=[*HELLO])
    assert "Answer" in await chat.regenerate()
    assert chat.session == session.id


async def test_the_list_has_whom_one_can_talk_to_beside_the_models_of_providers(
    client: AsyncOpenAI, visitor: Visitor
) -> None:
    listed = [one.id async for one in await client.models.list()]
    assert listed == [
        "character/mina", "episode/behind-the-bar", "episode/last-orders", "ensemble/default", "voice/default",
    ]  # fmt: skip
    assert (await client.models.retrieve("character/mina")).id == "character/mina"
    with pytest.raises(openai.NotFoundError):
        await client.models.retrieve("character/nobody")
    assert (await visitor.get("/v1/models")).json["choice"] == "house/character"


async def test_a_player_may_do_with_their_token_what_a_player_may_and_nothing_else(
    tmp_path: Path, models: ModelServer
) -> None:
    house = write_house(tmp_path / "open", models.url, f'{PLAYERS}[server]\ntoken_env = "DRAMATURG_STAGE_DOOR"\n')
    settings = read_settings(house, {"DRAMATURG_STAGE_DOOR": TOKEN}, trust=True)
    async with served(create_app(settings)) as visitor:
        issued = [(await visitor.post("/v1/sessions", {"template": "last-orders"})).json for _ in range(2)]
        keys = [one["player_token"] for one in issued]
        async with program(visitor.url, keys[0]) as anna, program(visitor.url, keys[1]) as ben:
            assert [one.id async for one in await anna.models.list()] == ["episode/last-orders"]
            ours, theirs = Chat(anna, "episode/last-orders"), Chat(ben, "episode/last-orders")
            await ours.say("Hello.")
            await theirs.say("Hello.")
            assert ours.session != theirs.session
            owner = issued[0]["session"]["player"]["id"]
            assert [one.player_id for one in await visitor.studio.episodes.sessions(owner)] == [owner, owner]
            for model in ("character/mina", "ensemble/default", "episode/behind-the-bar"):
                with pytest.raises(openai.NotFoundError):
                    await Chat(anna, model).say("Hello.")
            with pytest.raises(openai.AuthenticationError):
                await anna.audio.speech.create(model="voice/default", voice="alloy", input="Hello.")
        for key in ("wrong", TOKEN + "x", keys[0] + "x"):
            async with program(visitor.url, key) as stranger:
                with pytest.raises(openai.AuthenticationError) as raised:
                    await Chat(stranger, "episode/last-orders").say("Hello.")
                assert raised.value.type == "authentication_error"
        keyless = await visitor.post("/v1/chat/completions", {"model": "episode/last-orders", "messages": HELLO})
        assert (keyless.status, keyless.code) == (401, "PLAYER_TOKEN_REQUIRED")
        assert "which POST /v1/sessions gives to guests" in keyless.json["error"]["message"]
        async with program(visitor.url, TOKEN) as author:
            await Chat(author).say("Hello.")
        refused = await visitor.post("/v1/scenes", {"scene": "x"}, headers={"Authorization": f"Bearer {keys[0]}"})
        assert refused.status == 401


@pytest.mark.parametrize(
    "brought",
    [
        [{"role": role, "content": "Hi."} for _ in range(301) for role in ("user", "assistant")],
        [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "x" * 120_001}],
    ],
    ids=["many", "long"],
)
async def test_a_player_brings_no_more_of_a_conversation_than_can_be_read_at_once(
    tmp_path: Path, models: ModelServer, brought: list[dict[str, str]]
) -> None:
    house = write_house(tmp_path / "open", models.url, f'{PLAYERS}[server]\ntoken_env = "DRAMATURG_STAGE_DOOR"\n')
    settings = read_settings(house, {"DRAMATURG_STAGE_DOOR": TOKEN}, trust=True)
    async with served(create_app(settings)) as visitor:
        issued = (await visitor.post("/v1/sessions", {"template": "last-orders"})).json
        async with program(visitor.url, issued["player_token"]) as anna, program(visitor.url, TOKEN) as author:
            chat = Chat(anna, "episode/last-orders", messages=list(brought))
            with pytest.raises(openai.UnprocessableEntityError, match="too long to be taken in"):
                await chat.say("And now?")
            assert len(await visitor.studio.episodes.sessions(issued["session"]["player"]["id"])) == 1
            await Chat(anna, "episode/last-orders", messages=brought[:1]).regenerate()
            await Chat(author, "episode/last-orders", messages=list(brought)).say("And now?")


async def test_a_players_token_is_no_author_even_where_the_server_asks_for_none(
    tmp_path: Path, models: ModelServer
) -> None:
    async with served(write_house(tmp_path / "open", models.url, PLAYERS)) as visitor:
        key = (await visitor.post("/v1/sessions", {"template": "last-orders"})).json["player_token"]
        async with program(visitor.url, key) as anna:
            with pytest.raises(openai.NotFoundError):
                await Chat(anna).say("Hello.")


async def test_a_program_talks_to_a_server_in_a_process_of_its_own(house: Path) -> None:
    async with process(house) as (_, url), program(url) as client:
        chat = Chat(client)
        assert "Answer 1." in await chat.say("Hello.")
        assert "".join(await chat.stream("Go on.")).endswith('Answer 2."')


async def test_the_rehearsal_company_says_what_it_is(tmp_path: Path) -> None:
    async with served(write_house(tmp_path / "dry", "")) as visitor, program(visitor.url) as client:
        chat = Chat(client)
        assert (await chat.say("Hello.")).startswith("> No model is playing")
        assert not (await chat.say("Who are you?")).startswith(">")
        assert len(await visitor.studio.episodes.sessions(limit=9)) == 1


async def test_an_error_outside_the_protocol_has_the_house_form(visitor: Visitor) -> None:
    assert (await visitor.get("/v1/runs/nobody")).code == "NOT_FOUND"
    broken = await visitor.ask("POST", "/v1/chat/completions", data=b"{", headers={"Content-Type": "application/json"})
    assert broken.json["error"]["type"] == "invalid_request_error"
    large = json.dumps({"model": "character/mina", "messages": HELLO, "pad": "x" * 1_000_001})
    answer = await visitor.ask(
        "POST", "/v1/chat/completions", data=large.encode(), headers={"Content-Type": "application/json"}
    )
    assert (answer.status, answer.json["error"]["code"]) == (413, "CONTENT_TOO_LARGE")
