"""The question f_a ≠ f_b as SMT-LIB 2 text (QF_LRA), and z3's answer to it: solvers that we did not write."""

from __future__ import annotations

from collections.abc import Sequence

from symfiber.errors import InputError, UndecidedError, UnsupportedError
from symfiber.exact import Rational, parse_rational, to_text
from symfiber.network import Network


def smtlib(a: Network, b: Network) -> str:
    """Return SMT-LIB 2 text in QF_LRA that is satisfiable iff the networks differ at some input.

    Inputs are ``x0, x1, …``; a solver's model is then a witness, ``unsat`` means equal functions.

    Examples
    --------
    >>> net = Network([([[1]], ["-1/2"]), ([[2]], [0])])
    >>> print(smtlib(net, net).splitlines()[3])
    (define-fun a_1_0 () Real (+ x0 (- (/ 1.0 2.0))))
    """
    if a.is_symbolic or b.is_symbolic:
        raise UnsupportedError("SMT-LIB text needs networks of numbers, got symbolic entries")
    ends = [(net.architecture[0], net.architecture[-1]) for net in (a, b)]
    if ends[0] != ends[1]:
        raise InputError(f"networks must have the same (inputs, outputs), got {ends[0]} and {ends[1]}")
    d, m = ends[0]
    lines = ["; satisfiable if and only if the two networks differ at some input", "(set-logic QF_LRA)"]
    lines += [f"(declare-const x{q} Real)" for q in range(d)]
    names = []
    for letter, net in (("a", a), ("b", b)):
        inputs = [f"x{q}" for q in range(d)]
        for number, (weight, bias) in enumerate(net.scalar_layers, start=1):
            outputs = [f"{letter}_{number}_{i}" for i in range(len(bias))]
            lines += [
                f"(define-fun {name} () Real {_sum(row, inputs, b_i)})" for name, row, b_i in zip(outputs, weight, bias)
            ]
            if number < len(net.scalar_layers):
                inputs = [f"z{name}" for name in outputs]
                lines += [f"(define-fun z{name} () Real (ite (> {name} 0.0) {name} 0.0))" for name in outputs]
        names.append(outputs)
    differ = " ".join(f"(not (= {p} {q}))" for p, q in zip(*names))
    lines += [f"(assert {differ if m == 1 else f'(or {differ})'})", "(check-sat)"]
    return "\n".join([*lines, f"(get-value ({' '.join(f'x{q}' for q in range(d))}))", ""])


def _sum(row: Sequence[Rational], names: Sequence[str], constant: Rational) -> str:
    terms = [name if w == 1 else f"(* {_number(w)} {name})" for w, name in zip(row, names) if w]
    if constant or not terms:
        terms.append(_number(constant))
    return terms[0] if len(terms) == 1 else f"(+ {' '.join(terms)})"


def _number(value: Rational) -> str:
    size = abs(value)
    text = f"{to_text(Rational(size.p))}.0"
    if size.q != 1:
        text = f"(/ {text} {to_text(Rational(size.q))}.0)"
    return f"(- {text})" if value < 0 else text


def ask_z3(a: Network, b: Network, seconds: float | None = None) -> tuple[Rational, ...] | None:
    """Return a point that z3 claims to separate the networks, ``None`` when it claims that they are equal.

    Raises
    ------
    UnsupportedError
        When z3 is not installed (``pip install symfiber[z3]``).
    UndecidedError
        When z3 gives up or runs out of time.
    """
    try:
        import z3
    except ImportError:
        raise UnsupportedError('engine="z3" needs the package z3-solver, which is not installed') from None
    solver = z3.SolverFor("QF_LRA")
    if seconds is not None:
        solver.set("timeout", max(1, int(1000 * seconds)))
    text = smtlib(a, b)
    solver.from_string(text[: text.index("(check-sat)")])
    answer = solver.check()
    if answer == z3.unsat:
        return None
    if answer == z3.unknown:
        raise UndecidedError(f"z3 did not decide: {solver.reason_unknown()}")
    model = solver.model()
    values = [model.eval(z3.Real(f"x{q}"), model_completion=True) for q in range(a.architecture[0])]
    return tuple(parse_rational(str(value.as_fraction())) for value in values)
