"""The exact velocity of gradient flow for the squared loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symfiber.conservation.layout import make_layout
from symfiber.errors import InputError
from symfiber.exact import ZERO, Rational, dot, rational, shorten
from symfiber.network import Network


def flow_field(
    net: Network,
    inputs: Sequence[Sequence[Any]],
    targets: Sequence[Sequence[Any]],
    *,
    activation: str = "relu",
    biases: str | Sequence[bool] = "all",
) -> tuple[Rational, ...]:
    r"""Return θ̇ = −∇L(θ) for L = ½ Σ_s |f_θ(x_s) − y_s|², by exact back-propagation.

    Parameters
    ----------
    net : Network of numbers
    inputs, targets : sequences of rational points
        At an input where a preactivation is 0 the derivative of ReLU is taken as 0.
    activation, biases
        As in :func:`symfiber.conservation_laws`; components of absent biases are left out.

    Returns
    -------
    tuple of Rational
        In the order of ``ConservationLaws.names_of_parameters``.

    Notes
    -----
    Cost: as many products as there are weights, twice for every input.

    Examples
    --------
    >>> net = Network([([[2]], [1]), ([[3]], [0])])
    >>> flow_field(net, [[1]], [[8]])  # f(1) = 9, residual 1
    (-3, -3, -3, -1)
    """
    if len(inputs) != len(targets):
        raise InputError(f"inputs and targets must be as many, got {len(inputs)} and {len(targets)}")
    if net.is_symbolic:
        raise InputError("flow_field needs a network of numbers, got one with symbols")
    if activation not in ("relu", "linear"):
        raise InputError(f"activation must be relu or linear, got {shorten(activation)}")
    layout = make_layout(net.architecture, biases)
    layout.parameters_of(net)  # raises when an absent bias is not 0
    present = set(layout.names)
    total = [ZERO] * net.parameter_count
    for point, target in zip(inputs, targets):
        x = tuple(rational(v, "input entry") for v in point)
        y = tuple(rational(v, "target entry") for v in target)
        if len(x) != net.architecture[0] or len(y) != net.architecture[-1]:
            raise InputError(
                f"inputs and targets must have {net.architecture[0]} and {net.architecture[-1]} entries, "
                f"got {len(x)} and {len(y)}"
            )
        total = [t - g for t, g in zip(total, _gradient(net, x, y, activation == "linear"))]
    return tuple(value for name, value in zip(net.parameter_names, total) if name in present)


def _gradient(net: Network, x: tuple[Rational, ...], y: tuple[Rational, ...], linear: bool) -> list[Rational]:
    """∇ ½|f(x) − y|²."""
    layers, entering, active = net.scalar_layers, [x], list[tuple[bool, ...]]()
    for weight, bias in layers[:-1]:
        values = [dot(row, entering[-1]) + b for row, b in zip(weight, bias)]
        active.append(tuple(linear or v > 0 for v in values))
        entering.append(tuple(v if on else ZERO for v, on in zip(values, active[-1])))
    output = [dot(row, entering[-1]) + b for row, b in zip(*layers[-1])]
    back = [o - t for o, t in zip(output, y)]
    parts: list[list[Rational]] = []
    for number in range(len(layers) - 1, -1, -1):
        parts.append([*(b * v for b in back for v in entering[number]), *back])
        if number:
            columns = zip(*layers[number].weight)
            back = [dot(column, back) if on else ZERO for column, on in zip(columns, active[number - 1])]
    return [value for part in reversed(parts) for value in part]
