"""Networks as JSON, format ``symfiber-network/1``: entries are texts of rationals or polynomials, or integers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from symfiber.errors import ExactnessError, InputError
from symfiber.exact import Rational, parse_rational, shorten, to_text
from symfiber.network import Network
from symfiber.sources.reading import read_bytes
from symfiber.sources.writing import write_atomically

FORMAT = "symfiber-network/1"

_PLAIN = re.compile(r"-?[0-9]+(?:/[0-9]*[1-9][0-9]*)?", re.ASCII)


def network_to_dict(net: Network) -> dict[str, Any]:
    """Return the JSON-ready form; every entry is an exact text.

    Examples
    --------
    >>> network_to_dict(Network([([["1/2"]], [3])]))["layers"]
    [{'weight': [['1/2']], 'bias': ['3']}]
    """
    data: dict[str, Any] = {"format": FORMAT}
    if net.ring is not None:
        data["symbols"] = list(net.ring.names)
        if net.signs:
            data["signs"] = dict(net.signs)
    data["layers"] = [
        {"weight": [[_text(x) for x in row] for row in layer.weight], "bias": [_text(x) for x in layer.bias]}
        for layer in net.scalar_layers
    ]
    return data


def network_from_dict(data: Any, where: str = "network") -> Network:
    """Return the network of a parsed JSON object.

    Raises
    ------
    InputError
        Naming the part that is wrong; ``ExactnessError`` for a float entry.

    Examples
    --------
    >>> network_from_dict({"layers": [{"weight": [["1/2"]], "bias": [3]}]}).parameters
    (1/2, 3)
    """
    if not isinstance(data, dict):
        raise InputError(f"{where} must be a JSON object with layers, got {_kind(data)}")
    version = data.get("format", FORMAT)
    if version != FORMAT:
        raise InputError(f'{where} must have format "{FORMAT}", got {shorten(version)}')
    symbols = data.get("symbols")
    if symbols is not None and not (isinstance(symbols, list) and all(isinstance(name, str) for name in symbols)):
        raise InputError(f"{where} symbols must be a list of names, got {shorten(symbols)}")
    layers = data.get("layers")
    if not isinstance(layers, list):
        raise InputError(f"{where} must have a list of layers, got {_kind(layers)}")
    parsed = [_layer(layer, f"{where} layer {number}", bool(symbols)) for number, layer in enumerate(layers, start=1)]
    _check_activations(layers, where)
    return Network(parsed, symbols or None, _signs(data.get("signs"), symbols or [], where))


def _check_activations(layers: list[dict[str, Any]], where: str) -> None:
    """A stated activation must be the one that is meant: relu after hidden layers, none after the last."""
    for number, layer in enumerate(layers, start=1):
        activation = layer.get("activation")
        allowed = ("relu",) if number < len(layers) else ("identity", "linear", "none")
        if activation is not None and str(activation).lower() not in allowed:
            raise InputError(f"{where} layer {number} activation must be {allowed[0]}, got {shorten(activation)}")


def save_network(net: Network, path: Any) -> None:
    """Write a network as JSON; the file appears complete or not at all."""
    if Path(path).suffix.lower() != ".json":
        raise InputError(f"a network is saved as a .json file, got {str(path)!r}")
    write_atomically(path, json.dumps(network_to_dict(net), indent=1) + "\n")


def load_json(path: Any) -> Network:
    """Read a network from a JSON file.

    Raises
    ------
    InputError
        One sentence that names the file and what is wrong with it.
    """
    name = f"file {str(path)!r}"
    try:
        return network_from_dict(parse_json(read_bytes(path), name), "network")
    except InputError as error:
        if name in str(error):
            raise
        raise type(error)(f"{name}: {error}") from None


def parse_json(content: bytes, name: str) -> Any:
    """Parse JSON strictly: UTF-8, no repeated keys, integers of any length, no NaN or Infinity.

    Integers come back as exact rationals, floats as :class:`FloatText` so that they can be refused where they stand.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{name} must be UTF-8 text, it is not") from None
    if not text.strip():
        raise InputError(f"{name} must be JSON, it is empty")
    try:
        return json.loads(
            text,
            parse_int=parse_rational,
            parse_float=FloatText,
            parse_constant=FloatText,
            object_pairs_hook=lambda pairs: _unique(pairs, name),
        )
    except json.JSONDecodeError as error:
        raise InputError(
            f"{name} must be JSON, it is not at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except RecursionError:
        raise InputError(f"{name} must not be nested so deeply") from None


class FloatText(str):
    """The text of a JSON float, NaN or Infinity, kept to be refused by name."""

    __slots__ = ()


def _unique(pairs: list[tuple[str, Any]], name: str) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise InputError(f"{name} must not repeat a key in one object, got {shorten(repeated)} twice")
    return result


def _layer(layer: Any, where: str, symbolic: bool) -> tuple[list[list[Any]], list[Any]]:
    if not isinstance(layer, dict):
        raise InputError(f"{where} must be an object with weight and bias, got {_kind(layer)}")
    for key in ("weight", "bias"):
        if not isinstance(layer.get(key), list):
            raise InputError(f"{where} must have a list {key}, got {_kind(layer.get(key))}")
    weight = []
    for i, row in enumerate(layer["weight"]):
        if not isinstance(row, list):
            raise InputError(f"{where} weight row {i} must be a list, got {_kind(row)}")
        weight.append(_entries(row, partial("{} weight entry ({}, {})".format, where, i), symbolic))
    return weight, _entries(layer["bias"], partial("{} bias entry {}".format, where), symbolic)


def _entries(values: list[Any], where: Callable[[int], str], symbolic: bool) -> list[Any]:
    """Exact entries; ordinary ones are read at once, without naming their place (a third of the time of loading)."""
    if symbolic:
        return [_entry(value, where(j), symbolic) for j, value in enumerate(values)]
    return [
        Rational(value) if type(value) is str and _PLAIN.fullmatch(value) else _entry(value, where(j), symbolic)
        for j, value in enumerate(values)
    ]


def _entry(value: Any, where: str, symbolic: bool) -> Any:
    """An exact entry; texts of polynomials are left to the network, which knows its symbols."""
    if type(value) is str:
        return value if symbolic else parse_rational(value, where)
    if isinstance(value, Rational):
        return value
    if isinstance(value, FloatText):
        raise ExactnessError(f'{where} must be exact, got the float {shorten(str(value))}; write it as a text "p/q"')
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float):
        raise ExactnessError(f'{where} must be exact, got the float {value}; write it as a text "p/q"')
    raise InputError(f'{where} must be a text such as "2/3" or an integer, got {_kind(value)}')


def _signs(signs: Any, symbols: list[str], where: str) -> dict[str, int] | None:
    if signs is None:
        return None
    if not isinstance(signs, dict):
        raise InputError(f"{where} signs must be an object from symbols to 1 or -1, got {_kind(signs)}")
    for name, value in signs.items():
        if name not in symbols or isinstance(value, bool) or value not in (1, -1):
            raise InputError(f"{where} signs must map symbols to 1 or -1, got {shorten(name)}: {shorten(value)}")
    return {name: int(value) for name, value in signs.items()}


def _text(value: Any) -> str:
    return to_text(value) if isinstance(value, Rational) else str(value)


def _kind(value: Any) -> str:
    """Say what a JSON value is, without printing it whole."""
    if value is None:
        return "nothing"
    names = {bool: "a truth value", str: "a text", list: "a list", dict: "an object", FloatText: "a float"}
    return names.get(type(value), "a number")
