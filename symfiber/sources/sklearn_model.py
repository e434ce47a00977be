"""scikit-learn multilayer perceptrons with relu activation."""

from __future__ import annotations

from typing import Any

from symfiber.errors import InputError
from symfiber.exact import Rational, shorten
from symfiber.network import Network
from symfiber.sources.arrays import exact_rows, exact_vector
from symfiber.sources.chain import Chain

# What follows the last affine layer in the estimator's prediction: nothing, or what turns logits into probabilities.
_OUTPUTS = ("identity", "logistic", "softmax")


def from_sklearn(estimator: Any) -> Network:
    """Return the exact network of a fitted ``MLPRegressor`` or ``MLPClassifier``, or of a pipeline that ends with one.

    The scalers of a pipeline (``StandardScaler``, ``MinMaxScaler`` without clipping, ``MaxAbsScaler``,
    ``RobustScaler``) are affine, and folded into the first layer with exact quotients.  A regressor gives its outputs;
    a classifier gives its logits, one before the logistic function for two classes, one a class before the softmax
    otherwise.  Floats are taken as the dyadic rationals they are.

    Raises
    ------
    InputError
        When the estimator is of another kind, is not fitted, does not use relu, or predicts a nonlinear function of the
        last layer (a regressor fitted with the Poisson loss).

    Examples
    --------
    >>> from sklearn.neural_network import MLPRegressor
    >>> model = MLPRegressor(hidden_layer_sizes=(3, 2), solver="lbfgs", random_state=0)
    >>> from_sklearn(model.fit([[0, 1], [1, 0], [1, 1]], [1, 2, 3])).architecture
    (2, 3, 2, 1)
    """
    chain = Chain("step")
    steps = getattr(estimator, "steps", None)
    *scalers, last = [("estimator", estimator)] if steps is None else list(steps)
    for name, scaler in scalers:
        if scaler is not None and scaler != "passthrough":
            chain.diagonal(*_scaler(scaler, name), name)
    _add_perceptron(chain, last[1])
    return chain.network()


def _scaler(scaler: Any, name: str) -> tuple[list[Rational], list[Rational]]:
    """Return (scale, shift) of a fitted scaler, x ↦ scale·x + shift."""
    kind = type(scaler).__name__
    if kind not in ("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler"):
        raise InputError(
            f"step {name} must be an affine StandardScaler, MinMaxScaler, MaxAbsScaler or RobustScaler, got {kind}"
        )
    if not hasattr(scaler, "scale_"):
        raise InputError(f"step {name} must be fitted before it is read, this {kind} is not")

    def vector(attribute: str, default: int) -> list[Rational]:
        array = getattr(scaler, attribute, None)
        if array is None:
            return [Rational(default)] * int(scaler.n_features_in_)
        return exact_vector(array, f"{attribute} of step {name}")

    if kind == "MinMaxScaler":
        if scaler.clip:
            raise InputError(f"step {name} must not clip, this MinMaxScaler does")
        return vector("scale_", 1), vector("min_", 0)
    centre = {"StandardScaler": "mean_", "RobustScaler": "center_", "MaxAbsScaler": "no_centre_"}[kind]
    factors = [1 / s for s in vector("scale_", 1)]
    # A StandardScaler without centring knows the means all the same.
    centred = getattr(scaler, "with_mean", True)
    means = vector(centre, 0) if centred else [Rational(0)] * len(factors)
    return factors, [-m * f for m, f in zip(means, factors)]


def _add_perceptron(chain: Chain, estimator: Any) -> None:
    kind = type(estimator).__name__
    if not hasattr(estimator, "activation") or not hasattr(estimator, "hidden_layer_sizes"):
        raise InputError(f"estimator must be an MLPRegressor or MLPClassifier, got {kind}")
    if not hasattr(estimator, "coefs_") or not hasattr(estimator, "intercepts_"):
        raise InputError(f"estimator must be fitted before it is read, this {kind} is not")
    if estimator.activation != "relu":
        raise InputError(f"estimator must use activation 'relu', this {kind} uses {shorten(estimator.activation)}")
    output = getattr(estimator, "out_activation_", "identity")
    if output not in _OUTPUTS:
        raise InputError(f"estimator must predict its last layer itself, this {kind} predicts {output} of it")
    if len(estimator.coefs_) != len(estimator.intercepts_):
        raise InputError(
            f"estimator must have as many coefs_ as intercepts_, "
            f"got {len(estimator.coefs_)} and {len(estimator.intercepts_)}"
        )
    for number, (weights, bias) in enumerate(zip(estimator.coefs_, estimator.intercepts_), start=1):
        if number > 1:
            chain.relu(f"after layer {number - 1}")
        rows = exact_rows(getattr(weights, "T", weights), f"coefs_ of layer {number}")
        chain.affine(rows, exact_vector(bias, f"intercepts_ of layer {number}"), f"layer {number}")
