"""ONNX models: chains of affine nodes and Relu, any opset, read with the onnx package.

The graph is followed from its input.  Every node must have one input that carries data and otherwise constants; the
operators are those of a fully connected network, and a Cast between float types changes nothing (the network is taken
as a function of real numbers).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from symfiber.errors import InputError, UnsupportedError
from symfiber.exact import ONE, ZERO, Rational
from symfiber.network import Network
from symfiber.sources.arrays import exact_number
from symfiber.sources.chain import Chain, batch_norm
from symfiber.sources.reading import read_bytes

OPERATORS = (
    "Gemm, MatMul, Add, Sub, Mul, Div, Relu, BatchNormalization, Flatten, Reshape, Identity, Dropout, Cast, Constant"
)
_PASSING = ("Identity", "Flatten", "Reshape", "Dropout", "Cast")
_FLOATS = (1, 10, 11, 16)  # float32, float16, float64, bfloat16


def load_onnx(path: Any, output: str | None = None, square_root_bits: int | None = None) -> Network:
    """Read an ``.onnx`` file; needs the onnx package.  Weights must be inside the file.

    Parameters
    ----------
    output : str, optional
        The tensor to stop at, for models that end with a softmax or a label; by default the graph's only output.
    square_root_bits : int, optional
        Round the square roots of a batch normalisation, see :func:`symfiber.sources.chain.batch_norm`.
    """
    name, content = f"file {str(path)!r}", read_bytes(path)
    onnx = _onnx()
    try:
        model = onnx.load_model_from_string(content)
    except Exception:
        raise InputError(f"{name} must be an ONNX model, it cannot be read as one") from None
    try:
        return from_onnx(model, output, square_root_bits)
    except InputError as error:
        raise type(error)(f"{name}: {error}") from None


def from_onnx(model: Any, output: str | None = None, square_root_bits: int | None = None) -> Network:
    """Return the exact network of an ``onnx.ModelProto``; parameters as for files.

    Raises
    ------
    InputError
        Naming the node that cannot be read, the tensor that branches, or the weight that is not in the file.
    """
    graph = getattr(model, "graph", None)
    if graph is None:
        raise InputError(f"model must be an onnx ModelProto, got {type(model).__name__}")
    constants = {tensor.name: _array(tensor, tensor.name) for tensor in graph.initializer}
    chain = Chain("node")
    width = _input_width(graph, constants)
    if width:
        chain.diagonal([ONE] * width, [ZERO] * width, "input")
    for node in _path(graph, constants, output):
        _add(chain, node, constants, square_root_bits)
    return chain.network()


def _input_width(graph: Any, constants: Mapping[str, Any]) -> int:
    """Return the number of features of the input when the file says it, else 0."""
    for value in graph.input:
        if value.name not in constants:
            dimensions = value.type.tensor_type.shape.dim
            return int(dimensions[-1].dim_value) if len(dimensions) == 2 else 0
    return 0


def _onnx() -> Any:
    try:
        import onnx
    except ImportError:
        raise UnsupportedError("reading ONNX models needs the onnx package: install symfiber[onnx]") from None
    return onnx


@dataclass(frozen=True, slots=True)
class _Node:
    """A node of the chain: its name for messages, operator, attributes, the inputs, and which of them carries data."""

    name: str
    operator: str
    attributes: Mapping[str, Any]
    inputs: tuple[str, ...]
    data: int


def _path(graph: Any, constants: dict[str, Any], output: str | None) -> Iterator[_Node]:
    """Yield the nodes from the input to the output, collecting the constants on the way."""
    inputs = [value.name for value in graph.input if value.name not in constants]
    if len(inputs) != 1:
        raise InputError(f"model must have one input, got {', '.join(inputs) or 'none'}")
    outputs = [value.name for value in graph.output]
    if output is None and len(outputs) != 1:
        raise InputError(f"model must have one output, or output= must name a tensor, got {', '.join(outputs)}")
    wanted = outputs[0] if output is None else output
    nodes = []
    for index, node in enumerate(graph.node):
        value = _folded(node, constants)
        if value is None:
            nodes.append((index, node))
        else:
            constants[node.output[0]] = value
    current = inputs[0]
    while current != wanted:
        consumers = [(i, n) for i, n in nodes if current in n.input]
        if not consumers:
            raise InputError(f"the tensor {wanted!r} must follow from the input, the chain ends at {current!r}")
        if len(consumers) > 1:
            names = ", ".join(f"{_name(i, n)} ({n.op_type})" for i, n in consumers)
            raise InputError(f"model must be a chain of nodes, the tensor {current!r} goes to several: {names}")
        ((index, node),) = consumers
        yield _described(index, node, current, constants)
        current = node.output[0]


def _name(index: int, node: Any) -> str:
    return repr(node.name) if node.name else f"number {index}"


def _described(index: int, node: Any, current: str, constants: Mapping[str, Any]) -> _Node:
    name = _name(index, node)
    supported = node.domain in ("", "ai.onnx") and (
        node.op_type in OPERATORS.split(", ") and node.op_type != "Constant"
    )
    if not supported:
        kind = f"{node.domain}.{node.op_type}" if node.domain not in ("", "ai.onnx") else node.op_type
        raise InputError(
            f"node {name} must be one of {OPERATORS}, got {kind}; output= can stop before it, at the tensor {current!r}"
        )
    inputs = tuple(node.input)
    places = [place for place, value in enumerate(inputs) if value == current]
    others = [value for place, value in enumerate(inputs) if place not in places and value]
    missing = [value for value in others if value not in constants]
    if len(places) != 1 or missing:
        source = missing[0] if missing else current
        raise InputError(
            f"node {name} ({node.op_type}) must have one input that is not constant, it also takes {source!r}"
        )
    if node.op_type == "BatchNormalization" and sum(map(bool, node.output)) > 1:
        raise InputError(f"node {name} (BatchNormalization) must be in inference mode, it also returns statistics")
    onnx = _onnx()
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    return _Node(name, node.op_type, attributes, inputs, places[0])


def _array(tensor: Any, name: str) -> Any:
    onnx = _onnx()
    if getattr(tensor, "data_location", 0) == 1:
        raise InputError(f"weights must be inside the file, {name!r} is in another one")
    return onnx.numpy_helper.to_array(tensor)


def _folded(node: Any, constants: Mapping[str, Any]) -> Any:
    """Return the value of a constant, of a copy or of a transposed one; ``None`` for other nodes."""
    if node.domain not in ("", "ai.onnx"):
        return None
    if node.op_type == "Constant":
        return _constant(node)
    if node.op_type in ("Identity", "Transpose") and node.input and node.input[0] in constants:
        value = constants[node.input[0]]
        if node.op_type == "Identity":
            return value
        order = [list(a.ints) for a in node.attribute if a.name == "perm"]
        return value.transpose(order[0]) if order else value.T
    return None


def _constant(node: Any) -> Any:
    onnx = _onnx()
    for attribute in node.attribute:
        value = onnx.helper.get_attribute_value(attribute)
        if attribute.name == "value":
            return _array(value, node.output[0])
        if attribute.name in ("value_float", "value_int", "value_floats", "value_ints"):
            import numpy

            return numpy.array(value)
    raise InputError(f"node {node.name!r} (Constant) must hold a number or a tensor")


def _add(chain: Chain, node: _Node, constants: Mapping[str, Any], square_root_bits: int | None) -> None:
    values = [constants.get(name) for name in node.inputs]
    match node.operator:
        case "Relu":
            chain.relu(node.name)
        case "Gemm":
            _gemm(chain, node, values)
        case "MatMul":
            if node.data != 0:
                raise InputError(f"node {node.name} (MatMul) must multiply the data by a matrix from the right")
            rows = list(map(list, zip(*_matrix(values[1], node))))
            chain.affine(rows, [ZERO] * len(rows), node.name)
        case "Add" | "Sub" | "Mul" | "Div":
            _elementwise(chain, node, values[1 - node.data])
        case "BatchNormalization":
            if node.data != 0 or node.attributes.get("training_mode", 0):
                raise InputError(f"node {node.name} (BatchNormalization) must be in inference mode")
            scale, shift, mean, variance = (_vector(value, node) for value in values[1:5])
            epsilon = exact_number(float(node.attributes.get("epsilon", 1e-5)), f"epsilon of node {node.name}")
            batch_norm(chain, node.name, scale, shift, mean, variance, epsilon, square_root_bits)
        case _:
            _passing(chain, node, values)


def _gemm(chain: Chain, node: _Node, values: list[Any]) -> None:
    """α·A·B + β·C with A the data: weight αBᵀ, or αB when B is transposed already."""
    if node.data != 0 or node.attributes.get("transA", 0):
        raise InputError(f"node {node.name} (Gemm) must multiply the data by a matrix from the right")
    alpha = exact_number(float(node.attributes.get("alpha", 1.0)), f"alpha of node {node.name}")
    beta = exact_number(float(node.attributes.get("beta", 1.0)), f"beta of node {node.name}")
    matrix = _matrix(values[1], node)
    rows = matrix if node.attributes.get("transB", 0) else list(map(list, zip(*matrix)))
    bias = [ZERO] * len(rows)
    if len(values) > 2 and values[2] is not None:
        bias = _spread(values[2], len(rows), node)
    chain.affine([[alpha * x for x in row] for row in rows], [beta * b for b in bias], node.name)


def _elementwise(chain: Chain, node: _Node, constant: Any) -> None:
    if node.attributes.get("axis", 1) not in (1, -1):
        raise InputError(
            f"node {node.name} ({node.operator}) must act on the features, axis is {node.attributes['axis']}"
        )
    size = chain.width if chain.width is not None else int(constant.size)
    numbers = _spread(constant, size, node)
    one, zero = [ONE] * size, [ZERO] * size
    first = node.data == 0
    match node.operator:
        case "Add":
            chain.diagonal(one, numbers, node.name)
        case "Sub":
            chain.diagonal(one if first else [-ONE] * size, [-x for x in numbers] if first else numbers, node.name)
        case "Mul":
            chain.diagonal(numbers, zero, node.name)
        case _:
            if not first or not all(numbers):
                raise InputError(f"node {node.name} (Div) must divide the data by numbers that are not 0")
            chain.diagonal([1 / x for x in numbers], zero, node.name)


def _passing(chain: Chain, node: _Node, values: list[Any]) -> None:
    """Nodes that change nothing on a batch of vectors."""
    attributes = node.attributes
    if node.operator == "Flatten" and attributes.get("axis", 1) not in (1, -1):
        raise InputError(f"node {node.name} (Flatten) must keep the batch axis, axis is {attributes['axis']}")
    if node.operator == "Cast" and attributes.get("to") not in _FLOATS:
        raise InputError(f"node {node.name} (Cast) must cast to a float type, got type number {attributes.get('to')}")
    if node.operator == "Dropout" and len(values) > 2 and values[2] is not None and bool(values[2]):
        raise InputError(f"node {node.name} (Dropout) must be in inference mode")
    if node.operator == "Reshape":
        shape = [int(x) for x in (values[1] if len(values) > 1 else attributes.get("shape", []))]
        width = chain.width
        known = len(shape) == 2 and shape[0] in (-1, 0, 1) and (shape[1] in (-1, 0) or width in (None, shape[1]))
        # A single number per point may also leave as a vector over the batch.
        if not known and not (shape == [-1] and width == 1):
            raise InputError(f"node {node.name} (Reshape) must flatten to (batch, features), got the shape {shape}")


def _numbers(array: Any, node: _Node) -> list[Any]:
    kind = getattr(getattr(array, "dtype", None), "kind", "?")
    where = f"the constant of node {node.name} ({node.operator})"
    if kind not in "fiu" and str(getattr(array, "dtype", "")) != "bfloat16":
        raise InputError(f"{where} must hold numbers, got {getattr(array, 'dtype', type(array).__name__)}")
    flat = array.astype("float64") if kind not in "iu" else array
    return [exact_number(x, where) for x in flat.ravel().tolist()]


def _matrix(array: Any, node: _Node) -> list[list[Rational]]:
    if array is None or array.ndim != 2:
        shape = None if array is None else array.shape
        raise InputError(f"node {node.name} ({node.operator}) must have a matrix of two dimensions, got {shape}")
    numbers, columns = _numbers(array, node), array.shape[1]
    return [numbers[start : start + columns] for start in range(0, len(numbers), columns)] if columns else []


def _vector(array: Any, node: _Node) -> list[Rational]:
    if array is None or array.ndim != 1:
        raise InputError(f"node {node.name} ({node.operator}) must have constant vectors")
    return _numbers(array, node)


def _spread(array: Any, size: int, node: _Node) -> list[Rational]:
    """Broadcast a constant of shape (), (1,), (n,), (1, n) or (1, 1) to n numbers."""
    numbers = _numbers(array, node)
    if any(extent != 1 for extent in array.shape[:-1]) or len(numbers) not in (1, size):
        raise InputError(
            f"node {node.name} ({node.operator}) must have a constant of {size} numbers or one, got {array.shape}"
        )
    return numbers * size if len(numbers) == 1 else numbers


__all__ = ["OPERATORS", "from_onnx", "load_onnx"]
