"""The bundle of a voice: three files from this tournament, all or none, inside the project, locked by word."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import DramaturgError, InvalidConfig, NotFound
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.workshop.book.book import Book
from dramaturg.workshop.book.voice_files import GOLD, GUIDE, SHEET, read_voice
from dramaturg.workshop.foreman.prompt_assembly import assemble_prompt
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.voice.rule_files import Ban
from dramaturg.workshop.voice.selection import Selection
from tests.workshop.books import the_last_starship
from tests.workshop.calibration.test_tournament import played, script
from tests.workshop.workroom import acting, at_work, heard, names, saying
from tests.workshop.works.cases import copy_book


async def chosen(foreman: Workshop, **more: object) -> None:
    await played(foreman, {"test_prompt": "Ruth counts."})
    await foreman.voice.lineup(seed=2)
    await foreman.voice.select(Selection.model_validate({"letter": "B"} | more))


def files_of(project: Path) -> dict[str, str]:
    folder = project / "Voice Bundle"
    return {path.name: path.read_text() for path in folder.iterdir()} if folder.is_dir() else {}


async def test_the_files_have_what_this_tournament_found(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    async with at_work(project) as foreman:
        await foreman.voice.ban(Ban(ban="orbs"))
        await chosen(foreman, notes="The dry counting.", dislikes=("too many gulls",))
        report = await foreman.voice.report()
        outcome = await foreman.voice.bundle()
    assert "not locked yet" in outcome.said
    made = files_of(project)
    assert set(made) == {GOLD, SHEET, GUIDE}
    assert report.winner.text.strip() in made[GOLD]
    assert report.winner.judged is not None
    assert all(f"> {one.quotes[0]}" in made[GOLD] for one in report.winner.judged.dimensions)
    assert "The writer: The dry counting." in made[GOLD]
    assert "too short to tell" in made[GOLD]
    assert made[SHEET].index("“orbs”") < made[SHEET].index("a breath nobody knew")
    assert "- too many gulls" in made[SHEET]
    assert "Nothing of the above in 13 words." in made[SHEET]
    assert "9. Midpoint: She wins the berth codes" in made[GUIDE]
    assert "11. All is lost: not in the beat sheet yet" in made[GUIDE]


async def test_the_writers_own_page_can_be_the_gold_standard(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    (project / "mine.md").write_text("# Mine\n\nThe ferry left at six. Ruth counted the crates.\n")
    async with at_work(project) as foreman:
        await played(foreman, {})
        lineup = await foreman.voice.lineup(own="mine.md")
        letter = next(one.letter for one in lineup.passages if "ferry" in one.text)
        await foreman.voice.select(Selection(letter=letter, own=letter))
        await foreman.voice.bundle()
    voice, _, _ = read_voice(project)
    assert voice.winning_agent == "the writer"
    assert "no judge has seen it" in files_of(project)[GOLD]


async def test_the_voice_is_locked_and_unlocked_by_word_and_opens_its_gate(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    async with at_work(project) as foreman:
        with pytest.raises(NotFound, match="no Voice Bundle"):
            await foreman.voice.lock()
        await chosen(foreman)
        await foreman.voice.bundle()
        assert not read_voice(project)[0].locked
        await foreman.voice.lock()
        assert read_voice(project)[0].locked
        with pytest.raises(InvalidConfig, match="locked already"):
            await foreman.voice.lock()
        with pytest.raises(InvalidConfig, match="Unlock it first"):
            await foreman.voice.bundle()
        await foreman.voice.lock(locked=False)
        await foreman.voice.bundle()
        undone = await foreman.undo()
        assert "Wrote the voice bundle" in undone.said


@pytest.mark.parametrize(
    "folder",
    ["/tmp/out", "../out", "~/out", "C:\\out", "a/../../out", "story-bible", "manuscript/voice", "elsewhere", "link"],
)
async def test_a_folder_outside_the_project_or_taken_is_refused(tmp_path: Path, folder: str) -> None:
    project = copy_book(tmp_path)
    (project / "link").symlink_to(tmp_path)
    async with at_work(project) as foreman:
        await chosen(foreman)
        with pytest.raises(InvalidConfig, match="Voice Bundle"):
            await foreman.voice.bundle(folder)
    assert files_of(project) == {}
    assert not (tmp_path / "out").exists()


async def test_the_folder_of_the_seed_is_the_folder_of_the_bundle(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    async with at_work(project) as foreman:
        await chosen(foreman)
        await foreman.voice.bundle("content/Voice Bundle/")
    assert len(files_of(project)) == 3


async def test_a_disk_that_refuses_the_last_file_leaves_nothing_half_written(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    (project / "Voice Bundle" / GUIDE / "in-the-way").mkdir(parents=True)
    async with at_work(project) as foreman:
        await chosen(foreman)
        with pytest.raises(DramaturgError):
            await foreman.voice.bundle()
    assert [path.name for path in (project / "Voice Bundle").iterdir()] == [GUIDE]


async def test_there_is_no_bundle_without_a_choice(tmp_path: Path) -> None:
    async with at_work(copy_book(tmp_path)) as foreman:
        with pytest.raises(NotFound, match="No voice is chosen yet"):
            await foreman.voice.bundle()
        with pytest.raises(NotFound, match="no tournament yet"):
            await foreman.voice.lineup()


@pytest.mark.parametrize(
    ("model", "gold", "sheet"),
    [
        ("mistral/mistral-large", True, True),
        ("deepseek/deepseek-chat", False, False),
        ("ollama/llama3.2:3b", False, False),
    ],
)
async def test_the_bundle_is_injected_by_tier(tmp_path: Path, model: str, gold: bool, sheet: bool) -> None:
    from dramaturg.workshop.book.modes import Mode

    project = copy_book(tmp_path)
    async with at_work(project) as foreman:
        await foreman.voice.ban(Ban(ban="orbs of light"))
        await chosen(foreman, notes="Dry.")
        await foreman.voice.bundle()
    voice, bundle, _ = read_voice(project)
    book: Book = the_last_starship(Mode.DIRECTOR, 1).model_copy(update={"voice": voice, "bundle": bundle})
    prompt = assemble_prompt(book, profile_of(model), PromptFiles(project), [], "Go on.")
    text = prompt.system + prompt.messages[-1].text
    assert ("## Passage" in text) == gold
    assert ("Anti-patterns of this voice" in text) == sheet
    assert ("Sentences of about" in text) == (model != "ollama/llama3.2:3b")
    assert "breath nobody knew" in text, "the anti-patterns are in every tier"


async def test_the_foreman_starts_chooses_and_writes_as_the_seed_has_it(tmp_path: Path) -> None:
    project = copy_book(tmp_path)
    told = iter(
        [
            saying(
                "Let us hear.",
                acting("start_tournament", test_prompt="Ruth counts.", agents='["one", "two"]', context="1987"),
            ),
            saying(
                "That one.",
                acting(
                    "select_winner",
                    agent_id="two",
                    strategy="CHARACTER_DEPTH",
                    variant_index="2",
                    voice_notes="Inner talk.",
                ),
            ),
            saying("Written.", acting("generate_bundle", output_dir="content/Voice Bundle/")),
        ]
    )

    def model(request: object) -> object:
        return script(request) if "turn-" not in request.key else next(told)  # type: ignore[attr-defined, arg-type]

    async with at_work(project, model) as foreman:  # type: ignore[arg-type]
        from dramaturg.workshop.book.modes import Mode

        await foreman.change_mode(Mode.VOICE_CALIBRATION, force=True)
        assert "action.offered" in names(await heard(foreman, "Start."))
        outcome = await foreman.confirm()
        assert outcome.run is not None
        await foreman.works.wait(outcome.run)
        assert "action.offered" in names(await heard(foreman, "I take two."))
        assert "Chosen: two by CHARACTER" in (await foreman.confirm()).said
        assert "action.done" in names(await heard(foreman, "Write it."))
        kept = {one.key: one.value for one in await foreman.decisions()}
        assert kept["voice_notes"] == "Inner talk."
    assert set(files_of(project)) == {GOLD, SHEET, GUIDE}
