"""The command ``symfiber``.

A subcommand is one function ``_add_NAME(commands)``, which declares its arguments, and one ``_NAME(arguments)``, which
runs it and returns an exit code.  Errors become one sentence on stderr in :func:`main` alone.

Exit codes: 0 done, equal or valid; 1 different or invalid; 2 bad input; 3 undecided, or outside the theorems.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from symfiber.errors import InputError, SymfiberError, UndecidedError, UnsupportedError, VerificationError
from symfiber.interrupt import restore
from symfiber.terminal import terminal

if TYPE_CHECKING:
    from symfiber.network import Network
    from symfiber.report import FiberStatement
    from symfiber.symbolic import SymbolicFiber

DONE, DIFFERENT, BAD_INPUT, UNDECIDED = 0, 1, 2, 3
_INTERRUPTED, _PIPE_CLOSED = 130, 141
_LIBRARY = "library:"
_UNKNOWN_CHOICE = re.compile(
    r"argument (?P<what>[^:]+): invalid choice: '(?P<given>[^']*)' \(choose from (?P<choices>.*)\)", re.S
)

Commands = Any
"""What ``add_subparsers`` returns; argparse does not export its type."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the program's name; those of the process by default.

    Examples
    --------
    >>> main(["--version"])
    symfiber 0.1.0
    0
    """
    if sys.stdout is None or sys.stderr is None:
        return BAD_INPUT  # started without standard streams: there is nowhere to write
    _accept_any_character()
    try:
        restore()
        arguments = make_parser().parse_args(argv)
        _set_manners(arguments)
        code = int(arguments.run(arguments))
        sys.stdout.flush()
        terminal.finish()
        return code
    except SystemExit as stop:  # --help and --version
        return int(stop.code or 0)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader has left; nothing may be flushed to it when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _PIPE_CLOSED
    except (SymfiberError, OSError, MemoryError, RecursionError) as error:
        return _explain(error)


def _explain(error: Exception) -> int:
    """Print one sentence about an error and return the exit code that belongs to it."""
    message, code = str(error), BAD_INPUT
    if isinstance(error, UnsupportedError):
        message, code = f"outside the theorems: {error}", UNDECIDED
    elif isinstance(error, UndecidedError):
        message, code = f"undecided: {error}", UNDECIDED
    elif isinstance(error, VerificationError):
        message, code = f"not valid: {error}", DIFFERENT
    elif isinstance(error, MemoryError):
        message, code = "undecided: there is not enough memory", UNDECIDED
    elif isinstance(error, RecursionError):
        message = "the input is nested too deeply"
    elif isinstance(error, OSError):
        message = f"output could not be written: {error.strerror or error}"
    head = terminal.paint("symfiber:", "bad", sys.stderr)
    print(f"{head} {' '.join(message.split())}", file=sys.stderr)
    return code


def _set_manners(arguments: argparse.Namespace) -> None:
    terminal.color = getattr(arguments, "color", "auto")
    terminal.quiet = getattr(arguments, "quiet", False)
    terminal.verbose = getattr(arguments, "verbose", False)


def _accept_any_character() -> None:
    """Let no sign of a report fail on a terminal that cannot show it."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence, like all others."""

    def error(self, message: str) -> NoReturn:
        unknown = _UNKNOWN_CHOICE.match(message)
        if unknown:
            choices = re.findall(r"[\w-]+", unknown["choices"])
            near = get_close_matches(unknown["given"], choices, 1)
            guess = f"; did you mean {near[0]!r}?" if near else ""
            message = f"{unknown['what']} must be one of {', '.join(choices)}, got {unknown['given']!r}{guess}"
        raise InputError(f"{message} (try {self.prog} --help)")


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    from symfiber import __version__

    parser = _Parser(
        prog="symfiber",
        description="Exact computer algebra for the parameter fibers of ReLU networks.",
        epilog="Exit codes: 0 done, equal or valid; 1 different or invalid; 2 bad input; 3 undecided or outside the "
        f"theorems.  A MODEL is a file, - for JSON from standard input, or {_LIBRARY}NAME, see 'symfiber library'.  "
        "Start with 'symfiber demo'.",
    )
    parser.add_argument("--version", action="version", version=f"symfiber {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    # Imported here because the subcommands use the helpers of this module.
    from symfiber.commands.completion import add_completion
    from symfiber.commands.complex import add_census, add_dimension, add_plot
    from symfiber.commands.equivalence import add_canonical, add_check, add_equal, add_smtlib
    from symfiber.commands.members import add_constrain, add_convert

    for add in (
        *(_add_report, add_equal, add_check, add_canonical, add_constrain, add_convert, add_dimension, _add_laws),
        *(add_plot, add_census, add_smtlib, _add_library, _add_demo, add_completion),
    ):
        add(commands)
    return parser


def add_command(
    commands: Commands, name: str, run: Any, summary: str, examples: Sequence[str] = (), note: str = ""
) -> argparse.ArgumentParser:
    """Declare a subcommand that ``run(arguments)`` carries out, with examples for its help."""
    lines = [note, *(["examples:"] if examples else []), *(f"  {example}" for example in examples)]
    command: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary}.",
        epilog="\n".join(line for line in lines if line),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    manners = command.add_argument_group("what is shown besides the result")
    manners.add_argument("-q", "--quiet", action="store_true", help="no progress")
    manners.add_argument("-v", "--verbose", action="store_true", help="timings on stderr")
    manners.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colours; only on a terminal by default"
    )
    command.set_defaults(run=run)
    # "-1/2" is a number, not an option.
    command._negative_number_matcher = re.compile(r"-\d+(/\d+)?|-\d*\.\d+")
    return command


