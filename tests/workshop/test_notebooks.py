"""Notebooks: folders of real files, a real program that speaks MCP, and answers whose quotations are checked."""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidSettings, NotebookUnavailable, NotFound
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import NotebookSettings, Settings, read_settings
from dramaturg.workshop.notebooks import NotebookShelf, open_shelf
from dramaturg.workshop.notebooks.index import FolderIndex
from dramaturg.workshop.notebooks.sources import read_source
from tests.workshop.workroom import acting, at_work, heard, message_of, names, saying

JUMPS = """# Jumps

A jump costs one navigator. Nobody has ever come back from the chair.

## Prices

Passage to the rim costs a year's wages, and the bank asks for it in advance.
"""


def write_pdf(path: Path, *pages: str) -> None:
    """The smallest PDF with some text on each page."""
    kids = " ".join(f"{3 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()]
    font = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET".encode()
        content = 4 + 2 * number
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources "
            + font
            + f" /Contents {content} 0 R >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    path.write_bytes(out)


def write_docx(path: Path, heading: str, text: str) -> None:
    ns = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = (
        f'<w:document xmlns:w="{ns}"><w:body><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>{heading}</w:t>'
        f"</w:r></w:p><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", body)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "notebooks" / "world_building"
    folder.mkdir(parents=True)
    (folder / "jumps.md").write_text(JUMPS, encoding="utf-8")
    (folder / "docks.txt").write_text("The docks close at dusk.\n\nNobody lies to a ship.\n", encoding="utf-8")
    write_pdf(folder / "charter.pdf", "Preamble of the charter.", "The builders own no berth aboard.")
    write_docx(folder / "interviews.docx", "Marcus", "Marcus limps on the right leg since the strike.")
    (folder / "damaged.pdf").write_bytes(b"%PDF-1.4 this is not a PDF at all")
    (folder / "damaged.docx").write_bytes(b"PK no zip")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return tmp_path


def shelf(project: Path) -> NotebookShelf:
    return open_shelf(Settings(project=project))


@pytest.mark.parametrize(
    ("question", "file", "place", "quote"),
    [
        ("What does a jump cost?", "jumps.md", "Jumps, line 1", "A jump costs one navigator."),
        ("When do the docks close?", "docks.txt", "line 1", "The docks close at dusk."),
        ("Do builders own a berth?", "charter.pdf", "page 2", "The builders own no berth aboard."),
        ("Which leg does Marcus limp on?", "interviews.docx", "Marcus, paragraph 2", "Marcus limps on the right leg"),
        ("wages and the bank", "jumps.md", "Prices, line 5", "the bank asks for it in advance"),
    ],
)
async def test_a_question_brings_the_passage_its_file_and_its_place(
    project: Path, question: str, file: str, place: str, quote: str
) -> None:
    first = (await shelf(project).ask("world_building", question))[0]
    assert (first.file, first.place) == (file, place)
    assert quote in first.text
    if file.endswith((".md", ".txt")):
        assert first.text in (project / "notebooks" / "world_building" / file).read_text(encoding="utf-8")


async def test_damaged_files_are_reported_and_the_others_are_asked(project: Path) -> None:
    problems = (await shelf(project).problems())["world_building"]
    assert len(problems) == 2
    assert all("save it again" in problem for problem in problems)


async def test_what_changed_is_read_anew_and_what_is_gone_is_gone(project: Path) -> None:
    asked = shelf(project)
    docks = project / "notebooks" / "world_building" / "docks.txt"
    assert await asked.ask("world_building", "dusk")
    docks.write_text("The docks close at dawn, by order of the harbour master.", encoding="utf-8")
    assert not await asked.ask("world_building", "dusk")
    assert (await asked.ask("world_building", "dawn"))[0].file == "docks.txt"
    docks.unlink()
    assert not await asked.ask("world_building", "dawn")


async def test_a_damaged_index_is_made_anew(project: Path) -> None:
    index = project / "data" / "notebooks" / "world_building.db"
    index.parent.mkdir(parents=True)
    index.write_bytes(b"no database" * 100)
    assert await shelf(project).ask("world_building", "dusk")


def test_of_500_files_only_the_changed_one_is_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(500):
        (folder / f"note-{number}.md").write_text(f"# Note {number}\n\nFact number {number}.\n", encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-")
    index = FolderIndex(folder, tmp_path / "index.db")
    assert index.survey().files == 501
    assert index.search("fact number 377", 6)[0].file == "note-377.md"
    quiet = folder / "note-12.md"
    about = quiet.stat()
    quiet.write_text("# Note 12\n\nLore number 12.\n", encoding="utf-8")
    os.utime(quiet, ns=(about.st_atime_ns, about.st_mtime_ns))
    (folder / "note-13.md").write_text("# Note 13\n\nLore, and more of it, number 13.\n", encoding="utf-8")
    assert [passage.file for passage in index.search("lore", 6)] == ["note-13.md"]


@pytest.mark.parametrize("question", ["", "???", "the and of", '"; DROP TABLE passages; --', "NEAR(a b) OR *"])
async def test_any_question_is_borne(project: Path, question: str) -> None:
    await shelf(project).ask("world_building", question)


async def test_no_notebook_for_a_role_is_answered_with_the_ways_on(project: Path) -> None:
    with pytest.raises(NotFound, match=r"no notebook 'voice'.*world_building.*\(1\).*\(2\).*\(3\)"):
        await shelf(project).ask("voice", "How does she talk?")
    ask = acting("query_notebook", notebook_id="voice", query="How does she talk?")
    async with at_work(project, [saying("Let me see.", ask)]) as foreman:
        assert "Ways on" in str(await heard(foreman, "How does she talk?"))


def test_a_very_long_paragraph_is_cut_between_sentences(tmp_path: Path) -> None:
    (tmp_path / "long.txt").write_text("One sentence more. " * 200, encoding="utf-8")
    excerpts = read_source(tmp_path / "long.txt")
    assert len(excerpts) > 3
    assert all(one.text.endswith("more.") for one in excerpts)


async def test_the_foreman_looks_it_up_answers_with_citations_and_false_quotations_are_marked(project: Path) -> None:
    ask = acting("query_notebook", notebook_id="world_building", query="What does a jump cost?")
    answer = "Your notes: “A jump costs one navigator.” [1] And “Everybody comes home in the end.” [jumps.md]"
    model = ScriptedModel([saying("I look.", ask), saying(answer)])
    async with at_work(project, model, notebooks=shelf(project)._notebooks) as foreman:
        events = await heard(foreman, "What does a jump cost?")
        assert names(events) == ["message.done", "action.done", "message.done", "quote.doubted", "done"]
        doubted = next(event for event in events if event.event == "quote.doubted")
        assert doubted.quote == "Everybody comes home in the end."
    given = model.requests[1].messages[-1].text
    assert "[1] jumps.md, Jumps, line 1" in given
    assert "A jump costs one navigator." in given


async def test_the_rehearsal_foreman_quotes_the_notes_as_they_stand(project: Path) -> None:
    async with at_work(project, notebooks=shelf(project)._notebooks) as foreman:
        events = await heard(foreman, "What do my notes say about the cost of a jump?")
        said = [event.text for event in events if event.event == "message.done"]
        assert "A jump costs one navigator." in said[1]
        assert "jumps.md" in said[1]
        assert "quote.doubted" not in names(events)


SERVER = """
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("notes")

@server.tool()
def list_notebooks() -> str:
    return "one"

@server.tool()
def ask_notebook(question: str, notebook_id: str = "none") -> dict:
    if "fail" in question:
        raise ToolError("quota exceeded")
    return {"citations": [{"source": "survey.pdf", "page": 7, "quote": f"The rim is cold ({notebook_id})."}]}

@server.tool()
def tell(query: str) -> str:
    return "A plain answer to " + query

server.run("stdio")
"""


def mcp_shelf(tmp_path: Path, **more: object) -> NotebookShelf:
    program = tmp_path / "server.py"
    program.write_text(SERVER, encoding="utf-8")
    own = {"role": "world_building", "title": "The rim", "command": (sys.executable, str(program)), **more}
    settings = Settings(project=tmp_path, notebooks={"rim": NotebookSettings.model_validate(own)})
    return open_shelf(settings)


async def test_a_program_that_speaks_mcp_is_a_notebook(tmp_path: Path) -> None:
    asked = mcp_shelf(tmp_path, arguments={"notebook_id": "nb_1"})
    (passage,) = await asked.ask("rim", "Is it cold?")
    assert passage.cited == "survey.pdf, 7"
    assert passage.text == "The rim is cold (nb_1)."
    with pytest.raises(NotebookUnavailable, match="quota exceeded"):
        await asked.ask("world_building", "fail")
    (plain,) = await mcp_shelf(tmp_path, tool="tell").ask("rim", "this")
    assert (plain.file, plain.text) == ("The rim", "A plain answer to this")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"command": ("no-such-program-anywhere",)}, "no-such-program"),
        (
            {"command": (sys.executable, "-c", "raise SystemExit(3)"), "timeout": 20},
            r"SystemExit\(3\)' ended with exit code 3",
        ),
        (
            {"command": (sys.executable, "-c", "import nowhere"), "timeout": 20},
            "exit code 1 .* said: ModuleNotFoundError",
        ),
        ({"tool": "fly"}, "list_notebooks, ask_notebook, tell"),
        ({"tool": "list_notebooks"}, "takes it"),
    ],
)
async def test_a_program_that_fails_is_named_with_the_reason(
    tmp_path: Path, more: dict[str, object], said: str
) -> None:
    with pytest.raises(NotebookUnavailable, match=said):
        await mcp_shelf(tmp_path, **more).ask("rim", "Is it cold?")


