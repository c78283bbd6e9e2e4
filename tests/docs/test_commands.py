"""Every command and every block of code in the README and in `docs/` runs.

`make` targets are looked up in the Makefile (they would call this suite again); everything else is typed into a
shell, block after block, in an empty folder where a local server stands in for the model providers.
"""

import asyncio
import os
import re
import shlex
import signal
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from dramaturg.characters import parse_card
from dramaturg.ensemble.ensemble import read_ensemble
from dramaturg.episodes.template import template_from
from dramaturg.scenes.acts.act import FORM as ACT
from dramaturg.scenes.scene import scene_from
from dramaturg.workshop.promises.ledger import PROMISE_FORM
from dramaturg.workshop.voice.rule_files import RULE_FORM
from tests.child import clean_environment
from tests.model_server import ModelServer
from tests.scenes.test_kill_and_resume import line_for
from tests.warm import program, python

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHOWS = {
    "architecture.md": ("1 moods, 0 without",),
    "doors.md": ("talked to ", "played "),
    "episodes.md": ("I know at once which picture Iris means",),
    "library.md": ("\n",),
}
KNOWN = {"bash", "python", "text", "yaml", "markdown", "toml"}


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


def make_targets(text: str) -> list[str]:
    return [line.split()[1] for line in text.splitlines() if line.startswith("make ")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page: Path) -> None:
    kinds = re.findall(r"^```(\w*)\n(?:.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert set(kinds) <= KNOWN


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_make_target_exists(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in make_targets(page.read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_that_is_linked_is_there(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "bash")], ids=lambda page: page.name)
@pytest.mark.timeout(600)
async def test_every_command_of_the_page_runs(page: Path, tmp_path: Path) -> None:
    commands = [text for text in blocks(page, "bash") if not make_targets(text)]
    async with ModelServer() as server:
        server.reply = line_for
        code, output = await shell("\n".join(commands), tmp_path, server.url)
    assert code == 0, output


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
@pytest.mark.timeout(600)
async def test_every_program_of_the_page_runs(page: Path, tmp_path: Path) -> None:
    for text in blocks(page, "python"):
        (tmp_path / "program.py").write_text(text, encoding="utf-8")
        code, output = await shell(
            f"[ -d my-story ] || dramaturg new my-story\n{shlex.join(python())} program.py", tmp_path, ""
        )
        assert code == 0, output
        assert any(words in output for words in SHOWS.get(page.name, ("[SCENE END",))), output


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "yaml")], ids=lambda page: page.name)
def test_every_file_of_the_page_can_be_played(page: Path, tmp_path: Path) -> None:
    for text in blocks(page, "yaml"):
        written = yaml.safe_load(text)
        if "slots" in written:
            (tmp_path / "ensemble.yaml").write_text(text, encoding="utf-8")
            assert read_ensemble(tmp_path).slots
        elif "scenes" in written:
            assert ACT.value(written, where=page.name, default_name="act").scenes
        elif "bans" in written:
            assert RULE_FORM.value(written, where=page.name).bans
        elif "promises" in written:
            assert PROMISE_FORM.value(written, where=page.name).promises
        elif "completion_mode" in written:
            assert template_from(written).character
        else:
            assert scene_from(written).characters


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "markdown")], ids=lambda page: page.name)
def test_every_card_of_the_page_is_read(page: Path) -> None:
    for text in blocks(page, "markdown"):
        card = parse_card("someone", text)
        assert card.role
        assert card.sections


async def shell(script: str, folder: Path, url: str) -> tuple[int | None, str]:
    """Run a script with our program on the path; providers are pointed to the local server by a wrapper of `new`."""
    wrapper = folder / "bin" / "dramaturg"
    wrapper.parent.mkdir(exist_ok=True)
    wrapper.write_text(
        "#!/bin/bash\n"
        f'{shlex.join(program())} "$@" || exit $?\n'
        'if [ "$1" = new ] && [ -n "$PROVIDERS" ]; then\n'
        '  printf "%b" "$PROVIDERS" >> "$2/dramaturg.toml"\n'
        f'  {shlex.join(program())} trust --yes --json --project "$2" > /dev/null\n'
        "fi\n",
        encoding="utf-8",
    )
    wrapper.chmod(0o755)
    if not (folder / "examples").exists():
        (folder / "examples").symlink_to(ROOT / "examples")
    providers = f'\\n[providers.anthropic]\\nbase_url = "{url}"\\n[providers.openai]\\nbase_url = "{url}/v1"\\n'
    path = f"{wrapper.parent}:{os.environ['PATH']}"
    home = clean_environment(folder, PATH=path, PROVIDERS=providers if url else "")
    process = await asyncio.create_subprocess_exec(
        "bash", "-euo", "pipefail", "-c", script, start_new_session=True,
        cwd=folder, env=home, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        async with asyncio.timeout(540):
            out, _ = await process.communicate()
    finally:
        with suppress(ProcessLookupError):  # what a page starts in the background ends with it
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, out.decode()
