"""Reading and writing networks: exact values, and one clear sentence for everything that can be wrong."""

from __future__ import annotations

import json
import os
import struct
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import symfiber as sf
from symfiber.sources.json_format import network_from_dict, network_to_dict
from symfiber.sources.safetensors_format import load_safetensors
from symfiber.sources.writing import write_atomically

LAYERS = [([[1, "-2/3"], ["5/7", 4]], [0, "1/2"]), ([[3, -1]], ["-9/4"])]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def one_sentence(error: pytest.ExceptionInfo[BaseException]) -> str:
    text = str(error.value)
    assert "\n" not in text and len(text) < 600
    return text


BAD_JSON = [
    ("", "empty"),
    ("{", "must be JSON"),
    ("[]", "object"),
    ("{}", "layers"),
    ('{"layers": 3}', "layers"),
    ('{"layers": []}', "at least one"),
    ('{"layers": [3]}', "layer 1"),
    ('{"layers": [{"weight": [["1"]]}]}', "bias"),
    ('{"layers": [{"weight": [[1, 2]], "bias": [0, 0]}]}', "layer 1 bias must have length 1"),
    ('{"layers": [{"weight": [[1, 2], [3]], "bias": [0, 0]}]}', "row 1"),
    ('{"layers": [{"weight": [[1]], "bias": [0]}, {"weight": [[1, 2]], "bias": [0]}]}', "layer 2 weight"),
    ('{"layers": [{"weight": [], "bias": []}]}', "at least one output"),
    ('{"layers": [{"weight": [[]], "bias": [0]}]}', "at least one"),
    ('{"layers": [{"weight": [[0.5]], "bias": [0]}]}', "exact, got the float '0.5'"),
    ('{"layers": [{"weight": [[NaN]], "bias": [0]}]}', "NaN"),
    ('{"layers": [{"weight": [[Infinity]], "bias": [0]}]}', "Infinity"),
    ('{"layers": [{"weight": [["nan"]], "bias": [0]}]}', "rational"),
    ('{"layers": [{"weight": [["1/0"]], "bias": [0]}]}', "nonzero denominator"),
    ('{"layers": [{"weight": [["1.5"]], "bias": [0]}]}', "rational"),
    ('{"layers": [{"weight": [[true]], "bias": [0]}]}', "truth value"),
    ('{"layers": [{"weight": [[null]], "bias": [0]}]}', "nothing"),
    ('{"layers": [{"weight": [["1"]], "bias": [0], "activation": "tanh"}]}', "relu, got 'tanh'"),
    ('{"format": "symfiber-network/2", "layers": []}', "format"),
    ('{"layers": [{"weight": [["s"]], "bias": [0]}], "symbols": ["s", "s"]}', "'s' twice"),
    ('{"layers": [{"weight": [["s"]], "bias": [0]}], "symbols": ["1s"]}', "symbol name"),
    ('{"layers": [{"weight": [["t"]], "bias": [0]}], "symbols": ["s"]}', "'t'"),
    ('{"layers": [{"weight": [["s"]], "bias": [0]}], "symbols": 3}', "symbols"),
    ('{"layers": [{"weight": [["1"]], "bias": [0]}], "layers": []}', "twice"),
    ("[" * 100_000, "nested"),
    (b"\xff\xfe\x00", "UTF-8"),
]


