"""PyTorch models: ``Sequential`` of ``Linear`` and ``ReLU``, and state dictionaries.

Modules are recognised by the names of their classes and read through ``tolist``, so that the code does not import
PyTorch; ``.pt`` files need it.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

from symfiber.errors import InputError, UnsupportedError
from symfiber.exact import ZERO, dot, shorten
from symfiber.network import Network
from symfiber.sources.arrays import exact_list, exact_lists

_TRANSPARENT = ("Identity", "Dropout", "Flatten")
_HOOKS = ("_forward_hooks", "_forward_pre_hooks")
Affine = tuple[list[list[Any]], list[Any]]


def from_torch(model: Any) -> Network:
    """Return the exact network of a ``Sequential`` of ``Linear``/``ReLU``, or of a ``state_dict``.

    Nested ``Sequential`` modules are flattened; ``Identity``, ``Flatten`` and ``Dropout`` in evaluation mode change
    nothing; two ``Linear`` modules without a ``ReLU`` between them are composed exactly.  A state dictionary must hold
    ``….weight`` and ``….bias`` pairs in the order of the layers; a ``ReLU`` is assumed between them, because it does
    not say what stands there.  A missing bias is zero.

    Raises
    ------
    InputError
        Naming the module or entry that cannot be read.

    Examples
    --------
    Arrays serve as well as tensors:

    >>> import numpy as np
    >>> from_torch({"0.weight": np.array([[0.5, 3]]), "0.bias": np.array([1]), "2.weight": np.array([[2]])}).parameters
    (1/2, 3, 1, 2, 0)
    """
    if isinstance(model, Mapping):
        return Network(_layers_of_state(model))
    if type(model).__name__ != "Sequential":
        raise InputError(f"model must be a torch Sequential or a state_dict, got {type(model).__name__}")
    layers: list[Affine] = []
    pending_relu = False
    for name, module in _flatten(model, ""):
        kind = type(module).__name__
        if kind not in ("Linear", "ReLU", *_TRANSPARENT):
            raise InputError(f"module {name} must be Linear, ReLU, Flatten, Identity or Dropout, got {kind}")
        _refuse_hooks(module, f"module {name}")
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

    name, content = f"file {str(path)!r}", read_bytes(path)
    remedy = "a state_dict as written by torch.save(model.state_dict(), ...)"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            state = torch.load(BytesIO(content), weights_only=True, map_location="cpu")
    except Exception as error:
        # Its messages run over many lines and recommend loading arbitrary code.
        detail = "it holds other objects" if "weights_only" in str(error) else "it cannot be read as one"
        raise InputError(f"{name} must hold {remedy}, {detail}") from None
    if not isinstance(state, Mapping):
        raise InputError(f"{name} must hold {remedy}, got {type(state).__name__}")
    try:
        return from_torch(state)
    except InputError as error:
        raise type(error)(f"{name}: {error}") from None


def _flatten(model: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    # Not named_children(): it leaves out a module that stands in two places, such as one ReLU used twice.
    _refuse_hooks(model, prefix.rstrip(".") or "model")
    for index, child in enumerate(model):
        path = f"{prefix}{index}"
        if type(child).__name__ == "Sequential":
            yield from _flatten(child, f"{path}.")
        else:
            yield path, child


def _refuse_hooks(module: Any, name: str) -> None:
    """A hook may change values in passing or recompute the weights, as weight_norm and spectral_norm do."""
    if any(getattr(module, hooks, None) for hooks in _HOOKS):
        raise InputError(f"{name} must have no forward hooks, this {type(module).__name__} has some")


def _linear(module: Any, name: str) -> Affine:
    weight = _rows(module.weight, f"module {name} weight")
    if module.bias is None:
        return weight, [ZERO] * len(weight)
    return weight, exact_list(_numbers(module.bias, f"module {name} bias"), f"module {name} bias")


def _layers_of_state(state: Mapping[Any, Any]) -> list[Affine]:
    layers: list[Affine] = []
    names = list(state)
    position = 0
    while position < len(names):
        name = names[position]
        if not isinstance(name, str) or name.rpartition(".")[2] != "weight":
            raise InputError(f"state_dict entry {position} must be a weight, got {shorten(name)}")
        weight = _rows(state[name], f"state_dict entry {name!r}")
        position += 1
        bias = name[: -len("weight")] + "bias"
        if position < len(names) and names[position] == bias:
            where = f"state_dict entry {bias!r}"
            layers.append((weight, exact_list(_numbers(state[bias], where), where)))
            position += 1
        else:
            layers.append((weight, [ZERO] * len(weight)))
    if not layers:
        raise InputError("state_dict must hold at least one weight, it is empty")
    return layers


def _rows(tensor: Any, where: str) -> list[list[Any]]:
    return exact_lists(_numbers(tensor, where), where)


def _numbers(tensor: Any, where: str) -> Any:
    """Nested lists of Python numbers; half and bfloat16 convert to float exactly."""
    if not hasattr(tensor, "tolist"):
        raise InputError(f"{where} must be a tensor, got {type(tensor).__name__}")
    if getattr(getattr(tensor, "dtype", None), "itemsize", 8) > 8:
        raise InputError(f"{where} must have at most 64-bit numbers, got dtype {tensor.dtype}")
    try:
        return (tensor.detach().cpu() if hasattr(tensor, "detach") else tensor).tolist()
    except (RuntimeError, NotImplementedError):
        raise InputError(f"{where} must be a dense tensor that holds its numbers, it is not") from None


def _compose(after: Affine, before: Affine, name: str) -> Affine:
    """Return x ↦ A₂(A₁x + b₁) + b₂."""
    if any(len(row) != len(before[1]) for row in after[0]):
        raise InputError(f"module {name} must take {len(before[1])} inputs, got {len(after[0][0])}")
    columns = list(zip(*before[0]))
    weight = [[dot(row, column) for column in columns] for row in after[0]]
    return weight, [dot(row, before[1]) + b for row, b in zip(after[0], after[1])]
