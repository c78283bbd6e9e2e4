"""Facts that a model reads out of prose: kept, refused for want of a quotation, refused for other reasons.

`python -m benchmarks.extraction URL MODEL` consolidates the books of `benchmarks/continuity` with a model of your own;
without arguments, with the rehearsal company. "No such words" are claims whose quotation does not stand in the text.
`--show` prints every fact that was kept, with its quotation.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import tempfile
import time
from pathlib import Path

from benchmarks.contradictions import BOOKS, NAMES
from benchmarks.own_model import add_model, settings_for
from dramaturg import Studio, read_settings
from dramaturg.workshop.consolidation.values import Counts
from dramaturg.workshop.consolidation.work import NAME, ConsolidationRequest

REHEARSAL = '[models]\ndefault = "rehearsal"\n'
NO_QUOTE = "quote"
"""The reason for which a claim is refused whose words do not stand in the text."""


async def read(name: str, settings: str, show: bool) -> tuple[Counts, float]:
    """Consolidates one book; what came of it, and the seconds it took."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        shutil.copytree(BOOKS / name / "manuscript", project / "manuscript")
        (project / "dramaturg.toml").write_text(settings, encoding="utf-8")
        async with Studio.open(read_settings(project, os.environ, trust=True)) as studio:
            began = time.monotonic()
            run = await studio.workshop.works.start(NAME, ConsolidationRequest())
            await studio.workshop.works.wait(run.id)
            seconds = time.monotonic() - began
            (batch,) = (await studio.workshop.consolidation.batches()).batches
            if show:
                for one in (await studio.workshop.graph.read()).graph.facts:
                    if one.source not in ("story bible", "front matter") and one.quote:
                        print(f"  {one.subject} {one.predicate} {one.object}: “{one.quote}”")
            return batch.counts, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_model(parser, optional=True)
    parser.add_argument("--only", default="", help="names of books, comma-separated")
    parser.add_argument("--show", action="store_true", help="print the facts that were kept")
    wanted = parser.parse_args()
    settings = settings_for(wanted.url, wanted.model) if wanted.model else REHEARSAL
    print(f"Model: {wanted.model or 'the rehearsal company'}\n")
    print(
        "| book | pieces | without an answer | claims | facts kept | known before | no such words | refused | seconds |"
    )
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for name in NAMES:
        if wanted.only and name not in wanted.only.split(","):
            continue
        counts, seconds = asyncio.run(read(name, settings, wanted.show))
        unquoted = counts.refused.get(NO_QUOTE, 0)
        other = sum(counts.refused.values()) - unquoted + counts.unreadable + counts.surplus
        read_ = (counts.pieces, counts.unanswered, counts.claims, counts.added, counts.repeated)
        print(f"| {name} | {' | '.join(map(str, (*read_, unquoted, other)))} | {seconds:.0f} |", flush=True)


if __name__ == "__main__":
    main()
