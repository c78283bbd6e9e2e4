import pytest

from tests.faults.chaos import SERVERS, run
from tests.faults.servers import IN_FLIGHT

LONGEST = 20.0
"""How long a run may be played by nobody, in seconds."""


@pytest.mark.timeout(290)
async def test_whatever_breaks_every_run_ends_every_message_is_there_once_and_no_answer_is_paid_twice() -> None:
    report = await run(runs=3, chats=2, seconds=8, seed=5)
    assert report.faults
    assert report.ends == {"ended": 3}
    assert (report.found, report.acknowledged) == (6, 6)
    assert (report.twice, report.gaps, report.asked_again) == (0, 0, 0)
    assert report.unplayed < LONGEST
    assert 0 <= report.lost <= IN_FLIGHT * SERVERS * report.faults.total()
