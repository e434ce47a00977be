"""Models exported by the real libraries: read exactly, and the same values as the library's own floats, up to rounding."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symfiber as sf
from symfiber.exact import Rational, rational
from symfiber.sources.export import rounded_layers, to_onnx
from symfiber.sources.keras_model import load_keras
from symfiber.sources.onnx_model import from_onnx

os.environ["KERAS_BACKEND"] = "numpy"
onnx = pytest.importorskip("onnx")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

RNG = np.random.default_rng(5)


def agree(net: sf.Network, predict: Callable[[Any], Any], dtype: Any = np.float64, tolerance: float = 1e-4) -> None:
    """Compare exact values with the library's floats at random points."""
    for _ in range(6):
        x = RNG.normal(size=net.architecture[0]).astype(dtype)
        exact = [float(v) for v in net([Fraction(float(t)) for t in x])]
        theirs = np.asarray(predict(x[None, :])).ravel()
        assert np.allclose(exact, theirs, rtol=tolerance, atol=tolerance), (exact, theirs)


def runner(model: Any, output: str | None = None) -> Callable[[Any], Any]:
    name = model.graph.input[0].name
    evaluator = ReferenceEvaluator(model)
    return lambda x: evaluator.run(None if output is None else [output], {name: x})[0]


class TestScikitLearn:
    @pytest.mark.parametrize("scaler", ["StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler"])
    def test_pipelines(self, scaler: str) -> None:
        import sklearn.preprocessing
        from sklearn.datasets import load_diabetes
        from sklearn.neural_network import MLPRegressor
        from sklearn.pipeline import make_pipeline

        data, target = load_diabetes(return_X_y=True)
        perceptron = MLPRegressor(hidden_layer_sizes=(6, 4), max_iter=30, random_state=1, solver="lbfgs")
        model = make_pipeline(getattr(sklearn.preprocessing, scaler)(), perceptron).fit(data, target)
        net = sf.from_sklearn(model)
        agree(net, model.predict, tolerance=1e-7)
        plain = sf.from_sklearn(perceptron)
        assert net.layers[1:] == plain.layers[1:] and net.layers[0] != plain.layers[0]

    @pytest.mark.parametrize(
        ("scaler", "options"),
        [
            ("StandardScaler", {"with_mean": False}),
            ("StandardScaler", {"with_std": False}),
            ("StandardScaler", {"with_mean": False, "with_std": False}),
            ("RobustScaler", {"with_centering": False}),
            ("RobustScaler", {"with_scaling": False}),
            ("MinMaxScaler", {"feature_range": (-2, 3)}),
        ],
    )
    def test_options_of_scalers(self, scaler: str, options: dict[str, Any]) -> None:
        import sklearn.preprocessing
        from sklearn.neural_network import MLPRegressor
        from sklearn.pipeline import Pipeline

        data, target = RNG.normal(3, 2, size=(40, 3)), RNG.normal(size=40)
        steps = [("a", getattr(sklearn.preprocessing, scaler)(**options)), ("skip", "passthrough")]
        steps.append(("b", sklearn.preprocessing.StandardScaler()))
        perceptron = MLPRegressor(hidden_layer_sizes=(3,), max_iter=20, random_state=1, solver="lbfgs")
        model = Pipeline([*steps, ("net", perceptron)]).fit(data, target)
        agree(sf.from_sklearn(model), model.predict, tolerance=1e-7)

    def test_scaling_is_exact(self) -> None:
        from sklearn.neural_network import MLPRegressor
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        data = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]])
        model = make_pipeline(
            StandardScaler(), MLPRegressor(hidden_layer_sizes=(2,), solver="lbfgs", random_state=0, max_iter=3)
        )
        model.fit(data, [1.0, 2.0, 3.0])
        scaler, perceptron = model[0], model[1]
        exact = sf.from_sklearn(model)
        weight = Fraction(float(perceptron.coefs_[0][1, 0])) / Fraction(float(scaler.scale_[1]))
        assert exact.layers[0].weight[0][1] == weight

    def test_refusals(self) -> None:
        from sklearn.neural_network import MLPRegressor
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import MinMaxScaler, PolynomialFeatures

        data, target = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 2.0]]), [0.0, 1.0, 2.0]
        for step, words in (
            (PolynomialFeatures(1), "got PolynomialFeatures"),
            (MinMaxScaler(clip=True), "must not clip"),
        ):
            model = make_pipeline(step, MLPRegressor(hidden_layer_sizes=(2,), solver="lbfgs", max_iter=2)).fit(
                data, target
            )
            with pytest.raises(sf.InputError, match=words):
                sf.from_sklearn(model)
        with pytest.raises(sf.InputError, match="must be fitted"):
            sf.from_sklearn(make_pipeline(MinMaxScaler(), MLPRegressor(hidden_layer_sizes=(2,))))


