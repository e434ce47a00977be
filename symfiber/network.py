"""Network: a ReLU network with exact or symbolic layers, never changed after construction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from typing import Any

from symfiber.errors import InputError, UnsupportedError
from symfiber.exact import (
    ZERO,
    Matrix,
    Polynomial,
    PolynomialRing,
    Rational,
    Scalar,
    dot,
    rational,
    rational_from_float,
    shorten,
    to_fraction,
)
from symfiber.exact.parsing import parse_polynomial, polynomial_from_sympy
from symfiber.parameters import Layer, check_architecture, count_parameters, flatten, parameter_names, split

ActivationPattern = tuple[tuple[bool, ...], ...]
"""For every hidden layer, which of its neurons are active (preactivation > 0)."""


class Network:
    r"""A ReLU network f(x) = W_L σ(… σ(W₁x + b₁) …) + b_L over ℚ or over ℚ[symbols], σ(z) = max(0, z).

    Parameters
    ----------
    layers : sequence of (weight, bias)
        ``weight`` of shape (outputs of the layer, inputs of the layer), ``bias`` of length (outputs of the layer).
        Entries: int, Fraction, ``"p/q"``, sympy.Rational or Expr, flint numbers, numpy integers, polynomials.
    symbols : sequence of str, optional
        Names of the indeterminates; needed only when entries are polynomial *texts* or the order matters.

    Raises
    ------
    InputError
        When shapes do not fit, a layer is empty or an entry is not exact (``ExactnessError`` for floats).

    Examples
    --------
    >>> net = Network([([[1, -1], [2, 3]], [0, 1]), ([[1, "1/2"]], [-1])])
    >>> net.architecture, net.parameter_count
    ((2, 2, 1), 9)
    >>> net([3, 1])
    (Fraction(6, 1),)
    """

    __slots__ = ("_fractions", "_hash", "ring", "scalar_layers", "signs")

    scalar_layers: tuple[Layer, ...]
    """The layers in the exact base's own scalars (flint rationals, or polynomials when symbolic)."""
    ring: PolynomialRing | None
    """The ring of the symbols; ``None`` for a network of numbers."""
    signs: Mapping[str, int]
    """Assumed signs (−1 or 1) of symbols; empty for a network of numbers."""

    def __init__(
        self, layers: Iterable[Any], symbols: Sequence[str] | None = None, signs: Mapping[str, int] | None = None
    ) -> None:
        raw = [_layer_entries(layer, number) for number, layer in enumerate(_items(layers, "layers"), start=1)]
        if not raw:
            raise InputError("layers must hold at least one (weight, bias) pair, got none")
        self.ring = _ring_of(raw, symbols)
        self.scalar_layers = tuple(
            Layer(
                tuple(
                    tuple(_scalar(x, self.ring, f"layer {number} weight entry ({i}, {j})") for j, x in enumerate(row))
                    for i, row in enumerate(weight)
                ),
                tuple(_scalar(x, self.ring, f"layer {number} bias entry {i}") for i, x in enumerate(bias)),
            )
            for number, (weight, bias) in enumerate(raw, start=1)
        )
        self.signs = _checked_signs(signs, self.ring)
        _check_sympy_signs(raw, self.signs)
        self._fractions: tuple[Layer, ...] | None = None
        self._hash: int | None = None
        _check_shapes(self.scalar_layers)

    @classmethod
    def from_floats(cls, layers: Iterable[Any], denominators: int | None = None) -> Network:
        """Take every float as the dyadic rational it is; exact numbers stay exact, nothing is rounded unless asked for.

        Parameters
        ----------
        layers : sequence of (weight, bias)
            Nested sequences or arrays of finite floats.
        denominators : int, optional
            When given, every entry is replaced by the nearest fraction with this denominator.

        Examples
        --------
        >>> Network.from_floats([([[0.5]], [0.25])]).layers[0].bias
        (Fraction(1, 4),)
        """
        if denominators is not None and (type(denominators) is not int or denominators < 1):
            raise InputError(f"denominators must be a positive int or None, got {shorten(denominators)}")

        def exact(value: Any, where: str) -> Rational:
            number = rational_from_float(value, where)
            if denominators is None:
                return number
            return Rational(round(to_fraction(number) * denominators), denominators)

        converted = []
        for number, layer in enumerate(_items(layers, "layers"), start=1):
            weight, bias = _layer_entries(layer, number)
            converted.append(
                (
                    [
                        [exact(x, f"layer {number} weight entry ({i}, {j})") for j, x in enumerate(row)]
                        for i, row in enumerate(weight)
                    ],
                    [exact(x, f"layer {number} bias entry {i}") for i, x in enumerate(bias)],
                )
            )
        return cls(converted)

    @classmethod
    def symbolic(cls, architecture: Sequence[int], signs: Sequence[Sequence[Any]] | None = None) -> Network:
        """Return the network whose entries are indeterminates ``W1_0_0, …, b1_0, …`` (zero-based indices).

        Parameters
        ----------
        architecture : (d, n₁, …, m)
        signs : matrix n₂ × (n₁+1), optional
            Assumed signs of [W₂|b₂]: 1, −1 or 0, or ``"+"``, ``"-"``, ``"0"``; an entry with sign 0 is the number 0.

        Examples
        --------
        >>> Network.symbolic((1, 1, 1)).ring
        ℚ[W1_0_0, b1_0, W2_0_0, b2_0]
        """
        shape = check_architecture(architecture)
        names = parameter_names(shape)
        ring = PolynomialRing(names)
        assumed: dict[str, int] = {}
        zeros: set[str] = set()
        if signs is not None:
            for name, value in zip(_second_layer_names(shape), _sign_entries(signs, shape)):
                if value:
                    assumed[name] = value
                else:
                    zeros.add(name)
        values = [ZERO if name in zeros else ring.generator(name) for name in names]
        return cls(split(values, shape), names, assumed)

    @classmethod
    def from_parameters(cls, architecture: Sequence[int], parameters: Sequence[Any]) -> Network:
        """Return the network with the given flat parameter vector (see :attr:`parameters`)."""
        shape = check_architecture(architecture)
        values = _items(parameters, "parameters")
        expected = count_parameters(shape)
        if len(values) != expected:
            raise InputError(f"parameters must have {expected} entries for architecture {shape}, got {len(values)}")
        return cls(split(values, shape))

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers with entries as ``fractions.Fraction`` (polynomials when symbolic)."""
        if self._fractions is None:
            self._fractions = tuple(
                Layer(tuple(tuple(map(_public, row)) for row in layer.weight), tuple(map(_public, layer.bias)))
                for layer in self.scalar_layers
            )
        return self._fractions

    @property
    def architecture(self) -> tuple[int, ...]:
        """(d, n₁, …, m): the input dimension, the hidden widths and the output dimension."""
        return len(self.scalar_layers[0].weight[0]), *(len(layer.bias) for layer in self.scalar_layers)

    @property
    def hidden_widths(self) -> tuple[int, ...]:
        """The widths of the hidden layers."""
        return self.architecture[1:-1]

    @property
    def parameter_count(self) -> int:
        """N, the number of weights and biases."""
        return count_parameters(self.architecture)

    @property
    def parameters(self) -> tuple[Scalar, ...]:
        """The flat parameter vector: W₁ row by row, b₁, W₂ row by row, b₂, …"""
        return tuple(flatten(self.scalar_layers))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the ambient parameter coordinates, ``W1_0_0``, …, ``b1_0``, … in the order of :attr:`parameters`."""
        return parameter_names(self.architecture)

    @property
    def is_symbolic(self) -> bool:
        """Whether the entries live in a polynomial ring rather than in ℚ."""
        return self.ring is not None

    def weight_matrix(self, number: int) -> Matrix:
        """Return W_number (one-based, as in the formulas) of a network of numbers."""
        self._require_numbers("weight_matrix")
        if not isinstance(number, int) or not 1 <= number <= len(self.scalar_layers):
            raise InputError(f"number must be a layer 1..{len(self.scalar_layers)}, got {shorten(number)}")
        return Matrix(self.scalar_layers[number - 1].weight)

    def __call__(self, point: Sequence[Any]) -> tuple[Fraction, ...]:
        """Return the exact value at a rational point as fractions. Cost: one product per weight."""
        return tuple(map(to_fraction, self.evaluate(point)))

    def evaluate(self, point: Sequence[Any]) -> tuple[Rational, ...]:
        """Return the exact value at a rational point in the exact base's own scalars."""
        self._require_numbers("evaluation")
        values = self._coordinates(point)
        last = len(self.scalar_layers) - 1
        for index, (weight, bias) in enumerate(self.scalar_layers):
            values = tuple(dot(row, values) + b for row, b in zip(weight, bias))
            if index < last:
                values = tuple(value if value > 0 else ZERO for value in values)
        return values

    def activation_pattern(self, point: Sequence[Any]) -> ActivationPattern:
        """Return which hidden neurons are active (preactivation > 0) at a rational point."""
        self._require_numbers("activation_pattern")
        values = self._coordinates(point)
        pattern = []
        for weight, bias in self.scalar_layers[:-1]:
            values = tuple(dot(row, values) + b for row, b in zip(weight, bias))
            pattern.append(tuple(bool(value > 0) for value in values))
            values = tuple(value if value > 0 else ZERO for value in values)
        return tuple(pattern)

    def affine_map(self, pattern: ActivationPattern) -> Layer:
        """Return the affine map x ↦ αx + β of a cell: the composition with inactive neurons set to 0.

        Works over any ring; the entries are polynomials in the parameters for a symbolic network.
        """
        layers = [_items(active, "activation pattern entry") for active in _items(pattern, "activation pattern")]
        if tuple(map(len, layers)) != self.hidden_widths:
            raise InputError(f"activation pattern must have widths {self.hidden_widths}, got {tuple(map(len, layers))}")
        weight, bias = self.scalar_layers[0]
        for active, layer in zip(layers, self.scalar_layers[1:]):
            kept = [i for i, on in enumerate(active) if on]
            columns = [[weight[i][q] for i in kept] for q in range(len(weight[0]))]
            offsets = [bias[i] for i in kept]
            rows = [[row[i] for i in kept] for row in layer.weight]
            weight = tuple(tuple(dot(row, column) for column in columns) for row in rows)
            bias = tuple(dot(row, offsets) + b for row, b in zip(rows, layer.bias))
        return Layer(weight, bias)

    def with_layers(self, layers: Iterable[Any]) -> Network:
        """Return a network with other layers and the same symbols and assumed signs."""
        return Network(layers, self.ring.names if self.ring else None, self.signs)

    def values(self, values: Mapping[str, Any]) -> dict[str, Rational]:
        """Return a value for every symbol, in the ring's order, checked: known names, numbers, the assumed signs.

        Symbols that occur in no entry may be left out; they count as 1 (or −1).
        """
        if self.ring is None:
            raise InputError("values are for the symbols of a symbolic network, got a network of numbers")
        if not isinstance(values, Mapping):
            raise InputError(f"values must map symbols to numbers, got {shorten(values)}")
        unknown = [name for name in values if name not in self.ring.names]
        if unknown:
            raise InputError(f"values must be of the network's symbols, got one of {shorten(unknown[0])}")
        used = {name for x in self.parameters if isinstance(x, Polynomial) for name in x.symbols()}
        found = {}
        for name in self.ring.names:
            if name not in values and name in used:
                raise InputError(f"values must be given for every symbol, got none for {name}")
            number = rational(values.get(name, self.signs.get(name, 1)), f"value of {name}")
            if name in self.signs and not number * self.signs[name] > 0:
                raise InputError(f"the value of {name} must have the assumed sign {self.signs[name]:+d}, got {number}")
            found[name] = number
        return found

    def at(self, values: Mapping[str, Any]) -> Network:
        """Return the network of numbers with values for the symbols.

        Raises
        ------
        InputError
            When a symbol has no value, is unknown, or has not its assumed sign.

        Examples
        --------
        >>> Network([([["t"]], [1]), ([["t^2 - 1"]], [0])], symbols=["t"]).at({"t": 3}).parameters
        (3, 1, 8, 0)
        """
        numbers = self.values(values)
        point = list(numbers.values())
        return self.from_parameters(
            self.architecture, [x(point) if isinstance(x, Polynomial) else x for x in self.parameters]
        )

    def save(self, path: Any) -> None:
        """Write the network as JSON; the file appears complete or not at all."""
        from symfiber.sources.json_format import save_network

        save_network(self, path)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form (``"format": "symfiber-network/1"``)."""
        from symfiber.sources.json_format import network_to_dict

        return network_to_dict(self)

    def _coordinates(self, point: Sequence[Any]) -> tuple[Rational, ...]:
        values = tuple(rational(x, f"point coordinate {i}") for i, x in enumerate(_items(point, "point")))
        if len(values) != self.architecture[0]:
            raise InputError(f"point must have {self.architecture[0]} coordinates, got {len(values)}")
        return values

    def _require_numbers(self, what: str) -> None:
        if self.ring is not None:
            raise UnsupportedError(f"{what} needs a network of numbers, got symbols {', '.join(self.ring.names[:4])}")

    def __eq__(self, other: object) -> bool:
        """Equality of parameter vectors (not of functions: see ``decide_equivalence``)."""
        return isinstance(other, Network) and self.scalar_layers == other.scalar_layers

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.scalar_layers)
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.scalar_layers, self.ring.names if self.ring else None, dict(self.signs))

    def _repr_html_(self) -> str:
        from symfiber.report.display import network_html

        return network_html(self)

    def __repr__(self) -> str:
        kind = f" over {self.ring!r}" if self.ring else ""
        return f"<Network {'-'.join(map(str, self.architecture))}, {self.parameter_count} parameters{kind}>"

    def __str__(self) -> str:
        lines = [repr(self)]
        for number, layer in enumerate(self.scalar_layers, start=1):
            for i, (row, b) in enumerate(zip(layer.weight, layer.bias)):
                label = f"W{number} | b{number} = " if i == 0 else ""
                lines.append(f"{label:>10}[{', '.join(shorten_text(x) for x in row)} | {shorten_text(b)}]")
                if i == 11 and len(layer.bias) > 12:
                    lines.append(f"{'':>10}… {len(layer.bias) - 12} more rows")
                    break
        return "\n".join(lines)


def shorten_text(value: Any, limit: int = 24) -> str:
    """Return ``str(value)`` cut in the middle to about ``limit`` characters."""
    text = str(value)
    return text if len(text) <= limit else f"{text[: limit // 2]}…{text[-limit // 4 :]}"


def _second_layer_names(architecture: Sequence[int]) -> list[str]:
    if len(architecture) < 3:
        raise InputError(f"signs need an architecture with a hidden layer, got {tuple(architecture)}")
    return [
        name for j in range(architecture[2]) for name in [*(f"W2_{j}_{i}" for i in range(architecture[1])), f"b2_{j}"]
    ]


def _sign_entries(signs: Sequence[Sequence[Any]], architecture: Sequence[int]) -> Iterator[int]:
    rows = [list(row) if isinstance(row, str) else _items(row, "signs row") for row in _items(signs, "signs")]
    if len(rows) != architecture[2] or any(len(row) != architecture[1] + 1 for row in rows):
        raise InputError(
            f"signs must have shape ({architecture[2]}, {architecture[1] + 1}), one row [w|b] a neuron of layer 2, "
            f"got rows of lengths {[len(row) for row in rows]}"
        )
    table = {"+": 1, "-": -1, "−": -1, "0": 0, 1: 1, -1: -1, 0: 0}
    for row in rows:
        for value in row:
            if isinstance(value, bool) or not isinstance(value, (int, str)) or value not in table:
                raise InputError(f'signs must be 1, -1, 0, "+", "-" or "0", got {shorten(value)}')
            yield table[value]


def _items(value: Any, what: str) -> list[Any]:
    unordered = isinstance(value, (str, bytes, Mapping, Set))
    if unordered or not isinstance(value, Iterable) or getattr(value, "ndim", 1) == 0:
        raise InputError(f"{what} must be a sequence, got {shorten(value)} of type {type(value).__name__}")
    return list(value)


def _checked_signs(signs: Mapping[str, int] | None, ring: PolynomialRing | None) -> dict[str, int]:
    if signs is not None and not isinstance(signs, Mapping):
        raise InputError(f"signs must map symbol names to 1 or -1, got {shorten(signs)}")
    names = ring.names if ring else ()
    for name, value in (signs or {}).items():
        if name not in names:
            raise InputError(f"signs must be of the network's symbols, got one of {shorten(name)}")
        if type(value) is not int or value not in (1, -1):
            raise InputError(f"the sign of {name} must be 1 or -1, got {shorten(value)}")
    return dict(signs or {})


def _check_sympy_signs(raw: list[tuple[list[list[Any]], list[Any]]], signs: Mapping[str, int]) -> None:
    """Raise when a SymPy symbol is declared with the other sign."""
    for entry in flatten(raw) if signs else ():
        for symbol in getattr(entry, "free_symbols", ()):
            declared = 1 if symbol.is_positive else -1 if symbol.is_negative else 0
            if declared and signs.get(symbol.name, declared) != declared:
                raise InputError(
                    f"the sign of {symbol.name} must be {declared:+d}, as SymPy's symbol says, got {signs[symbol.name]}"
                )


def _layer_entries(layer: Any, number: int) -> tuple[list[list[Any]], list[Any]]:
    parts = _items(layer, f"layer {number}")
    if len(parts) != 2:
        raise InputError(f"layer {number} must be a pair (weight, bias), got {len(parts)} parts")
    rows = _items(parts[0], f"layer {number} weight")
    weight = [_items(row, f"layer {number} weight row {i}") for i, row in enumerate(rows)]
    return weight, _items(parts[1], f"layer {number} bias")


def _ring_of(raw: list[tuple[list[list[Any]], list[Any]]], symbols: Sequence[str] | None) -> PolynomialRing | None:
    if symbols is not None:
        return PolynomialRing(_items(symbols, "symbols"))
    names: dict[str, Any] = {}
    for entry in flatten(raw):
        if isinstance(entry, Polynomial):
            return entry.ring
        for symbol in getattr(entry, "free_symbols", ()):
            if names.setdefault(symbol.name, symbol) != symbol:
                raise InputError(f"symbols of one name must be one symbol, got two different ones named {symbol.name}")
    return PolynomialRing(sorted(names)) if names else None


def _scalar(value: Any, ring: PolynomialRing | None, where: str) -> Scalar:
    if ring is None:
        return rational(value, where)
    if isinstance(value, str):
        return parse_polynomial(value, ring, where)
    if hasattr(value, "free_symbols"):
        return polynomial_from_sympy(value, ring, where)
    return ring.coerce(value) if isinstance(value, Polynomial) else ring.constant(rational(value, where))


def _check_shapes(layers: tuple[Layer, ...]) -> None:
    inputs: int | None = None
    for number, (weight, bias) in enumerate(layers, start=1):
        if not weight or not weight[0]:
            raise InputError(
                f"layer {number} must have at least one output and one input, "
                f"got shape ({len(weight)}, {len(weight[0]) if weight else 0})"
            )
        source = "the width of its first row" if inputs is None else f"the width of layer {number - 1}"
        expected = len(weight[0]) if inputs is None else inputs
        for i, row in enumerate(weight):
            if len(row) != expected:
                raise InputError(
                    f"layer {number} weight must have rows of length {expected} ({source}), "
                    f"got length {len(row)} in row {i}"
                )
        if len(bias) != len(weight):
            raise InputError(
                f"layer {number} bias must have length {len(weight)} (the number of weight rows), got {len(bias)}"
            )
        inputs = len(weight)


def _public(value: Scalar) -> Any:
    return to_fraction(value) if isinstance(value, Rational) else value


def _rebuild(layers: Any, symbols: Any, signs: Any) -> Network:
    return Network(layers, symbols, signs)


def require_network(value: Any, what: str, numbers: bool = True) -> None:
    """Raise unless the value is a network, of numbers if asked for."""
    if not isinstance(value, Network):
        raise InputError(f"{what} needs a Network, got {type(value).__name__}")
    if numbers and value.ring is not None:
        raise UnsupportedError(f"{what} needs a network of numbers, got symbols {', '.join(value.ring.names[:4])}")
