"""``symfiber dimension``, ``plot`` and ``census``: what the polyhedral complex of a network says."""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from typing import Any

from symfiber.cli import (
    DONE,
    Commands,
    add_command,
    add_json,
    add_model,
    add_output,
    read_model,
    write_json,
    write_result,
)
from symfiber.errors import InputError
from symfiber.terminal import terminal


def add_dimension(commands: Commands) -> None:
    """Declare ``symfiber dimension MODEL``."""
    command = add_command(
        commands,
        "dimension",
        _dimension,
        "Compute the functional dimension of a network of any depth exactly",
        ["symfiber dimension library:not-localizable-2-2-1-1-1", "symfiber dimension library:dead-2-2-3-1 --json"],
    )
    add_model(command)
    add_json(command)
    add_output(command)


def _dimension(arguments: argparse.Namespace) -> int:
    from symfiber.functional_dimension import analyse_functional_dimension
    from symfiber.progress import Progress

    net = read_model(arguments.model)
    with Progress("functional dimension"):
        result = analyse_functional_dimension(net)
    terminal.stage("functional dimension")
    text = f"{result}\n"
    if arguments.json:
        data = {
            "format": "symfiber-dimension/1",
            "architecture": result.network.architecture,
            "parameters": result.network.parameter_count,
            "cells": len(result.patterns),
            "functional_dimension": result.value,
            "local_fiber_dimension": result.local_fiber_dimension,
            "explained": result.explained,
            "upper_bound": result.upper,
            "symmetries": [
                {"kind": s.kind, "layer": s.layer, "neurons": s.neurons, "tangent_vectors": len(s.vectors)}
                for s in result.symmetries
            ],
            "unexplained": [{name: str(value) for name, value in v.items()} for v in result.unexplained],
        }
        text = json.dumps(data, indent=1) + "\n"
    write_result(text, arguments.output, [arguments.model])
    return DONE


def add_plot(commands: Commands) -> None:
    """Declare ``symfiber plot MODEL -o FILE``."""
    command = add_command(
        commands,
        "plot",
        _plot,
        "Draw the cells of a network on the plane, or its component graph",
        [
            "symfiber plot library:identifiable-2-2-2-1 -o cells.svg",
            "symfiber plot library:hidden-single-3-3-1-1 --graph -o graph.png",
        ],
    )
    add_model(command)
    add_json(command)
    command.add_argument("-o", "--output", metavar="FILE", required=True, help="a .svg, .png or .pdf file")
    command.add_argument("--graph", action="store_true", help="draw the component graph of the fiber instead")
    command.add_argument(
        "--size", metavar="R", help="draw the square |x| <= R, a rational; by default what has corners"
    )


def _plot(arguments: argparse.Namespace) -> int:
    from symfiber.exact import parse_rational
    from symfiber.report.plot import plot_arrangement, plot_fiber_graph, save_figure

    net = read_model(arguments.model)
    if arguments.graph:
        from symfiber.decomposition import fiber

        figure = plot_fiber_graph(fiber(net))
    elif arguments.size is None:
        figure = plot_arrangement(net)
    else:
        size = parse_rational(arguments.size, "--size")
        if size <= 0:
            raise InputError(f"--size must be positive, got {arguments.size}")
        figure = plot_arrangement(net, ((-size, size), (-size, size)))
    save_figure(figure, arguments.output)
    if arguments.json:
        write_json({"format": "symfiber-plot/1", "output": arguments.output}, None)
    return DONE


def add_census(commands: Commands) -> None:
    """Declare ``symfiber census WIDTHS``."""
    command = add_command(
        commands,
        "census",
        _census,
        "Count sign patterns by case, or sample functional dimensions of random networks",
        ["symfiber census 3 4", "symfiber census 2 3 2 1 --samples 5 --json"],
    )
    add_json(command)
    command.add_argument(
        "widths",
        metavar="N",
        type=int,
        nargs="+",
        help="two numbers N1 N2: exact shares of the sign patterns; three or more, an architecture: sampled dimensions",
    )
    command.add_argument(
        "--depth",
        type=int,
        metavar="L",
        help="with N1 N2: sampled dimensions of the architecture N1-N1-N2-...-N2-1 with L hidden layers",
    )
    command.add_argument("--samples", type=int, default=100, help="number of samples, 100 by default")
    command.add_argument("--seed", type=int, default=0, help="seed of the samples, 0 by default")
    command.add_argument("--workers", type=int, default=1, help="number of processes, 1 by default")
    command.add_argument("--save", metavar="FILE", help="save every sample as a JSON line, and resume from the file")
    add_output(command)


def _census(arguments: argparse.Namespace) -> int:
    from symfiber.census import sample_census, sign_census
    from symfiber.progress import Progress

    widths = arguments.widths
    if arguments.depth is not None:
        if len(widths) != 2 or arguments.depth < 1:
            raise InputError(f"--depth must be a positive number after N1 N2, got {arguments.depth} after {widths}")
        widths = [widths[0], widths[0], *[widths[1]] * (arguments.depth - 1), 1]
    if len(widths) == 2:
        signs = sign_census(*widths)
        _write_census(arguments, signs, {"shares": {name: str(share) for name, share in signs.shares.items()}})
        return DONE
    if arguments.workers < 1:
        raise InputError(f"--workers must be positive, got {arguments.workers}")
    pool: Any = ProcessPoolExecutor(arguments.workers) if arguments.workers > 1 else nullcontext()
    with Progress("census", arguments.samples) as bar, pool as executor:
        census = sample_census(
            widths, arguments.samples, arguments.seed, executor, arguments.save, lambda _: bar.advance()
        )
    _write_census(arguments, census, {"samples": census.samples, "dimensions": dict(census.dimensions)})
    return DONE


def _write_census(arguments: argparse.Namespace, census: object, data: dict[str, Any]) -> None:
    if arguments.json:
        write_json({"format": "symfiber-census/1", "widths": arguments.widths, **data}, arguments.output)
    else:
        write_result(f"{census}\n", arguments.output)
