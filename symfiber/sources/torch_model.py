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
from symfiber.exact import ONE, ZERO, shorten
from symfiber.network import Network
from symfiber.sources.arrays import exact_list, exact_lists, exact_number
from symfiber.sources.chain import Affine, Chain, batch_norm

_TRANSPARENT = ("Identity", "Dropout", "Flatten")
_HOOKS = ("_forward_hooks", "_forward_pre_hooks")


def from_torch(model: Any, square_root_bits: int | None = None) -> Network:
    """Return the exact network of a ``Sequential`` of ``Linear``/``ReLU``, or of a ``state_dict``.

    Nested ``Sequential`` modules are flattened; ``Identity``, ``Flatten`` and ``Dropout`` in evaluation mode change
    nothing; two ``Linear`` modules without a ``ReLU`` between them are composed exactly; ``BatchNorm1d`` in evaluation
    mode is folded when its square roots are rational, or rounded with ``square_root_bits`` (see
    :func:`symfiber.sources.chain.batch_norm`).  A state dictionary must hold
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
    chain = Chain("module")
    for name, module in _flatten(model, ""):
        _add_module(chain, module, name, square_root_bits)
    return chain.network()


def _add_module(chain: Chain, module: Any, name: str, square_root_bits: int | None) -> None:
    kind = type(module).__name__
    if kind not in ("Linear", "ReLU", "BatchNorm1d", *_TRANSPARENT):
        raise InputError(f"module {name} must be Linear, ReLU, BatchNorm1d, Flatten, Identity or Dropout, got {kind}")
    _refuse_hooks(module, f"module {name}")
    if kind in ("Dropout", "BatchNorm1d") and getattr(module, "training", False):
        raise InputError(f"module {name} must be in evaluation mode, this {kind} is in training mode")
    if kind == "Linear":
        chain.affine(*_linear(module, name), name)
    elif kind == "ReLU":
        chain.relu(name)
    elif kind == "BatchNorm1d":
        if module.running_mean is None:
            raise InputError(f"module {name} must have running statistics, this BatchNorm1d has none")

        def vector(attribute: str, default: Any) -> list[Any]:
            tensor, where = getattr(module, attribute), f"module {name} {attribute}"
            return [default] * size if tensor is None else exact_list(_numbers(tensor, where), where)

        size = len(_numbers(module.running_mean, f"module {name} running_mean"))
        batch_norm(
            chain,
            name,
            vector("weight", ONE),
            vector("bias", ZERO),
            vector("running_mean", ZERO),
            vector("running_var", ONE),
            exact_number(module.eps, f"module {name} eps"),
            square_root_bits,
        )


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
