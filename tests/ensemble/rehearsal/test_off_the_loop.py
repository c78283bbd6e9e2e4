"""What tells the language of a question takes a second to load; meanwhile the event loop serves everybody else."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from dramaturg.ensemble.rehearsal.abroad import heard_language
from dramaturg.voices import languages
from tests.ensemble.table import asked, open_table, sent

langid = pytest.importorskip("py3langid.langid")
PORTUGUESE = "Onde fica a estação mais próxima, por favor?"


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The threads in which the detector was loaded or asked; it is not loaded yet."""
    seen: list[int] = []
    identifier = langid.LanguageIdentifier
    load, rank = identifier.from_model_file, identifier.rank

    def loading(*given: Any, **named: Any) -> Any:
        seen.append(threading.get_ident())
        return load(*given, **named)

    def ranking(self: Any, text: str) -> Any:
        seen.append(threading.get_ident())
        return rank(self, text)

    monkeypatch.setattr(identifier, "from_model_file", loading)
    monkeypatch.setattr(identifier, "rank", ranking)
    languages._loaded.cache_clear()
    heard_language.cache_clear()
    return seen


@pytest.mark.parametrize("audio", [False, True])
async def test_the_first_question_in_another_language_loads_the_detector_in_another_thread(
    tmp_path: Path, threads: list[int], audio: bool
) -> None:
    async with open_table(tmp_path, audio=audio) as studio:
        run = await asked(studio, PORTUGUESE)
    answers = [one["text"] for one in sent(run, "slot.done") if one["turnIndex"] == 1]
    assert answers
    assert all("English" in text for text in answers)
    assert threads, "the detector was needed"
    assert threading.get_ident() not in threads
