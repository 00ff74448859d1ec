"""The command line: parse, call, print. Heavy imports happen inside the commands, so that --help is quick."""

import sys

import click

from reckless._version import __version__
from reckless.cli.bench import bench
from reckless.cli.catalogs import methods, problems
from reckless.cli.demo import demo
from reckless.cli.paper import paper
from reckless.cli.report import report
from reckless.cli.sentences import complain
from reckless.cli.solve import solve
from reckless.cli.worst_case import worst_case
from reckless.errors import OptimizationError


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="reckless")
def cli() -> None:
    """Find the design with the best worst case: minimize over x the maximum over y of f(x, y)."""


for command in (solve, worst_case, methods, problems, demo, bench, paper, report):
    cli.add_command(command)


def main() -> None:
    """Run the command line; say in one line what is wrong with the input, with exit code 2."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as wanted:
        click.echo(wanted.format_message())
        code = 0
    except click.Abort:
        code = 130
    except SystemExit:  # click raises others
        complain("code that was imported or evaluated called sys.exit.")
        code = 1
    except (click.ClickException, OptimizationError) as error:
        said = error if isinstance(error, click.ClickException) else click.UsageError(str(error))
        complain(said.format_message())
        code = said.exit_code
    sys.exit(code)
