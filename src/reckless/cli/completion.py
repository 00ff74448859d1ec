"""`reckless completion`: a script for a shell, which then completes commands, options, methods and problems."""

import click
from click.shell_completion import CompletionItem, get_completion_class

NAME = "reckless"  # also of `python -m reckless`
COMPLETING = "_RECKLESS_COMPLETE"  # environment variable by which the script asks for what fits


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a script that teaches SHELL to complete commands, options, and the names of methods and problems.

    For bash: eval "$(reckless completion bash)". For fish: reckless completion fish | source.
    """
    from reckless.cli import cli

    made = get_completion_class(shell)
    assert made is not None
    click.echo(made(cli, {}, NAME, COMPLETING).source())


def complete_method(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """List the methods that begin so, with what they do."""
    from reckless.methods.registry import catalog

    return [CompletionItem(k, help=entry.summary) for k, entry in catalog().items() if k.startswith(incomplete)]


def complete_objective(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """List the problems that begin so; let the shell add files."""
    from reckless.bench.problems import suites

    names = [name for names in suites().values() for name in names if name.startswith(incomplete)]
    return [*map(CompletionItem, names), CompletionItem(incomplete, type="file")]
