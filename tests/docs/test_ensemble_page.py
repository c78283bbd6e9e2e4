"""The page on ensembles names every event that a session sends, and no other."""

import re
from pathlib import Path

from dramaturg.ensemble.wire import SENT_EVENTS

PAGE = Path(__file__).parents[2] / "docs" / "ensemble.md"


def test_every_event_of_a_session_has_a_row_in_the_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    table = page.partition("| event | when | carries |")[2].partition("\n\n")[0]
    told = set(re.findall(r"^\| `([\w.]+)`", table, re.MULTILINE))
    assert told == set(SENT_EVENTS.json_schema()["discriminator"]["mapping"])
