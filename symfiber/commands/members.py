"""``symfiber constrain`` and ``symfiber convert``: members of a fiber under constraints, and other file formats."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symfiber.cli import (
    DIFFERENT,
    DONE,
    UNDECIDED,
    Commands,
    add_command,
    add_json,
    add_model,
    add_output,
    read_model,
    write_json,
    write_result,
)
from symfiber.errors import InputError, UndecidedError
from symfiber.progress import Progress
from symfiber.terminal import terminal

if TYPE_CHECKING:
    from symfiber.network import Network
    from symfiber.semialgebraic import BasicSet


def add_constrain(commands: Commands) -> None:
    """Declare ``symfiber constrain MODEL``."""
    command = add_command(
        commands,
        "constrain",
        _constrain,
        "Find a member of the fiber under constraints, or prove that there is none",
        [
            "symfiber constrain library:diabetes-10-8-6-1 --box -1 1",
            "symfiber constrain library:dead-2-2-3-1 --zero W2_2_0 W2_2_1 --renumber",
            "symfiber constrain library:iris-4-2-3-3 --least-norm",
        ],
        "Exit code 0: a member is left; 1: none, with proof; 3: undecided.",
    )
    add_model(command)
    command.add_argument("--box", nargs=2, metavar=("LOW", "HIGH"), help="all parameters between two rational numbers")
    command.add_argument("--names", nargs="+", metavar="NAME", help="the parameters that --box is about, not all")
    command.add_argument("--zero", nargs="+", metavar="NAME", help="parameters that are 0")
    command.add_argument("--equal", nargs="+", metavar="NAME", help="parameters that are equal")
    command.add_argument("--fix", nargs="+", metavar="NAME=VALUE", help="parameters with given values")
    command.add_argument("--norm-squared", metavar="C", help="the sum of all squares")
    command.add_argument("--renumber", action="store_true", help="neurons may be renumbered")
    command.add_argument("--sparsest", action="store_true", help="look for the most zeros instead")
    command.add_argument("--least-norm", action="store_true", help="look for the least norm instead")
    add_json(command)
    add_output(command, "write the member to this JSON file")


def _constrain(arguments: argparse.Namespace) -> int:
    from symfiber.decomposition import fiber

    net = read_model(arguments.model)
    described = fiber(net)
    if net.is_symbolic:
        raise InputError("constrain needs a network of numbers, got symbols")
    if arguments.sparsest or arguments.least_norm:
        return _extreme(arguments, described)
    with Progress("constraints"):
        left = described.intersect(*_constraints(arguments, net), renumber=arguments.renumber)
    terminal.stage("constraints")
    member = next((part.member for part in left.left if part.member is not None), None)
    undecided = len(left.undecided)
    data: dict[str, Any] = {
        "format": "symfiber-constrained/1",
        "parts": len(left.parts),
        "left": len(left.left),
        "undecided": undecided,
        "dimension": _dimension(left),
        "member": None if member is None else member.to_dict(),
    }
    lines = [f"{len(left.left)} of {len(left.parts)} components left" + (f", {undecided} undecided" * bool(undecided))]
    if data["dimension"] is not None and left.left:
        lines.append(f"dimension {data['dimension']}")
    _finish(arguments, data, lines, member)
    if left.left:
        return DONE
    return UNDECIDED if undecided else DIFFERENT


def _dimension(left: Any) -> int | None:
    try:
        return int(left.dimension)
    except UndecidedError:
        return None


def _constraints(arguments: argparse.Namespace, net: Network) -> Iterator[BasicSet]:
    from symfiber.constraints import box, equal, fixed, fixed_norm, zeros

    if arguments.names and not arguments.box:
        raise InputError("--names must come with --box")
    if arguments.box:
        low, high = arguments.box
        yield box(net, low, high, arguments.names)
    if arguments.zero:
        yield zeros(net, arguments.zero)
    if arguments.equal:
        yield equal(net, arguments.equal)
    if arguments.fix:
        pairs = [text.partition("=") for text in arguments.fix]
        if not all(sign and value for _, sign, value in pairs):
            raise InputError(f"--fix must have arguments NAME=VALUE, got {' '.join(arguments.fix)}")
        yield fixed(net, {name: value for name, _, value in pairs})
    if arguments.norm_squared:
        yield fixed_norm(net, arguments.norm_squared)


def _extreme(arguments: argparse.Namespace, described: Any) -> int:
    from symfiber.constraints import minimum_norm_member, sparsest_member

    if arguments.sparsest:
        sparse = sparsest_member(described)
        data: dict[str, Any] = {"nonzero": sparse.nonzero, "lower_bound": sparse.lower_bound, "optimal": sparse.optimal}
        proved = "no member of a component has fewer" if sparse.optimal else f"every member has {sparse.lower_bound}"
        lines, member = [f"{sparse.nonzero} nonzero parameters; {proved}"], sparse.member
    else:
        small = minimum_norm_member(described)
        norm, bound = small.result.squared_norm, small.lower_bound
        data = {"squared_norm": str(norm), "lower_bound": str(bound), "complete": small.complete}
        whose = "every member of a component" if small.complete else "every scaling of the members looked at"
        sizes = [int(x.p) / int(x.q) for x in (norm, bound)]
        lines = [f"squared norm {sizes[0]:.9g}; {whose} has at least {sizes[1]:.9g}"]
        member = small.result.member
    _finish(arguments, {"format": "symfiber-constrained/1", **data, "member": member.to_dict()}, lines, member)
    return DONE


def _finish(arguments: argparse.Namespace, data: dict[str, Any], lines: list[str], member: Network | None) -> None:
    if arguments.output is not None and member is not None:
        import json

        write_result(json.dumps(member.to_dict(), indent=1) + "\n", arguments.output, [arguments.model])
        lines.append(f"member written to {arguments.output}")
    if arguments.json:
        write_json(data, None)
        return
    if member is not None and arguments.output is None:
        lines += [f"  {name} = {value}" for name, value in zip(member.parameter_names, member.parameters)]
    write_result("\n".join(lines) + "\n", None)


def add_convert(commands: Commands) -> None:
    """Declare ``symfiber convert MODEL -o FILE``."""
    command = add_command(
        commands,
        "convert",
        _convert,
        "Write a network in another format: .json exactly, .onnx as floats with the rounding error",
        ["symfiber convert library:iris-4-2-3-3 -o iris.json", "symfiber convert library:iris-4-2-3-3 -o iris.onnx"],
    )
    add_model(command)
    command.add_argument("-o", "--output", metavar="FILE", required=True, help="a .json or .onnx file")
    command.add_argument("--float-type", choices=("float32", "float64"), default="float32", help="for .onnx")
    add_json(command)


def _convert(arguments: argparse.Namespace) -> int:
    import json

    net = read_model(arguments.model)
    ending = Path(arguments.output).suffix.lower()
    data: dict[str, Any] = {"format": "symfiber-converted/1", "output": arguments.output}
    if ending == ".json":
        write_result(json.dumps(net.to_dict(), indent=1) + "\n", arguments.output, [arguments.model])
        line = "exact"
        data["rounded"] = 0
    elif ending == ".onnx":
        from symfiber.sources.export import to_onnx

        model, rounding = to_onnx(net, None, arguments.float_type)
        write_result(model.SerializeToString(), arguments.output, [arguments.model])
        line = str(rounding)
        data |= {"rounded": rounding.rounded, "largest_error": str(rounding.largest_error)}
    else:
        raise InputError(f"output {arguments.output!r} must end in .json or .onnx, got {ending!r}")
    if arguments.json:
        write_json(data, None)
    else:
        write_result(f"{arguments.output}: {line}\n", None)
    return DONE
