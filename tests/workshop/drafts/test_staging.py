"""A scaffold goes on stage: files are written, the ordinary scene plays them, and its lines are told as prose."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.characters import load_card
from dramaturg.kernel.errors import DramaturgError, InvalidConfig, NotFound
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import SceneSettings, Settings
from dramaturg.scenes.scene import named_scene
from dramaturg.studio import Studio
from dramaturg.workshop.book.decisions import NewDecision
from dramaturg.workshop.book.scaffold import Scaffold
from dramaturg.workshop.drafts.staging import cast_in
from dramaturg.workshop.drafts.transcript import lines_in, share_of
from tests.workshop.drafts.cases import book, written
from tests.workshop.workroom import at_work

SCENE = "scenes/ch04-sc02.yaml"
LINES = """lines:
  - at: opening
    say: |
      Elena [TO: Marcus, TONE: level] "You kept the light on."
  - at: berth
    goal: 1
    say: |
      Marcus [TO: Elena, TONE: dry] "Berth nine. You never asked me."
"""


async def test_a_scaffold_becomes_a_scene_with_the_cards_of_its_cast(tmp_path: Path) -> None:
    project = book(tmp_path)
    async with at_work(project, written) as foreman:
        flaw = {"category": "character", "key": "marcus_debt", "value": "Marcus owes the harbour master."}
        await foreman.decide(NewDecision.model_validate({**flaw, "source": "writer", "kind": "fact"}))
        staged = await foreman.drafts.perform("scaffolds/ch04-sc02.md")
        assert staged.cast == ("elena", "marcus")
        assert staged.cards == (".claude/agents/elena.md", ".claude/agents/marcus.md")
        scene = named_scene(project, "ch04-sc02")
        assert scene.goal == "Elena learns the berth and keeps her cover"
        assert scene.setting == "A warehouse by the docks, Dusk"
        assert scene.sheet("elena").note == "Cannot ask about the past"
        assert "the_photograph" in scene.prompt
        assert "dock workers" in scene.prompt
        marcus = load_card(project, "marcus")
        assert "knows the berth" in marcus.text
        assert "Marcus owes the harbour master." in marcus.text
        assert load_card(project, "elena").role == "Protagonist"
        assert "nothing new" in (await foreman.drafts.perform("ch04-sc02")).said
        await foreman.undo()
        assert not (project / SCENE).exists()
        assert not (project / ".claude" / "agents" / "elena.md").exists()


async def test_a_card_that_exists_is_used_and_stays(tmp_path: Path) -> None:
    project = book(tmp_path)
    cards = project / ".claude" / "agents"
    cards.mkdir(parents=True)
    (cards / "captain-vance.md").write_text("# Elena Vance - Captain\n\nMine.\n", encoding="utf-8")
    async with at_work(project, written) as foreman:
        staged = await foreman.drafts.perform("ch04-sc02")
    assert staged.cast == ("captain-vance", "marcus")
    assert (cards / "captain-vance.md").read_text(encoding="utf-8") == "# Elena Vance - Captain\n\nMine.\n"


async def test_a_scene_of_the_writers_own_is_not_replaced_unless_asked(tmp_path: Path) -> None:
    project = book(tmp_path)
    (project / "scenes").mkdir()
    (project / SCENE).write_text("name: mine\n", encoding="utf-8")
    async with at_work(project, written) as foreman:
        with pytest.raises(InvalidConfig, match="with another text"):
            await foreman.drafts.perform("ch04-sc02")
        assert (project / SCENE).read_text(encoding="utf-8") == "name: mine\n"
        await foreman.drafts.perform("ch04-sc02", replace=True)
        assert named_scene(project, "ch04-sc02").characters == ("elena", "marcus")
        await foreman.undo()
        assert (project / SCENE).read_text(encoding="utf-8") == "name: mine\n"


@pytest.mark.parametrize(
    ("target", "cast", "why"),
    [
        ("ch09-sc09", (), "There is no scaffold"),
        ("../../etc/passwd", (), "does not lie in"),
        ("ch04-sc02", ("Elena",), "2 to 5 characters; --cast names Elena"),
        ("ch04-sc02", ("Elena", "../x"), "cannot be the name of a character"),
        ("ch04-sc02", ("Elena", "elena"), "Name each once"),
    ],
)
async def test_what_cannot_be_played_writes_nothing(
    tmp_path: Path, target: str, cast: tuple[str, ...], why: str
) -> None:
    project = book(tmp_path)
    async with at_work(project, written) as foreman:
        with pytest.raises((InvalidConfig, NotFound, DramaturgError), match=why):
            await foreman.drafts.perform(target, cast)
    assert not (project / "scenes").exists()
    assert not (project / ".claude").exists()


@pytest.mark.parametrize(
    ("listed", "names"),
    [
        (("Mickey", "Danny", "Background: bar patrons"), ["Mickey", "Danny"]),
        (("Ruth (tired)", "Ada: owes Ruth money", "Ben – her son"), ["Ruth", "Ada", "Ben"]),
        (("Jean-Luc - the captain", "O'Malley"), ["Jean-Luc", "O'Malley"]),
        (("Ruth", "ruth"), ["Ruth"]),
    ],
)
def test_the_cast_of_a_scaffold_is_read_however_it_is_written(listed: tuple[str, ...], names: list[str]) -> None:
    found = cast_in(Scaffold(scaffold_id="x", characters_present=listed))
    assert [one.name for one in found] == names


async def test_a_performed_scene_is_the_base_of_a_draft(tmp_path: Path) -> None:
    project = book(tmp_path)
    settings = Settings(project=project, scenes=SceneSettings(pace=0))
    async with Studio.open(settings) as studio:
        foreman = studio.workshop
        await foreman.drafts.perform("ch04-sc02")
        with (project / SCENE).open("a", encoding="utf-8") as file:
            file.write(LINES)
        run = await studio.scenes.open(named_scene(project, "ch04-sc02"), model="rehearsal")
        await studio.start(run)
        wanted = {"target": "ch04-sc02", "models": ["rehearsal"], "base": run.id, "words": 200}
        draft_run = await foreman.works.start("draft", foreman.works.read("draft", wanted))
        await foreman.works.wait(draft_run.id)
        draft = await foreman.drafts.draft(draft_run.id)
        assert draft.base == run.id
        for one in draft.variants:
            assert one.text.index("“You kept the light on,” said Elena.") < one.text.index("“Berth nine. You never")
        with pytest.raises(InvalidConfig, match="is a draft of a scene; a draft can only be based on a scene"):
            await foreman.works.price("draft", foreman.works.read("draft", {"base": draft.run}))
        with pytest.raises(NotFound):
            await foreman.works.price("draft", foreman.works.read("draft", {"base": "nobody"}))


def test_the_lines_of_a_transcript_are_those_between_its_head_and_its_end() -> None:
    transcript = (
        'SCENE: X\nGOAL: Y\n\n---\n\n[SCENE START]\n[Setting: Z]\n\nAnn [TONE: dry] "No."\n\n'
        "[SYSTEM: Bob unable to respond]\n\n[SCENE END - Goal: Achieved]\n\n---\n\nSTATISTICS:\n- Duration: 1 beats\n"
    )
    assert lines_in(transcript) == ("[Setting: Z]", 'Ann [TONE: dry] "No."')
    assert [share_of("abcde", number, 2) for number in (1, 2)] == [("a", "b"), ("c", "d", "e")]


async def test_every_section_is_told_its_share_of_the_lines(tmp_path: Path) -> None:
    model = ScriptedModel(written)
    async with at_work(book(tmp_path), model) as foreman:
        from dramaturg.workshop.drafts.material import read_material
        from dramaturg.workshop.drafts.section import SectionQuestions

        asked = foreman.works.read("draft", {"target": "ch04-sc02", "words": 2000, "strategies": ["ACTION"]})
        began = await read_material(foreman._sources, asked)  # type: ignore[arg-type]
        questions = SectionQuestions(foreman._sources, began.model_copy(update={"base": tuple("PQRS")}))
        texts = [questions.first(began.variants[0], number, 1000, "").text for number in (1, 2)]
    assert ["P\nQ" in text for text in texts] == [True, False]
    assert ["R\nS" in text for text in texts] == [False, True]