async def test_a_program_leaves_nothing_compiled_in_the_project(tmp_path: Path) -> None:
    shelf = mcp_shelf(tmp_path)
    (tmp_path / "helper.py").write_text("", encoding="utf-8")
    program = tmp_path / "server.py"
    program.write_text(f"import helper\n{program.read_text(encoding='utf-8')}", encoding="utf-8")
    await shelf.ask("rim", "Is it cold?")
    assert sorted(file.name for file in tmp_path.rglob("*.py*")) == ["helper.py", "server.py"]


@pytest.mark.parametrize("command", [("{python}", "nb.py"), ("./nb.sh",), ("tools/../nb.sh",)])
async def test_a_program_is_started_in_its_project_and_not_where_the_caller_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    story, started = tmp_path / "story", tmp_path / "started"
    (story / "tools").mkdir(parents=True)
    (tmp_path / "tools").mkdir()
    for folder, text in ((story, SERVER), (tmp_path, f"open({str(started)!r}, 'w')")):
        (folder / "nb.py").write_text(text, encoding="utf-8")
        (folder / "nb.sh").write_text(f"#!/bin/sh\nexec {sys.executable} nb.py\n", encoding="utf-8")
        (folder / "nb.sh").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    own = NotebookSettings(role="world", command=tuple(one.format(python=sys.executable) for one in command))
    shelf = open_shelf(Settings(project=Path("story"), notebooks={"rim": own}))
    assert (await shelf.ask("rim", "Is it cold?"))[0].cited == "survey.pdf, 7"
    assert not started.exists()