class TestScikitLearnThroughOnnx:
    @pytest.mark.parametrize("hidden", [(4,), (5, 3), (4, 4, 3)])
    @pytest.mark.parametrize("opset", [11, 13, 18])
    def test_regressors(self, hidden: tuple[int, ...], opset: int, tmp_path: Path) -> None:
        skl2onnx = pytest.importorskip("skl2onnx")
        from sklearn.datasets import load_diabetes
        from sklearn.neural_network import MLPRegressor

        data, target = load_diabetes(return_X_y=True)
        model = MLPRegressor(hidden_layer_sizes=hidden, max_iter=20, random_state=2, solver="lbfgs").fit(
            data.astype(np.float32), target
        )
        exported = skl2onnx.to_onnx(model, data[:1].astype(np.float32), target_opset=opset)
        path = tmp_path / "model.onnx"
        path.write_bytes(exported.SerializeToString())
        net = sf.load(path)
        assert net.hidden_widths == hidden
        agree(net, runner(exported), np.float32, 1e-3)
        again, rounding = to_onnx(net)
        assert rounding.exact and from_onnx(again) == net
        # The weights are those of the estimator, rounded to float32 by the exporter.
        first = np.array([[float(x) for x in row] for row in net.layers[0].weight])
        assert (first == model.coefs_[0].T.astype(np.float32)).all()

    def test_pipeline_with_a_scaler(self) -> None:
        skl2onnx = pytest.importorskip("skl2onnx")
        from sklearn.datasets import load_diabetes
        from sklearn.neural_network import MLPRegressor
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        data, target = load_diabetes(return_X_y=True)
        model = make_pipeline(
            StandardScaler(), MLPRegressor(hidden_layer_sizes=(5, 3), max_iter=20, random_state=2, solver="lbfgs")
        )
        model.fit(data, target)
        exported = skl2onnx.to_onnx(model, data[:1].astype(np.float32), target_opset=15)
        kinds = {node.op_type for node in exported.graph.node}
        if "Scaler" in kinds:
            with pytest.raises(sf.InputError, match=r"ai\.onnx\.ml\.Scaler"):
                from_onnx(exported)
            # Without the operators of the ml domain the scaler is Sub and Div.
            exported = skl2onnx.to_onnx(
                model, data[:1].astype(np.float32), target_opset={"": 15, "ai.onnx.ml": 1}, black_op={"Scaler"}
            )
        agree(from_onnx(exported), runner(exported), np.float32, 1e-3)

    def test_classifier_stops_at_its_logits(self) -> None:
        skl2onnx = pytest.importorskip("skl2onnx")
        from sklearn.datasets import load_iris
        from sklearn.neural_network import MLPClassifier

        data, target = load_iris(return_X_y=True)
        model = MLPClassifier(hidden_layer_sizes=(4, 3), max_iter=30, random_state=2, solver="lbfgs").fit(data, target)
        exported = skl2onnx.to_onnx(model, data[:1].astype(np.float32), target_opset=13, options={"zipmap": False})
        with pytest.raises(sf.InputError, match="output"):
            from_onnx(exported)
        softmax = next(node for node in exported.graph.node if node.op_type == "Softmax")
        net = from_onnx(exported, output=softmax.input[0])
        plain = sf.from_sklearn(model)
        assert net.architecture == plain.architecture
        agree(net, lambda x: [float(v) for v in plain([Fraction(float(t)) for t in x[0]])], np.float32, 1e-3)
        with pytest.raises(sf.InputError, match=r"\(Softmax\)|got Softmax"):
            from_onnx(exported, output=softmax.output[0])


