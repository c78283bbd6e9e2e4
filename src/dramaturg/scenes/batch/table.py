"""The results of a batch as Parquet, written in pieces."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from dramaturg.kernel.errors import InvalidConfig, InvalidSettings, install_extra
from dramaturg.kernel.store import Artifacts
from dramaturg.scenes.batch.results import RowResult, check_apart, read_results

PIECE = 5_000
_TYPES = {"line": "int64", "seed": "int64", "beats": "int32", "lines": "int32", "interruptions": "int32"}
_TYPES |= {"tokens": "int64", "usd": "float64", "seconds": "float64", "goalAchieved": "bool_"}


def require_parquet() -> ModuleType:
    """The library that writes Parquet. Raises InvalidSettings with how to install it."""
    try:
        import pyarrow.parquet
    except ModuleNotFoundError as error:
        raise InvalidSettings(
            f"Parquet needs {error.name}, which is not installed: {install_extra('parquet')}; "
            "the same results are there as JSON Lines.",
            missing=error.name,
        ) from error
    return pyarrow  # type: ignore[no-any-return]


def check_parquet(to: Path, *others: Path) -> None:
    """Raises InvalidConfig if a table may not be written there: it is one of the others, or something else already."""
    check_apart("--parquet", to, *others)
    if not to.exists() or (to.is_file() and to.stat().st_size == 0):
        return
    arrow = require_parquet()
    try:
        is_table = arrow.parquet.read_schema(to).names == _names()
    except (OSError, arrow.ArrowException):
        is_table = False
    if not is_table:
        raise InvalidConfig(
            f"{to} is not a table of a batch, so it is not replaced. Give another file with --parquet, or move this "
            "one away; nothing was written.",
            file=str(to),
        )


def write_parquet(results: Path, to: Path) -> int:
    """Writes the results as a table, whole or not at all; how many rows it has."""
    arrow = require_parquet()
    schema = arrow.schema([(name, getattr(arrow, _TYPES.get(name, "string"))()) for name in _names()])
    rows, written = read_results(results), 0
    with Artifacts(to.parent).writing(to.name) as file, arrow.parquet.ParquetWriter(file, schema) as writer:
        while piece := [result.model_dump(mode="json", by_alias=True) for result in islice(rows, PIECE)]:
            writer.write_table(_table(arrow, schema, piece))
            written += len(piece)
    return written


def _names() -> list[str]:
    return [field.alias or name for name, field in RowResult.model_fields.items()]


def _table(arrow: ModuleType, schema: Any, rows: list[dict[str, Any]]) -> Any:
    return arrow.Table.from_pylist(rows, schema=schema)
