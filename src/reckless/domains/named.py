"""Points that answer to the names of their coordinates: x[0] is x.R, and x["R"]."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from reckless.core.arrays import Array


class Named(np.ndarray):
    """A vector (n,), or rows (m, n), whose coordinates have names: of rows a name is a column (m,).

    An array of NumPy otherwise, of which only rows keep the names: what is computed from it is a plain array.
    ``x["R"]`` takes any name; ``x.R`` those that arrays do not use for something else, such as ``size``, and ``x.T``.
    """

    __slots__ = ("names",)
    names: tuple[str, ...]

    def __new__(cls, array: Any, names: tuple[str, ...]) -> "Named":
        named = np.asarray(array).view(cls)
        named.names = names
        return named

    def __array_finalize__(self, other: Any) -> None:
        self.names = ()

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return what is computed as a plain array."""
        plain = np.asarray(array)
        return plain[()] if return_scalar or plain.ndim == 0 else plain

    def __getattr__(self, name: str) -> Any:
        if name in self.names:
            return self[name]
        known = f"; the names are {', '.join(self.names)}" if self.names else ""
        raise AttributeError(f"there is no {name!r} here{known}")

    @property
    def T(self) -> Any:
        """The coordinate of this name if there is one, else the transpose."""
        return self["T"] if "T" in self.names else np.asarray(self).T

    def __getitem__(self, key: Any) -> Any:
        plain = np.asarray(self)
        if isinstance(key, str):
            if key not in self.names:
                raise KeyError(f"there is no {key!r}; the names are {', '.join(self.names)}")
            return plain[self.names.index(key)] if plain.ndim == 1 else plain[..., self.names.index(key)]
        part = plain[key]
        keeps_columns = (
            self.ndim == 2 and not isinstance(key, tuple) and part.ndim and part.shape[-1] == len(self.names)
        )
        return Named(part, self.names) if keeps_columns else part

    def __setitem__(self, key: Any, value: Any) -> None:
        np.asarray(self)[(..., self.names.index(key)) if isinstance(key, str) and key in self.names else key] = value

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def copy(self, *args: Any, **kwargs: Any) -> Any:
        return Named(np.asarray(self).copy(*args, **kwargs), self.names)

    def __copy__(self) -> "Named":
        return Named(np.asarray(self).copy(), self.names)

    def __deepcopy__(self, memo: Any) -> "Named":
        return Named(np.asarray(self).copy(), self.names)

    def __reduce__(self) -> tuple[Any, ...]:
        return Named, (np.asarray(self), self.names)


def with_names(array: Array, names: tuple[str, ...]) -> Array:
    """Return points that answer to names, the array itself if there are none."""
    return Named(array, names) if names and array.size else array


def names_of(array: Any) -> tuple[str, ...]:
    """Return the names to which points answer, or none."""
    return array.names if isinstance(array, Named) else ()
