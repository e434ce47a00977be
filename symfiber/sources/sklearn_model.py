"""scikit-learn multilayer perceptrons with relu activation."""

from __future__ import annotations

from typing import Any

from symfiber.errors import InputError
from symfiber.network import Network
from symfiber.sources.arrays import exact_rows, exact_vector


def from_sklearn(estimator: Any) -> Network:
    """Return the exact network of a fitted ``MLPRegressor`` or ``MLPClassifier``.

    A regressor gives its outputs; a classifier gives its logits, one before the logistic function for two classes, one
    a class before the softmax otherwise.  Floats are taken as the dyadic rationals they are.

    Raises
    ------
    InputError
        When the estimator is of another kind, is not fitted, or does not use relu.

    Examples
    --------
    A fitted ``MLPRegressor((3, 2))`` on two features gives a network of architecture (2, 3, 2, 1).
    """
    kind = type(estimator).__name__
    activation = getattr(estimator, "activation", None)
    if activation is None:
        raise InputError(f"estimator must be an MLPRegressor or MLPClassifier, got {kind}")
    if not hasattr(estimator, "coefs_"):
        raise InputError(f"estimator must be fitted before it is read, this {kind} is not")
    if activation != "relu":
        raise InputError(f"estimator must use activation 'relu', this {kind} uses {activation!r}")
    pairs = enumerate(zip(estimator.coefs_, estimator.intercepts_, strict=True), start=1)
    return Network(
        (exact_rows(weights.T, f"coefs_ of layer {number}"), exact_vector(bias, f"intercepts_ of layer {number}"))
        for number, (weights, bias) in pairs
    )
