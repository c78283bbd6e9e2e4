"""A book's voice in a terminal: the blind line-up, the opened one, rules and measures."""

from __future__ import annotations

from rich.table import Table

from dramaturg.cli.edge import echo, stdout, tell
from dramaturg.kernel.text.counts import counted
from dramaturg.workshop.calibration.bundle import profile_lines
from dramaturg.workshop.calibration.contest import OpenPassage, VoiceReport
from dramaturg.workshop.calibration.report_text import label_of, selection_said
from dramaturg.workshop.narrative_voice import PageProfile, PageReport
from dramaturg.workshop.voice.antipatterns import RuleReport
from dramaturg.workshop.voice.lineup import BlindLineup

MOST_QUOTES = 2


def print_lineup(lineup: BlindLineup) -> None:
    """The passages by letter; in pairs, the next pair."""
    if lineup.way == "pairs":
        print_next_pair(lineup)
        return
    for passage in lineup.passages:
        _print_passage(passage.letter, passage.text)
    hidden = " A page of yours is among them." if lineup.has_own else ""
    tell(f"{len(lineup.passages)} passages, in no order.{hidden} Choose: dramaturg foreman voice select LETTER")


def print_next_pair(lineup: BlindLineup) -> None:
    """The next pair that waits for a choice, or what the choices come to."""
    waiting = next((pair for pair in lineup.pairs if not pair.chosen), None)
    if waiting is None:
        leads = f"{lineup.leads} was preferred most often." if lineup.leads else "No passage is ahead of the others."
        tell(f"{leads} Open the labels: dramaturg foreman voice select {lineup.leads or 'LETTER'}")
        return
    texts = {passage.letter: passage.text for passage in lineup.passages}
    for letter in (waiting.left, waiting.right):
        _print_passage(letter, texts[letter])
    tell(
        f"Pair {waiting.number} of {len(lineup.pairs)}, {lineup.left} left. "
        f"Choose: dramaturg foreman voice choose {waiting.left}|{waiting.right} --pair {waiting.number}"
    )


def print_report(report: VoiceReport) -> None:
    """The line-up with its labels: scores, measures, and what the choosing was worth."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("", "who", "words", "judged", "anti-patterns"):
        table.add_column(column, justify="right" if column in ("words", "judged", "anti-patterns") else "left")
    for one in report.passages:
        mark = "→ " if one.cell == report.winner.cell else "  "
        table.add_row(f"{mark}{one.letter}", _who(one), f"{one.words}", _judged(one), f"{len(one.broken)} broken")
    stdout().print(table)
    echo(selection_said(report))
    for why in report.unscored:
        tell(f"Unscored: {why}", "yellow")
    for line in report.winner.profile.abstains:
        tell(line, "dim")


def print_pages(found: PageReport) -> None:
    """Rules: the writer's own pages first, then the file."""
    if not found.file:
        _print_rules(f"Your own pages ({counted(len(found.own_files), 'file')})", found.report)
        return
    if found.own is not None:
        _print_rules(f"Your own pages ({counted(len(found.own_files), 'file')})", found.own)
    else:
        tell("There are no other pages of yours to compare with.", "dim")
    _print_rules(found.file, found.report)


def print_profile(found: PageProfile) -> None:
    """The measures of a file, and how it differs from the writer's other pages."""
    for line in profile_lines(found.profile):
        echo(line)
    if found.others is None:
        tell("There are no other pages of yours to compare with.", "dim")
        return
    for one in found.differences:
        if one.tells == "differs":
            echo(f"{one.measure.replace('_', ' ')} differs from your other pages: {one.one} here, {one.other} there")
    if any(one.tells == "too short to tell" for one in found.differences):
        tell("Whether it differs from your other pages: too short to tell.", "dim")
    if found.nearest is not None:
        tell(f"Nearest of your pages: {found.nearest.name or found.nearest.abstains}", "dim")


def _print_passage(letter: str, text: str) -> None:
    stdout().rule(letter, align="left", style="dim")
    echo(text)
    echo("")


def _print_rules(title: str, report: RuleReport) -> None:
    broken = len(report.broken)
    echo(f"{title}: {report.words:,} words, {report.hits} places, {broken} {'rule' if broken == 1 else 'rules'} broken")
    for one in report.counts:
        over = f", {one.over} too many" if one.over else ""
        waived = f", {one.waived} waived" if one.waived else ""
        echo(f"  {one.rule}: {one.hits} ({one.per_1000:g} in 1,000 words{over}{waived}): {one.says}")
        for hit in one.quotes[:MOST_QUOTES] if one.over else ():
            echo(f"      {hit.quote}")
    for rule in report.unsearched:
        tell(f"{rule} was not searched to the end: the pattern is too much work for a text of this length.", "yellow")


def _who(passage: OpenPassage) -> str:
    return label_of(passage.model_copy(update={"letter": ""}))


def _judged(passage: OpenPassage) -> str:
    if passage.judged is None:
        return "–"
    return f"{passage.judged.overall:g}" if passage.judged.overall is not None else "unscored"
