"""Reading and writing networks: exact values, and one clear sentence for everything that can be wrong."""

from __future__ import annotations

import io
import json
import os
import random
import stat
import struct
import sys
import warnings
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import symfiber as sf
from symfiber.sources.json_format import network_from_dict, network_to_dict
from symfiber.sources.naming import layer_names
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
    (
        '{"layers": [{"weight": [["1"]], "bias": [0], "activation": "tanh"}, {"weight": [["1"]], "bias": [0]}]}',
        "layer 1 activation must be relu, got 'tanh'",
    ),
    (
        '{"layers": [{"weight": [["1"]], "bias": [0], "activation": "none"}, {"weight": [["1"]], "bias": [0]}]}',
        "layer 1 activation must be relu, got 'none'",
    ),
    (
        '{"layers": [{"weight": [["1"]], "bias": [0]}, {"weight": [["1"]], "bias": [0], "activation": "relu"}]}',
        "layer 2 activation must be identity, got 'relu'",
    ),
    ('{"format": "symfiber-network/2", "layers": []}', "format"),
    ('{"layers": [{"weight": [["s"]], "bias": [0]}], "symbols": ["s", "s"]}', "'s' twice"),
    ('{"layers": [{"weight": [["s"]], "bias": [0]}], "symbols": ["1s"]}', "symbol name"),
    ('{"layers": [{"weight": [["t"]], "bias": [0]}], "symbols": ["s"]}', "'t'"),
    ('{"layers": [{"weight": [["s"]], "bias": [0]}], "symbols": 3}', "symbols"),
    ('{"layers": [{"weight": [["1"]], "bias": [0]}], "layers": []}', "twice"),
    ('{"layers": [{"weight": [["s"]], "bias": [0]}], "symbols": ["s"], "signs": {"s": true}}', "signs"),
    ('{"layers": [{"weight": [["s"]], "bias": [0]}], "symbols": ["s"], "signs": {"t": 1}}', "signs"),
    ('{"layers": [{"weight": [["s"]], "bias": ["0.5"]}], "symbols": ["s"]}', "exact, got the float"),
    ('{"format": null, "layers": []}', "format"),
    ('{"layers": [3e400]}', "layer 1"),
    ("[" * 100_000, "nested"),
    ('{"a":' * 100_000, "nested"),
    ('{"layers": [{"weight": [[', "line 1"),
    ("\x00", "must be JSON"),
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

    def test_gigantic_number_among_symbols(self, tmp_path: Path) -> None:
        digits = "7" * 100_000
        layer = f'{{"weight": [["s"]], "bias": ["{digits}"]}}'
        net = sf.load(write(tmp_path / "big.json", f'{{"symbols": ["s"], "layers": [{layer}]}}'))
        assert str(net.scalar_layers[0].bias[0]) == digits

    def test_wide_network(self, tmp_path: Path) -> None:
        draw = random.Random(3)
        shape = (256, 256, 256, 10)
        layers = [
            ([[f"{draw.getrandbits(53) - 2**52}/{2**54}" for _ in range(a)] for _ in range(b)], ["-1/3"] * b)
            for a, b in zip(shape, shape[1:])
        ]
        data = {"layers": [{"weight": weight, "bias": bias} for weight, bias in layers]}
        net = sf.load(write(tmp_path / "wide.json", json.dumps(data)))
        assert net.architecture == shape
        assert net.layers[1].weight[255][254] == Fraction(layers[1][0][255][254])

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

    @pytest.mark.parametrize("name", ["net.hd5", "net", "net.txt", ".json"])
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

    def test_failed_write_leaves_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(sf.InputError, match=r"net\.json.*No space left") as error:
            sf.Network(LAYERS).save(tmp_path / "net.json")
        one_sentence(error)
        assert list(tmp_path.iterdir()) == []

    def test_link_and_permissions_are_kept(self, tmp_path: Path) -> None:
        target, link = write(tmp_path / "target.json", "old"), tmp_path / "link.json"
        target.chmod(0o640)
        link.symlink_to(target)
        write_atomically(link, "new")
        assert link.is_symlink() and target.read_text() == "new"
        assert stat.S_IMODE(target.stat().st_mode) == 0o640

    def test_new_file_gets_ordinary_permissions(self, tmp_path: Path) -> None:
        write_atomically(tmp_path / "new", b"x")
        ordinary = write(tmp_path / "ordinary", b"x")
        assert (tmp_path / "new").stat().st_mode == ordinary.stat().st_mode

    def test_pipe_is_not_replaced(self, tmp_path: Path) -> None:
        """A pipe of the test's own stands for all special files: a mistake must not be able to replace /dev/null."""
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            write_atomically(pipe, "new")
            assert os.read(reader, 10) == b"new"
        finally:
            os.close(reader)
        assert stat.S_ISFIFO(pipe.stat().st_mode) and list(tmp_path.iterdir()) == [pipe]

    def test_long_name(self, tmp_path: Path) -> None:
        write_atomically(tmp_path / ("a" * 250), "x")
        with pytest.raises(sf.InputError, match="could not be written"):
            write_atomically(tmp_path / ("a" * 300), "x")

    @pytest.mark.parametrize("path", ["a\0b", None, 3.5, ""])
    def test_not_a_file_name(self, path: object) -> None:
        with pytest.raises(sf.InputError, match="must be"):
            write_atomically(path, "x")

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind root")
    def test_permissions(self, tmp_path: Path) -> None:
        path = write(tmp_path / "secret.json", "{}")
        path.chmod(0)
        with pytest.raises(sf.InputError, match="readable"):
            sf.load(path)
        with pytest.raises(sf.InputError, match="writable"):
            write_atomically(path, "x")
        tmp_path.chmod(0o500)
        with pytest.raises(sf.InputError, match="could not be written"):
            write_atomically(tmp_path / "new.json", "x")
        tmp_path.chmod(0o700)

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
            ({"W1": np.array([[1j]]), "b1": np.array([0.0])}, "complex"),
            ({"W1": np.array([[1]], np.longdouble), "b1": np.array([0.0])}, "64-bit"),
            ({"W1": np.array([[1, 2], [3, np.inf]]), "b1": np.zeros(2)}, r"'W1' entry \(1, 1\) must be a finite"),
            ({"W1": np.ones((1, 1)), "b1": np.ones(1), "W3": np.ones((1, 1)), "b3": np.ones(1)}, "gaps"),
            ({"W1": np.ones((1, 1)), "b1": np.ones(1), "W01": np.ones((1, 1)), "b01": np.ones(1)}, "repetition"),
            ({"arr_0": np.ones((1, 1)), "arr_1": np.ones(1), "arr_2": np.ones((1, 1))}, "pairs"),
            ({}, "got none"),
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

    def test_damaged_archives(self, tmp_path: Path) -> None:
        """Flipped bytes give an error of one sentence or another network, never another exception."""
        draw = random.Random(7)
        for save in (np.savez, np.savez_compressed):
            stream = io.BytesIO()
            save(stream, W1=np.ones((3, 3)), b1=np.ones(3))
            for _ in range(400):
                content = bytearray(stream.getvalue())
                for _ in range(draw.randint(1, 3)):
                    content[draw.randrange(len(content))] = draw.randrange(256)
                try:
                    sf.load(write(tmp_path / "net.npz", bytes(content)))
                except sf.InputError as error:
                    assert "\n" not in str(error)

    @pytest.mark.parametrize(
        "member", [b"junk", b"\x93NUMPY\x01\x00\x10\x00{'descr': bad!!!}", b"\x93NUMPY\x01\x00" + b"\xff" * 9]
    )
    def test_damaged_members(self, tmp_path: Path, member: bytes) -> None:
        with zipfile.ZipFile(tmp_path / "net.npz", "w") as archive:
            archive.writestr("W1.npy", member)
        with pytest.raises(sf.InputError, match=r"net\.npz") as error:
            sf.load(tmp_path / "net.npz")
        one_sentence(error)


