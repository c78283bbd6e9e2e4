"""`scene.json` is what its published schema says."""

import json
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator, ValidationError
from typer.testing import CliRunner

from dramaturg.cli.app import app
from dramaturg.scenes.exports.schema import render_schema

ROOT = Path(__file__).parents[3]
SCENES = sorted((ROOT / "examples").glob("*/scenes/*.yaml"))
PUBLISHED = ROOT / "docs" / "reference" / "scene.schema.json"


def played(scene: Path, tmp_path: Path) -> dict[str, object]:
    """The document of an example, played by the company in a copy of its project."""
    project = tmp_path / "story"
    shutil.copytree(scene.parents[1], project, ignore=shutil.ignore_patterns("data"))
    words = ["scene", "run", scene.stem, "--model", "rehearsal", "--quiet", "--project", str(project)]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    (found,) = project.glob("data/scenes/*/scene.json")
    return json.loads(found.read_text(encoding="utf-8"))


@pytest.mark.parametrize("scene", SCENES, ids=lambda path: path.stem)
def test_the_document_of_every_example_fits_the_published_schema(scene: Path, tmp_path: Path) -> None:
    validator = Draft202012Validator(json.loads(PUBLISHED.read_text(encoding="utf-8")))
    document = played(scene, tmp_path)
    assert document["lines"]
    validator.validate(document)
    with pytest.raises(ValidationError):
        validator.validate(document | {"surprise": 1})
    with pytest.raises(ValidationError):
        validator.validate({**document, "lines": [{"number": "one"}]})


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(json.loads(render_schema()))
