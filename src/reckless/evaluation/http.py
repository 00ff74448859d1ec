"""Models that others serve, as f: UM-Bridge, the HTTP protocol of the uncertainty-quantification community.

Version 1.0: questions and answers are JSON, each question a POST with the model's name.
"""

import json
import sys
from http.client import OK, HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import SplitResult, urlsplit

import numpy as np

from reckless.core.words import named, safe_repr
from reckless.errors import InvalidArgument, ModelFailed
from reckless.evaluation.process import quoted

LONGEST_ANSWER = 1 << 20  # bytes; a longer one is not read to its end
CONNECTIONS: dict[str, type[HTTPConnection]] = {
    "http": HTTPConnection,
    "https": HTTPSConnection,
}  # no other scheme is spoken


class HTTPModel:
    """Use a model behind a URL as f: an ordinary f(x, y) that asks an UM-Bridge server for each value.

    A model with two input vectors, as long as x and y, is given x and y; one with a single input vector is given x
    followed by y. Its output must be one number. The first call asks for the sizes, and refuses others with a sentence;
    nothing is sent before. What the server reports, and whatever else gives no value, raises `ModelFailed`. So
    ``workers``, ``eval_timeout``, ``retries`` and ``on_error`` of `minimax` apply as to any f.

    Parameters
    ----------
    url : str
        Where the server is, as in ``"http://localhost:4242"``. Redirections are not followed, and proxies not used.
    name : str
        Which of the server's models to use.
    config : dict, optional
        What the model wants to be told with each evaluation, such as the fineness of a mesh. It must be JSON.
    """

    def __init__(self, url: str, name: str, config: dict[str, Any] | None = None) -> None:
        self._parts, self._url = _read_url(url), url
        if not isinstance(name, str) or not name:
            raise InvalidArgument(f"name: expected the name of a model, such as 'forward', but got {safe_repr(name)}.")
        self._name, self._config = name, _read_config(config)
        self._inputs: list[int] = []  # the sizes of its input vectors, once they are known

    def __call__(self, x: Any, y: Any) -> float:
        """Return the value of one pair of vectors."""
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if x.ndim != 1 or y.ndim != 1:
            raise InvalidArgument(
                f"x, y: an HTTPModel takes one pair of vectors at a time, but got arrays of shapes {x.shape} and "
                f"{y.shape}. Leave vectorized=False."
            )
        self._inputs = self._inputs or self._sizes()
        if self._inputs == [x.size, y.size]:
            vectors = [x.tolist(), y.tolist()]
        elif self._inputs == [x.size + y.size]:
            vectors = [[*x.tolist(), *y.tolist()]]
        else:
            raise InvalidArgument(
                f"name: the model {safe_repr(self._name)} takes input vectors of sizes {self._inputs}, but x has "
                f"{x.size} and y has {y.size} coordinates, which fit sizes {[x.size, y.size]} or {[x.size + y.size]}."
            )
        output = self._ask("Evaluate", "output", input=vectors)
        if not _is_one_number(output):
            raise self._failed(f"gave the output {quoted(output)}, which is not one finite number as in [[3.5]]")
        return float(output[0][0])

    def __reduce__(self) -> tuple[Any, ...]:
        """Give another process a model that asks for the sizes itself."""
        return HTTPModel, (self._url, self._name, self._config)

    def __repr__(self) -> str:
        config = f", {self._config!r}" if self._config else ""
        return f"HTTPModel({self._url!r}, {self._name!r}{config})"

    def _sizes(self) -> list[int]:
        """Return the sizes of the input vectors; refuse a model whose output is not one number."""
        if (outputs := self._ask("OutputSizes", "outputSizes")) != [1]:
            raise InvalidArgument(
                f"name: the model {safe_repr(self._name)} has output vectors of sizes {quoted(outputs)}, but f is one "
                f"number, sizes [1]. Serve a model that is, or let a function of yours ask and choose."
            )
        inputs = self._ask("InputSizes", "inputSizes")
        if not isinstance(inputs, list) or not inputs or not all(type(size) is int for size in inputs):
            raise self._failed(f"says that its input vectors have sizes {quoted(inputs)}")
        return inputs

    def _ask(self, page: str, key: str, **more: Any) -> Any:
        """Return what the answer to a question about the model has under a key."""
        question = {"name": self._name, **more, "config": self._config}
        answer = self._read(page, *self._post(page, json.dumps(question, allow_nan=False).encode()))
        if key not in answer:
            raise self._failed(f"answered {quoted(answer)} to /{page}, without {key!r}")
        return answer[key]

    def _post(self, page: str, body: bytes) -> tuple[int, bytes]:
        """Return the status and the text of an answer; redirections are not followed."""
        where = self._parts
        kind = CONNECTIONS[where.scheme]
        connection = kind(where.hostname or "", where.port or kind.default_port)
        try:
            path = f"{where.path.rstrip('/')}/{page}"
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read(LONGEST_ANSWER + 1)
        except (OSError, HTTPException) as error:
            raise self._failed(f"gave no answer to /{page} ({named(error)})") from error
        finally:
            connection.close()

    def _read(self, page: str, status: int, text: bytes) -> dict[str, Any]:
        try:
            answer: Any = json.loads(text) if len(text) <= LONGEST_ANSWER else None
        except (ValueError, RecursionError):
            answer = None
        error = answer.get("error") if isinstance(answer, dict) else None
        if isinstance(error, dict):
            raise self._failed(f"reported {quoted(error.get('type'))} to /{page}: {safe_repr(error.get('message'))}")
        if status != OK:
            raise self._failed(f"answered /{page} with status {status}: {quoted(text)}")
        if not isinstance(answer, dict):
            raise self._failed(f"answered {quoted(text)} to /{page}, which is not a JSON object")
        return answer

    def _failed(self, what: str) -> ModelFailed:
        return ModelFailed(f"model: {safe_repr(self._name)} at {self._url} {what}.")


def _read_url(url: Any) -> SplitResult:
    try:
        parts: SplitResult = urlsplit(url)
        is_right = parts.scheme in CONNECTIONS and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        is_right &= url.isascii() and url.isprintable() and not set(url) & set(" ?#@")
    except (TypeError, ValueError, AttributeError):
        is_right = False
    if not is_right:
        raise InvalidArgument(
            f"url: expected http:// or https://, a host, and perhaps a port and a path, for example "
            f"'http://localhost:4242', but got {safe_repr(url)}."
        )
    return parts


def _read_config(config: Any) -> dict[str, Any]:
    """Return a copy of what can be sent."""
    try:
        copy = json.loads(json.dumps({} if config is None else config, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        copy = None
    if not isinstance(copy, dict):
        raise InvalidArgument(f"config: expected a dict that JSON can express, but got {safe_repr(config)}.")
    return copy


def _is_one_number(output: Any) -> bool:
    """Return whether an output is one vector with one finite number; true and false are none."""
    try:
        ((value,),) = output
    except (TypeError, ValueError):
        return False
    return type(value) in (int, float) and abs(value) <= sys.float_info.max
