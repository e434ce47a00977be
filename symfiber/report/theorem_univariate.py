"""The univariate theorem for one network: n₁ = 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symfiber.report.notation import Formula, Phrase, phrase
from symfiber.report.theorem import DEAD, LINEAR, THETA, Theorem, slope_equation

if TYPE_CHECKING:
    from symfiber.decomposition import Fiber

F = Formula


def univariate_theorem(fiber: Fiber) -> Theorem:
    """Return the theorem for one first-layer neuron."""
    return Theorem(
        "Theorem U",
        "one neuron in the first layer",
        phrase(
            "A parameter {theta} lies in component (direction, visible or translated, s) if and only if, with the data "
            "{data} of its direction, after renumbering the neurons of layer 2 there are {letters} with",
            theta=THETA,
            data=F("r, u, δ, h_0", r"r,u,\delta,h_0"),
            letters=F("λ > 0, μ_j > 0 and β", r"\lambda>0,\ \mu_j>0\ \text{and}\ \beta"),
        ),
        _conditions(),
        (_notes(len(fiber.home.case.form.kinks)),),
        (
            "The direction, the kinks with their jumps and the value at the left end determine f and are determined "
            "by it; every kink is made by the first layer or by exactly one neuron of layer 2.",
        ),
    )


def _conditions() -> tuple[Phrase, ...]:
    row = F(
        "[w_j'|b_j'] = s_j μ_j [1/λ | -(u_j + β)]",
        r"[w_j'\mid b_j']=s_j\mu_j\,[\,1/\lambda\mid -(u_j+\beta)]",
    )
    constant = F(
        "b3' + sum_{q linear} c_q' b_q' + sum_{s_j = -1} c_j' b_j' = h_0",
        r"\textstyle b_3'+\sum_{q\ \mathrm{linear}}c_q'\,b_q'+\sum_{s_j=-1}c_j'\,b_j'=h_0",
    )
    return (
        phrase("{w} and {b}", w=F("W1' = λ r", r"W_1'=\lambda r"), b=F("b1' = λ β", r"b_1'=\lambda\beta")),
        phrase(
            "{visible} (visible) or {translated} (translated)",
            visible=F("β = -u_1", r"\beta=-u_1"),
            translated=F("β > -u_1", r"\beta>-u_1"),
        ),
        phrase(
            "{row} and {out} for every kink but the first (visible), for every kink (translated)",
            row=row,
            out=F("c_j' = δ_j/μ_j", r"c_j'=\delta_j/\mu_j"),
        ),
        phrase("every other neuron q of layer 2 is linear, {linear}, or dead, {dead}", linear=LINEAR, dead=DEAD),
        phrase("{slope} and {constant}", slope=slope_equation("λ", r"\lambda"), constant=constant),
    )


def _notes(kinks: int) -> Phrase:
    return phrase(
        "f(x) = h(u) with {u} and {h}, kinks {kinks}; {M}.",
        u=F("u = r·x", r"u=r\cdot x"),
        h=F("h(u) = h_0 + sum_j δ_j σ(u - u_j)", r"\textstyle h(u)=h_0+\sum_j\delta_j\,\sigma(u-u_j)"),
        kinks=_ascending(kinks),
        M=F(
            "M_s = [visible] δ_1 + sum_{s_j = -1} δ_j",
            r"\textstyle M_s=[\text{visible}]\,\delta_1+\sum_{s_j=-1}\delta_j",
        ),
    )


def _ascending(kinks: int) -> Formula:
    if kinks <= 3:
        names = [f"u_{j}" for j in range(1, kinks + 1)]
        return F(" < ".join(names), "<".join(names))
    return F(f"u_1 < ... < u_{kinks}", rf"u_1<\dots<u_{{{kinks}}}")