class TestKeras:
    @staticmethod
    def build(kind: str) -> Any:
        keras = pytest.importorskip("keras")
        L = keras.layers
        keras.utils.set_random_seed(3)
        if kind == "functional":
            start = keras.Input((4,))
            inside = L.Dense(3, activation="relu", name="b")(start)
            return keras.Model(start, L.Dense(2, name="a")(L.Dense(5, activation="relu", name="c")(inside)))
        layers = {
            "plain": [L.Dense(3, activation="relu"), L.Dense(2)],
            "three": [L.Dense(4, activation="relu"), L.Dense(4, activation="relu"), L.Dense(3)],
            "separate": [L.Dense(3), L.ReLU(), L.Dropout(0.5), L.Dense(2, use_bias=False), L.Activation("linear")],
            "rescaled": [L.Dense(3, activation="relu"), L.Rescaling(0.5, offset=1.0), L.Dense(1)],
        }[kind]
        model = keras.Sequential([keras.Input((4,)), *layers])
        for variable in model.weights:
            variable.assign(RNG.normal(size=variable.shape))
        return model

    @pytest.mark.parametrize("kind", ["plain", "three", "separate", "rescaled", "functional"])
    @pytest.mark.parametrize("ending", [".keras", ".h5"])
    @pytest.mark.filterwarnings("ignore")
    def test_files(self, kind: str, ending: str, tmp_path: Path) -> None:
        model = self.build(kind)
        path = tmp_path / f"model{ending}"
        model.save(path)
        net = sf.load(path)
        agree(net, lambda x: model(x), np.float32)
        if kind != "rescaled":
            again, rounding = to_onnx(net)
            assert rounding.exact and from_onnx(again) == net
        first = np.asarray(model.weights[0])
        if kind != "rescaled":
            assert [[float(x) for x in row] for row in net.layers[0].weight] == first.T.tolist()

    @pytest.mark.filterwarnings("ignore")
    def test_batch_normalisation(self, tmp_path: Path) -> None:
        keras = pytest.importorskip("keras")
        L = keras.layers
        model = keras.Sequential(
            [keras.Input((3,)), L.Dense(2), L.BatchNormalization(epsilon=0.5), L.ReLU(), L.Dense(1)]
        )
        norm = model.layers[1]
        values = [np.array([2.0, 3.0]), np.array([0.5, -1.0]), np.array([1.0, 2.0]), np.array([3.5, 0.0625 - 0.0])]
        for variable, value in zip((norm.gamma, norm.beta, norm.moving_mean, norm.moving_variance), values):
            variable.assign(value)
        path = tmp_path / "model.keras"
        model.save(path)
        # √(3.5 + 0.5) = 2, but √(0.0625 + 0.5) = 0.75: both rational.
        agree(sf.load(path), lambda x: model(x), np.float32)
        norm.moving_variance.assign([1.0, 2.0])
        model.save(path)
        with pytest.raises(sf.InputError, match=r"batch_normalization.* irrational; square_root_bits="):
            sf.load(path)
        agree(load_keras(path, square_root_bits=40), lambda x: model(x), np.float32)

    @pytest.mark.filterwarnings("ignore")
    def test_refusals(self, tmp_path: Path) -> None:
        keras = pytest.importorskip("keras")
        L = keras.layers
        for layers, words in (
            ([L.Dense(2, activation="tanh"), L.Dense(1)], "activation relu or linear, got tanh"),
            ([L.Dense(2), L.LeakyReLU(), L.Dense(1)], "got LeakyReLU"),
            ([L.Dense(2), L.ReLU(6.0), L.Dense(1)], "must be max"),
            ([L.Dense(2, activation="relu")], "ends with a ReLU"),
        ):
            path = tmp_path / "model.keras"
            keras.Sequential([keras.Input((3,)), *layers]).save(path)
            with pytest.raises(sf.InputError, match=words):
                sf.load(path)
        start = keras.Input((3,))
        branch = L.Dense(2, activation="relu")(start)
        keras.Model(start, L.Dense(1)(L.Add()([branch, L.Dense(2)(start)]))).save(tmp_path / "model.keras")
        with pytest.raises(sf.InputError, match="must follow the layer before it"):
            sf.load(tmp_path / "model.keras")

    def test_files_that_are_no_models(self, tmp_path: Path) -> None:
        path = tmp_path / "model.keras"
        for content in (b"", b"no", b"PK\x03\x04"):
            path.write_bytes(content)
            with pytest.raises(sf.InputError, match="must be a Keras model"):
                sf.load(path)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("config.json", json.dumps([1]))
        with pytest.raises(sf.InputError, match="must be a Keras model"):
            sf.load(path)


