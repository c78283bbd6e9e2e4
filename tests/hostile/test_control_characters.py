"""Control characters in other people's text are shown, never obeyed: on the terminal, in files and in logs."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text
from typer.testing import CliRunner

from dramaturg.cli.app import app
from dramaturg.cli.console import VisibleConsole
from dramaturg.episodes.answer_stream import AnswerReader
from dramaturg.kernel.errors import ModelUnavailable
from dramaturg.kernel.text.control import plain, visible, visible_json
from dramaturg.kernel.text.escape import unescaped
from dramaturg.scenes.response import parse_response
from dramaturg.server.uvicorn_server import VisibleFormatter
from tests import warm
from tests.child import clean_environment
from tests.cli.story import new_story, typed
from tests.model_server import Asked, ModelServer

SEQUENCES = {
    "colour": "\x1b[31mred\x1b[0m",
    "clear": "\x1b[2J\x1b[H",
    "title": "\x1b]0;owned\x07",
    "link": "\x1b]8;;http://evil.example\x1b\\text\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;cm0gLXJm\x07",
    "device": "\x1bP+q544e\x1b\\",
    "eight-bit": "\x9b2J\x9d52;c;eA==\x9c\x90q\x9c",
    "overwrite": "safe\rEVIL\x08\x08\x7f",
    "override": "\u202egnp.exe\u202c",
    "isolate": "\u2066a\u2069\u2067b\u2069",
    "annotation": "\ufff9a\ufffab\ufffb",
    "zero": "a\x00b\x0e\x0f\x1a\x04",
}
EVERYTHING = " ".join(SEQUENCES.values())
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]")
KEPT = (
    "👩‍👩‍👧",
    "❤️",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "é",
    "נֹחַ",
    "مرحبا\u200f",
    "a\u200eb",
    "नमस्\u200dते",
    "می\u200cخواهم",
    "line\nline\ttab",
    "\ufeff",
)


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_sequence_is_shown_or_removed(name: str) -> None:
    text = SEQUENCES[name]
    assert not OBEYED.search(visible(text))
    assert not OBEYED.search(plain(text))
    assert json.loads(visible_json(json.dumps(text, ensure_ascii=False))) == text
    assert not OBEYED.search(visible_json(json.dumps(text, ensure_ascii=False)))


def test_an_escape_is_written_out() -> None:
    assert visible("\x1b[31m\u202e\x9b\r\nx\ry") == "\\x1b[31m\\u202e\\x9b\nx\\x0dy"


@pytest.mark.parametrize("text", KEPT)
def test_what_languages_and_emoji_need_stays(text: str) -> None:
    assert (plain(text), visible(text)) == (text, text)


@given(st.lists(st.text(st.sampled_from(EVERYTHING + "\ud800é👩‍ \n\t")), max_size=6))
def test_pieces_of_a_stream_give_what_the_whole_gives(pieces: list[str]) -> None:
    assert "".join(map(plain, pieces)) == plain("".join(pieces))
    assert not OBEYED.search("".join(map(plain, pieces)))
    plain("".join(pieces)).encode()
    visible("".join(pieces)).encode()


def test_a_console_shows_them_in_text_tables_and_markup_and_keeps_its_own_colours() -> None:
    console = VisibleConsole(force_terminal=True, width=300, highlight=False)
    table = Table(box=None)
    table.add_column(Text(EVERYTHING))
    table.add_row(Text(EVERYTHING, style="red"), EVERYTHING.replace("[", "\\["))
    with console.capture() as said:
        console.print(Text(EVERYTHING, style="bold"), soft_wrap=True)
        console.print(table)
        console.print(EVERYTHING, markup=False, end="")
    ours = re.sub(r"\x1b\[[\d;]*m", "", said.get())
    assert ours != said.get()
    assert not OBEYED.search(ours)
    assert "\\x1b]52;c;" in ours


def test_a_line_of_the_servers_log_shows_them_down_to_the_traceback() -> None:
    try:
        raise ModelUnavailable(EVERYTHING)
    except ModelUnavailable:
        record = logging.LogRecord("uvicorn", logging.ERROR, "", 1, f"{EVERYTHING} %s", (EVERYTHING,), sys.exc_info())
    line = VisibleFormatter("%(levelprefix)s %(message)s", use_colors=False).format(record)
    assert line.count("\\x1b]52") >= 3
    assert not OBEYED.search(line)


def answer(asked: Asked) -> str:
    """An answer in every format that is asked for, with the sequences raw, and as JSON escapes where it is JSON."""
    if "natural_end" in asked.prompt:
        return json.dumps({"goals": [], "confidence": 0.1, "natural_end": False, "reason": EVERYTHING})
    if "json" in asked.prompt.lower() and "TONE" not in asked.prompt:
        return json.dumps(
            {"dialogue": f"Hello {EVERYTHING}", "text": EVERYTHING, "answer": EVERYTHING, "message": EVERYTHING}
        )
    return f'[TONE: calm{SEQUENCES["colour"]}] "I say {EVERYTHING} to you."'


async def run(story: Path, *words: str, keys: str = "") -> str:
    """Both outputs of a command, run as a person would, through a pipe."""
    child = await warm.start(
        "-m", "dramaturg", *words, "--project", str(story),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        env=clean_environment(story.parent),
    )  # fmt: skip
    out, _ = await child.communicate(keys.encode())
    return out.decode()


@pytest.fixture
def story(tmp_path: Path) -> Path:
    made = new_story(tmp_path / "story")
    scene = {"prompt": "They argue. Scene goal: Iris apologizes.", "characters": ["iris", "walter"], "maxBeats": 2}
    (made / "scenes" / "brief.json").write_text(json.dumps(scene), encoding="utf-8")
    return made


def connect(story: Path, url: str) -> None:
    (story / "dramaturg.toml").write_text(
        '[models]\ndefault = "house/m"\ndirector = "house/m"\n[scenes]\npace = 0\nagent = "direct"\n'
        f'[providers.house]\nprotocol = "openai"\nbase_url = "{url}/v1"\n',
        encoding="utf-8",
    )


async def test_nothing_a_model_answers_is_obeyed_by_a_terminal_or_left_in_a_file(story: Path) -> None:
    async with ModelServer() as server:
        server.reply = answer
        connect(story, server.url)
        said = {
            "scene": await run(story, "scene", "run", "brief"),
            "chat": await run(story, "episode", "play", "tea-with-walter", keys="Hello.\nAnd?\n"),
            "foreman": await run(story, "foreman", "chat", "What now?", "--thinking"),
            "ensemble": await run(story, "ensemble", "ask", "What is courage?", "--no-audio", "--slots", "2"),
        }
        asked = len(server.requests)
    runs = [json.loads(line) for line in (await asyncio.to_thread(typed, story, "runs", "list", "--json")).splitlines()]
    assert {one["kind"] for one in runs} == {"scene", "episode", "foreman", "ensemble"}
    for one in runs:
        for more in ([], ["--debug"], ["--json"], ["--debug", "--json"]):
            shown = await asyncio.to_thread(typed, story, "runs", "show", one["id"], *more)
            said[f"{one['kind']} {more}"] = shown
    assert asked > 6
    assert not {name: found[0] for name, text in said.items() if (found := OBEYED.findall(text))}
    assert "I say" in said["scene"]
    files = [path for path in (story / "data").rglob("*") if path.suffix in (".txt", ".log")]
    assert {path.name for path in files} >= {"transcript.txt", "debug.log"}
    assert not [path.name for path in files if OBEYED.search(path.read_text(encoding="utf-8"))]


async def test_what_a_provider_says_when_it_fails_is_shown(story: Path) -> None:
    async with ModelServer() as server:
        server.fault("400", times=50)
        connect(story, server.url)
        said = await run(story, "ensemble", "ask", f"What is {EVERYTHING.replace(chr(0), '')}?", "--no-audio")
    assert not OBEYED.search(said)


@pytest.mark.parametrize("name", ["\x1b[31mred", "\u202egnp", "a\x07b", "\x9b2J"])
def test_a_name_of_a_file_and_an_argument_are_shown(name: str, story: Path) -> None:
    (story / "episodes" / f"{name}.yaml").write_text(f"name: {json.dumps(name)}\n", encoding="utf-8")
    for words in (["episode", "list"], ["episode", "play", name], ["scene", "run", name], ["runs", "show", name]):
        done = CliRunner().invoke(app, [*words, "--project", str(story)])
        assert not OBEYED.search(done.output), words


ESCAPED = "".join(f"\\u{ord(char):04x}" for char in "\x1b[2J\u202e\x07")


def test_a_character_written_as_an_escape_in_an_answer_is_removed_too() -> None:
    line, _ = parse_response(f'{{"content": "Sit {ESCAPED}down.", "tone": "calm{ESCAPED}", "target": "Bob"}}')
    reader = AnswerReader()
    shown = reader.feed(f'{{"dialogue": "Sit {ESCAPED}down."}}') + reader.close()
    entities = "".join(f"&#{ord(char)};" for char in "\x1b[2J\u202e\x07")
    for text in (line.content, line.tone, shown, reader.content, unescaped(f"Sit {entities}down.")):
        assert not OBEYED.search(text)
    assert (line.content, reader.answer.dialogue) == ("Sit [2Jdown.", "Sit [2Jdown.")
