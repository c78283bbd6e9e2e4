"""The rows of a batch: read one at a time, and each mistake has its place."""

from __future__ import annotations

import io
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.scenes.batch.row import LONGEST_ROW, BatchRow, ReadRow, RowScenes, open_rows, read_rows
from tests.child import clean_environment, uncounted
from tests.cli.story import SCENE, new_story

MOST_MEGABYTES = 200


def rows_of(data: bytes) -> list[ReadRow]:
    return list(read_rows(io.BytesIO(data), "rows.jsonl"))


def test_blank_lines_a_byte_order_mark_and_windows_line_ends_are_no_rows() -> None:
    text = b'\xef\xbb\xbf{"scene": "a"}\r\n\r\n   \n{"scene": "b", "seed": 2}'
    found = rows_of(text)
    assert [(one.line, one.row and one.row.scene) for one in found] == [(1, "a"), (4, "b")]
    assert found[-1].offset == len(text)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"not json", "line 2, column 1: Expecting value; each line is one JSON object"),
        (b'{"scene": "a"', "line 2, column 14"),
        (b'{"scene": "a", "scene": "b"}', "'scene' stands twice"),
        (b'{"scen": "a"}', "Did you mean 'scene'?"),
        (b'{"seed": 1}', "A row needs a scene."),
        (b'{"scene": "a", "seed": "many"}', "seed"),
        (b'{"scene": "a", "seed": ' + b"9" * 40 + b', "x": 1}', "'x' is not a key"),
        (b"[1, 2]", "line 2: expected keys such as scene and seed; found a list."),
        (b'{"scene": "\xff"}', "line 2, byte 12: not UTF-8 text."),
        (b'"' + b"x" * LONGEST_ROW + b'"', "line 2: longer than 1000 kB"),
        (b"[" * 60 + b"]" * 60, "more than 50 levels"),
    ],
)
def test_a_bad_row_is_named_with_its_line_and_the_rows_beside_it_are_read(line: bytes, said: str) -> None:
    first, bad, last = rows_of(b'{"scene": "a"}\n' + line + b'\n{"scene": "c"}\n')
    assert (first.row, last.row) == (BatchRow(scene="a"), BatchRow(scene="c"))
    assert (bad.line, bad.row, last.line) == (2, None, 3)
    assert bad.problem is not None
    assert "rows.jsonl, line 2" in bad.problem.message
    assert said in bad.problem.message


def test_the_same_row_has_the_same_digest_however_its_keys_stand() -> None:
    one, other, third = rows_of(b'{"scene": "a", "seed": 1}\n{"seed":1,"scene":"a"}\n{"scene": "a", "seed": 2}\n')
    assert one.digest == other.digest != third.digest


def test_a_row_changes_keys_of_its_scene_for_itself_alone(tmp_path: Path) -> None:
    scenes = RowScenes(new_story(tmp_path / "story"))
    plain = scenes.scene_of(BatchRow(scene=SCENE), "line 1")
    changed = scenes.scene_of(
        BatchRow.model_validate({"scene": SCENE, "with": {"max_beats": 3, "setting": "A quay"}}), "line 2"
    )
    assert (changed.max_beats, changed.setting) == (3, "A quay")
    assert changed.model_copy(update={"max_beats": plain.max_beats, "setting": plain.setting}) == plain
    assert scenes.scene_of(BatchRow(scene=SCENE), "line 3") == plain
    whole = scenes.scene_of(BatchRow(scene=plain.model_dump(mode="json", by_alias=True, exclude_defaults=True)), "l")
    assert whole == plain
    with pytest.raises(InvalidConfig, match=r"line 4.*Did you mean 'maxBeats'"):
        scenes.scene_of(BatchRow.model_validate({"scene": SCENE, "with": {"maxBeat": 3}}), "line 4")
    with pytest.raises(NotFound, match="line 5: Scene 'nothing' not found"):
        scenes.scene_of(BatchRow(scene="nothing"), "line 5")
    with pytest.raises(NotFound, match="not found"):
        scenes.scene_of(BatchRow(scene="../../etc/passwd"), "line 6")


def test_a_file_that_is_not_there_or_is_a_folder_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="There is no file"):
        open_rows(tmp_path / "none.jsonl")
    with pytest.raises(InvalidConfig, match="cannot be read"):
        open_rows(tmp_path)


QUICK = textwrap.dedent(
    """
    import asyncio, resource, sys
    from pathlib import Path
    from dramaturg.scenes.batch.play import BatchLimits, BatchPlay
    from dramaturg.scenes.batch.results import BatchResults, RowResult
    from dramaturg.scenes.batch.row import open_rows, read_rows
    from dramaturg.scenes.batch.row_runs import RowRuns

    runs = RowRuns("rows")

    async def play(row, begins):
        assert await begins()
        await asyncio.sleep(0)
        return RowResult(line=row.read.line, run=next(runs.of(row)), outcome="ended"), None

    async def main(rows, results):
        with open_rows(rows) as file, BatchResults(results) as kept:
            loop = BatchPlay(play, kept, BatchLimits(at_once=64), lambda result: None)
            print((await loop.play(read_rows(file, rows.name))).ended)
        with open_rows(rows) as file, BatchResults(results, lambda ended: runs.lines(file, ended)) as kept:
            print(len(kept.finished.runs))
        # Of this program: getrusage would have the most that its parent had, from before it was one.
        print(next(int(row.split()[1]) // 1024 for row in open("/proc/self/status") if row.startswith("VmHWM")))

    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
    """
)


@pytest.mark.timeout(600)
def test_a_hundred_thousand_rows_are_read_as_they_are_played(tmp_path: Path) -> None:
    rows, count = tmp_path / "rows.jsonl", 100_000
    filler = " " * 2_200  # read whole, the file would not fit
    with rows.open("w", encoding="utf-8") as file:
        for number in range(count):
            file.write(f'{{"scene": "the-tide", "seed": {number}}}{filler}\n')
    assert rows.stat().st_size > MOST_MEGABYTES * 2**20
    done = subprocess.run(
        [sys.executable, "-c", QUICK, str(rows), str(tmp_path / "results.jsonl")],
        capture_output=True,
        text=True,
        env=uncounted(clean_environment(tmp_path)),
        check=True,
    )
    first, again, megabytes = done.stdout.splitlines()
    assert (first, again) == (f"{count}", f"{count}")
    assert int(megabytes) < MOST_MEGABYTES
