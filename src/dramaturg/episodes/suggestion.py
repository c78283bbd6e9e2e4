"""What to play next: the next episode of the series, a matching series, or more with the same character."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field, JsonValue, computed_field

from dramaturg.authored import UnreadableFile
from dramaturg.episodes.events import Suggestion
from dramaturg.episodes.packs import EvaluationPack
from dramaturg.episodes.series import Series
from dramaturg.episodes.template import EpisodeTemplate
from dramaturg.kernel.values import Value


class Repertoire(Value):
    """Everything that a project can play, and the files that cannot be read."""

    templates: tuple[EpisodeTemplate, ...] = ()
    series: tuple[Series, ...] = ()
    unreadable_templates: tuple[UnreadableFile, ...] = Field((), exclude=True)
    unreadable_series: tuple[UnreadableFile, ...] = Field((), exclude=True)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def unreadable(self) -> tuple[UnreadableFile, ...]:
        return (*self.unreadable_templates, *self.unreadable_series)

    def template(self, name: str) -> EpisodeTemplate | None:
        return next((one for one in self.templates if one.name == name), None)


def suggest(
    template: EpisodeTemplate,
    repertoire: Repertoire,
    *,
    series: str | None = None,
    result: Mapping[str, JsonValue] | None = None,
    pack: EvaluationPack | None = None,
    display_name: str = "",
    played: Sequence[str] = (),
) -> Suggestion | None:
    """The first suggestion that fits; None if the project has nothing else. `played` are episodes already played."""
    current = next((one for one in repertoire.series if one.name == series), None)
    following = current.after(template.name) if current is not None else None
    if current is not None and following is not None and repertoire.template(following) is not None:
        return Suggestion(
            type="next_episode",
            episode_template_id=following,
            series_id=current.name,
            prompt=f"Next in {current.shown_title}: {_title(repertoire, following)}",
        )
    matched = _matched(template, repertoire, current, result or {}, pack, played)
    if matched is not None:
        return matched
    others = tuple(
        one.name
        for one in repertoire.templates
        if one.character.casefold() == template.character.casefold() and one.name != template.name
    )
    who = display_name or template.character
    return Suggestion(
        type="character_content",
        character_id=template.character,
        episodes=others,
        prompt=f"More with {who}." if others else f"{who} is still here. Keep talking?",
    )


def _matched(
    template: EpisodeTemplate,
    repertoire: Repertoire,
    current: Series | None,
    result: Mapping[str, JsonValue],
    pack: EvaluationPack | None,
    played: Sequence[str],
) -> Suggestion | None:
    key = str(result.get("archetype", ""))
    archetype = pack.archetype(key) if pack is not None and key else None
    others = [
        one
        for one in repertoire.series
        if one is not current and template.name not in one.episodes and any(name not in played for name in one.episodes)
    ]
    for one in others:
        if key and key in one.archetypes:
            return _series(one, f"archetype {key}", archetype.title if archetype else key)
    themes = {theme.casefold(): theme for theme in (*template.themes, *(archetype.themes if archetype else ()))}
    best = max(others, key=lambda one: len(_shared(one, themes)), default=None)
    if best is not None and _shared(best, themes):
        theme = sorted(_shared(best, themes))[0]
        return _series(best, f"theme {theme}", theme)
    return None


def _shared(series: Series, themes: Mapping[str, str]) -> set[str]:
    return {theme.casefold() for theme in series.themes} & themes.keys()


def _series(series: Series, matched_by: str, shown: str) -> Suggestion:
    told: dict[str, JsonValue] = {
        "id": series.name,
        "title": series.shown_title,
        "description": series.description,
        "first_episode": series.episodes[0],
    }
    return Suggestion(
        type="matched_series",
        series_id=series.name,
        series=told,
        episode_template_id=series.episodes[0],
        matched_by=matched_by,
        prompt=f"Suits you ({shown}): {series.shown_title}",
    )


def _title(repertoire: Repertoire, name: str) -> str:
    found = repertoire.template(name)
    return found.shown_title if found else name
