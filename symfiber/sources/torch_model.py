"""PyTorch models: ``Sequential`` of ``Linear`` and ``ReLU``, and state dictionaries.

Modules are recognised by the names of their classes and read through ``tolist``, so that the code does not import
PyTorch; ``.pt`` files need it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from symfiber.errors import InputError, UnsupportedError
from symfiber.exact import ZERO, dot
from symfiber.network import Network
from symfiber.sources.arrays import exact_number

_TRANSPARENT = ("Identity", "Dropout", "Flatten")
Affine = tuple[list[list[Any]], list[Any]]


def from_torch(model: Any) -> Network:
    """Return the exact network of a ``Sequential`` of ``Linear``/``ReLU``, or of a ``state_dict``.

    Nested ``Sequential`` modules are flattened; ``Identity``, ``Flatten`` and ``Dropout`` in evaluation mode change
    nothing; two ``Linear`` modules without a ``ReLU`` between them are composed exactly.  A state dictionary must hold
    ``….weight`` and ``….bias`` pairs in the order of the layers, and a ``ReLU`` is assumed between them.

    Raises
    ------
    InputError
        Naming the module or entry that cannot be read.
    """
    if isinstance(model, Mapping):
        return Network(_layers_of_state(model))
    if type(model).__name__ != "Sequential":
        raise InputError(f"model must be a torch Sequential or a state_dict, got {type(model).__name__}")
    layers: list[Affine] = []
    pending_relu = False
    for name, module in _flatten(model, ""):
        kind = type(module).__name__
        if kind == "Linear":
            affine = _linear(module, name)
            if not layers or pending_relu:
                layers.append(affine)
            else:
                layers[-1] = _compose(affine, layers[-1], name)
            pending_relu = False
        elif kind == "ReLU":
            if not layers:
                raise InputError(f"module {name} must come after a Linear, it is a ReLU on the input")
            pending_relu = True
        elif kind == "Dropout" and getattr(module, "training", False):
            raise InputError(f"module {name} must be in evaluation mode, this Dropout is in training mode")
        elif kind not in _TRANSPARENT:
            raise InputError(f"module {name} must be Linear, ReLU, Flatten, Identity or Dropout, got {kind}")
    if not layers:
        raise InputError("model must have at least one Linear module, got none")
    if pending_relu:
        raise InputError("model must end with a Linear module, it ends with a ReLU")
    return Network(layers)


def load_pt(path: Any) -> Network:
    """Read a state dictionary saved by ``torch.save``; needs PyTorch, loads weights only."""
    try:
        import torch
    except ImportError:
        raise UnsupportedError(f"reading {str(path)!r} needs PyTorch: install symfiber[torch]") from None
    from symfiber.sources.reading import read_bytes

    read_bytes(path)
    try:
        state = torch.load(path, weights_only=True, map_location="cpu")
    except Exception as error:
        raise InputError(f"file {str(path)!r} must be a state_dict saved by torch.save: {_first_line(error)}") from None
    if not isinstance(state, Mapping):
        raise InputError(f"file {str(path)!r} must hold a state_dict, got {type(state).__name__}")
    return from_torch(state)


def _flatten(module: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, child in module.named_children():
        path = f"{prefix}{name}"
        if type(child).__name__ == "Sequential":
            yield from _flatten(child, f"{path}.")
        else:
            yield path, child


def _linear(module: Any, name: str) -> Affine:
    weight = _rows(module.weight, f"module {name} weight")
    if module.bias is None:
        return weight, [ZERO] * len(weight)
    return weight, _vector(module.bias, f"module {name} bias")


def _layers_of_state(state: Mapping[Any, Any]) -> list[Affine]:
    layers: list[Affine] = []
    names = list(state)
    position = 0
    while position < len(names):
        name = str(names[position])
        if not name.endswith("weight"):
            raise InputError(f"state_dict entry {position} must be a weight, got {name!r}")
        weight = _rows(state[names[position]], f"state_dict entry {name!r}")
        position += 1
        expected = name[: -len("weight")] + "bias"
        if position < len(names) and names[position] == expected:
            layers.append((weight, _vector(state[names[position]], f"state_dict entry {expected!r}")))
            position += 1
        else:
            layers.append((weight, [ZERO] * len(weight)))
    if not layers:
        raise InputError("state_dict must hold at least one weight, it is empty")
    return layers


def _rows(tensor: Any, where: str) -> list[list[Any]]:
    rows = _numbers(tensor)
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise InputError(f"{where} must have 2 dimensions")
    return [[exact_number(x, f"{where} entry ({i}, {j})") for j, x in enumerate(row)] for i, row in enumerate(rows)]


def _vector(tensor: Any, where: str) -> list[Any]:
    values = _numbers(tensor)
    if not isinstance(values, list) or any(isinstance(x, list) for x in values):
        raise InputError(f"{where} must have 1 dimension")
    return [exact_number(x, f"{where} entry {i}") for i, x in enumerate(values)]


def _numbers(tensor: Any) -> Any:
    """Nested lists of Python numbers; half and bfloat16 convert to float exactly."""
    return tensor.detach().cpu().tolist()


def _compose(after: Affine, before: Affine, name: str) -> Affine:
    """Return x ↦ A₂(A₁x + b₁) + b₂."""
    if any(len(row) != len(before[1]) for row in after[0]):
        raise InputError(f"module {name} must take {len(before[1])} inputs, got {len(after[0][0])}")
    columns = list(zip(*before[0]))
    weight = [[dot(row, column) for column in columns] for row in after[0]]
    return weight, [dot(row, before[1]) + b for row, b in zip(after[0], after[1])]


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:120]
