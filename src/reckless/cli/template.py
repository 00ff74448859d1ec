"""The commented problem file that `reckless solve --init` writes."""

from pathlib import Path

from reckless.errors import InvalidArgument
from reckless.run.options import OPTIONS

_ACTIVE = ("maxfev", "method", "rng")  # shown without the # before them


def template() -> str:
    """Return a commented problem file that shows every setting: what to solve, then the options."""
    problem = Path(__file__).with_name("problem.toml").read_text(encoding="utf-8")
    options = [(key, option) for key, option in OPTIONS.items() if option.spelled and not key.endswith("integrality")]
    parts = [f"# {o.help}\n{'' if key in _ACTIVE else '# '}{key} = {o.example}\n" for key, o in options]
    return "\n".join([problem, *parts])


def write_template(path: Path) -> None:
    """Write a commented problem file; a file that exists is not modified."""
    try:
        with open(path, "x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError:
        raise InvalidArgument(f"--init: {path} exists already and is not modified. Name another file.") from None
    except OSError as error:
        raise InvalidArgument(f"--init: {path} cannot be written ({error.strerror}).") from None
