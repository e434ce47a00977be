"""Networks as models of other libraries: rounded to floats, with the rounding error stated exactly."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from symfiber.errors import InputError, UnsupportedError
from symfiber.exact import shorten, to_fraction
from symfiber.network import Network

FloatType = Literal["float32", "float64"]


@dataclass(frozen=True, slots=True)
class Rounding:
    """How far the written floats are from the exact parameters.

    Attributes
    ----------
    float_type : {"float32", "float64"}
    largest_error : Fraction
        max |written − exact| over all parameters, exactly; 0 when nothing was rounded.
    parameter : str
        Where it is; empty when nothing was rounded.
    rounded : int
        How many parameters were changed.
    """

    float_type: str
    largest_error: Fraction
    parameter: str
    rounded: int

    @property
    def exact(self) -> bool:
        """Whether the written model is exactly this network."""
        return self.rounded == 0

    def __str__(self) -> str:
        if self.exact:
            return f"all parameters are {self.float_type} numbers, nothing was rounded"
        many = "s were" if self.rounded > 1 else " was"
        error = f"{float(self.largest_error):.3g} ({self.parameter})"
        return f"{self.rounded} parameter{many} rounded to {self.float_type}, by at most {error}"


def rounded_layers(net: Network, float_type: FloatType = "float32") -> tuple[list[tuple[Any, Any]], Rounding]:
    """Return [(weight, bias)] as numpy arrays of nearest floats, and the rounding.

    Raises
    ------
    InputError
        For an unknown float type, or a parameter beyond its range.

    Examples
    --------
    >>> layers, rounding = rounded_layers(Network([([["1/2", "1/3"]], [1])]))
    >>> layers[0][0].dtype.name, rounding.rounded, rounding.parameter, rounding.largest_error
    ('float32', 1, 'W1_0_1', Fraction(1, 100663296))
    """
    import numpy

    if float_type not in ("float32", "float64"):
        raise InputError(f"float_type must be float32 or float64, got {shorten(float_type)}")
    if net.is_symbolic:
        raise UnsupportedError("models of floats need a network of numbers, got symbols")
    largest, where, changed = Fraction(0), "", 0
    kind = getattr(numpy, float_type)
    written: list[Any] = []
    for name, value in zip(net.parameter_names, map(to_fraction, net.parameters)):
        number = _nearest(value, kind, name)
        error = abs(Fraction(float(number)) - value)
        changed += bool(error)
        if error > largest:
            largest, where = error, name
        written.append(number)
    layers = []
    position = 0
    for weight, _ in net.scalar_layers:
        rows, columns = len(weight), len(weight[0])
        size = rows * columns
        matrix = numpy.array(written[position : position + size], dtype=kind).reshape(rows, columns)
        layers.append((matrix, numpy.array(written[position + size : position + size + rows], dtype=kind)))
        position += size + rows
    return layers, Rounding(float_type, largest, where, changed)


def _nearest(value: Fraction, kind: Any, name: str) -> Any:
    """Return the float nearest to a rational; rounding twice (to double first) could miss it: neighbours are tried."""
    import numpy

    try:
        with numpy.errstate(over="ignore"):
            number = kind(value.numerator / value.denominator)
    except OverflowError:
        number = kind("inf")
    if not numpy.isfinite(number):
        raise InputError(f"parameter {name} must be in the range of {kind.__name__}, it is too large")
    candidates = [number, *(numpy.nextafter(number, kind(side)) for side in ("-inf", "inf"))]
    finite = [c for c in candidates if numpy.isfinite(c)]
    return min(finite, key=lambda c: abs(Fraction(float(c)) - value))


def to_onnx(net: Network, path: Any = None, float_type: FloatType = "float32") -> tuple[Any, Rounding]:
    """Return the network as an ``onnx.ModelProto`` of Gemm and Relu nodes, and the rounding.

    With a path it is written there as well.  Needs the onnx package.
    """
    try:
        from onnx import TensorProto, checker, helper, numpy_helper
    except ImportError:
        raise UnsupportedError("writing ONNX models needs the onnx package: install symfiber[onnx]") from None
    layers, rounding = rounded_layers(net, float_type)
    kind = TensorProto.FLOAT if float_type == "float32" else TensorProto.DOUBLE
    nodes, initializers, current = [], [], "input"
    for number, (weight, bias) in enumerate(layers, start=1):
        initializers += [numpy_helper.from_array(weight, f"W{number}"), numpy_helper.from_array(bias, f"b{number}")]
        last = number == len(layers)
        target = "output" if last else f"z{number}"
        names = [current, f"W{number}", f"b{number}"]
        nodes.append(helper.make_node("Gemm", names, [target], f"layer_{number}", transB=1))
        if not last:
            nodes.append(helper.make_node("Relu", [target], [f"y{number}"], f"relu_{number}"))
            current = f"y{number}"
    ends = [
        helper.make_tensor_value_info(name, kind, ["batch", size])
        for name, size in (("input", net.architecture[0]), ("output", net.architecture[-1]))
    ]
    graph = helper.make_graph(nodes, "network", ends[:1], ends[1:], initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    checker.check_model(model)
    if path is not None:
        from symfiber.sources.writing import write_atomically

        write_atomically(path, model.SerializeToString())
    return model, rounding


def to_torch(net: Network, float_type: FloatType = "float32") -> tuple[Any, Rounding]:
    """Return the network as a ``torch.nn.Sequential`` of Linear and ReLU, and the rounding; needs PyTorch."""
    try:
        import torch
    except ImportError:
        raise UnsupportedError("PyTorch models need PyTorch: install symfiber[torch]") from None
    layers, rounding = rounded_layers(net, float_type)
    modules: list[Any] = []
    for weight, bias in layers:
        linear = torch.nn.Linear(weight.shape[1], weight.shape[0], dtype=getattr(torch, float_type))
        with torch.no_grad():
            linear.weight.copy_(torch.from_numpy(weight))
            linear.bias.copy_(torch.from_numpy(bias))
        modules += [linear, torch.nn.ReLU()]
    return torch.nn.Sequential(*modules[:-1]), rounding


__all__ = ["Rounding", "rounded_layers", "to_onnx", "to_torch"]
