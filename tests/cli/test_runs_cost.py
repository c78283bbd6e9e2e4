"""`runs cost`: tokens and money by character and purpose, and by beat."""

import asyncio
import json
from pathlib import Path

from tests.cli.story import new_story, rehearsed, typed
from tests.cli.test_runs_why import dramaturg
from tests.model_server import ModelServer
from tests.scenes.test_kill_and_resume import line_for, project


def test_the_company_costs_nothing_and_the_table_says_who_was_asked(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    run = rehearsed(story)
    rows = [line.split() for line in typed(story, "runs", "cost", run).splitlines()]
    assert rows[0] == ["who", "for", "calls", "input", "cached", "output", "cost"]
    assert {(row[0], row[1]) for row in rows[1:-1]} == {
        ("iris", "acting"),
        ("walter", "acting"),
        ("director", "judging"),
    }
    assert rows[-1][-1] == "$0.00"
    beats = typed(story, "runs", "cost", run, "--beats").splitlines()
    assert [line.split()[0] for line in beats[:3]] == ["beat", "0", "1"]


async def test_tokens_are_the_servers_and_an_unknown_price_is_called_unknown(tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = line_for
        story = project(tmp_path, server.url)
        _, out, _ = await dramaturg("scene", "run", "long", "--project", story, "--json")
        result = json.loads(out.splitlines()[-1])
        _, shown, _ = await dramaturg("runs", "cost", result["run"], "--project", story)
        _, out, _ = await dramaturg("runs", "cost", result["run"], "--json", "--project", story)
    table = json.loads(out)
    assert table["total"]["inputTokens"] + table["total"]["outputTokens"] == result["metadata"]["costs"]["totalTokens"]
    assert table["total"]["usd"] is None
    assert len(table["beats"]) == result["metadata"]["totalBeats"]
    assert shown.splitlines()[-1].split()[-1] == "unknown"
    assert "$" not in shown
