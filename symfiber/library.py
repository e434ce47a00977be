"""Named example networks: one for every theorem and case, two that are not localizable, and really trained ones."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib.resources import files
from typing import Any

from symfiber.errors import InputError
from symfiber.exact import shorten
from symfiber.network import Network

_Layers = list[tuple[list[list[int | str]], list[int | str]]]

# name: (description, layers).  Entries are nonzero and generic where the theorem asks for it.
_WRITTEN: dict[str, tuple[str, Any]] = {
    "identifiable-2-2-2-1": (
        "Theorem V: nothing hidden, dead or linear; the fiber is permutations and scalings only",
        [([[3, 1], [2, -5]], [1, 4]), ([[4, -7], [-3, 11]], [5, 2]), ([[6, -5]], [1])],
    ),
    "one-linear-2-2-3-1": (
        "Theorem V with one linear neuron and one output: feasible are the orientations whose slope has one sign",
        [([[1, 2], [4, -3]], [2, 5]), ([[3, 8], [7, 13], [-5, -2]], [4, -9, 11]), ([[10, -6, -3]], [-2])],
    ),
    "two-linear-2-2-4-1": (
        "Theorem V with two linear neurons and one output: every orientation is feasible",
        [
            ([[2, -1], [1, 3]], [4, -3]),
            ([[5, 3], [2, 9], [7, -4], [-6, 1]], [2, 7, -1, 3]),
            ([[3, -8, 5, 7]], [6]),
        ],
    ),
    "dead-2-2-3-1": (
        "Theorem V with a dead neuron: it is free to carry the slope of a re-oriented neuron, if that has one sign",
        [([[5, 2], [-1, 3]], [-2, 4]), ([[-3, -4], [6, 5], [2, 9]], [-7, -13, -8]), ([[2, 5, -3]], [1])],
    ),
    "five-free-2-2-5-2": (
        "Theorem V with two outputs, two linear, one dead and two nonlinear neurons",
        [
            ([[4, 1], [-2, 7]], [3, -5]),
            ([[2, 11], [-4, -9], [13, 3], [6, -7], [-8, 5]], [5, -2, 8, 1, 3]),
            ([[3, -7, 5, 2, 9], [-4, 6, 8, -5, 1]], [2, -3]),
        ],
    ),
    "not-pointed-3-3-4-2": (
        "Theorem V with three linear neurons and two outputs whose slope is not pointed: rank+ = rank + 1 = 3",
        [
            ([[1, 2, -1], [3, -1, 2], [-2, 1, 1]], [1, 2, -3]),
            ([[9, 1, 2], [1, 8, 3], [2, 1, 7], [5, -6, 4]], [3, 1, 4, -7]),
            ([[5, -4, -3, 2], [1, 7, -6, 3]], [4, -1]),
        ],
    ),
    "hidden-2-2-2-1": (
        "Theorem H2: both live neurons hide the first-layer neuron 0, the bias may be translated",
        [([[3, 2], [1, -4]], [5, 1]), ([[7, -2], [4, -9]], [-3, -5]), ([[8, -3]], [2])],
    ),
    "hidden-single-3-3-1-1": (
        "Theorem H1: a single live neuron hides neuron 0, so that the other two rows may change sign",
        [([[2, 1, -3], [1, 4, 2], [-5, 3, 1]], [1, -2, 6]), ([[5, -3, -7]], [-4]), ([[9]], [-1])],
    ),
    "hidden-single-dead-2-2-2-2": (
        "Theorem H1 with two neurons of which one is dead: what counts is the number of live neurons",
        [([[1, 3], [-2, 5]], [2, 7]), ([[6, -5], [-1, -8]], [-3, -4]), ([[4, 1], [-7, 2]], [3, 5])],
    ),
    "constant-2-2-2-1": (
        "Theorem D: all neurons of layer 2 are dead, the function is constant",
        [([[2, 3], [-1, 4]], [1, -5]), ([[-3, -2], [-7, -1]], [-4, -6]), ([[5, -8]], [3])],
    ),
    "univariate-visible-2-1-2-1": (
        "n1 = 1, the first layer makes the first kink, not constant on the right",
        [([[2, 3]], [1]), ([[-1], [2]], [3, -1]), ([[2, -1]], [5])],
    ),
    "univariate-translated-2-1-2-1": (
        "n1 = 1, all kinks made by layer 2: the bias of layer 1 can be translated",
        [([[3, -1]], [2]), ([[2], [5]], [-3, -4]), ([[1, 2]], [5])],
    ),
    "univariate-reversible-1-1-2-1": (
        "n1 = 1, a ramp that is constant at both ends: the direction can be reversed",
        [([[1]], [0]), ([[1], [2]], [-3, -1]), ([[2, -1]], [5])],
    ),
    "wide-1-2-1-1": (
        "n1 > d, outside the theorems: there further identities trade a first-layer neuron for a second-layer one",
        [([[1], [1]], [0, 1]), ([[3, -1]], [-2]), ([[1]], [0])],
    ),
    # Both compute relu(a + 2 relu(t)) + 2 relu(s) + 4 relu(-s) - 1 with a = 5 - 3x, t = x - 1, s = a + 2t = 3 - x.
    "wide-trade-1-3-3-1": (
        "n1 > d, outside the theorems: the first layer makes the kink at x = 1, the partner makes it in layer 2",
        [
            ([[1], [1], [-1]], [-1, 2, -2]),
            ([[2, -3, 3], [0, -1, 1], [0, 1, -1]], [11, 5, -5]),
            ([[1, 2, 4]], [-1]),
        ],
    ),
    "wide-trade-partner-1-3-3-1": (
        "the same function by relu(a + 2 relu(t)) = a + 2t + relu(-2t + relu(-a)): neuron t is traded for neuron -a",
        [
            ([[3], [1], [-1]], [-5, 2, -2]),
            ([[1, -2, 2], [0, -1, 1], [0, 1, -1]], [6, 5, -5]),
            ([[1, 3, 3]], [-1]),
        ],
    ),
    "rank-deficient-2-2-1-1": (
        "rank W1 = 1 < n1 = 2, outside the theorems",
        [([[1, 2], [2, 4]], [0, 1]), ([[3, -1]], [2]), ([[1]], [0])],
    ),
    "not-localizable-2-2-1-1-1": (
        "any two consecutive layers have only their scalings, the whole depends on b2 + b3 + b4 alone",
        [([[1, 0], [0, 1]], [0, 0]), ([[1, 1]], [1]), ([[1]], [0]), ([[1]], [0])],
    ),
    "hiding-in-composition-2-2-2-2-1": (
        "any two consecutive layers have only their scalings; a kink visible after two layers is hidden after three",
        [
            ([[1, 0], [0, 1]], [0, 0]),
            ([[1, -1], [-1, -1]], [-1, 3]),
            ([[1, -1], [-1, 1]], [-1, "-7/2"]),
            ([[1, 1]], [0]),
        ],
    ),
    "hiding-only-in-composition-2-2-2-1-1": (
        "any two consecutive layers are identifiable, nothing is dead or linear; in the whole a kink can be moved",
        [([[1, 0], [0, 1]], [0, 0]), ([[1, 2], [-1, -1]], [-2, 3]), ([[-2, -3]], [5]), ([[1]], [0])],
    ),
}

_TRAINED = ("diabetes-10-8-6-1", "iris-4-2-3-3", "wine-13-2-4-3-linear-dead", "wine-13-2-2-3-hidden")


def names() -> tuple[str, ...]:
    """Return the names of all bundled networks, the written ones first.

    Examples
    --------
    >>> names()[0], names()[-4]
    ('identifiable-2-2-2-1', 'diabetes-10-8-6-1')
    """
    return (*_WRITTEN, *_TRAINED)


def trained_names() -> tuple[str, ...]:
    """Return the names of the networks that were really trained."""
    return _TRAINED


def get(name: str) -> Network:
    """Return a bundled network by its name.

    Raises
    ------
    InputError
        When there is none of that name; the message lists all.

    Examples
    --------
    >>> get("iris-4-2-3-3").architecture
    (4, 2, 3, 3)
    """
    _check(name)
    return _network(name)


def describe(name: str) -> str:
    """Return one sentence about a bundled network: what it shows, or how it was trained.

    Examples
    --------
    >>> describe("constant-2-2-2-1")
    'Theorem D: all neurons of layer 2 are dead, the function is constant'
    """
    _check(name)
    return str(_data(name)["description"]) if name in _TRAINED else _WRITTEN[name][0]


@lru_cache(maxsize=64)
def _network(name: str) -> Network:
    if name in _WRITTEN:
        return Network(_WRITTEN[name][1])
    from symfiber.sources.json_format import network_from_dict

    return network_from_dict(_data(name), f"bundled network {name}")


def _check(name: str) -> None:
    if name not in names():
        from difflib import get_close_matches

        shown = ", ".join(names()[:3])
        near = get_close_matches(str(name), names(), 1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"bundled network must be one of {shown}, … ('symfiber library' lists all), got {shorten(name)}{guess}"
        )


def _data(name: str) -> dict[str, Any]:
    text = (files("symfiber") / "data" / f"{name}.json").read_text(encoding="utf-8")
    parsed: dict[str, Any] = json.loads(text)
    return parsed
