"""Links that lead out of a project are refused, whatever they stand for; links within it are fine."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.characters import known_cards, load_card, load_cast
from dramaturg.characters.exchange import import_card
from dramaturg.characters.lorebook import load_books
from dramaturg.cli.app import app
from dramaturg.ensemble.ensemble import read_ensemble
from dramaturg.ensemble.request import ChatRequest
from dramaturg.episodes.packs import named_pack
from dramaturg.episodes.series import named_series
from dramaturg.episodes.template import named_template
from dramaturg.kernel.errors import AuthorError, CharacterLoadError, InvalidConfig
from dramaturg.kernel.settings import NotebookSettings, Settings, read_settings
from dramaturg.scenes.acts.act import named_act
from dramaturg.scenes.scene import find_scene, named_scene
from dramaturg.studio import Studio
from dramaturg.voices.voicing import VoicingRequest
from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.manuscript import Manuscript
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.notebooks import open_shelf
from dramaturg.workshop.series.folder import read_series as read_books
from tests.cli.story import new_story, typed

CANARY = "the combination is 4711"
SCENE = f"name: x\nprompt: {CANARY}\ncharacters: [a, b]\ngoal: {CANARY}\n"
READERS: dict[str, tuple[str, str, Callable[[Path], object]]] = {
    "a card": (".claude/agents/x.md", CANARY, lambda story: load_card(story, "x")),
    "a scene": ("scenes/x.yaml", SCENE, lambda story: named_scene(story, "x")),
    "a scene by its file": ("scenes/x.yaml", SCENE, lambda story: find_scene(story, "x.yaml")),
    "an act": ("acts/x.yaml", f"scenes: [{CANARY}]", lambda story: named_act(story, "x")),
    "an episode": ("episodes/x.yaml", CANARY, lambda story: named_template(story, "x")),
    "a series": ("series/x.yaml", CANARY, lambda story: named_series(story, "x")),
    "the books of a series": (
        "shelf/series.yaml",
        f"books: [{{folder: {CANARY}}}]",
        lambda story: read_books(story, Path("shelf")),
    ),
    "an evaluation": ("evaluations/x.yaml", CANARY, lambda story: named_pack(story, "x")),
    "the ensemble": ("ensemble.yaml", f"name: {CANARY}\n", read_ensemble),
    "a lorebook": ("lorebooks/x.json", '{"entries": {}}', load_books),
    "a prompt": (
        "prompts/foreman/identity.md",
        f"---\nvariables: []\n---\n{CANARY}",
        lambda story: PromptFiles(story).identity("full"),
    ),
}


def linked(story: Path, name: str, text: str, way: str) -> Path:
    """A project in which a file is a link: to a file elsewhere, through a linked folder, or to one of its own."""
    place = story / name
    place.parent.mkdir(parents=True, exist_ok=True)
    outside = story.parent / "private"
    outside.mkdir()
    (outside / place.name).write_text(text, encoding="utf-8")
    if way == "file":
        place.symlink_to(outside / place.name)
    elif way == "dots":
        place.symlink_to(Path(*[".."] * (len(Path(name).parts))) / "private" / place.name)
    elif way == "chain":
        (story / "hop").symlink_to(outside)
        place.symlink_to(story / "hop" / place.name)
    return story


@pytest.mark.parametrize("way", ["file", "dots", "chain"])
@pytest.mark.parametrize("kind", READERS)
def test_a_link_out_is_refused(kind: str, way: str, tmp_path: Path) -> None:
    name, text, read = READERS[kind]
    story = linked(tmp_path / "story", name, text, way)
    with pytest.raises(AuthorError, match=r"link out of (the project|it)") as refused:
        read(story)
    assert CANARY not in f"{refused.value.message}{refused.value.context}"
    assert "private" not in refused.value.message


@pytest.mark.parametrize("kind", [kind for kind in READERS if kind != "the ensemble"])
def test_a_linked_folder_that_leads_out_is_refused(kind: str, tmp_path: Path) -> None:
    name, text, read = READERS[kind]
    story, outside = tmp_path / "story", tmp_path / "private"
    outside.mkdir()
    (outside / Path(name).name).write_text(text, encoding="utf-8")
    (story / name).parent.parent.mkdir(parents=True)
    (story / name).parent.symlink_to(outside)
    with pytest.raises(AuthorError, match=r"link out of (the project|it)"):
        read(story)


@pytest.mark.parametrize("project_is_link", [False, True])
def test_a_link_inside_the_project_is_fine(project_is_link: bool, tmp_path: Path) -> None:
    story = tmp_path / "story"
    (story / "scenes").mkdir(parents=True)
    (story / "shared.yaml").write_text(SCENE, encoding="utf-8")
    (story / "scenes" / "x.yaml").symlink_to("../shared.yaml")
    if project_is_link:
        (tmp_path / "link").symlink_to(story)
        story = tmp_path / "link"
    assert named_scene(story, "x").prompt == CANARY


def test_a_file_that_the_user_names_may_lie_anywhere(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(SCENE, encoding="utf-8")
    (tmp_path / "story").mkdir()
    assert find_scene(tmp_path / "story", str(tmp_path / "mine.yaml")).prompt == CANARY


def test_a_link_that_goes_in_circles_is_an_authors_error(tmp_path: Path) -> None:
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / "x.yaml").symlink_to("x.yaml")
    with pytest.raises(AuthorError):
        named_scene(tmp_path, "x")


@pytest.mark.parametrize("way", ["folder", "file", "folder inside", "named folder"])
async def test_a_notebook_that_links_out_is_not_read(way: str, tmp_path: Path) -> None:
    story, outside = tmp_path / "story", tmp_path / "private"
    outside.mkdir()
    (outside / "diary.md").write_text(CANARY, encoding="utf-8")
    (story / "notebooks").mkdir(parents=True)
    rim, named = story / "notebooks" / "rim", {}
    if way == "folder":
        rim.symlink_to(outside)
    elif way == "named folder":  # named, but without a folder of its own: the one in notebooks/ is meant
        rim.symlink_to(outside)
        named = {"rim": NotebookSettings(role="world")}
    else:
        rim.mkdir()
        link, target = (rim / "diary.md", outside / "diary.md") if way == "file" else (rim / "more", outside)
        link.symlink_to(target)
    shelf = open_shelf(Settings(project=story, notebooks=named))
    with suppress(AuthorError):
        assert await shelf.ask("rim", "combination") == ()
    assert way == "folder inside" or "link out of the project" in str(await shelf.problems())


async def test_a_folder_elsewhere_that_the_settings_name_is_read_but_not_beyond(tmp_path: Path) -> None:
    story, research, private = (tmp_path / name for name in ("story", "research", "private"))
    for folder in (story, research, private):
        folder.mkdir()
    (research / "own.md").write_text("The combination is on the next page.", encoding="utf-8")
    (private / "diary.md").write_text(CANARY, encoding="utf-8")
    (research / "linked.md").symlink_to(private / "diary.md")
    own = {"rim": NotebookSettings(role="world", folder=str(research))}
    found = await open_shelf(Settings(project=story, notebooks=own)).ask("rim", "combination")
    assert [passage.file for passage in found] == ["own.md"]


def test_a_book_that_links_out_is_a_problem_of_that_file_alone(tmp_path: Path) -> None:
    story, private = tmp_path / "story", tmp_path / "private"
    private.mkdir()
    (private / "diary.md").write_text(CANARY, encoding="utf-8")
    for folder in ("manuscript", "story-bible"):
        (story / folder).mkdir(parents=True)
    (story / "manuscript" / "ch01-sc01.md").symlink_to(private / "diary.md")
    (story / "manuscript" / "ch01-sc02.md").symlink_to(private / "gone.md")
    (story / "manuscript" / "ch01-sc03.md").write_text("It rained.", encoding="utf-8")
    told = Manuscript(story).files()
    assert [bool(one.problem) for one in told] == [True, True, False]
    for page in StoryBible(story).pages():
        (story / "story-bible" / f"{page.template}.md").symlink_to(private / "diary.md")
    assert CANARY not in str(StoryBible(story).pages()) + str(told)


LINKED_FOLDERS = {".claude/agents": ".claude/agents", ".claude": ".claude/agents", "characters": "characters"}
"""Folders that are links, with the folder of cards that lies there."""


@pytest.fixture(params=LINKED_FOLDERS)
def without_cards(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A project whose cards lie behind a link to a folder of somebody's papers, and the link."""
    story, link = new_story(tmp_path / "story"), request.param
    papers = tmp_path / "papers" / Path(LINKED_FOLDERS[link]).relative_to(link)
    papers.mkdir(parents=True)
    for ending in ("md", "json"):
        (papers / f"tax-return.{ending}").write_text(CANARY, encoding="utf-8")
    if (story / link).exists():
        (story / link).rename(tmp_path / "aside")
    (story / link).symlink_to(tmp_path / "papers")
    return story, link


