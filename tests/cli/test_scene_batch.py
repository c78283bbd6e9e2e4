"""`scene batch`: many scenes from one file, and the same command goes on."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

from tests import warm
from tests.cli.story import SCENE, new_story, typed
from tests.model_server import ModelServer
from tests.scenes.test_kill_and_resume import answers_in, line_for, project


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path / "story")


def rows_in(folder: Path, *rows: object, name: str = "rows.jsonl") -> str:
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(folder / name)


def played(story: Path, *words: str, code: int = 0) -> tuple[list[dict[str, object]], dict[str, object]]:
    """The results and the summary that the command prints."""
    lines = typed(story, "scene", "batch", *words, "--model", "rehearsal", "--json", code=code).splitlines()
    *results, summary = map(json.loads, lines)
    return results, summary


def test_rows_are_ordinary_runs_with_a_line_of_results_each(story: Path, tmp_path: Path) -> None:
    file = rows_in(tmp_path, {"scene": SCENE, "seed": 3}, {"scene": SCENE, "seed": 4, "key": "mine"})
    results, summary = played(story, file)
    assert summary == {
        "finished": 2, "skipped": 0, "goalAchieved": 2, "failures": {}, "tokens": 0, "usd": 0.0,
        "results": str(story / "data" / "batches" / "rows" / "results.jsonl"), "stopped": None,
    }  # fmt: skip
    assert sorted((one["line"], one["key"], one["seed"], one["outcome"]) for one in results) == [
        (1, "", 3, "ended"),
        (2, "mine", 4, "ended"),
    ]
    stored = [json.loads(line) for line in Path(str(summary["results"])).read_text().splitlines()]
    assert stored == results
    for one in results:
        assert (story / "data" / str(one["folder"]) / "transcript.txt").exists()
        assert str(one["run"]) in typed(story, "runs", "list", "--json")


def test_the_same_command_plays_only_what_is_new_and_what_failed(story: Path, tmp_path: Path) -> None:
    file = rows_in(tmp_path, {"scene": SCENE, "seed": 1}, {"scene": "nothing"}, "no row", {"scene": SCENE, "seed": 2})
    results, summary = played(story, file, code=2)
    assert summary["failures"] == {"NOT_FOUND": 1, "INVALID_CONFIG": 1}
    refused = {one["line"]: one["problem"] for one in results if one["outcome"] == "refused"}
    assert "rows.jsonl, line 2: Scene 'nothing' not found" in refused[2]
    assert "rows.jsonl, line 3, column 1" in refused[3]
    rows_in(tmp_path, {"scene": SCENE, "seed": 9}, {"scene": SCENE, "seed": 1}, {"seed": 2, "scene": SCENE})
    later, after = played(story, file)
    assert [(one["line"], one["seed"]) for one in later] == [(1, 9)]
    assert (after["finished"], after["skipped"]) == (3, 2)
    assert played(story, file, "--name", "anew")[1]["skipped"] == 0
    shown = typed(story, "scene", "batch", file, "--model", "rehearsal")
    assert "3 rows played, 3 of them before" in shown


def test_results_can_go_elsewhere_and_into_a_parquet_table(story: Path, tmp_path: Path) -> None:
    import pyarrow.parquet

    file = rows_in(tmp_path, {"scene": SCENE}, {"scene": SCENE}, {"scene": "nothing"})
    table = tmp_path / "out" / "table.parquet"
    _, summary = played(story, file, "--out", str(tmp_path / "r.jsonl"), "--parquet", str(table), code=2)
    assert summary["results"] == str(tmp_path / "r.jsonl")
    rows = pyarrow.parquet.read_table(table).to_pylist()
    stored = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert rows == stored
    assert len({row["run"] for row in rows}) == 3  # two runs, and none


def test_without_the_library_for_parquet_one_sentence_says_so_before_anything_is_played(
    story: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    file = rows_in(tmp_path, {"scene": SCENE})
    said = typed(story, "scene", "batch", file, "--parquet", str(tmp_path / "t.parquet"), code=2)
    assert said.count("\n") == 1
    assert "pip install '.[parquet]'" in said
    assert typed(story, "runs", "list", "--json") == ""


def test_what_cannot_be_a_batch_is_refused(story: Path, tmp_path: Path) -> None:
    assert "There is no file" in typed(story, "scene", "batch", str(tmp_path / "none.jsonl"), code=2)
    file = rows_in(tmp_path, {"scene": SCENE})
    assert "--budget 'much' is no budget" in typed(story, "scene", "batch", file, "--budget", "much", code=2)
    assert "--budget '20.000' can be read in two" in typed(story, "scene", "batch", file, "--budget", "20.000", code=2)
    assert "cannot name a folder" in typed(story, "scene", "batch", file, "--name", "../up", code=2)
    empty = rows_in(tmp_path, "", name="empty.jsonl")
    assert played(story, empty)[1]["finished"] == 0


def test_results_never_replace_the_rows_or_a_file_of_something_else(story: Path, tmp_path: Path) -> None:
    file = rows_in(tmp_path, {"scene": SCENE})
    (tmp_path / "link.jsonl").symlink_to(file)
    diary = tmp_path / "diary.txt"
    diary.write_text("Dear diary", encoding="utf-8")
    before = Path(file).read_text(encoding="utf-8")
    for option in ("--out", "--parquet"):
        for out in (file, f"{tmp_path}/../{tmp_path.name}/rows.jsonl", str(tmp_path / "link.jsonl")):
            assert "is the same file as" in typed(story, "scene", "batch", file, option, out, code=2)
        said = typed(story, "scene", "batch", file, option, str(diary), code=2)
        assert said.count("\n") == 1
        assert f"another file with {option}" in said
    assert (Path(file).read_text(encoding="utf-8"), diary.read_text(encoding="utf-8")) == (before, "Dear diary")
    assert typed(story, "runs", "list", "--json") == ""


def test_a_changed_file_has_the_results_of_its_rows_and_no_others(story: Path, tmp_path: Path) -> None:
    one, two, three = ({"scene": SCENE, "seed": seed} for seed in (1, 2, 3))
    file = rows_in(tmp_path, one, two)
    first, summary = played(story, file)
    rows_in(tmp_path, three, two)
    played(story, file)
    stored = [json.loads(line) for line in Path(str(summary["results"])).read_text().splitlines()]
    assert sorted((result["line"], result["seed"]) for result in stored) == [(1, 3), (2, 2)]
    gone = next(result["run"] for result in first if result["seed"] == 1)
    assert str(gone) in typed(story, "runs", "list", "--json")
    rows_in(tmp_path, two, one)
    assert played(story, file)[0][0]["run"] == gone


async def batch(*words: str | Path) -> asyncio.subprocess.Process:
    return await warm.start(
        "-m", "dramaturg", "scene", "batch", *map(str, words), "--json",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip


async def test_a_killed_batch_goes_on_and_no_answered_request_is_asked_again(tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = line_for
        story = project(tmp_path / "story", server.url)
        file = rows_in(tmp_path, *({"scene": "long", "seed": seed, "with": {"maxBeats": 2}} for seed in range(5)))
        server.hold(at=17)  # the third row is under way
        first = await batch(file, "--project", story, "--at-once", "1")
        await server.received(17)
        await answers_in(story / "data" / "dramaturg.db", 16)
        first.send_signal(signal.SIGKILL)
        await first.wait()
        asked = len(server.requests)
        server.release()
        out, err = await (await batch(file, "--project", story, "--at-once", "2")).communicate()
        *results, summary = map(json.loads, out.splitlines())
        assert (summary["finished"], summary["failures"]) == (5, {}), err.decode()
        assert len(server.requests) - asked + 16 == 5 * 6
        assert summary["skipped"] + len(results) == 5
        requests = len(server.requests)
        again, _ = await (await batch(file, "--project", story)).communicate()
        assert json.loads(again)["skipped"] == 5
        assert len(server.requests) == requests


async def test_a_dead_provider_stops_the_batch_and_its_rows_are_played_anew_later(tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = line_for
        story = project(tmp_path / "story", server.url)
        settings = story / "dramaturg.toml"
        settings.write_text(settings.read_text().replace("[scenes]", "retries = 0\n[scenes]"), encoding="utf-8")
        file = rows_in(tmp_path, *({"scene": "long", "seed": seed, "with": {"maxBeats": 2}} for seed in range(9)))
        server.fault("500", times=10_000)
        done = await batch(file, "--project", story, "--at-once", "1", "--failures", "2")
        out, err = await done.communicate()
        *results, summary = map(json.loads, out.splitlines())
        assert done.returncode == 3, err.decode()
        assert len(results) == 2
        assert "2 rows failed with MODEL_UNAVAILABLE" in summary["stopped"]
        server.reset()
        server.reply = line_for
        out, err = await (await batch(file, "--project", story)).communicate()
        *results, summary = map(json.loads, out.splitlines())
        assert (summary["finished"], summary["failures"]) == (9, {}), err.decode()
        assert len({one["run"] for one in results}) == 9


async def test_a_budget_in_dollars_plays_no_row_whose_price_is_unknown(tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = line_for
        story = project(tmp_path / "story", server.url)
        file = rows_in(tmp_path, {"scene": "long", "with": {"maxBeats": 1}}, {"scene": "long", "seed": 2})
        for _ in range(2):
            done = await batch(file, "--project", story, "--budget", "$0.01")
            out, err = await done.communicate()
            *results, summary = map(json.loads, out.splitlines())
            assert (done.returncode, summary["failures"]) == (2, {"INVALID_SETTINGS": 2}), err.decode()
            assert all("is unknown" in one["problem"] and one["run"] == "" for one in results)
        assert server.requests == []


async def test_two_people_play_one_batch_and_each_row_is_played_once(tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = line_for
        story = project(tmp_path / "story", server.url)
        file = rows_in(tmp_path, *({"scene": "long", "seed": seed, "with": {"maxBeats": 2}} for seed in range(6)))
        server.hold(at=4)
        outs = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
        people = [await batch(file, "--project", story, "--at-once", "3", "--out", out) for out in outs]
        await server.received(4)
        while not all(out.exists() for out in outs):
            await asyncio.sleep(0.01)
        late = await batch(file, "--project", story, "--out", outs[0])
        said, _ = await late.communicate()
        assert late.returncode == 5
        assert b"one.jsonl is being written by another command" in said
        server.release()
        for person, out in zip(people, outs, strict=True):
            printed, err = await person.communicate()
            summary = json.loads(printed.splitlines()[-1])
            assert (person.returncode, summary["finished"], summary["failures"]) == (0, 6, {}), err.decode()
            assert sorted(json.loads(line)["line"] for line in out.read_text().splitlines()) == [1, 2, 3, 4, 5, 6]
        assert len(server.requests) == 6 * 6