class TestJson:
    def test_round_trip(self, tmp_path: Path) -> None:
        net = sf.Network(LAYERS)
        net.save(tmp_path / "net.json")
        assert sf.load(tmp_path / "net.json") == net
        assert list(tmp_path.iterdir()) == [tmp_path / "net.json"]

    def test_symbolic_round_trip(self, tmp_path: Path) -> None:
        net = sf.Network.symbolic((2, 2, 2, 1), signs=[["+", "-", "-"], [1, 1, -1]])
        net.save(tmp_path / "net.json")
        again = sf.load(str(tmp_path / "net.json"))
        assert again == net and again.signs == net.signs
        assert sf.neuron_types(again) == ("nonlinear", "nonlinear")

    def test_without_format_and_with_extra_keys(self) -> None:
        data = {"layers": [{"weight": [["1"]], "bias": [2]}], "name": "x", "description": None}
        assert network_from_dict(data)([3]) == (5,)

    @pytest.mark.parametrize("as_text", [True, False])
    def test_gigantic_numbers(self, tmp_path: Path, as_text: bool) -> None:
        digits = "7" * 100_000
        entry = f'"{digits}/3"' if as_text else digits
        path = write(tmp_path / "big.json", f'{{"layers": [{{"weight": [[{entry}]], "bias": [0]}}]}}')
        net = sf.load(path)
        entry_value = net.scalar_layers[0].weight[0][0]
        assert str(entry_value * (3 if as_text else 1)) == digits
        net.save(tmp_path / "again.json")
        assert sf.load(tmp_path / "again.json") == net
        assert digits in (tmp_path / "again.json").read_text()

    @pytest.mark.parametrize(("content", "words"), BAD_JSON)
    def test_bad_content(self, tmp_path: Path, content: str | bytes, words: str) -> None:
        path = write(tmp_path / "bad.json", content)
        with pytest.raises(sf.InputError) as error:
            sf.load(path)
        text = one_sentence(error)
        assert words in text and "bad.json" in text

    def test_float_is_a_type_error(self, tmp_path: Path) -> None:
        path = write(tmp_path / "f.json", '{"layers": [{"weight": [[1e3]], "bias": [0]}]}')
        with pytest.raises(TypeError):
            sf.load(path)


class TestFiles:
    @pytest.mark.parametrize("name", ["missing.json", "missing.npz", "missing.safetensors"])
    def test_missing(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(sf.InputError, match="must exist"):
            sf.load(tmp_path / name)

    def test_folder(self, tmp_path: Path) -> None:
        (tmp_path / "x.json").mkdir()
        with pytest.raises(sf.InputError, match="folder"):
            sf.load(tmp_path / "x.json")

    @pytest.mark.parametrize("name", ["net.h5", "net", "net.txt", ".json"])
    def test_unknown_extension(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(sf.InputError, match=r"must end in \.json"):
            sf.load(tmp_path / name)

    def test_not_a_path(self) -> None:
        with pytest.raises(sf.InputError, match="path"):
            sf.load(3)

    def test_nul_in_name(self) -> None:
        with pytest.raises(sf.InputError):
            sf.load("a\0b.json")

    def test_interrupted_write_leaves_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        target = write(tmp_path / "out.json", "old")

        def interrupt(_: int) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_atomically(target, "new")
        assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]

    def test_write_into_missing_folder(self, tmp_path: Path) -> None:
        with pytest.raises(sf.InputError, match="folder"):
            sf.Network(LAYERS).save(tmp_path / "no" / "net.json")

    def test_save_needs_json(self, tmp_path: Path) -> None:
        with pytest.raises(sf.InputError, match=r"\.json"):
            sf.Network(LAYERS).save(tmp_path / "net.npz")


class TestNumpy:
    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.int64, np.uint8])
    @pytest.mark.parametrize("names", [("W1", "b1", "W2", "b2"), ("weight_0", "bias_0", "weight_1", "bias_1"), None])
    def test_values_are_exact(self, tmp_path: Path, dtype: type, names: tuple[str, ...] | None) -> None:
        arrays = [np.array(x, dtype) for x in ([[1, 2], [3, 0]], [5, 1], [[1, 7]], [2])]
        if np.dtype(dtype).kind == "f":
            arrays[0][0, 0] = 0.1
        path = tmp_path / "net.npz"
        np.savez(path, *arrays) if names is None else np.savez(path, **dict(zip(names, arrays)))
        net = sf.load(path)
        assert net.layers[0].weight[0][0] == Fraction(arrays[0][0, 0].item())
        assert net.layers[1].bias == (2,) and net.architecture == (2, 2, 1)

    @pytest.mark.parametrize(
        ("arrays", "words"),
        [
            ({"W1": np.array([[np.nan]]), "b1": np.array([0.0])}, "finite"),
            ({"W1": np.array([[np.inf]]), "b1": np.array([0.0])}, "finite"),
            ({"W1": np.array([[1.0]])}, "missing"),
            ({"W1": np.array([1.0]), "b1": np.array([0.0])}, "2 dimensions"),
            ({"W1": np.array([["a"]]), "b1": np.array([0.0])}, "dtype"),
            ({"W1": np.array([[True]]), "b1": np.array([0.0])}, "dtype"),
            ({"W1": np.array([[None]]), "b1": np.array([0.0])}, "pickled"),
            ({"x": np.array([[1.0]])}, "named"),
            ({"W1": np.array([[1.0, 2.0]]), "b1": np.array([0.0, 1.0])}, "length 1"),
        ],
    )
    def test_bad_arrays(self, tmp_path: Path, arrays: dict[str, np.ndarray], words: str) -> None:
        np.savez(tmp_path / "net.npz", **arrays)
        with pytest.raises(sf.InputError, match=words) as error:
            sf.load(tmp_path / "net.npz")
        one_sentence(error)

    @pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"plain text", b"\x93NUMPY"])
    def test_not_an_archive(self, tmp_path: Path, content: bytes) -> None:
        with pytest.raises(sf.InputError, match="npz archive") as error:
            sf.load(write(tmp_path / "net.npz", content))
        one_sentence(error)


