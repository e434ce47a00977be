"""symfiber: exact computer algebra for the parameter fibers of ReLU networks."""

from symfiber.bottleneck import hidden_hypersurfaces, identifiable_probability, is_identifiable
from symfiber.canonical import CanonicalForm, canonical_form
from symfiber.column_rank import nonnegative_column_rank
from symfiber.decomposition import Component, Fiber, fiber
from symfiber.equivalence import Equivalence, decide_equivalence, smtlib
from symfiber.errors import (
    ExactnessError,
    InputError,
    LimitExceededError,
    SymfiberError,
    UndecidedError,
    UnsupportedError,
    VerificationError,
)
from symfiber.genericity import check_generic
from symfiber.network import Layer, Network
from symfiber.orthant import OrthantFunction, neuron_types, orthant_normal_form
from symfiber.sources import from_sklearn, from_torch, load

__version__ = "0.1.0"

__all__ = [
    "CanonicalForm",
    "Component",
    "Equivalence",
    "ExactnessError",
    "Fiber",
    "InputError",
    "Layer",
    "LimitExceededError",
    "Network",
    "OrthantFunction",
    "SymfiberError",
    "UndecidedError",
    "UnsupportedError",
    "VerificationError",
    "canonical_form",
    "check_generic",
    "decide_equivalence",
    "fiber",
    "from_sklearn",
    "from_torch",
    "hidden_hypersurfaces",
    "identifiable_probability",
    "is_identifiable",
    "load",
    "neuron_types",
    "nonnegative_column_rank",
    "orthant_normal_form",
    "smtlib",
]
