"""Links that lead out of a project are refused, whatever they stand for; links within it are fine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from dramaturg.characters import load_card
from dramaturg.characters.lorebook import load_books
from dramaturg.ensemble.ensemble import read_ensemble
from dramaturg.episodes.packs import named_pack
from dramaturg.episodes.series import named_series
from dramaturg.episodes.template import named_template
from dramaturg.kernel.errors import AuthorError
from dramaturg.kernel.settings import NotebookSettings, Settings
from dramaturg.scenes.acts.act import named_act
from dramaturg.scenes.scene import find_scene, named_scene
from dramaturg.workshop.book.bible import StoryBible
from dramaturg.workshop.book.manuscript import Manuscript
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.notebooks import open_shelf
from dramaturg.workshop.series.folder import read_series as read_books

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
