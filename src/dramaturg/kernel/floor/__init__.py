"""The floor: a cast cued in parallel, its answers gathered, failures isolated."""

from dramaturg.kernel.floor.round import Failure, Round, play_round

__all__ = ["Failure", "Round", "play_round"]
