"""Every reader of authored files gets every hostile file: a value, or an author's error that names the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.characters import load_card
from dramaturg.characters.bookshelf import shelf_of
from dramaturg.characters.exchange import load_character_files
from dramaturg.characters.lorebook import load_books
from dramaturg.cli.app import app
from dramaturg.cli.edge import AUTHOR, BUG
from dramaturg.ensemble.ensemble import read_ensemble
from dramaturg.episodes.packs import named_pack
from dramaturg.episodes.series import read_series
from dramaturg.episodes.template import read_template
from dramaturg.kernel.errors import AuthorError
from dramaturg.kernel.prompts.template import load_template
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.acts.act import named_act
from dramaturg.scenes.scene import read_scene
from dramaturg.server.app import create_app
from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.file_cache import FileCache
from dramaturg.workshop.book.manuscript import Manuscript
from dramaturg.workshop.notebooks.index import FolderIndex
from dramaturg.workshop.series.folder import read_series as read_books
from dramaturg.workshop.series.pages import read_series_pages
from tests.hostile.files import HOSTILE_FILES
from tests.hostile.scale import sample
from tests.server.visitor import inside, write_story

Reader = Callable[[Path], object]


def _cards(suffix: str) -> tuple[str, Reader]:
    return f"characters/bad{suffix}", lambda project: (
        load_card(project, "bad"),
        load_character_files(project, "bad"),
    )


def _notebook(suffix: str) -> tuple[str, Reader]:
    return f"notebooks/world/bad{suffix}", lambda project: FolderIndex(
        project / "notebooks/world", project / "index.db"
    ).survey()


READERS: Mapping[str, tuple[str, Reader]] = {
    "a scene": ("scenes/bad.yaml", lambda project: read_scene(project / "scenes/bad.yaml", project=project)),
    "a scene in JSON": ("scenes/bad.json", lambda project: read_scene(project / "scenes/bad.json", project=project)),
    "an act": ("acts/bad.yaml", lambda project: named_act(project, "bad")),
    "an episode": ("episodes/bad.yaml", lambda project: read_template(project / "episodes/bad.yaml", project=project)),
    "a series": ("series/bad.yml", lambda project: read_series(project / "series/bad.yml", project=project)),
    "the books of a series": ("shelf/series.yaml", lambda project: read_books(project, Path("shelf"))),
    "a page of a series": (
        "shelf/bad.md",
        lambda project: read_series_pages(project / "shelf", FileCache(float), (), ()),
    ),
    "an evaluation": ("evaluations/bad.yaml", lambda project: named_pack(project, "bad")),
    "an ensemble": ("ensemble.yaml", read_ensemble),
    "the settings": ("dramaturg.toml", lambda project: read_settings(project, {})),
    "a card": (".claude/agents/bad.md", lambda project: load_card(project, "bad")),
    "a card in JSON": _cards(".json"),
    "a card in a picture": _cards(".png"),
    "a card in an archive": _cards(".charx"),
    "a card in a photograph": _cards(".jpg"),
    "a lorebook": ("lorebooks/bad.json", lambda project: (load_books(project), shelf_of(project, "alice"))),
    "a page of the story bible": ("story-bible/theme.md", lambda project: StoryBible(project).pages()),
    "a page of the manuscript": ("manuscript/ch01-sc01.md", lambda project: Manuscript(project).files()),
    "a prompt": ("prompts/foreman/bad.md", lambda project: load_template(project / "prompts/foreman", "bad.md")),
    "a note": _notebook(".md"),
    "a text": _notebook(".txt"),
    "a PDF": _notebook(".pdf"),
    "a document": _notebook(".docx"),
}


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return write_story(tmp_path / "story")


def put(project: Path, where: str, name: str) -> Path:
    path = project / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    HOSTILE_FILES[name](path)
    return path


@pytest.mark.parametrize("kind", READERS)
def test_a_hostile_file_is_a_value_or_an_authors_error_that_names_it(kind: str, story: Path) -> None:
    where, read = READERS[kind]
    said = {}
    for name in HOSTILE_FILES:
        path = put(story, where, name)
        try:
            read(story)
        except AuthorError as error:
            said[name] = error.message
        path.rmdir() if path.is_dir() else path.unlink()
    assert not {name: message for name, message in said.items() if path.stem not in message or len(message) > 4000}


LISTS = {
    "/v1/scenes": "argument",
    "/v1/acts": "",
    "/v1/characters": "alice",
    "/v1/episodes": "",
    "/v1/series": "",
    "/v1/projects": "",
    "/v1/sessions": "",
    "/v1/runs": "",
    "/v1/models": "rehearsal",
}
COMMANDS = {
    "doctor": "alice",
    "act list": "",
    "episode list": "",
    "foreman state": "",
    "foreman notebooks": "",
    "foreman work-order": "",
    "foreman decisions": "",
    "foreman prompt": "",
    "runs list": "",
    "models": "rehearsal",
    "character show alice": "",
}
FOLDERS = {
    "scenes": (".yaml", ".json"),
    "acts": (".yaml",),
    "episodes": (".yaml",),
    "series": (".yaml",),
    "evaluations": (".json",),
    ".claude/agents": (".md",),
    "characters": (".json", ".png", ".charx"),
    "lorebooks": (".json",),
    "manuscript": (".md",),
    "notebooks/world": (".md", ".docx"),
}


@pytest.fixture
def littered(story: Path) -> Path:
    """A story with every hostile file in every folder, and names that are hostile themselves."""
    for folder, suffixes in FOLDERS.items():
        for number, name in enumerate(HOSTILE_FILES):
            if name != "50 MB" or folder in ("scenes", "lorebooks"):
                for suffix in suffixes:
                    put(story, f"{folder}/h{number}{suffix}", name)
        for odd in ("\udcff", "\x1b[31m", "\u202e", "a\nb", "x" * 200):
            put(story, f"{folder}/{odd}{suffixes[0]}", "nothing")
    put(story, "story-bible/theme.md", "front matter with a bad date")
    return story


async def test_one_bad_file_of_each_kind_fails_no_list_over_http(littered: Path) -> None:
    async with inside(create_app(read_settings(littered, {}))) as visitor:
        for path, good in LISTS.items():
            answer = await visitor.get(path)
            assert answer.status == 200, (path, answer.text[:300])
            assert good in answer.text
        listed = (await visitor.get("/v1/scenes")).json["scenes"]
        assert len(listed) == len({one["name"] for one in listed}) > len(HOSTILE_FILES)
        project = (await visitor.get("/v1/projects")).json["projects"][0]["project"]
        for below in ("", "/work-order", "/decisions", "/notebooks"):
            answer = await visitor.get(f"/v1/projects/{project}{below}")
            assert answer.status == 200, (below, answer.text[:300])


def test_one_bad_file_of_each_kind_fails_no_list_of_the_command_line(littered: Path) -> None:
    for command, good in COMMANDS.items():
        done = CliRunner().invoke(app, [*command.split(), "--project", str(littered)])
        assert done.exit_code == 0, (command, done.output[-300:], done.exception)
        assert good in done.output


@pytest.mark.parametrize("command", ["scene run", "scene takes", "episode play", "episode rehearse"])
def test_playing_a_hostile_file_is_an_authors_error_and_never_a_bug(command: str, littered: Path) -> None:
    for number, name in sample(enumerate(HOSTILE_FILES), 5):
        done = CliRunner().invoke(app, [*command.split(), f"h{number}", "--project", str(littered)], input="")
        assert done.exit_code not in (0, BUG), (name, done.output[-300:], done.exception)


def test_checking_a_hostile_lorebook_is_an_authors_error_and_never_a_bug(littered: Path) -> None:
    for number, name in sample(enumerate(HOSTILE_FILES), 3):
        book = littered / f"lorebooks/h{number}.json"
        done = CliRunner().invoke(app, ["lorebook", "check", str(book), "--text", "a"])
        assert done.exit_code in (0, AUTHOR), (name, done.output[-300:], done.exception)


def test_an_unreadable_file_is_shown_with_its_place(littered: Path) -> None:
    done = CliRunner().invoke(app, ["scene", "run", _named("a date that is none"), "--project", str(littered)])
    assert "line 1" in done.stderr
    assert "put it in quotes" in " ".join(done.stderr.split())


def _named(name: str) -> str:
    return f"h{list(HOSTILE_FILES).index(name)}"
