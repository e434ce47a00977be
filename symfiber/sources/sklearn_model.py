"""scikit-learn multilayer perceptrons with relu activation."""

from __future__ import annotations

from typing import Any

from symfiber.errors import InputError
from symfiber.exact import shorten
from symfiber.network import Network
from symfiber.sources.arrays import exact_rows, exact_vector

# What follows the last affine layer in the estimator's prediction: nothing, or what turns logits into probabilities.
_OUTPUTS = ("identity", "logistic", "softmax")


def from_sklearn(estimator: Any) -> Network:
    """Return the exact network of a fitted ``MLPRegressor`` or ``MLPClassifier``.

    A regressor gives its outputs; a classifier gives its logits, one before the logistic function for two classes, one
    a class before the softmax otherwise.  Floats are taken as the dyadic rationals they are.

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
    return Network(
        (
            exact_rows(getattr(weights, "T", weights), f"coefs_ of layer {number}"),
            exact_vector(bias, f"intercepts_ of layer {number}"),
        )
        for number, (weights, bias) in enumerate(zip(estimator.coefs_, estimator.intercepts_), start=1)
    )
