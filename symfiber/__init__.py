"""symfiber: exact computer algebra for the parameter fibers of ReLU networks."""

# First of all: an interrupt while the command is still importing ends it without a traceback.
from symfiber.interrupt import end_quietly_while_importing as _end_quietly

_end_quietly()

# ruff: noqa: E402
from symfiber.bottleneck import hidden_hypersurfaces, identifiable_probability, is_identifiable
from symfiber.canonical import CanonicalForm, canonical_form
from symfiber.cells import Cell, box, cells
from symfiber.certificate import Certificate
from symfiber.column_rank import nonnegative_column_rank
from symfiber.conservation import (
    ConservationLaws,
    conservation_laws,
    flow_field,
    generic_conservation_laws,
    polynomial_conservation_laws,
)
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
from symfiber.functional_dimension import (
    analyse_functional_dimension,
    functional_dimension,
    local_fiber_dimension,
    unexplained_dimension,
)
from symfiber.genericity import check_generic
from symfiber.network import Network
from symfiber.orthant import OrthantFunction, neuron_types, orthant_normal_form
from symfiber.parameters import Layer
from symfiber.sources import from_sklearn, from_torch, load

__version__ = "0.1.0"

__all__ = [
    "CanonicalForm",
    "Cell",
    "Certificate",
    "Component",
    "ConservationLaws",
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
    "analyse_functional_dimension",
    "box",
    "canonical_form",
    "cells",
    "check_generic",
    "conservation_laws",
    "decide_equivalence",
    "fiber",
    "flow_field",
    "from_sklearn",
    "from_torch",
    "functional_dimension",
    "generic_conservation_laws",
    "hidden_hypersurfaces",
    "identifiable_probability",
    "is_identifiable",
    "load",
    "local_fiber_dimension",
    "neuron_types",
    "nonnegative_column_rank",
    "orthant_normal_form",
    "polynomial_conservation_laws",
    "smtlib",
    "unexplained_dimension",
]
