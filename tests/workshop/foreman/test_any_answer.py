"""Whatever a model writes, a consultation ends, the writer sees something, and files stay inside the project."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.models.port import ModelRequest
from dramaturg.workshop.book.modes import Mode
from tests.laws import examples
from tests.workshop.foreman.test_answer_reader import PIECES
from tests.workshop.workroom import acting, at_work, heard

ACTIONS = st.sampled_from(
    [
        acting("save_decision", category="character", key="flaw", value="pride"),
        acting("save_decision", category="Character", key="../x", value="\0"),
        acting("write_template", template="Beat Sheet", content='{"beat_4": "She leaves.", "beat_99": "?"}'),
        acting("write_template", template="theme", content="no field at all"),
        acting("write_template", template="../../etc", content="<x>y</x>"),
        acting("update_status", template="theme", status="complete", missing="[broken"),
        acting("advance_mode", force="yes please"),
        acting("advance_mode", force="true"),
        acting("advance_mode", to="EDITOR"),
        acting("query_notebook", notebook_id="x", query="y"),
        acting("apply_edit", target="/etc/passwd", find="a", replace="b"),
        acting("generate_scaffold", chapter="four", scene="2"),
        '<content_update target="../up.md">Prose.</content_update>',
        '<content_update target="ch01-sc01">Prose.</content_update>',
        '<content_update target="">Prose.</content_update>',
    ]
)
ANSWERS = st.lists(PIECES | ACTIONS | st.text(max_size=12), max_size=12).map("".join)


@given(st.lists(ANSWERS, min_size=1, max_size=6))
@examples(12)
def test_any_answers_are_borne(answers: list[str]) -> None:
    async def talk(project: Path) -> None:
        left = iter(answers)

        def next_one(request: ModelRequest) -> str:
            return next(left, "<message>Enough.</message>")

        async with at_work(project, next_one) as foreman:
            for _ in answers:
                events = await heard(foreman, "Go on.")
                assert events[-1].event == "done"
                assert any(event.event in ("message.done", "failed") for event in events)
            assert (await foreman.view()).mode in list(Mode)
            while (await foreman.conversation()).undoable:
                await foreman.undo()
            assert await foreman.decisions() == ()

    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "book"
        project.mkdir()
        asyncio.run(talk(project))
        assert [path.name for path in Path(folder).iterdir()] == ["book"]
        left_over = [path for path in project.rglob("*.md") if "data" not in path.parts]
        assert left_over == []