def add_model(command: argparse.ArgumentParser) -> None:
    """Declare the MODEL argument."""
    command.add_argument("model", metavar="MODEL", help=f"a network file, - for JSON from stdin, or {_LIBRARY}NAME")


def add_output(command: argparse.ArgumentParser, purpose: str = "write to this file") -> None:
    """Declare ``-o FILE``."""
    command.add_argument("-o", "--output", metavar="FILE", help=f"{purpose}, complete or not at all")


def add_json(command: argparse.ArgumentParser) -> None:
    """Declare ``--json``."""
    command.add_argument("--json", action="store_true", help="print one JSON object")


def write_json(data: dict[str, Any], output: str | None, inputs: Sequence[str] = ()) -> None:
    """Print a result as one JSON object, or write it to a file."""
    import json

    write_result(json.dumps(data, indent=1, ensure_ascii=False) + "\n", output, inputs)


def read_model(model: str) -> Network:
    """Return the network that a MODEL argument names: a file, or ``library:NAME``."""
    if model.startswith(_LIBRARY):
        from symfiber import library

        net = library.get(model.removeprefix(_LIBRARY))
    elif model == "-":
        from symfiber.sources.json_format import network_from_dict, parse_json

        net = network_from_dict(parse_json(sys.stdin.buffer.read(), "standard input"), "standard input")
    else:
        from symfiber.sources import load

        try:
            net = load(model)
        except UnsupportedError as error:  # a file that cannot be read is bad input, not an open question
            raise InputError(str(error)) from None
    terminal.stage(f"read {model}")
    return net


def write_result(text: str | bytes, output: str | None, inputs: Sequence[str] = ()) -> None:
    """Print a result, or write it to a file that must not be one of the inputs."""
    if output is None:
        sys.stdout.write(str(text))
        return
    from symfiber.sources.writing import write_atomically

    for name in inputs:
        if not name.startswith(_LIBRARY) and Path(output).exists() and Path(output).samefile(name):
            raise InputError(f"output {output!r} must not be the input file")
    write_atomically(output, text)


# report

_FORMATS = {".tex": "latex", ".json": "json", ".html": "html", ".htm": "html"}


def _add_report(commands: Commands) -> None:
    command = add_command(
        commands,
        "report",
        _report,
        "Describe the fiber of a network exactly",
        [
            "symfiber report library:hidden-2-2-2-1",
            "symfiber report library:iris-4-2-3-3 --json",
            "symfiber report library:hidden-single-3-3-1-1 --style theorem -o theorem.tex",
        ],
        "--style and --notation are for LaTeX.",
    )
    add_model(command)
    command.add_argument(
        "--format",
        choices=("text", "latex", "json", "html"),
        help="the format; by default what the ending of FILE says, or text",
    )
    add_output(command)
    command.add_argument("--json", action="store_true", help="the same as --format json")
    command.add_argument("--all", action="store_true", help="cut no list and no number")
    command.add_argument("--style", choices=("full", "theorem", "table"), default="full", help="how much LaTeX says")
    command.add_argument("--environment", metavar="NAME", help="the theorem environment of LaTeX")


def _report(arguments: argparse.Namespace) -> int:
    from symfiber.decomposition import fiber
    from symfiber.progress import Progress
    from symfiber.report import describe_fiber

    chosen = _format(arguments)
    latex = (arguments.style, arguments.environment)
    described = fiber(read_model(arguments.model))
    if described.network.is_symbolic:
        text = _rendered_symbolic(described, chosen, arguments.all, *latex)
        write_result(text, arguments.output, [arguments.model])
        return DONE
    with Progress("report") as bar:
        statement = describe_fiber(described, arguments.all, bar=bar)
    terminal.stage("describe the fiber")
    write_result(_rendered(statement, chosen, *latex), arguments.output, [arguments.model])
    return DONE


def _format(arguments: argparse.Namespace) -> str:
    if arguments.json:
        return "json"
    by_ending = _FORMATS.get(Path(arguments.output or "").suffix.lower(), "text")
    return str(arguments.format or by_ending)


