"""Keras models: ``.keras`` and ``.h5`` files of sequential layers, read without Keras.

A ``.keras`` file is an archive of ``config.json`` and ``model.weights.h5``; an ``.h5`` file has the configuration as an
attribute.  The h5py package reads the weights.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from io import BytesIO
from typing import Any

from symfiber.errors import InputError, UnsupportedError
from symfiber.exact import ONE, ZERO, Rational
from symfiber.network import Network
from symfiber.sources.arrays import exact_number, exact_rows, exact_vector
from symfiber.sources.chain import Chain, batch_norm
from symfiber.sources.reading import read_bytes

LAYERS = "InputLayer, Dense, ReLU, Activation, BatchNormalization, Rescaling, Flatten, Dropout"
_PASSING = ("InputLayer", "Flatten", "Dropout", "GaussianNoise", "GaussianDropout", "ActivityRegularization")
_SNAKE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def load_keras(path: Any, square_root_bits: int | None = None) -> Network:
    """Read a ``.keras`` or ``.h5`` file of a sequential model; needs the h5py package, not Keras.

    Raises
    ------
    InputError
        Naming the layer that cannot be read.
    """
    name, content = f"file {str(path)!r}", read_bytes(path)
    h5py = _h5py()
    try:
        if zipfile.is_zipfile(BytesIO(content)):
            with zipfile.ZipFile(BytesIO(content)) as archive:
                configuration = json.loads(archive.read("config.json"))
                weights = h5py.File(BytesIO(archive.read("model.weights.h5")), "r")
        else:
            weights = h5py.File(BytesIO(content), "r")
            configuration = json.loads(weights.attrs["model_config"])
    except (KeyError, ValueError, OSError, zipfile.BadZipFile):
        raise InputError(f"{name} must be a Keras model with its configuration and weights, it is not") from None
    with weights:
        try:
            return _network(configuration, weights, square_root_bits)
        except InputError as error:
            raise type(error)(f"{name}: {error}") from None


def _h5py() -> Any:
    try:
        import h5py
    except ImportError:
        raise UnsupportedError("reading Keras models needs the h5py package: install symfiber[keras]") from None
    return h5py


def _network(configuration: Any, weights: Any, square_root_bits: int | None) -> Network:
    chain = Chain("layer")
    for kind, settings, arrays in _layers(configuration, weights):
        _add(chain, kind, settings, arrays, square_root_bits)
    return chain.network()


def _layers(configuration: Any, weights: Any) -> Iterator[tuple[str, Mapping[str, Any], list[Any]]]:
    """Yield (class, settings, arrays) of every layer in order."""
    if not isinstance(configuration, dict) or configuration.get("class_name") not in ("Sequential", "Functional"):
        kind = configuration.get("class_name") if isinstance(configuration, dict) else configuration
        raise InputError(f"model must be Sequential, or Functional with a single path, got {kind}")
    listed = configuration["config"]["layers"]
    if configuration["class_name"] == "Functional":
        _require_path(listed)
    seen: Counter[str] = Counter()
    for layer in listed:
        kind, settings = layer["class_name"], layer["config"]
        name = str(settings.get("name", kind))
        if "model_weights" in weights:
            arrays = _old_arrays(weights["model_weights"], name)
        else:
            # Keras 3 numbers the layers of one class in its files, whatever they are called.
            snake = _SNAKE.sub("_", kind).lower()
            place = f"{snake}_{seen[snake]}" if seen[snake] else snake
            seen[snake] += 1
            variables = weights.get(f"layers/{place}/vars", {})
            arrays = [variables[key][()] for key in sorted(variables, key=int)]
        yield kind, settings, arrays


def _require_path(listed: list[Any]) -> None:
    """Raise unless every layer takes the output of the one before."""
    before = None
    for layer in listed:
        name = layer["config"].get("name")
        sources = re.findall(r'"keras_history": \["([^"]*)"', json.dumps(layer.get("inbound_nodes", [])))
        if sources != ([before] if before is not None else []):
            raise InputError(
                f"layer {name} must follow the layer before it, it takes {', '.join(sources) or 'nothing'}"
            )
        before = name


def _old_arrays(group: Any, name: str) -> list[Any]:
    names = group[name].attrs.get("weight_names", []) if name in group else []
    return [group[name][n.decode() if isinstance(n, bytes) else n][()] for n in names]


def _add(chain: Chain, kind: str, settings: Mapping[str, Any], arrays: list[Any], square_root_bits: int | None) -> None:
    name = str(settings.get("name", kind))
    if kind in _PASSING:
        return
    if kind == "Dense":
        if not arrays:
            raise InputError(f"layer {name} (Dense) must have weights, it has none")
        kernel = exact_rows(arrays[0].T, f"kernel of layer {name}")
        bias = exact_vector(arrays[1], f"bias of layer {name}") if len(arrays) > 1 else [ZERO] * len(kernel)
        chain.affine(kernel, bias, name)
        _activate(chain, settings.get("activation"), name)
    elif kind == "ReLU":
        plain = (
            settings.get("max_value") is None and not settings.get("negative_slope") and not settings.get("threshold")
        )
        if not plain:
            raise InputError(f"layer {name} (ReLU) must be max(0, z), it has other settings")
        chain.relu(name)
    elif kind == "Activation":
        _activate(chain, settings.get("activation"), name)
    elif kind == "Rescaling":
        width = _width(chain, name)
        scale = exact_number(float(settings["scale"]), f"scale of layer {name}")
        chain.diagonal(
            [scale] * width, [exact_number(float(settings["offset"]), f"offset of layer {name}")] * width, name
        )
    elif kind == "BatchNormalization":
        _batch_norm(chain, name, settings, arrays, square_root_bits)
    else:
        raise InputError(f"layer {name} must be one of {LAYERS}, got {kind}")


def _activate(chain: Chain, activation: Any, name: str) -> None:
    if activation == "relu":
        chain.relu(name)
    elif activation not in (None, "linear"):
        raise InputError(f"layer {name} must have activation relu or linear, got {activation}")


def _width(chain: Chain, name: str) -> int:
    if chain.width is None:
        raise InputError(f"layer {name} must come after a layer with weights")
    return chain.width


def _batch_norm(
    chain: Chain, name: str, settings: Mapping[str, Any], arrays: list[Any], square_root_bits: int | None
) -> None:
    """The arrays are gamma and beta where they exist, then the moving mean and variance."""
    vectors = [exact_vector(array, f"array {k} of layer {name}") for k, array in enumerate(arrays)]
    size = len(vectors[-1]) if vectors else 0
    gamma: list[Rational] = vectors.pop(0) if settings.get("scale", True) else [ONE] * size
    beta: list[Rational] = vectors.pop(0) if settings.get("center", True) else [ZERO] * size
    if len(vectors) != 2:
        raise InputError(f"layer {name} (BatchNormalization) must have a moving mean and variance")
    epsilon = exact_number(float(settings.get("epsilon", 1e-3)), f"epsilon of layer {name}")
    mean, variance = vectors
    batch_norm(chain, name, gamma, beta, mean, variance, epsilon, square_root_bits)


__all__ = ["LAYERS", "load_keras"]