def graph_of(
    nodes: list[Any], constants: dict[str, Any], width: int | str = 2, outputs: tuple[str, ...] = ("out",)
) -> Any:
    ends = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", width])]
    last = [helper.make_tensor_value_info(o, TensorProto.FLOAT, ["n", "m"]) for o in outputs]
    values = [numpy_helper.from_array(np.asarray(v), n) for n, v in constants.items()]
    return helper.make_model(
        helper.make_graph(nodes, "g", ends, last, values), opset_imports=[helper.make_opsetid("", 15)], ir_version=8
    )


W = np.array([[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]], np.float32)
V = np.array([[1.0], [-1.5], [2.0]], np.float32)
node = helper.make_node


class TestOnnxOperators:
    @pytest.mark.parametrize(
        ("nodes", "constants"),
        [
            ([node("Gemm", ["x", "W", "b"], ["h"], alpha=0.5, beta=2.0), node("Relu", ["h"], ["r"]), node("MatMul", ["r", "V"], ["out"])],
             {"W": W, "b": np.array([1, 2, 3], np.float32), "V": V}),
            ([node("Gemm", ["x", "W"], ["h"], transB=1), node("Relu", ["h"], ["r"]), node("Gemm", ["r", "V", "c"], ["out"])],
             {"W": W.T.copy(), "V": V, "c": np.float32(2)}),
            ([node("Sub", ["x", "m"], ["a"]), node("Div", ["a", "s"], ["c"]), node("MatMul", ["c", "W"], ["h"]), node("Relu", ["h"], ["r"]),
              node("Mul", ["r", "two"], ["t"]), node("MatMul", ["t", "V"], ["out"])],
             {"m": np.array([[1, 2]], np.float32), "s": np.array([3, 7], np.float32), "W": W, "two": np.array([2], np.float32), "V": V}),
            ([node("Flatten", ["x"], ["f"]), node("Identity", ["f"], ["i"]), node("MatMul", ["i", "W"], ["h"]), node("Add", ["b", "h"], ["k"]),
              node("Relu", ["k"], ["r"]), node("Sub", ["one", "r"], ["d"]), node("Cast", ["d"], ["e"], to=1), node("MatMul", ["e", "V"], ["out"])],
             {"W": W, "b": np.array([1, 0, -1], np.float32), "one": np.float32(1), "V": V}),
            ([node("MatMul", ["x", "W"], ["h"]), node("BatchNormalization", ["h", "g", "b", "m", "v"], ["n"], epsilon=0.25), node("Relu", ["n"], ["r"]),
              node("MatMul", ["r", "V"], ["y"]), node("Reshape", ["y", "shape"], ["out"])],
             {"W": W, "V": V, "g": np.array([2, 1, -1], np.float32), "b": np.array([0, 1, 2], np.float32), "m": np.array([1, 1, 0], np.float32),
              "v": np.array([2, 0, 0.75], np.float32), "shape": np.array([-1, 1], np.int64)}),
            ([node("Constant", [], ["W"], value=numpy_helper.from_array(W)), node("MatMul", ["x", "W"], ["h"]), node("Relu", ["h"], ["r"]), node("Relu", ["r"], ["q"]),
              node("Constant", [], ["k"], value_float=0.5), node("Mul", ["q", "k"], ["out"])], {}),
            ([node("Transpose", ["Wt"], ["W"]), node("Identity", ["W"], ["U"]), node("MatMul", ["x", "U"], ["h"]), node("Relu", ["h"], ["r"]),
              node("Transpose", ["Vt"], ["V"], perm=[1, 0]), node("MatMul", ["r", "V"], ["out"])], {"Wt": W.T.copy(), "Vt": V.T.copy()}),
        ],
    )  # fmt: skip
    def test_against_the_reference_evaluator(self, nodes: list[Any], constants: dict[str, Any]) -> None:
        model = graph_of(nodes, constants)
        onnx.checker.check_model(model)
        agree(from_onnx(model), runner(model), np.float32)

    @pytest.mark.parametrize(
        ("nodes", "constants", "words"),
        [
            ([node("Sigmoid", ["x"], ["out"], "s")], {}, "node 's' must be one of .* got Sigmoid"),
            ([node("MatMul", ["x", "W"], ["h"]), node("Softmax", ["h"], ["out"])], {"W": W}, "number 1 .* got Softmax"),
            ([node("MatMul", ["W", "x"], ["out"], "m")], {"W": W}, "'m' .MatMul. must multiply the data"),
            ([node("Gemm", ["x", "W"], ["out"], "g", transA=1)], {"W": W}, "from the right"),
            ([node("Relu", ["x"], ["out"], "r")], {}, "ReLU on the input"),
            ([node("MatMul", ["x", "W"], ["h"]), node("Relu", ["h"], ["out"], "end")], {"W": W}, "ends with a ReLU"),
            ([node("MatMul", ["x", "V"], ["out"], "m")], {"V": V}, "'m' must take 2 inputs, it takes 3"),
            ([node("MatMul", ["x", "W"], ["a"]), node("Relu", ["a"], ["b"]), node("Add", ["a", "b"], ["out"])], {"W": W}, "goes to several"),
            ([node("MatMul", ["x", "U"], ["out"], "m")], {}, "also takes 'U'"),
            ([node("MatMul", ["x", "W"], ["h"]), node("Div", ["h", "z"], ["out"], "d")], {"W": W, "z": np.float32(0)}, "not 0"),
            ([node("MatMul", ["x", "W"], ["h"]), node("Add", ["h", "b"], ["out"], "a")], {"W": W, "b": np.ones(2, np.float32)}, "constant of 3"),
            ([node("MatMul", ["x", "W"], ["h"]), node("Reshape", ["h", "s"], ["out"], "r")], {"W": W, "s": np.array([3, -1])}, "must flatten"),
            ([node("MatMul", ["x", "W"], ["out"])], {"W": W * np.float32("nan")}, "finite"),
            ([node("MatMul", ["x", "W"], ["h"]), node("Cast", ["h"], ["out"], to=7)], {"W": W}, "float type"),
            ([node("MatMul", ["x", "W"], ["h"]), node("BatchNormalization", ["h", "b", "b", "b", "b"], ["out", "m", "v"], "bn")],
             {"W": W, "b": np.ones(3, np.float32)}, "'bn' .* inference mode"),
            ([node("MatMul", ["x", "W"], ["h"]), node("Add", ["h", "b"], ["out"], "old", axis=0, broadcast=1)], {"W": W, "b": np.ones(1, np.float32)}, "axis is 0"),
        ],
    )  # fmt: skip
    def test_refusals(self, nodes: list[Any], constants: dict[str, Any], words: str) -> None:
        with pytest.raises(sf.InputError, match=words):
            from_onnx(graph_of(nodes, constants))

    def test_files_that_are_no_models(self, tmp_path: Path) -> None:
        path = tmp_path / "m.onnx"
        for content, words in ((b"nothing", "ONNX model"), (b"", "one input|ONNX")):
            path.write_bytes(content)
            with pytest.raises(sf.InputError, match=words):
                sf.load(path)
        with pytest.raises(sf.InputError, match="ModelProto"):
            from_onnx(3)


