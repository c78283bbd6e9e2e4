"""A message that brings down whoever answers it is given up after three tries without an answer; the rest goes on."""

from __future__ import annotations

import subprocess
import textwrap
from pathlib import Path

from tests.episodes.staging import FLIRT, house, say, studio_of, types
from tests.warm import python

DEADLY = textwrap.dedent(
    """
    import asyncio, os, sys
    from pathlib import Path
    from dramaturg.episodes.events import Persona
    from dramaturg.kernel.models.scripted import ScriptedModel
    from tests.episodes.staging import FLIRT, say, studio_of

    project, how = Path(sys.argv[1]), sys.argv[2]

    def die(request):
        with (project / "asked").open("a") as file:
            file.write(request.key + "\\n")
        os._exit(9)

    async def main():
        async with studio_of(project, ScriptedModel(die), {**FLIRT, "evaluation": None}) as studio:
            if how == "begin":
                view = await studio.episodes.open("last-orders", Persona(id="anna"))
                print(view.id, flush=True)
                await say(studio, view.id, "Say the word.", "c1")
            else:
                await studio.resume_unfinished()
                await studio.engine.join()

    asyncio.run(main())
    """
)


def process(project: Path, how: str) -> subprocess.CompletedProcess[str]:
    command = [*python(), "-c", DEADLY, str(project), how]
    return subprocess.run(command, capture_output=True, text=True, check=False)


async def test_a_message_that_kills_its_process_is_given_up_after_three_adoptions_and_the_session_goes_on(
    tmp_path: Path,
) -> None:
    began = process(tmp_path, "begin")
    assert began.returncode == 9, began.stderr
    assert [process(tmp_path, "serve").returncode for _ in range(5)] == [9, 9, 9, 0, 0]
    assert len((tmp_path / "asked").read_text(encoding="utf-8").splitlines()) == 4
    session = began.stdout.strip()
    async with studio_of(tmp_path, house(), {**FLIRT, "evaluation": None}) as studio:
        assert (await studio.runs.get(session)).status == "stopped"
        assert [one.role for one in (await studio.episodes.view(session)).messages][-1] == "player"
        assert types(await say(studio, session, "Something else, then.", "c2"))[-1] == "done"
