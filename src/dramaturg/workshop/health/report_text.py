"""A health report and a drill as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from dramaturg.workshop.health.values import CheckResult, Evidence, Finding, HealthReport

MOST_QUOTES = 4
_MARKS = {"found": "!", "clear": "·", "cannot_tell": "?"}


def report_text(report: HealthReport) -> str:
    """Every check with what it measured and found, then waivers and what changed since the last report."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: HealthReport) -> Iterator[str]:
    known = report.sources
    yield f"{report.title or 'The book'}: {report.scenes} scenes, {report.words:,} words; scope: {report.scope}"
    yield (
        f"Known from front matter: {known.get('front matter', 0)}; read by a model: {known.get('extracted', 0)} "
        f"({report.refused} refused); names in prose: {known.get('prose', 0)}"
    )
    for check in report.checks:
        yield ""
        yield from _check(check)
    if report.waivers:
        yield ""
        yield "Waived by the writer:"
        for waiver in report.waivers:
            count = sum(one.waiver == waiver for one in report.waived)
            yield f"  {waiver.check}, {waiver.place}: {waiver.reason} ({count} finding{'s' * (count != 1)})"
    past = report.comparison
    if past.run:
        yield ""
        yield f"Since run {past.run}: {len(past.new)} new, {len(past.standing)} still there, {len(past.mended)} mended."
        for finding in past.mended:
            yield f"  mended: {finding.text}"
    for problem in report.problems:
        yield f"Not read: {problem}"


def _check(check: CheckResult) -> Iterator[str]:
    code = check.check.partition("_")[0]
    status = {"found": "", "clear": ": nothing found", "cannot_tell": ": cannot tell"}[check.status]
    yield f"{_MARKS[check.status]} {code} {check.title}{status}"
    yield f"    {check.measured}"
    if check.missing:
        yield f"    {check.missing}"
    for finding in check.findings:
        yield from _finding(finding)
    if check.in_drills:
        yield f"    In fire drills: {check.in_drills}."


def _finding(finding: Finding) -> Iterator[str]:
    yield f"  {finding.severity}: {finding.text}"
    yield f"    {finding.recommendation}"
    for one in finding.evidence[:MOST_QUOTES]:
        yield f"    {_place(one)}{_quote(one)}"


def _place(evidence: Evidence) -> str:
    return f"{evidence.file}, paragraph {evidence.paragraph}" if evidence.paragraph else evidence.file


def _quote(evidence: Evidence) -> str:
    plain = " ".join(evidence.quote.split())
    model = " (read by a model)" if evidence.origin == "extracted" else ""
    return f": “{plain}”{model}" if plain else model
