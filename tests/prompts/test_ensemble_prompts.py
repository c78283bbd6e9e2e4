"""The prompts of an ensemble, whole, as they go out. `DRAMATURG_SNAPSHOTS=write` writes them anew."""

from pathlib import Path

import pytest

from dramaturg.ensemble.templates import ensemble_template
from tests.ensemble.table import comment, play, scripted
from tests.prompts.test_scene_prompts import check

ONLY_TWO = {f"turn-2/slot-{n}": comment(2 if n != 2 else 1, f"That is well said, says {n}.") for n in range(1, 4)}
VARIABLES = {
    "turn1_response": {"slot_id", "agent_id", "user_message"},
    "turn2_comment_select": {"slot_id", "agent_id", "user_message", "peer_responses"},
    "turn3_reply": {"slot_id", "agent_id", "user_message", "received_comments"},
}


@pytest.mark.parametrize("key", ["turn-1/slot-1", "turn-2/slot-1", "turn-3/slot-2", "turn-3/slot-3"])
async def test_the_request_reads_as_it_did(key: str, tmp_path: Path) -> None:
    model = scripted(ONLY_TWO)
    await play(tmp_path, model, "What is courage, <really>?", audio=False, slots=[1, 2, 3], turn3="all")
    request = next(request for request in model.requests if request.key == key)
    told = request.messages[-1].text
    # The order of the answers is the session's own; in the picture they stand by slot.
    head, *answers = told.split("<answer")
    if answers:
        *rest, last = answers
        last, tail = last.split("</answer>\n", 1)
        tail = tail.replace('{"targetSlotId": 3,', '{"targetSlotId": 2,').replace("one of: 3, 2", "one of: 2, 3")
        told = "<answer".join([head, *sorted([*rest, f"{last}</answer>\n"])]) + tail
    first = f"=== system\n{request.system}\n" if key == "turn-1/slot-1" else ""
    check(f"ensemble-{key.replace('/', '-')}", f"{first}\n=== user\n{told}\n")


@pytest.mark.parametrize(("name", "variables"), VARIABLES.items())
def test_a_template_takes_exactly_the_variables_its_documents_name(name: str, variables: set[str]) -> None:
    assert ensemble_template(name).variables == variables
