"""``symfiber completion SHELL``: a script that completes commands, options, library names and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from symfiber.cli import DONE, Commands, add_command, write_result

SHELLS = ("bash", "zsh", "fish")


def add_completion(commands: Commands) -> None:
    """Declare ``symfiber completion SHELL``."""
    command = add_command(
        commands,
        "completion",
        _completion,
        "Print a script that completes the command line in a shell",
        ["symfiber completion bash > symfiber-completion.bash"],
        "Then 'source' the file, or put it where your shell looks for completions.",
    )
    command.add_argument("shell", choices=SHELLS, help="the shell")


def _completion(arguments: argparse.Namespace) -> int:
    from symfiber.cli import make_parser

    table = {name: sorted(set(options)) for name, options in _options(make_parser())}
    text = {"bash": _bash, "zsh": _zsh, "fish": _fish}[arguments.shell](table)
    write_result(text, None)
    return DONE


def _options(parser: argparse.ArgumentParser) -> Iterator[tuple[str, list[str]]]:
    """Yield (command, its options) from the parser itself, so that nothing can be forgotten."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield name, [text for a in command._actions for text in a.option_strings]


def _library() -> str:
    from symfiber import library

    return " ".join(f"library:{name}" for name in library.names())


def _bash(table: dict[str, list[str]]) -> str:
    cases = "\n".join(f"        {name}) options='{' '.join(options)}' ;;" for name, options in table.items())
    return f"""_symfiber() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} options='' command=${{COMP_WORDS[1]}}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W '{" ".join(table)} --help --version' -- "$word"))
        return
    fi
    case $command in
{cases}
    esac
    case $word in
        -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
        library:*|lib*) COMPREPLY=($(compgen -W '{_library()}' -- "$word"))
            # A colon separates words: what stands before it is on the line already.
            [ "${{COMP_WORDBREAKS#*:}}" = "$COMP_WORDBREAKS" ] || COMPREPLY=("${{COMPREPLY[@]#library:}}") ;;
        *) COMPREPLY=($(compgen -f -- "$word")) ;;
    esac
}}
complete -o filenames -F _symfiber symfiber
"""


def _zsh(table: dict[str, list[str]]) -> str:
    cases = "\n".join(f"        {name}) compadd -- {' '.join(options)} ;;" for name, options in table.items())
    return f"""#compdef symfiber
_symfiber() {{
    if (( CURRENT == 2 )); then
        compadd -- {" ".join(table)} --help --version
        return
    fi
    if [[ $PREFIX == -* ]]; then
        case $words[2] in
{cases}
        esac
        return
    fi
    compadd -- {_library()}
    _files
}}
compdef _symfiber symfiber
"""


def _fish(table: dict[str, list[str]]) -> str:
    lines = [f"complete -c symfiber -n __fish_use_subcommand -f -a '{' '.join(table)}'"]
    for name, options in table.items():
        condition = f"-n '__fish_seen_subcommand_from {name}'"
        for option in options:
            kind, text = ("-l", option[2:]) if option.startswith("--") else ("-s", option[1:])
            lines.append(f"complete -c symfiber {condition} {kind} {text}")
    lines.append(f"complete -c symfiber -n 'not __fish_use_subcommand' -a '{_library()}'")
    return "\n".join(lines) + "\n"