def test_no_card_behind_a_linked_folder_is_listed(without_cards: tuple[Path, str]) -> None:
    story, link = without_cards
    for reading in (known_cards, lambda one: load_card(one, "iris"), lambda one: load_cast(one, ["iris"])):
        with pytest.raises(CharacterLoadError, match=f"^{link} is a link out of the project.*Replace it with a folder"):
            reading(story)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("scene", "list"), 0),
        (("scene", "run", "the-second-signature", "--model", "rehearsal"), 2),
        (("character", "show", "iris"), 2),
        (("ensemble", "ask", "Hello there", "--model", "rehearsal"), 2),
        (("doctor",), 5),
    ],
)
def test_every_command_says_that_the_folder_is_a_link(
    without_cards: tuple[Path, str], words: tuple[str, ...], code: int
) -> None:
    story, link = without_cards
    told = typed(story, *words, code=code)
    assert f"{link} is a link out of the project" in " ".join(told.split())
    assert "tax-return" not in told


@pytest.mark.parametrize("is_there", [True, False])
def test_a_card_is_not_imported_through_a_link_which_is_named(tmp_path: Path, is_there: bool) -> None:
    story = tmp_path / "story"
    (story / "characters").mkdir(parents=True)
    if is_there:
        (tmp_path / "theirs").mkdir()
    (story / "characters" / "mara.json").symlink_to("../../theirs")
    card = json.dumps(dict.fromkeys(("name", "description", "personality", "scenario", "first_mes"), "Mara")).encode()
    with pytest.raises(AuthorError, match=r"characters/mara\.json is a link out of the project\. Remove it\.$"):
        import_card(story, card, stem="mara", name="mara")
    (story / "characters" / "mara.json").unlink()
    (story / "characters").rmdir()
    (story / "characters").symlink_to("../theirs")
    with pytest.raises(AuthorError, match=r"characters is a link out of the project.* Replace it with a folder\.$"):
        import_card(story, card, stem="mara", name="mara")