class TestExport:
    def test_round_trip_through_onnx(self, tmp_path: Path) -> None:
        net = sf.Network([([["1/2", -3], [2, "1/4"]], [1, 0]), ([[1, -1]], ["1/8"])])
        path = tmp_path / "net.onnx"
        model, rounding = to_onnx(net, path)
        assert rounding.exact and rounding.largest_error == 0 and sf.load(path) == net
        agree(net, runner(model), np.float32)

    @pytest.mark.parametrize("kind", ["float32", "float64"])
    def test_the_stated_error_is_exact(self, kind: Any) -> None:
        values = [rational(f"{RNG.integers(-(10**9), 10**9)}/{RNG.integers(1, 10**9)}") for _ in range(13)]
        net = sf.Network.from_parameters((2, 3, 1), values)
        layers, rounding = rounded_layers(net, kind)
        flat = [x for weight, bias in layers for x in (*weight.ravel(), *bias)]
        errors = [abs(Fraction(float(x)) - Fraction(int(v.p), int(v.q))) for x, v in zip(flat, values)]
        assert rounding.largest_error == max(errors) > 0 and rounding.rounded == sum(map(bool, errors))
        for number, value in zip(flat, values):
            exact = Fraction(int(value.p), int(value.q))
            for other in (np.nextafter(number, type(number)("inf")), np.nextafter(number, type(number)("-inf"))):
                assert abs(Fraction(float(number)) - exact) <= abs(Fraction(float(other)) - exact)
        model, again = to_onnx(net, float_type=kind)
        assert again == rounding and from_onnx(model).parameters == tuple(rational(Fraction(float(x))) for x in flat)

    def test_refusals(self, tmp_path: Path) -> None:
        with pytest.raises(sf.InputError, match="range of float32"):
            rounded_layers(sf.Network([([[10**60]], [0])]))
        with pytest.raises(sf.InputError, match="range of float64"):
            rounded_layers(sf.Network([([[10**400]], [0])]), "float64")
        with pytest.raises(sf.InputError, match="float32 or float64"):
            rounded_layers(sf.Network([([[1]], [0])]), "float16")  # type: ignore[arg-type]
        with pytest.raises(sf.UnsupportedError, match="symbols"):
            rounded_layers(sf.Network([([["t"]], [0])], ["t"]))
        with pytest.raises(sf.InputError, match="existing folder"):
            to_onnx(sf.Network([([[1]], [0])]), tmp_path / "no" / "x.onnx")