def _rendered_symbolic(fiber: SymbolicFiber, chosen: str, show_all: bool, style: str, environment: str | None) -> str:
    from symfiber.report.symbolic import symbolic_data, symbolic_html, symbolic_latex, symbolic_text

    if chosen == "json":
        import json

        return json.dumps(symbolic_data(fiber), indent=1, ensure_ascii=False) + "\n"
    if chosen == "text":
        return symbolic_text(fiber, show_all)
    if chosen == "html":
        return symbolic_html(fiber, show_all, True)
    return symbolic_latex(fiber, show_all, True, style, environment)


def _rendered(statement: FiberStatement, chosen: str, style: str, environment: str | None) -> str:
    if chosen == "latex":
        from symfiber.report.latex import statement_latex

        return statement_latex(statement, True, style, environment)
    if chosen == "html":
        from symfiber.report.html import statement_html

        return statement_html(statement, standalone=True)
    if chosen == "json":
        import json

        from symfiber.report.data import statement_data

        return json.dumps(statement_data(statement), indent=1, ensure_ascii=False) + "\n"
    from symfiber.report.text import statement_text

    return _with_headings(statement_text(statement))


def _with_headings(text: str) -> str:
    """Make the headings of a report, underlined words, bold on a terminal."""
    if not terminal.colors(sys.stdout):
        return text
    return re.sub(r"(?m)^(.+)\n([=-]+)$", lambda m: f"{terminal.paint(m[1], 'bold')}\n{m[2]}", text)


# library


def _add_library(commands: Commands) -> None:
    command = add_command(
        commands, "library", _list_library, "List the bundled networks", ["symfiber library", "symfiber library --json"]
    )
    add_json(command)


def _list_library(arguments: argparse.Namespace) -> int:
    from symfiber import library

    names = library.names()
    if arguments.json:
        networks = [{"name": f"{_LIBRARY}{name}", "description": library.describe(name)} for name in names]
        write_json({"format": "symfiber-library/1", "networks": networks}, None)
        return DONE
    width = max(map(len, names))
    for name in names:
        print(f"{_LIBRARY}{name:<{width}}  {library.describe(name)}")
    return DONE


# demo


def _add_demo(commands: Commands) -> None:
    command = add_command(
        commands,
        "demo",
        _demo,
        "Describe the fibers of the bundled trained networks in short",
        ["symfiber demo"],
    )
    add_json(command)


def _demo(arguments: argparse.Namespace) -> int:
    from symfiber import library
    from symfiber.decomposition import fiber
    from symfiber.report import describe_fiber
    from symfiber.report.text import statement_summary

    if arguments.json:
        networks = []
        for name in library.trained_names():
            found = fiber(library.get(name))
            networks.append({
                "name": f"{_LIBRARY}{name}",
                "case": found.case,
                "component_count": str(found.component_count),
                "dimension": found.dimension,
                "completeness": found.completeness,
            })  # fmt: skip
        write_json({"format": "symfiber-demo/1", "networks": networks}, None)
        return DONE
    for name in library.trained_names():
        print(f"{terminal.paint(_LIBRARY + name, 'bold')}\n  {library.describe(name)}")
        print(statement_summary(describe_fiber(fiber(library.get(name)), conditions=False)), end="\n\n")
    print(f"In full: symfiber report {_LIBRARY}{library.trained_names()[0]} --format latex -o fiber.tex")
    return DONE


# laws


def _add_laws(commands: Commands) -> None:
    command = add_command(
        commands,
        "laws",
        _laws,
        "Count and list the conservation laws of gradient flow exactly",
        ["symfiber laws library:hidden-2-2-2-1", "symfiber laws library:dead-2-2-3-1 --json"],
    )
    add_model(command)
    command.add_argument("--degree", type=int, default=2, help="degree of the polynomial laws, 2 by default")
    command.add_argument(
        "--paths", choices=("realised", "all"), default="realised", help="the cells that occur, or all paths"
    )
    command.add_argument(
        "--format",
        choices=("text", "latex", "json"),
        help="the format; by default what the ending of FILE says, or text",
    )
    add_output(command)
    command.add_argument("--json", action="store_true", help="the same as --format json")
    command.add_argument("--all", action="store_true", help="cut no list and no number")


def _laws(arguments: argparse.Namespace) -> int:
    from symfiber.conservation import conservation_laws
    from symfiber.conservation.report import laws_data, laws_latex, laws_text
    from symfiber.progress import Progress

    chosen = _format(arguments)
    net = read_model(arguments.model)
    with Progress("conservation laws"):
        laws = conservation_laws(net, paths=arguments.paths, degree=arguments.degree)
    if chosen == "latex":
        text = laws_latex(laws, standalone=True, show_all=arguments.all)
    elif chosen == "json":
        import json

        text = json.dumps(laws_data(laws), indent=1, ensure_ascii=False) + "\n"
    else:
        text = laws_text(laws, arguments.all)
    write_result(text, arguments.output, [arguments.model])
    return DONE