async def test_what_a_program_complains_about_does_not_tell_the_secrets_it_was_given(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "import os; raise SystemExit('no such key: ' + os.environ['NOTES_KEY'])")
    own = NotebookSettings(role="world", command=command, env=("NOTES_KEY",), timeout=20)
    settings = Settings(project=tmp_path, notebooks={"rim": own}, env={"NOTES_KEY": "hunter2-hunter2"})
    with pytest.raises(NotebookUnavailable, match=r"said: no such key: \*\*\*"):
        await open_shelf(settings).ask("rim", "Is it cold?")


async def test_a_program_that_complains_at_length_is_answered_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(f"import sys\nsys.stderr.write('noise ' * 200_000)\n{SERVER}", encoding="utf-8")
    shelf = mcp_shelf(tmp_path, command=(sys.executable, "loud.py"))
    assert (await shelf.ask("rim", "Is it cold?"))[0].place == "7"


def test_a_notebook_is_set_in_the_settings_and_a_typo_is_named(tmp_path: Path) -> None:
    toml = tmp_path / "dramaturg.toml"
    toml.write_text('[notebooks.rim]\nrole = "world_building"\nfolder = "research"\n', encoding="utf-8")
    assert [one.id for one in open_shelf(read_settings(tmp_path, {})).listings()] == ["rim"]
    toml.write_text('[notebooks.rim]\nrole = "x"\nfoldr = "research"\n', encoding="utf-8")
    with pytest.raises(InvalidSettings, match="Did you mean 'folder'"):
        read_settings(tmp_path, {})


async def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    settings = Settings(project=tmp_path, notebooks={"rim": NotebookSettings(role="x", folder="nowhere")})
    with pytest.raises(NotebookUnavailable, match="nowhere/ of this notebook does not exist"):
        await open_shelf(settings).ask("rim", "Is it cold?")


async def test_the_message_of_the_first_round_is_kept_too(project: Path) -> None:
    ask = acting("query_notebook", notebook_id="world_building", query="dusk")
    async with at_work(
        project, [saying("I look.", ask), saying("At dusk.")], notebooks=shelf(project)._notebooks
    ) as foreman:
        events = await heard(foreman, "When?")
        assert message_of(events) == "I look."
        assert (await foreman.conversation()).turns[1].message == "I look.\n\nAt dusk."
