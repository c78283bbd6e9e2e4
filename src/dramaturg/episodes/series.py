"""A series: episodes in order, and what they are about."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import Field, model_validator

from dramaturg.authored import AuthoredFolder, AuthoredForm, check_name, named_file, read_folder, shown_path
from dramaturg.episodes.template import NAME
from dramaturg.kernel.values import Value

FOLDER = "series"
KIND = "series"


class Series(Value):
    """`episodes` are names of templates, in order. `archetypes` are the results it suits, of any evaluation pack."""

    name: str = Field(pattern=NAME)
    title: str = Field("", max_length=200)
    description: str = Field("", max_length=1000)
    episodes: tuple[str, ...] = Field(min_length=1)
    themes: tuple[str, ...] = ()
    archetypes: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _sound(self) -> Series:
        twice = next((name for name in self.episodes if self.episodes.count(name) > 1), None)
        if twice:
            raise ValueError(f"'{twice}' is in the series twice. Name each episode once.")
        return self

    @property
    def shown_title(self) -> str:
        return self.title or self.name.replace("-", " ").capitalize()

    def number_of(self, template: str) -> int | None:
        """The number of an episode, from 1; None if it is not in this series."""
        return self.episodes.index(template) + 1 if template in self.episodes else None

    def after(self, template: str) -> str | None:
        """The next episode; None after the last, or if the episode is not in this series."""
        number = self.number_of(template)
        return self.episodes[number] if number is not None and number < len(self.episodes) else None

    def before(self, template: str) -> str | None:
        number = self.number_of(template)
        return self.episodes[number - 2] if number is not None and number > 1 else None


FORM = AuthoredForm(Series, KIND)


def read_series(path: Path, *, project: Path | None = None) -> Series:
    """The series in a YAML or JSON file. Raises InvalidConfig."""
    return FORM.read(path, project=project)


def named_series(project: Path, name: str) -> Series:
    """A series by its name in `series/`. Raises NotFound with the nearest name."""
    return _own_series(named_file(project / FOLDER, name, KIND, name=name), project)


def all_series(project: Path) -> AuthoredFolder[Series]:
    """Every series of a project, by name; those that cannot be read are listed apart."""
    return read_folder(project / FOLDER, lambda path: _own_series(path, project))


def _own_series(path: Path, project: Path) -> Series:
    series = read_series(path, project=project)
    check_name(series.name, path.stem, shown_path(path, project))
    return series


def series_with(template: str, series: Iterable[Series]) -> Series | None:
    """The first series that an episode belongs to."""
    return next((one for one in series if template in one.episodes), None)
