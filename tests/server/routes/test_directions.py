"""The author steers a scene over HTTP."""

from tests.model_server import ModelServer
from tests.server.visitor import Visitor


async def test_a_direction_is_stored_followed_and_listed(guest: Visitor, models: ModelServer) -> None:
    models.hold(at=3)
    run = await guest.play()
    await models.received(3)
    address = f"/v1/runs/{run}/directions"
    sent = await guest.post(address, {"do": "event", "text": "The lights go out."}, headers={"Idempotency-Key": "k"})
    assert (sent.status, sent.json["outcome"], sent.json["number"]) == (202, "waiting", 1)
    again = await guest.post(address, {"do": "event", "text": "The lights go out."}, headers={"Idempotency-Key": "k"})
    assert again.json == sent.json
    other = await guest.post(address, {"do": "end"}, headers={"Idempotency-Key": "k"})
    assert (other.status, other.code) == (409, "ALREADY_USED")
    assert (await guest.post(address, {"do": "end"})).status == 202
    models.release()
    await guest.to_the_end(run)
    await guest.studio.engine.join()
    transcript = (await guest.get(f"/v1/runs/{run}/transcript")).text
    assert transcript.count("[EVENT: The lights go out]") == 1
    assert "ended by the author" in transcript
    listed = (await guest.get(address)).json["directions"]
    assert [(one["direction"]["do"], one["outcome"], one["author"]) for one in listed] == [
        ("event", "followed", "http"),
        ("end", "followed", "http"),
    ]


async def test_what_cannot_be_followed_is_refused_with_the_reason(guest: Visitor, models: ModelServer) -> None:
    models.hold()
    run = await guest.play()
    await models.received(1)
    for body, says in (
        ({"do": "mute", "who": "zoe"}, "'zoe' is nobody of this scene"),
        ({"do": "dance"}, "dance"),
        ({"do": "more", "beats": 0}, "beats"),
        ({"do": "event", "text": ""}, "text"),
        ({"do": "event", "text": "x" * 501}, "text"),
        ({"do": "event", "text": "x", "extra": 1}, "extra"),
        ({"do": "budget"}, "dollars or tokens"),
    ):
        answer = await guest.post(f"/v1/runs/{run}/directions", body)
        assert answer.status == 422, body
        assert answer.code
        assert says in answer.text
    assert (await guest.get(f"/v1/runs/{run}/directions")).json == {"directions": []}
    models.release()
    await guest.to_the_end(run)
    await guest.studio.engine.join()
    ended = await guest.post(f"/v1/runs/{run}/directions", {"do": "end"})
    assert (ended.status, ended.code) == (422, "INVALID_CONFIG")
    assert "has ended; fork it" in ended.text
    assert (await guest.get("/v1/runs/000000000000000000/directions")).status == 404
