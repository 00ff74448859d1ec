"""The default method, in small parts; `danskin` has the run."""

from reckless.methods.danskin.danskin import Danskin

__all__ = ["Danskin"]
