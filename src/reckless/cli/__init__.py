"""The command line: parse, call, print. Heavy imports happen inside the commands, so that --help is quick."""

import os
import sys

import click

from reckless._version import __version__
from reckless.cli.bench import bench
from reckless.cli.catalogs import methods, problems
from reckless.cli.completion import COMPLETING, NAME, completion
from reckless.cli.demo import demo
from reckless.cli.journal import journal
from reckless.cli.paper import paper
from reckless.cli.report import report
from reckless.cli.sentences import complain
from reckless.cli.signals import INTERRUPTED, TERMINATED, terminable
from reckless.cli.solve import solve
from reckless.cli.worst_case import worst_case
from reckless.errors import OptimizationError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="reckless")
def cli() -> None:
    """Find the design with the best worst case: minimize over x the maximum over y of f(x, y)."""


for command in (solve, worst_case, methods, problems, demo, journal, bench, paper, report, completion):
    cli.add_command(command)


def main() -> None:
    """Run the command line; say in one line what is wrong with the input, with exit code 2.

    SIGTERM ends a command as Ctrl-C does, with what it has so far, but with an exit code of its own.
    """
    if COMPLETING in os.environ:
        cli.main(prog_name=NAME)
    with terminable() as is_terminated:
        code = _run()
    sys.exit(TERMINATED if code == INTERRUPTED and is_terminated() else code)


def _run() -> int | None:
    """Run a command and return its exit code."""
    try:
        code: int | None = cli.main(prog_name=NAME, standalone_mode=False)
        return code
    except click.exceptions.NoArgsIsHelpError as wanted:
        click.echo(wanted.format_message())
        return 0
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except SystemExit:  # click raises others
        complain("code that was imported or evaluated called sys.exit.")
        return 1
    except click.NoSuchOption as error:
        complain(_answer_option(error))
        return error.exit_code
    except (click.ClickException, OptimizationError) as error:
        said = error if isinstance(error, click.ClickException) else click.UsageError(str(error))
        complain(said.format_message())
        return said.exit_code


def _answer_option(error: click.NoSuchOption) -> str:
    """Say what to write in place of an option that a command does not have."""
    from reckless.run.habits import Place, answer_unknown

    if error.ctx is None:
        return error.format_message()
    names = {p.name: p.opts[-1] for p in error.ctx.command.params if isinstance(p, click.Option) and p.name}
    return answer_unknown(error.option_name, error.ctx.command_path, names, Place.SHELL)
