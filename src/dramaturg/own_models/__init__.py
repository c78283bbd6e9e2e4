"""Models that a program brings along."""

from dramaturg.own_models.own_model import OwnModel, own_models

__all__ = ["OwnModel", "own_models"]