class TestNames:
    @pytest.mark.parametrize(
        ("shapes", "order"),
        [
            # Sorted as text, as in .safetensors files: 10 before 2.
            ({f"{i}.{k}": (3, 3) for i in ("0", "10", "2") for k in ("bias", "weight")}, ["0", "2", "10"]),
            ({f"fc{i}.weight": (3, 3) for i in (10, 9, 1)}, ["fc1", "fc9", "fc10"]),
            ({f"net.{i}.0.weight": (2, 2) for i in (1, 0)}, ["net.0.0", "net.1.0"]),
            # No numbers: the widths 5 -> 4 -> 3 -> 1 leave one order.
            ({"hidden.weight": (3, 4), "input.weight": (4, 5), "output.weight": (1, 3)}, ["input", "hidden", "output"]),
            ({"weight": (1, 2), "bias": (1,)}, [""]),
        ],
    )
    def test_order(self, shapes: dict[str, tuple[int, ...]], order: list[str]) -> None:
        assert [weight.removesuffix("weight").removesuffix(".") for weight, _ in layer_names(shapes)] == order

    @pytest.mark.parametrize(
        ("shapes", "words"),
        [
            ({"hidden.weight": (3, 3), "input.weight": (3, 3)}, "order of the layers"),
            ({"a.weight": (4, 3), "b.weight": (3, 4)}, "order of the layers"),
            ({"a.weight": (4, 3), "b.weight": (2, 2)}, "order of the layers"),
            ({"a.weight": (4, 3, 1), "b.weight": (4,)}, "order of the layers"),
            ({"0.weight": (2, 2), "1.bias": (2,)}, "the weight of '1.bias' is missing"),
            ({"0.weight": (2, 2), "0.scale": (2,)}, "named"),
            ({"myweight": (2, 2)}, "named"),
            ({"W1": (2, 2), "weight1": (2, 2)}, "different layers"),
            ({"W" + "1" * 5000: (2, 2)}, "5001 characters|5003 characters"),
            ({f"x{i}": (2, 2) for i in range(50)}, "and 42 more"),
        ],
    )
    def test_refusals(self, shapes: dict[str, tuple[int, ...]], words: str) -> None:
        with pytest.raises(sf.InputError, match=words) as error:
            layer_names(shapes)
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
        for row, probabilities in zip(features[:20], model.predict_proba(features[:20])):  # type: ignore[attr-defined]
            logits = np.array(net([Fraction(x) for x in row]), dtype=float)
            if classes == 2:
                expected = 1 / (1 + np.exp(-logits[0]))
                assert abs(probabilities[1] - expected) < 1e-12
            else:
                expected = np.exp(logits) / np.exp(logits).sum()
                assert np.abs(probabilities - expected).max() < 1e-12

    def test_refusals(self) -> None:
        from sklearn.linear_model import LinearRegression
        from sklearn.neural_network import MLPRegressor

        with pytest.raises(sf.InputError, match="fitted"):
            sf.from_sklearn(MLPRegressor())
        with pytest.raises(sf.InputError, match="'tanh'"):
            sf.from_sklearn(self.fitted(MLPRegressor, activation="tanh")[0])
        with pytest.raises(sf.InputError, match="LinearRegression"):
            sf.from_sklearn(LinearRegression())

    def test_nonlinear_output_is_refused(self) -> None:
        """A regressor with the Poisson loss predicts the exponential of its last layer."""

        class MLPRegressor:
            activation, hidden_layer_sizes, out_activation_ = "relu", (1,), "exp"
            coefs_ = (np.ones((1, 1)), np.ones((1, 1)))
            intercepts_ = (np.ones(1), np.ones(1))

        with pytest.raises(sf.InputError, match="predicts exp"):
            sf.from_sklearn(MLPRegressor())
        MLPRegressor.out_activation_ = "identity"
        assert sf.from_sklearn(MLPRegressor()).architecture == (1, 1, 1)
        MLPRegressor.intercepts_ = (np.ones(1),)
        with pytest.raises(sf.InputError, match="2 and 1"):
            sf.from_sklearn(MLPRegressor())


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
    instance = type(kind, (), {"__iter__": lambda self: iter(children)})()
    for name, value in attributes.items():
        setattr(instance, name, value)
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

    def test_module_in_two_places(self) -> None:
        relu, shared = module("ReLU"), linear([[2.0]], [1.0])
        model = module("Sequential", (shared, relu, shared, relu, linear([[3.0]], [0.0])))
        assert sf.from_torch(model) == sf.Network([([[2]], [1]), ([[2]], [1]), ([[3]], [0])])

    @pytest.mark.parametrize(
        ("children", "words"),
        [
            ((), "at least one affine module"),
            ((module("ReLU"),), "after an affine module"),
            ((linear([[1.0]], [0.0]), module("ReLU")), "end with an affine module"),
            ((linear([[1.0]], [0.0]), module("Tanh")), "module 1 must be .* got Tanh"),
            ((linear([[float("nan")]], [0.0]),), "finite"),
            ((linear([[1.0]], [0.0]), module("Dropout", training=True), linear([[1.0]], [0.0])), "evaluation"),
            ((linear([[1.0]], [0.0]), linear([[1.0, 2.0]], [0.0])), "take 1 inputs"),
            ((module("Linear", weight=Tensor([[1.0]]), bias=None, _forward_hooks={0: print}),), "module 0 .* hooks"),
            ((module("Sequential", (module("GELU"),)),), "module 0.0 must be .* got GELU"),
            ((linear([[[1.0]]], None),), "one dimension too many"),
        ],
    )
    def test_refusals(self, children: tuple[object, ...], words: str) -> None:
        with pytest.raises(sf.InputError, match=words):
            sf.from_torch(module("Sequential", children))

    def test_state_dict(self) -> None:
        state = {"a.weight": Tensor([[1.0]]), "a.bias": Tensor([2.0]), "b.weight": Tensor([[3.0]])}
        assert sf.from_torch(state) == sf.Network([([[1]], [2]), ([[3]], [0])])
        arrays = {"weight": np.array([[0.5]], np.float16), "bias": np.array([3])}
        assert sf.from_torch(arrays) == sf.Network([([["1/2"]], [3])])

    @pytest.mark.parametrize(
        ("state", "words"),
        [
            ({}, "empty"),
            ({"a.bias": Tensor([1.0])}, "must be a weight, got 'a.bias'"),
            ({"a.weight": Tensor([1.0])}, "'a.weight' must have 2 dimensions"),
            ({"a.weight": Tensor([[1.0]]), "a.bias": Tensor([[1.0]])}, "one dimension too many"),
            ({"a.weight": Tensor([[1.0]]), "a.running_mean": Tensor([1.0])}, "running_mean"),
            ({"a.weight": Tensor([[1.0, float("inf")]])}, r"'a.weight' entry \(0, 1\) must be a finite"),
            ({"a.weight": 3}, "must be a tensor, got int"),
            ({"myweight": Tensor([[1.0]])}, "'myweight'"),
            ({3: Tensor([[1.0]])}, "got 3"),
            ({"state_dict": {}}, "'state_dict'"),
        ],
    )
    def test_bad_state(self, state: dict[object, object], words: str) -> None:
        with pytest.raises(sf.InputError, match=words):
            sf.from_torch(state)

    def test_other_modules(self) -> None:
        with pytest.raises(sf.InputError, match="Sequential"):
            sf.from_torch(module("Conv2d"))

    def test_pt_needs_torch(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "torch", None)
        with pytest.raises(sf.UnsupportedError, match=r"symfiber\[torch\]"):
            sf.load(tmp_path / "model.pt")


