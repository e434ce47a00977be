"""The theorem behind every case, why hypersurfaces are hidden or not, and where the number of components comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symfiber.report.notation import Formula, Phrase, phrase
from symfiber.report.theorem import OUTPUT_BIAS, THETA, Theorem, rank_condition
from symfiber.report.theorem_hidden import hidden_theorem
from symfiber.report.theorem_univariate import univariate_theorem
from symfiber.report.theorem_visible import visible_theorem

if TYPE_CHECKING:
    from symfiber.bottleneck import Bottleneck
    from symfiber.decomposition import Fiber
    from symfiber.orientations import FeasibleOrientations

F = Formula

_SHOWN_WITNESSES = 6


def theorem(fiber: Fiber) -> Theorem:
    """Return the theorem that describes the fiber."""
    match fiber.case:
        case "visible":
            return visible_theorem(fiber.bottleneck)
        case "constant":
            return constant_theorem()
        case "univariate":
            return univariate_theorem(fiber)
    return hidden_theorem(fiber.bottleneck)


def constant_theorem() -> Theorem:
    """Return Theorem D."""
    return Theorem(
        "Theorem D",
        "all neurons of layer 2 dead",
        phrase("A parameter {theta} lies in the component if and only if", theta=THETA),
        (phrase("{rows} entrywise, and {b3}", rows=F("[W2'|b2'] <= 0", r"[W_2'\mid b_2']\le 0"), b3=OUTPUT_BIAS),),
        (phrase("{rest} are arbitrary.", rest=F("W1', b1', W3'", r"W_1',\ b_1',\ W_3'")),),
        phrase("No neuron of layer 2 is ever active, so f is the constant {b3}.", b3=F("b3", "b_3")),
    )


def hidden_reason(fiber: Fiber) -> Phrase:
    """Return why the hidden hypersurfaces are these."""
    hidden = fiber.bottleneck.hidden
    if fiber.case == "constant":
        return ("All of them are hidden, because every neuron of layer 2 is dead and f is constant.",)
    if fiber.case == "univariate":
        only = F("H_0 = {y_0 = 0}", r"H_0=\{y_0=0\}")
        return phrase("{H} is hidden: it carries no kink of f." if hidden else "None: {H} carries a kink of f.", H=only)
    if hidden:
        (i,) = hidden
        return phrase(
            f"{{H}} is hidden: every live neuron of layer 2 has a positive weight from neuron {i} and all other "
            "entries <= 0, so it is active only on one side of it.",
            H=F(f"H_{i} = {{y_{i} = 0}}", rf"H_{{{i}}}=\{{y_{{{i}}}=0\}}"),
        )
    witnesses = _witnesses(fiber.bottleneck)
    shown = ", ".join(f"row {j} (i = {i})" for i, j in witnesses[:_SHOWN_WITNESSES])
    more = f" and {len(witnesses) - _SHOWN_WITNESSES} more" if len(witnesses) > _SHOWN_WITNESSES else ""
    return phrase(
        "None: for every i the one-sided derivative of f across {H} is somewhere not zero; live rows of [W2|b2] that "
        f"do not hide neuron i: {shown}{more}.",
        H=F("H_i = {y_i = 0}", r"H_i=\{y_i=0\}"),
    )


def _witnesses(bottleneck: Bottleneck) -> list[tuple[int, int]]:
    """For every i a live row that is not positive at i only."""
    rows, found = bottleneck.function.rows, []
    for i in range(bottleneck.function.input_dimension):
        for j in bottleneck.live:
            if rows[j][i] <= 0 or any(x > 0 for k, x in enumerate(rows[j]) if k != i):
                found.append((i, j))
                break
    return found


def count_reason(fiber: Fiber) -> Phrase:
    """Return where the number of components comes from."""
    case = fiber.home.case
    if fiber.case == "visible":
        return _orientations_reason(case.labels)
    if fiber.case == "hidden-single":
        size = len(case.others)
        words = f"one for every set S of first-layer neurons other than {case.hidden}, {{number}}"
        return phrase(words, number=F(f"2^{size}", f"2^{{{size}}}"))
    if fiber.case == "univariate":
        parts = [
            f"{choices.count} {'along' if direction > 0 else 'against'} W1 and {'visible' if visible else 'translated'}"
            for direction, visible, choices in case.labels.families
            if choices.count
        ]
        return (" + ".join(parts),)
    return ("the conditions leave no discrete choice",)


def _orientations_reason(choices: FeasibleOrientations) -> Phrase:
    k, free = choices.neuron_count, choices.free
    m, n = choices.base.shape
    if k == 0:
        return ("there is no nonlinear neuron to turn around",)
    power = F(f"2^{k}", f"2^{{{k}}}")
    if choices.all_feasible:
        least = min(m + 1, n)
        return phrase(
            f"all {{power}} orientations are feasible, because the {free} free neuron{'s' if free > 1 else ''} are at "
            "least {least}",
            power=power,
            least=F(f"min(m + 1, n1) = {least}", rf"\min(m+1,n_1)={least}"),
        )
    need = rank_condition(free) if free else F("M_s = 0", "M_s=0")
    return phrase("of the {power} orientations those with {need} are feasible", power=power, need=need)
