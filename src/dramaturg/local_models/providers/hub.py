"""GGUF files from the Hugging Face Hub: looked up, downloaded with resume, and checked (the extra `dramaturg[local]`).

A file gets its name only when it is complete and its hash is right. Until then it is a hidden file in the same folder,
where the next attempt finds what has arrived.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from logging import getLogger
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dramaturg.kernel.errors import (
    DramaturgError,
    InvalidConfig,
    ModelRejected,
    ModelUnavailable,
    NotFound,
    StoreUnavailable,
    install_extra,
)
from dramaturg.kernel.models.gguf import SUFFIX, downloaded_models
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.text.tables import table

DEFAULT = "qwen2.5-1.5b"
ENDPOINT = "HF_ENDPOINT"
_REPO_FILE = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+):(?P<file>[\w./ -]+)")
_BLOCK = 1 << 20

Progress = Callable[[int, int], None]
"""Told how many bytes are there, of how many."""


@dataclass(frozen=True, slots=True)
class HubModel:
    """A GGUF file on the hub. `size` and `sha256` are known once the hub was asked."""

    name: str
    repo: str
    file: str
    licence: str = ""
    gigabytes: float = 0.0
    about: str = ""
    size: int = 0
    sha256: str = ""

    @property
    def file_name(self) -> str:
        """The name after `local/`."""
        return Path(self.file).name


@cache
def small_models() -> tuple[HubModel, ...]:
    """The short list of models worth getting, smallest first."""
    return tuple(HubModel(**row) for row in table("dramaturg.local_models", "small_models.toml")["model"])


def find_model(asked: str) -> HubModel:
    """The model of the list with this name, or the file `REPO:FILE`. Raises NotFound for anything else."""
    for model in small_models():
        if asked.lower() in (model.name, model.file_name.lower()):
            return model
    found = _REPO_FILE.fullmatch(asked.strip())
    if found is None or ".." in found["file"] or not found["file"].endswith(SUFFIX):
        known = ", ".join(model.name for model in small_models())
        raise NotFound(
            f"'{asked}' is neither a model of the list ({known}) nor a GGUF file on the hub. "
            f"Name a file as OWNER/REPO:FILE{SUFFIX}.",
            model=asked,
        )
    return HubModel(Path(found["file"]).stem, found["repo"], found["file"])


class Hub:
    """The hub that `HF_ENDPOINT` names, or the public one."""

    def __init__(self, settings: Settings) -> None:
        if find_spec("huggingface_hub") is None:
            raise InvalidConfig(f"Downloading models needs the extra 'local': {install_extra('local')}.")
        from huggingface_hub import constants

        # The client must ask for nothing but the model, and print nothing of its own.
        constants.HF_HUB_DISABLE_TELEMETRY = True
        getLogger("huggingface_hub").setLevel("ERROR")
        self._endpoint = settings.env.get(ENDPOINT, "").rstrip("/") or None
        self._token = settings.env.get("HF_TOKEN") or None
        self._folder = downloaded_models(settings)

    def look_up(self, model: HubModel) -> HubModel:
        """The same model with its licence, size and hash as the hub states them. Nothing is downloaded."""
        from huggingface_hub import HfApi

        with self._faults(model):
            info = HfApi(endpoint=self._endpoint, token=self._token).model_info(model.repo, files_metadata=True)
        siblings = {one.rfilename: one for one in info.siblings or ()}
        if model.file not in siblings:
            offered = ", ".join(sorted(name for name in siblings if name.endswith(SUFFIX))[:8]) or "none"
            raise NotFound(f"{model.repo} has no file {model.file} (GGUF files there: {offered}).", model=model.name)
        found = siblings[model.file]
        card: dict[str, object] = vars(info.card_data) if info.card_data else {}
        return replace(
            model,
            licence=str(card.get("license_name") or card.get("license") or model.licence or "not stated"),
            size=found.size or 0,
            sha256=found.lfs.sha256 if found.lfs else "",
        )

    def path_of(self, model: HubModel) -> Path:
        """Where the file stands once it is downloaded."""
        return self._folder / model.file_name

    def has(self, model: HubModel) -> bool:
        """Whether the file that was looked up is here already, whole."""
        path = self.path_of(model)
        return path.is_file() and path.stat().st_size == model.size

    def download(self, model: HubModel, on_progress: Progress = lambda done, total: None) -> Path:
        """The file of a model that was looked up. What an earlier attempt left is used.

        Raises StoreUnavailable where there is no room, ModelUnavailable if the hub cannot be reached or the file
        arrived damaged.
        """
        if self.has(model):
            return self.path_of(model)
        partial = self._folder / f".{model.file_name}.{model.sha256[:16]}.part"
        with self._faults(model):
            self._folder.mkdir(parents=True, exist_ok=True)
            self._check_room(model, partial)
            self._fetch(model, partial, on_progress)
            return self._checked(model, partial)

    def _fetch(self, model: HubModel, partial: Path, on_progress: Progress) -> None:
        # The client's own `hf_hub_download` starts over after an interruption; its `http_get` goes on.
        from huggingface_hub import get_token, hf_hub_url
        from huggingface_hub.file_download import http_get

        token = self._token or get_token()
        with partial.open("ab") as file:
            arrived = file.tell()
            if arrived < model.size:
                http_get(
                    hf_hub_url(model.repo, model.file, endpoint=self._endpoint),
                    file,
                    resume_size=arrived,
                    headers={"authorization": f"Bearer {token}"} if token else {},
                    expected_size=model.size,
                    tqdm_class=_reporting(on_progress),
                )

    def _check_room(self, model: HubModel, partial: Path) -> None:
        arrived = partial.stat().st_size if partial.exists() else 0
        free = shutil.disk_usage(self._folder).free
        if free < model.size - arrived:
            raise StoreUnavailable(
                f"{model.file_name} needs {model.size / 1e9:.1f} GB, and {self._folder} has {free / 1e9:.1f} GB left. "
                "Make room, or set DRAMATURG_MODELS to a folder on another disk.",
                folder=str(self._folder),
            )

    def _checked(self, model: HubModel, arrived: Path) -> Path:
        if model.sha256 and _digest(arrived) != model.sha256:
            arrived.unlink()
            raise ModelUnavailable(
                f"{model.file_name} arrived damaged: its hash is not the one the hub states. Removed; try again.",
                model=model.name,
            )
        path = self.path_of(model)
        arrived.replace(path)
        return path

    @contextmanager
    def _faults(self, model: HubModel) -> Iterator[None]:
        """The hub's errors as ours. No message repeats an address with a password, or a body."""
        from huggingface_hub import errors

        try:
            yield
        except DramaturgError:
            raise
        except errors.GatedRepoError as error:
            raise ModelRejected(
                f"{model.repo} asks you to accept its licence. Do so on its page, and set HF_TOKEN to your token.",
                model=model.name,
            ) from error
        except (errors.RepositoryNotFoundError, errors.RemoteEntryNotFoundError) as error:
            raise NotFound(f"{self._host} has no {model.repo}:{model.file}.", model=model.name) from error
        except errors.HfHubHTTPError as error:
            status = error.response.status_code
            raise ModelUnavailable(f"{self._host} answered {status}. Try again later.", model=model.name) from error
        except OSError as error:
            if error.errno is None or isinstance(error, ConnectionError | TimeoutError):
                raise self._unreachable(model) from error
            raise StoreUnavailable(
                f"{self._folder} cannot be written: {error.strerror}.", folder=str(self._folder)
            ) from error
        except Exception as error:  # reason: the hub's client lets through what its HTTP library raises
            raise self._unreachable(model) from error

    def _unreachable(self, model: HubModel) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._host} cannot be reached. Check the connection and run the command again; what has arrived is "
            f"kept. A file from elsewhere can be put into {self._folder} by hand.",
            model=model.name,
        )

    @property
    def _host(self) -> str:
        return urlsplit(self._endpoint or "https://huggingface.co").hostname or "The hub"


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


def _reporting(on_progress: Progress) -> type[Any]:
    """What the hub's client takes for a progress bar: draws nothing, and tells `on_progress`."""

    class ProgressReport:
        def __init__(self, *args: Any, total: int | None = None, initial: int = 0, **options: Any) -> None:
            self._done, self._total = initial, total or 0
            on_progress(self._done, self._total)

        def update(self, count: int = 1) -> None:
            self._done += count
            on_progress(self._done, self._total)

        def __enter__(self) -> ProgressReport:
            return self

        def __exit__(self, *error: object) -> None:
            """Nothing to close."""

    return ProgressReport
