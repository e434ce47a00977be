"""``symfiber equal``, ``check``, ``canonical`` and ``smtlib``: are two networks the same function, with proofs."""

from __future__ import annotations

import argparse
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from symfiber.cli import (
    DIFFERENT,
    DONE,
    Commands,
    add_command,
    add_json,
    add_output,
    read_model,
    write_json,
    write_result,
)
from symfiber.errors import InputError
from symfiber.terminal import terminal


def add_equal(commands: Commands) -> None:
    """Declare ``symfiber equal A B``."""
    command = add_command(
        commands,
        "equal",
        _equal,
        "Decide whether two networks compute the same function",
        [
            "symfiber equal library:wide-trade-1-3-3-1 library:wide-trade-partner-1-3-3-1 -o proof.json",
            "symfiber equal library:hidden-2-2-2-1 library:identifiable-2-2-2-1 --json",
        ],
        "Exit code 0: equal; 1: different; 3: undecided.",
    )
    _add_pair(command)
    add_json(command)
    command.add_argument("-o", "--output", metavar="CERT", help="write the certificate, complete or not at all")
    command.add_argument("--engine", choices=("moves", "cells", "z3"), help="by default all that is needed")
    command.add_argument("--limit", type=int, default=20_000, help="largest number of search nodes, 20000 by default")
    command.add_argument("--seconds", type=int, metavar="S", help="longest search")
    command.add_argument("--chain", action="store_true", help="print the moves that lead from A to B")


def _equal(arguments: argparse.Namespace) -> int:
    from symfiber.equivalence import decide_equivalence
    from symfiber.progress import Progress

    for name, value in (("--limit", arguments.limit), ("--seconds", arguments.seconds)):
        if value is not None and value < 1:
            raise InputError(f"{name} must be positive, got {value}")
    a, b = read_model(arguments.first), read_model(arguments.second)
    with Progress("cells searched") as bar:

        def show(nodes: int, _: float) -> None:
            bar.advance(nodes - bar.done)

        result = decide_equivalence(
            a, b, engine=arguments.engine, limit=arguments.limit, seconds=arguments.seconds, progress=show
        )
    if arguments.output is not None:
        text = json.dumps(result.certificate.to_dict()) + "\n"
        write_result(text, arguments.output, [arguments.first, arguments.second])
    terminal.stage("decide")
    if arguments.json:
        witness = None if result.witness is None else [str(x) for x in result.witness]
        data = {"format": "symfiber-equal/1", "equivalent": result.equivalent, "explanation": result.explanation}
        chain = list(result.chain) if arguments.chain else None
        write_json({**data, "method": result.method, "witness": witness, "chain": chain}, None)
        return DONE if result.equivalent else DIFFERENT
    word, colon, rest = result.explanation.partition(":")
    lines = [terminal.paint(word, "good" if result.equivalent else "bad") + colon + rest]
    if result.witness is not None:
        lines.append("x = (" + ", ".join(str(v) for v in result.witness) + ")")
    if arguments.chain:
        lines += [f"  {move}" for move in result.chain]
    write_result("\n".join(lines) + "\n", None)
    return DONE if result.equivalent else DIFFERENT


def add_check(commands: Commands) -> None:
    """Declare ``symfiber check CERT``."""
    command = add_command(
        commands,
        "check",
        _check,
        "Check a certificate with the independent checker",
        [
            "symfiber equal library:wide-trade-1-3-3-1 library:wide-trade-partner-1-3-3-1 -o proof.json -q",
            "symfiber check proof.json",
        ],
        "Exit code 0: the claim is proved; 1: it is not; 2: not a certificate.",
    )
    command.add_argument("certificate", metavar="CERT", help="a certificate file")
    add_json(command)


def _check(arguments: argparse.Namespace) -> int:
    from symfiber import checker

    if not arguments.json:
        return checker.main([arguments.certificate])
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        code = checker.main([arguments.certificate])
    write_json({"format": "symfiber-check/1", "valid": code == 0, "message": said.getvalue().strip()}, None)
    return code


def add_canonical(commands: Commands) -> None:
    """Declare ``symfiber canonical MODEL...``."""
    command = add_command(
        commands,
        "canonical",
        _canonical,
        "Group networks by their canonical forms",
        ["symfiber canonical library:hidden-2-2-2-1 library:identifiable-2-2-2-1 library:hidden-2-2-2-1"],
    )
    command.add_argument("models", metavar="MODEL", nargs="+", help="network files, or library:NAME")
    command.add_argument("--json", action="store_true", help="print the groups and their forms as JSON")
    add_output(command)


def _canonical(arguments: argparse.Namespace) -> int:
    from symfiber.canonical import canonical_form

    groups: dict[Any, list[str]] = {}
    for model in arguments.models:
        groups.setdefault(canonical_form(read_model(model)), []).append(model)
    if arguments.json:
        data = [{"models": models, "form": form.to_dict()} for form, models in groups.items()]
        text = json.dumps({"format": "symfiber-canonical/1", "groups": data}, indent=1) + "\n"
    else:
        lines = [f"{len(arguments.models)} networks, {len(groups)} canonical forms; equal forms are equal functions"]
        lines += [f"  {number}: {', '.join(models)}" for number, models in enumerate(groups.values(), start=1)]
        text = "\n".join(lines) + "\n"
    write_result(text, arguments.output, arguments.models)
    return DONE


def add_smtlib(commands: Commands) -> None:
    """Declare ``symfiber smtlib A B``."""
    command = add_command(
        commands,
        "smtlib",
        _smtlib,
        "Write the question whether two networks differ as SMT-LIB 2",
        ["symfiber smtlib library:hidden-2-2-2-1 library:identifiable-2-2-2-1 -o question.smt2"],
        "Satisfiable means different.",
    )
    _add_pair(command)
    add_json(command)
    add_output(command)


def _smtlib(arguments: argparse.Namespace) -> int:
    from symfiber.equivalence import smtlib

    text = smtlib(read_model(arguments.first), read_model(arguments.second))
    inputs = [arguments.first, arguments.second]
    if arguments.json:
        write_json({"format": "symfiber-smtlib/1", "text": text}, arguments.output, inputs)
    else:
        write_result(text, arguments.output, inputs)
    return DONE


def _add_pair(command: argparse.ArgumentParser) -> None:
    command.add_argument("first", metavar="A", help="a network file, or library:NAME")
    command.add_argument("second", metavar="B", help="a network file, or library:NAME")