class TestSklearn:
    def fitted(self, factory: type, classes: int = 0, **options: object) -> tuple[object, np.ndarray]:
        draw = np.random.default_rng(5)
        features = draw.normal(size=(60, 3))
        target = features @ [1.0, -2.0, 0.5]
        if classes:
            target = np.digitize(target, np.quantile(target, np.linspace(0, 1, classes + 1)[1:-1]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = factory(hidden_layer_sizes=(3, 2), random_state=1, max_iter=30, **options).fit(features, target)
        return model, features

    def test_regressor_agrees_with_predict(self) -> None:
        from sklearn.neural_network import MLPRegressor

        model, features = self.fitted(MLPRegressor)
        net = sf.from_sklearn(model)
        for row, predicted in zip(features[:10], model.predict(features[:10])):  # type: ignore[attr-defined]
            (value,) = net([Fraction(x) for x in row])
            # The library's own prediction is rounded; the exact value may differ by its rounding error only.
            assert abs(value - Fraction(predicted)) < Fraction(1, 10**12)

    @pytest.mark.parametrize("classes", [2, 3])
    def test_classifier_gives_logits(self, classes: int) -> None:
        from sklearn.neural_network import MLPClassifier

        model, features = self.fitted(MLPClassifier, classes)
        net = sf.from_sklearn(model)
        assert net.architecture[-1] == (1 if classes == 2 else classes)
        for row, predicted in zip(features[:20], model.predict(features[:20])):  # type: ignore[attr-defined]
            logits = net([Fraction(x) for x in row])
            best = int(logits[0] > 0) if classes == 2 else max(range(classes), key=logits.__getitem__)
            assert best == predicted

    def test_refusals(self) -> None:
        from sklearn.linear_model import LinearRegression
        from sklearn.neural_network import MLPRegressor

        with pytest.raises(sf.InputError, match="fitted"):
            sf.from_sklearn(MLPRegressor())
        with pytest.raises(sf.InputError, match="'tanh'"):
            sf.from_sklearn(self.fitted(MLPRegressor, activation="tanh")[0])
        with pytest.raises(sf.InputError, match="LinearRegression"):
            sf.from_sklearn(LinearRegression())


class Tensor:
    """A stand-in with the few methods of a tensor that are used."""

    def __init__(self, values: object) -> None:
        self.values = values

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def tolist(self) -> object:
        return self.values


def module(kind: str, children: tuple[object, ...] = (), **attributes: object) -> object:
    instance = type(kind, (), {})()
    for name, value in attributes.items():
        setattr(instance, name, value)
    instance.named_children = lambda: [(str(i), child) for i, child in enumerate(children)]
    return instance


def linear(weight: list[list[float]], bias: list[float] | None) -> object:
    return module("Linear", weight=Tensor(weight), bias=None if bias is None else Tensor(bias))


class TestTorch:
    """With stand-ins for the modules; the same code reads real ones, see the last test."""

    def test_sequential(self) -> None:
        inner = module("Sequential", (linear([[1.0, 0.5]], [0.25]), module("ReLU")))
        model = module("Sequential", (module("Flatten"), inner, module("Identity"), linear([[2.0]], None)))
        net = sf.from_torch(model)
        assert net == sf.Network([([[1, "1/2"]], ["1/4"]), ([[2]], [0])])

    def test_two_linears_compose(self) -> None:
        model = module("Sequential", (linear([[1.0, 2.0]], [3.0]), linear([[2.0], [4.0]], [1.0, 0.0])))
        assert sf.from_torch(model) == sf.Network([([[2, 4], [4, 8]], [7, 12])])

    @pytest.mark.parametrize(
        ("children", "words"),
        [
            ((), "at least one Linear"),
            ((module("ReLU"),), "after a Linear"),
            ((linear([[1.0]], [0.0]), module("ReLU")), "end with a Linear"),
            ((linear([[1.0]], [0.0]), module("Tanh")), "module 1 must be .* got Tanh"),
            ((linear([[float("nan")]], [0.0]),), "finite"),
            ((linear([[1.0]], [0.0]), module("Dropout", training=True), linear([[1.0]], [0.0])), "evaluation"),
            ((linear([[1.0]], [0.0]), linear([[1.0, 2.0]], [0.0])), "take 1 inputs"),
        ],
    )
    def test_refusals(self, children: tuple[object, ...], words: str) -> None:
        with pytest.raises(sf.InputError, match=words):
            sf.from_torch(module("Sequential", children))

    def test_state_dict(self) -> None:
        state = {"a.weight": Tensor([[1.0]]), "a.bias": Tensor([2.0]), "b.weight": Tensor([[3.0]])}
        assert sf.from_torch(state) == sf.Network([([[1]], [2]), ([[3]], [0])])
        for bad in ({}, {"a.bias": Tensor([1.0])}, {"a.weight": Tensor([1.0])}):
            with pytest.raises(sf.InputError):
                sf.from_torch(bad)
        with pytest.raises(sf.InputError, match="Sequential"):
            sf.from_torch(module("Conv2d"))

    def test_real_modules(self, tmp_path: Path) -> None:
        torch = pytest.importorskip("torch")
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
        net = sf.from_torch(model)
        assert sf.from_torch(model.state_dict()) == net
        torch.save(model.state_dict(), tmp_path / "model.pt")
        assert sf.load(tmp_path / "model.pt") == net
        assert net.layers[0].weight[0][0] == Fraction(model[0].weight[0, 0].item())


def safetensors(tensors: dict[str, tuple[str, list[int], bytes]]) -> bytes:
    header, data = {}, b""
    for name, (kind, shape, raw) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class TestSafetensors:
    def test_types(self, tmp_path: Path) -> None:
        content = safetensors(
            {
                "0.weight": ("F32", [1, 2], struct.pack("<2f", 0.1, -2.0)),
                "0.bias": ("BF16", [1], struct.pack("<H", 0x3FC0)),
                "1.weight": ("F64", [1, 1], struct.pack("<d", 0.1)),
                "1.bias": ("F16", [1], struct.pack("<e", 0.5)),
            }
        )
        net = sf.load(write(tmp_path / "net.safetensors", content))
        assert net.layers[0].weight[0][0] == Fraction(struct.unpack("<f", struct.pack("<f", 0.1))[0])
        assert net.layers[0].bias == (Fraction(3, 2),) and net.layers[1].weight[0][0] == Fraction(0.1)
        assert load_safetensors(tmp_path / "net.safetensors", ["0", "1"]) == net

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"", "bytes"),
            (b"\xff" * 16, "header"),
            (struct.pack("<Q", 2) + b"[]", "object"),
            (safetensors({"0.weight": ("F8", [1, 1], b"1")}), "dtype"),
            (safetensors({"0.weight": ("F32", [1, 2], b"1234")}), "8 bytes"),
            (safetensors({"0.weight": ("F32", [1, 1], b"1234")}), "bias"),
            (safetensors({}), "at least one"),
        ],
    )
    def test_bad(self, tmp_path: Path, content: bytes, words: str) -> None:
        with pytest.raises(sf.InputError, match=words) as error:
            sf.load(write(tmp_path / "net.safetensors", content))
        one_sentence(error)


def test_dictionary_form_is_json() -> None:
    data = network_to_dict(sf.Network(LAYERS))
    assert network_from_dict(json.loads(json.dumps(data))) == sf.Network(LAYERS)
    assert data["format"] == "symfiber-network/1"