@pytest.mark.parametrize("link", ["artifacts", "artifacts/tts", "artifacts/tts/sessions"])
def test_an_ensemble_whose_files_would_go_through_a_link_is_refused_before_it_is_asked(
    tmp_path: Path, link: str
) -> None:
    story = new_story(tmp_path / "story")
    (tmp_path / "theirs").mkdir()
    (story / "data" / link).parent.mkdir(parents=True)
    (story / "data" / link).symlink_to(tmp_path / "theirs")
    told = typed(story, "ensemble", "ask", "Hello there", "--model", "rehearsal", code=2)
    assert f"data/{link} is a link out of data/. Replace it with a folder" in " ".join(told.split())
    assert "archivist" not in told
    assert "Traceback" not in told
    assert "Nothing has been played here yet" in typed(story, "runs", "list")
    assert not list((tmp_path / "theirs").iterdir())


async def test_a_session_is_not_played_on_or_spoken_through_such_a_link(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    async with Studio.open(read_settings(story, {"DRAMATURG_MODEL": "rehearsal"})) as studio:
        begun = await studio.ensemble.open(ChatRequest(message="Hello", audio=False))
        over = await studio.ensemble.open(ChatRequest(message="Hello", audio=False, kiosk="other"))
        await studio.ensemble.start(over)
        (story / "data" / "artifacts").rename(tmp_path / "theirs")
        (story / "data" / "artifacts").symlink_to(tmp_path / "theirs")
        with pytest.raises(InvalidConfig, match="data/artifacts is a link"):
            await studio.ensemble.start(begun)
        with pytest.raises(InvalidConfig, match="data/artifacts is a link"):
            await studio.ensemble.voice(over.id, VoicingRequest())


def test_an_artifacts_folder_that_links_within_data_is_fine(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    (story / "data" / "elsewhere").mkdir(parents=True)
    (story / "data" / "artifacts").symlink_to("elsewhere")
    typed(story, "ensemble", "ask", "Hello there", "--model", "rehearsal", "--no-audio", "--slots", "1")


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("scenes", ("scene", "list")),
        ("scenes", ("scene", "run", "nothing")),
        ("episodes", ("episode", "list")),
        ("episodes", ("episode", "play", "nothing")),
    ],
)
def test_no_scene_and_no_episode_behind_a_linked_folder_is_listed(
    tmp_path: Path, folder: str, words: tuple[str, ...]
) -> None:
    story, outside = new_story(tmp_path / "story"), tmp_path / "private"
    outside.mkdir()
    (outside / "tax-return.yaml").write_text("prompt: x", encoding="utf-8")
    shutil.rmtree(story / folder)
    (story / folder).symlink_to(outside)
    told = CliRunner().invoke(app, [*words, "--project", str(story)]).output
    assert f"{folder} is a link out of the project" in " ".join(told.split())
    assert "tax-return" not in told