class TestRealTorch:
    """The same with PyTorch itself, where it is installed."""

    @pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64"])
    def test_modules_and_files(self, tmp_path: Path, kind: str) -> None:
        torch = pytest.importorskip("torch")
        torch.manual_seed(0)
        nn, relu = torch.nn, torch.nn.ReLU()
        model = nn.Sequential(nn.Linear(3, 2), relu, nn.Sequential(nn.Linear(2, 2, bias=False), relu), nn.Linear(2, 1))
        model = model.to(getattr(torch, kind))
        net = sf.from_torch(model)
        assert net.architecture == (3, 2, 2, 1)
        assert sf.from_torch(model.state_dict()) == net
        torch.save(model.state_dict(), tmp_path / "model.pt")
        assert sf.load(tmp_path / "model.pt") == net
        assert net.layers[0].weight[0][0] == Fraction(model[0].weight[0, 0].item())
        if kind == "float64":
            point = [Fraction(1, 2), Fraction(-3, 4), Fraction(2)]
            predicted = model(torch.tensor([float(x) for x in point], dtype=torch.float64)).item()
            assert abs(net(point)[0] - Fraction(predicted)) < Fraction(1, 10**12)

    def test_bad_files(self, tmp_path: Path) -> None:
        torch = pytest.importorskip("torch")
        path = tmp_path / "model.pt"
        for saved, words in ((torch.nn.Linear(1, 1), "other objects"), ([1], "got list"), ({"a": 1}, "'a'")):
            torch.save(saved, path)
            with pytest.raises(sf.InputError, match=words) as error:
                sf.load(path)
            assert "model.pt" in one_sentence(error)
        for content in (b"", b"junk"):
            with pytest.raises(sf.InputError, match="state_dict") as error:
                sf.load(write(path, content))
            one_sentence(error)

    def test_tensors_without_numbers(self) -> None:
        torch = pytest.importorskip("torch")
        for tensor in (torch.empty(1, 1, device="meta"), torch.eye(1).to_sparse()):
            with pytest.raises(sf.InputError, match="dense tensor"):
                sf.from_torch({"0.weight": tensor})


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
        assert load_safetensors(tmp_path / "net.safetensors", ["0"]) == sf.Network(net.scalar_layers[:1])
        with pytest.raises(sf.InputError, match=r"'2\.weight' must exist"):
            load_safetensors(tmp_path / "net.safetensors", ["2"])

    def test_order_is_that_of_the_numbers(self, tmp_path: Path) -> None:
        """The format's writer sorts names as text, so that 10 stands before 2."""
        tensors = {}
        for i in sorted(map(str, range(0, 12, 2))):
            tensors[f"{i}.bias"] = ("I32", [1], struct.pack("<i", int(i)))
            tensors[f"{i}.weight"] = ("I64", [1, 1], struct.pack("<q", 1))
        net = sf.load(write(tmp_path / "net.safetensors", safetensors(tensors)))
        assert [int(layer.bias[0]) for layer in net.layers] == [0, 2, 4, 6, 8, 10]

    def test_missing_bias_is_zero(self, tmp_path: Path) -> None:
        content = safetensors({"0.weight": ("F32", [1, 1], struct.pack("<f", 2.0))})
        assert sf.load(write(tmp_path / "net.safetensors", content)) == sf.Network([([[2]], [0])])

    @pytest.mark.parametrize(
        ("changes", "data", "words"),
        [
            ({"dtype": ["F32"]}, b"1234", "dtype"),
            ({"dtype": None}, b"1234", "dtype"),
            ({"shape": "11"}, b"1234", "shape"),
            ({"shape": [True, 1]}, b"1234", "shape"),
            ({"shape": ["1", 1]}, b"1234", "shape"),
            ({"shape": [1.0, 1]}, b"1234", "shape"),
            ({"shape": [-1, -1]}, b"1234", "shape"),
            ({"shape": None}, b"1234", "shape"),
            ({"shape": [1, 1, 1]}, b"1234", "2 dimensions"),
            ({"shape": [0, 1], "data_offsets": [0, 0]}, b"", "at least one"),
            ({"data_offsets": [0]}, b"1234", "two data_offsets"),
            ({"data_offsets": [0, 8]}, b"1234", "4 bytes"),
            ({"data_offsets": [4, 8]}, b"12345678", "begin at byte 0"),
            ({}, b"123456", "2 bytes more"),
            ({}, struct.pack("<f", float("nan")), "finite"),
        ],
    )
    def test_strict(self, tmp_path: Path, changes: dict[str, object], data: bytes, words: str) -> None:
        entry = {"dtype": "F32", "shape": [1, 1], "data_offsets": [0, 4], **changes}
        header = json.dumps({"__metadata__": {"format": "pt"}, "0.weight": entry}).encode()
        content = struct.pack("<Q", len(header)) + header + data
        with pytest.raises(sf.InputError, match=words) as error:
            sf.load(write(tmp_path / "net.safetensors", content))
        assert "net.safetensors" in one_sentence(error)

    @pytest.mark.parametrize(
        "place", ['"shape": [%s, 1], "data_offsets": [0, 4]', '"shape": [1], "data_offsets": [0, %s]']
    )
    def test_gigantic_sizes(self, tmp_path: Path, place: str) -> None:
        header = ('{"0.weight": {"dtype": "F32", %s}}' % (place % ("9" * 9000))).encode()
        with pytest.raises(sf.InputError, match="bytes of data") as error:
            sf.load(write(tmp_path / "net.safetensors", struct.pack("<Q", len(header)) + header + b"1234"))
        one_sentence(error)

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"", "bytes"),
            (b"\xff" * 16, "header"),
            (struct.pack("<Q", 2) + b"[]", "object"),
            (safetensors({"0.weight": ("F8", [1, 1], b"1")}), "dtype"),
            (safetensors({"0.weight": ("F32", [1, 2], b"1234")}), "8 bytes"),
            (safetensors({"0.bias": ("F32", [1], b"1234")}), "the weight of"),
            (safetensors({"0.weight": ("F32", [1, 1], b"1234"), "0.scale": ("F32", [1], b"1234")}), "named"),
            (struct.pack("<Q", 2) + b"\xff\xff", "UTF-8"),
            (struct.pack("<Q", 2**63) + b"{}", "header of"),
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
