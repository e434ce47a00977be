"""Train the bundled networks: ``python symfiber/data/train.py`` writes the JSON files beside this script.

scikit-learn multilayer perceptrons on its packaged data sets, features standardised, fixed seeds.  The weights are
stored exactly as the floats they are.  Needs the extra ``sklearn``.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import sklearn
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.preprocessing import StandardScaler

from symfiber import Network, UnsupportedError, hidden_hypersurfaces, neuron_types
from symfiber.sources import from_sklearn
from symfiber.sources.json_format import network_to_dict
from symfiber.sources.writing import write_atomically

FOLDER = Path(__file__).parent


def train(data: Any, widths: tuple[int, int], seed: int, regression: bool) -> tuple[Network, float]:
    """Return the exact network and its training score."""
    features = StandardScaler().fit_transform(data.data)
    target = data.target
    if regression:
        target = (target - target.mean()) / target.std()
    factory = MLPRegressor if regression else MLPClassifier
    model = factory(
        hidden_layer_sizes=widths,
        activation="relu",
        max_iter=800,
        random_state=seed,
        learning_rate_init=0.01,
        alpha=1e-3,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(features, target)
    return from_sklearn(model), float(model.score(features, target))


def save(name: str, net: Network, source: str, seed: int, score: float, kind: str) -> None:
    """Write one network with its description."""
    data = network_to_dict(net)
    data["name"] = name
    data["description"] = (
        f"Trained with scikit-learn {sklearn.__version__} on its {source} data, features standardised, "
        f"random_state {seed}, training {kind} {score:.3f}"
    )
    write_atomically(FOLDER / f"{name}.json", json.dumps(data, indent=1) + "\n")
    print(name, neuron_types(net), "hidden", hidden_hypersurfaces(net), f"{kind} {score:.3f}")


def main() -> None:
    """Train all bundled networks."""
    net, score = train(load_diabetes(), (8, 6), 0, regression=True)
    save("diabetes-10-8-6-1", net, "diabetes", 0, score, "R^2")
    net, score = train(load_iris(), (2, 3), 1, regression=False)
    save("iris-4-2-3-3", net, "iris", 1, score, "accuracy")
    # The first seed whose training ends with a linear and a dead neuron, and the first that hides a hypersurface.
    wanted = {
        "wine-13-2-4-3-linear-dead": lambda types, hidden: {"linear", "dead"} <= set(types) and not hidden,
        "wine-13-2-2-3-hidden": lambda types, hidden: len(hidden) == 1,
    }
    for name, condition in wanted.items():
        widths = (2, 4) if "2-4" in name else (2, 2)
        for seed in range(400):
            net, score = train(load_wine(), widths, seed, regression=False)
            try:
                types, hidden = neuron_types(net), hidden_hypersurfaces(net)
            except UnsupportedError:
                continue
            if condition(types, hidden) and score > 0.6:
                save(name, net, "wine", seed, score, "accuracy")
                break


if __name__ == "__main__":
    main()
