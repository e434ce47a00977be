"""Equality of two networks as functions on ℚ^d, decided by the SMT solver z3 in linear real arithmetic."""

from fractions import Fraction

from .cells import evaluate, input_dimension


def equal(layers_a, layers_b, timeout_seconds=None):
    """Return None if the networks agree everywhere (proved), else a point where they differ (checked).

    Raises RuntimeError if z3 answers neither.
    """
    import z3

    dimension = input_dimension(layers_a)
    if input_dimension(layers_b) != dimension or len(layers_a[-1][1]) != len(layers_b[-1][1]):
        raise ValueError("the networks must have the same numbers of inputs and outputs")
    solver = z3.SolverFor("QF_LRA")
    if timeout_seconds is not None:
        solver.set("timeout", int(1000 * timeout_seconds))
    inputs = [z3.Real(f"x{index}") for index in range(dimension)]
    outputs_a = encode(z3, solver, layers_a, inputs, "a")
    outputs_b = encode(z3, solver, layers_b, inputs, "b")
    solver.add(z3.Or([a != b for a, b in zip(outputs_a, outputs_b)]))
    answer = solver.check()
    if answer == z3.unsat:
        return None
    if answer == z3.unknown:
        raise RuntimeError(f"z3 could not decide equality: {solver.reason_unknown()}")
    model = solver.model()
    values = [model.eval(variable, model_completion=True) for variable in inputs]
    point = tuple(Fraction(value.numerator_as_long(), value.denominator_as_long()) for value in values)
    if evaluate(layers_a, point) == evaluate(layers_b, point):
        raise RuntimeError(f"z3 returned a point where the networks agree: {point}")
    return point


def encode(z3, solver, layers, inputs, prefix):
    """Return the outputs as z3 terms; every preactivation becomes a variable, every ReLU an if-then-else."""
    terms = inputs
    for depth, (weight, bias) in enumerate(layers):
        if depth > 0:
            terms = [z3.If(term > 0, term, z3.RealVal(0)) for term in terms]
        names = [z3.Real(f"{prefix}_{depth}_{index}") for index in range(len(weight))]
        for name, row, constant in zip(names, weight, bias, strict=True):
            products = [rational(z3, w) * term for w, term in zip(row, terms, strict=True)]
            solver.add(name == z3.Sum([*products, rational(z3, constant)]))
        terms = names
    return terms


def rational(z3, value):
    """Return an exact z3 constant."""
    fraction = Fraction(value)
    return z3.Q(fraction.numerator, fraction.denominator)
