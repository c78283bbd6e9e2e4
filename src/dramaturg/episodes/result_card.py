"""A readable result: one shape for every kind of evaluation, for the terminal, the page and the image."""

from __future__ import annotations

from collections.abc import Mapping
from operator import not_

from pydantic import Field, JsonValue

from dramaturg.kernel.values import Value

VERDICTS = {
    "right": "You were right",
    "right_unproven": "Right, but not proven",
    "partly_right": "Partly right",
    "wrong": "You were wrong",
}


class ResultPoint(Value):
    """One piece of evidence for the result, and the quote that shows it, if it may be shown."""

    label: str
    quote: str = Field("", exclude_if=not_)


class ResultCard(Value):
    """A result: its title, its text and its evidence. `key` is that of an archetype, else empty."""

    headline: str
    text: str = ""
    remark: str = ""
    points: tuple[ResultPoint, ...] = ()
    figure: str = ""
    key: str = ""


def result_card(evaluation_type: str, result: Mapping[str, JsonValue]) -> ResultCard:
    """The card of a result. For an unknown kind, it shows whatever texts there are."""
    if evaluation_type == "episode_summary":
        return ResultCard(
            headline="What happened",
            text=_text(result, "summary"),
            remark=_text(result, "emotional_arc"),
            points=_points(result.get("key_moments"), "text"),
        )
    if evaluation_type == "mystery_progress":
        return _mystery(result)
    confidence = result.get("confidence")
    return ResultCard(
        headline=_text(result, "title") or _text(result, "archetype") or "A result",
        text=_text(result, "description"),
        remark=_text(result, "remark"),
        points=_points(result.get("primary_signals"), "signal"),
        figure=f"{confidence:.0%} sure" if isinstance(confidence, int | float) else "",
        key=_text(result, "archetype"),
    )


def _mystery(result: Mapping[str, JsonValue]) -> ResultCard:
    clues, total = _points(result.get("clues_found"), "text"), result.get("clues_total")
    cleared = result.get("suspects_cleared")
    names = [one for one in cleared if isinstance(one, str)] if isinstance(cleared, list) else []
    theory, figure = _text(result, "current_theory"), f"{len(clues)} of {total} clues"
    cleared_text = f"Cleared: {', '.join(names)}." if names else ""
    headline = VERDICTS.get(_text(result, "verdict"))
    if headline is None:
        text = theory or "You have not named anybody yet."
        return ResultCard(headline=figure, text=text, remark=cleared_text, points=clues)
    proofs = _points(result.get("proofs"), "text")
    shown = {one.label for one in proofs}
    return ResultCard(
        headline=headline,
        text=_text(result, "verdict_text"),
        remark=_text(result, "solution") or cleared_text,
        points=(*proofs, *(one for one in clues if one.label not in shown)),
        figure=figure,
    )


def _text(result: Mapping[str, JsonValue], key: str) -> str:
    value = result.get(key)
    return " ".join(value.split()) if isinstance(value, str) else ""


def _points(value: JsonValue, key: str) -> tuple[ResultPoint, ...]:
    found = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    points = [ResultPoint(label=_text(one, key).replace("_", " "), quote=_text(one, "quote")) for one in found]
    return tuple(dict.fromkeys(points))  # without their quotes, several may say the same
