"""A health report as one HTML file: plots, findings with their lines, waivers. No script, and no other file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from dramaturg.kernel.clock import moment
from dramaturg.workshop.health.plots import cast_plot, challenge_plot, symbol_plot, tension_plot, theme_plot
from dramaturg.workshop.health.values import CheckResult, Evidence, Finding, HealthReport, Waiver

_STATUS = {
    "found": ("found", "to look at"),
    "clear": ("clear", "nothing found"),
    "cannot_tell": ("cannot", "cannot tell"),
}
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def report_page(report: HealthReport) -> str:
    """The page. Every word of the book is escaped."""
    title = escape(report.title or "The book")
    body = "".join(
        (
            f"<h1>Health of {title}</h1>",
            *_head(report),
            "<h2>The book at a glance</h2>",
            *_plots(report),
            "<h2>The checks</h2>",
            *(_check(one, report) for one in report.checks),
            *_waivers(report),
            *_mended(report),
            *_problems(report),
        )
    )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>Health of {title}</title>'
        f"<style>{_style()}</style></head><body><main>{body}</main></body></html>"
    )


@cache
def _style() -> str:
    return (files(__package__) / "page.css").read_text(encoding="utf-8")


def _head(report: HealthReport) -> Iterator[str]:
    when = moment(report.at).strftime("%d %B %Y, %H:%M UTC").lstrip("0")
    counts = {name: sum(one.status == name for one in report.checks) for name in _STATUS}
    size = f"{report.scenes} scenes · {report.words:,} words"
    yield f'<p class="soft">{when} · {size} · scope: {escape(report.scope)}</p>'
    yield (
        f"<p>{counts['found']} of {len(report.checks)} checks found something to look at, {counts['clear']} found "
        f"nothing, and {counts['cannot_tell']} cannot tell. There is no mark for the book: each check says what it "
        "measured.</p>"
    )
    known = report.sources
    read = f", {known['extracted']} read by a model" if known.get("extracted") else ""
    refused = f"; {report.refused} refused, since their words are not in the text" if report.refused else ""
    yield (
        f'<p class="soft">What is known of the scenes: {known.get("front matter", 0)} values from front matter'
        f"{read}{refused}, and {known.get('prose', 0)} names found in the prose.</p>"
    )
    past = report.comparison
    if past.run:
        yield (
            f"<p>Since the last report: {len(past.new)} new, {len(past.standing)} still there, {len(past.mended)} "
            "mended.</p>"
        )


def _plots(report: HealthReport) -> Iterator[str]:
    points = report.points
    if not points:
        yield '<p class="soft">There are no scenes in manuscript/ yet.</p>'
        return
    if any(one.tension is not None or one.beat for one in points):
        yield _figure(
            tension_plot(points),
            "Tension, scene by scene, and the beats that scenes serve. Above: where turning points stand in finished "
            "books. A hollow point was read by a model.",
        )
    if any(one.cast or one.named for one in points):
        yield _figure(cast_plot(points), "Cast by chapter. Dashed: only named in the prose. Width: the scene's length.")
    if any(one.challenge is not None for one in points):
        yield _figure(challenge_plot(points), "Scenes that challenge the fatal flaw. Crossed out: nobody says.")
    if any(one.symbols for one in points):
        yield _figure(symbol_plot(points), "Symbols, where they are seen.")
    if any(one.resonance is not None for one in points):
        yield _figure(theme_plot(points), "How far each scene touches the theme, from 0 to 10. ?: nobody says.")


def _figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{caption}</figcaption></figure>"


def _check(check: CheckResult, report: HealthReport) -> str:
    look, said = _STATUS[check.status]
    code = check.check.partition("_")[0]
    details = "".join(f"<li>{escape(one)}</li>" for one in check.details)
    more = f"<details><summary>Single measurements</summary><ul>{details}</ul></details>" if details else ""
    missing = f"<p>{escape(check.missing)}</p>" if check.missing else ""
    drills = f'<p class="soft">Fire drills: {escape(check.in_drills)}.</p>' if check.in_drills else ""
    findings = "".join(
        _finding(one, one.key in report.comparison.new and bool(report.comparison.run)) for one in check.findings
    )
    return (
        f'<section class="check"><header><h3>{escape(code)} · {escape(check.title)}</h3>'
        f'<span class="tag {look}">{said}</span></header><p class="measured">{escape(check.measured)}</p>'
        f"{missing}{findings}{more}{drills}</section>"
    )


def _finding(finding: Finding, is_new: bool) -> str:
    look, new = finding.severity, " · new" if is_new else ""
    return (
        f'<div class="finding {look}"><p><strong class="{look}">{look}{new}</strong> '
        f"{escape(finding.text)}</p><p>{escape(finding.recommendation)}</p>{''.join(_quotes(finding.evidence))}</div>"
    )


def _quotes(evidence: Sequence[Evidence]) -> Iterator[str]:
    for one in evidence:
        place = escape(one.file) + (f", paragraph {one.paragraph}" if one.paragraph else "")
        origin = ", read by a model" if one.origin == "extracted" else ""
        quote = escape(" ".join(one.quote.split()))
        yield f"<blockquote>{quote}<cite>{place}{origin}</cite></blockquote>"


def _waivers(report: HealthReport) -> Iterator[str]:
    if not report.waivers:
        return
    covered: dict[Waiver, list[str]] = {one.waiver: [] for one in report.waived}
    for one in report.waived:
        covered[one.waiver].append(one.finding.text)
    yield "<h2>Waived by the writer</h2><table><tr><th>Check</th><th>Place</th><th>Reason</th><th>Covers</th></tr>"
    for waiver in report.waivers:
        what = "<br>".join(map(escape, covered.get(waiver, ["nothing at present"])))
        yield (
            f"<tr><td>{escape(waiver.check)}</td><td>{escape(waiver.place)}</td><td>{escape(waiver.reason)}</td>"
            f"<td>{what}</td></tr>"
        )
    yield "</table>"


def _mended(report: HealthReport) -> Iterator[str]:
    if report.comparison.mended:
        items = "".join(f"<li>{escape(one.text)}</li>" for one in report.comparison.mended)
        yield f"<h2>Mended since the last report</h2><ul>{items}</ul>"


def _problems(report: HealthReport) -> Iterator[str]:
    if report.problems:
        items = "".join(f"<li>{escape(one)}</li>" for one in report.problems)
        yield f"<h2>What could not be read</h2><ul>{items}</ul>"