class TestTorch:
    def test_models(self, tmp_path: Path) -> None:
        torch = pytest.importorskip("torch")
        from symfiber.sources.export import to_torch

        torch.manual_seed(1)
        norm = torch.nn.BatchNorm1d(3, eps=0.25)
        norm.running_var.copy_(torch.tensor([2.0, 0.0, 0.75]))
        model = torch.nn.Sequential(
            torch.nn.Linear(4, 3), norm, torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(3, 2)
        )
        with pytest.raises(sf.InputError, match="training mode"):
            sf.from_torch(model)
        model.eval()
        net = sf.from_torch(model)
        agree(net, lambda x: model(torch.from_numpy(x)).detach().numpy(), np.float32)
        plain = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))
        torch.save(plain.state_dict(), tmp_path / "m.pt")
        assert sf.load(tmp_path / "m.pt") == sf.from_torch(plain)
        for options in ({"dynamo": False, "opset_version": 11}, {"dynamo": False, "opset_version": 17}):
            # Only the exporter that needs no further package.
            torch.onnx.export(plain, (torch.zeros(1, 4),), str(tmp_path / "m.onnx"), **options)
            assert sf.load(tmp_path / "m.onnx") == sf.from_torch(plain)
        again, rounding = to_torch(sf.from_torch(plain))
        assert rounding.exact and sf.from_torch(again) == sf.from_torch(plain)

    def test_batch_normalisation_without_torch(self) -> None:
        # The reader looks at class names and tolist only.
        Norm = type("BatchNorm1d", (), {})
        norm, vector = Norm(), lambda *values: np.array(values)
        norm.training, norm.eps, norm.running_mean, norm.running_var = False, 0.25, vector(1.0), vector(2.0)
        norm.weight, norm.bias = vector(3.0), None
        Linear = type("Linear", (), {})
        first, last = Linear(), Linear()
        first.weight, first.bias = np.array([[2.0]]), np.array([1.0])
        last.weight, last.bias = np.array([[1.0]]), None
        Sequential, ReLU = type("Sequential", (list,), {}), type("ReLU", (), {})
        net = sf.from_torch(Sequential([first, norm, ReLU(), last]))
        # 3·(2x + 1 − 1)/√2.25 = 4x
        assert net.parameters == (4, 0, 1, 0)
        norm.running_var = vector(2.0 + 1)
        with pytest.raises(sf.InputError, match="irrational"):
            sf.from_torch(Sequential([first, norm, ReLU(), last]))
        rounded = sf.from_torch(Sequential([first, norm, ReLU(), last]), square_root_bits=30)
        square = rounded.parameters[0] ** 2 * Rational(13, 4) / 36
        assert square != 1 and abs(square - 1) < Rational(1, 2**28)
