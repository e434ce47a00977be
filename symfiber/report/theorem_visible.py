"""Theorem V for one network: nothing hidden, n₁ ≥ 2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symfiber.report.notation import Formula, Phrase, index_set, member_of, phrase
from symfiber.report.theorem import (
    DEAD,
    LAMBDA,
    LINEAR,
    MU,
    OUTGOING,
    RENUMBER,
    SCALED_OUTGOING,
    THETA,
    Theorem,
    rank_condition,
    slope_equation,
)

if TYPE_CHECKING:
    from symfiber.bottleneck import Bottleneck

F = Formula


def visible_theorem(bottleneck: Bottleneck) -> Theorem:
    """Return Theorem V for a network."""
    g = bottleneck.function
    nonlinear, linear = g.neurons_of_type("nonlinear"), g.neurons_of_type("linear")
    free = tuple(j for j in range(len(g.bias)) if j not in set(nonlinear))
    premise = f"A parameter {{theta}} lies in component s if and only if {RENUMBER} {{scale}} and {{mu}} with"
    if not nonlinear:
        premise = f"A parameter {{theta}} lies in the component if and only if {RENUMBER} {{scale}} with"
    return Theorem(
        "Theorem V",
        "nothing hidden",
        phrase(premise, theta=THETA, scale=LAMBDA, mu=MU),
        tuple(_conditions(nonlinear, free)),
        (_sums(nonlinear, linear), _feasible(len(free))),
        _reason(bool(nonlinear)),
    )


def _conditions(nonlinear: tuple[int, ...], free: tuple[int, ...]) -> list[Phrase]:
    first = F("[W1'|b1'] = diag(λ) [W1|b1]", r"[W_1'\mid b_1']=\operatorname{diag}(\lambda)\,[W_1\mid b_1]")
    conditions: list[Phrase] = [(first,)]
    if nonlinear:
        row = F(
            "[w_j'|b_j'] = s_j μ_j [w_j diag(λ)^-1 | b_j]",
            r"[w_j'\mid b_j']=s_j\mu_j\,[\,w_j\operatorname{diag}(\lambda)^{-1}\mid b_j]",
        )
        neurons = member_of("j", nonlinear, "N")
        conditions.append(
            phrase("{row} and {out} for the nonlinear neurons {j}", row=row, out=SCALED_OUTGOING, j=neurons)
        )
    if not free:
        return [*conditions, (F("M_s = 0 and b3' = v_s", r"M_s=0\ \text{and}\ b_3'=v_s"),)]
    return [
        *conditions,
        phrase(
            "each free neuron {q} is linear, {linear}, or dead, {dead} with {out} arbitrary",
            q=member_of("q", free),
            linear=LINEAR,
            dead=DEAD,
            out=OUTGOING,
        ),
        phrase(
            "{slope} and {constant}",
            slope=slope_equation("diag(λ)", r"\operatorname{diag}(\lambda)"),
            constant=F(
                "b3' + sum_{q linear} c_q' b_q' = v_s",
                r"\textstyle b_3'+\sum_{q\ \mathrm{linear}}c_q'\,b_q'=v_s",
            ),
        ),
    ]


def _sums(nonlinear: tuple[int, ...], linear: tuple[int, ...]) -> Phrase:
    """The definitions of M_s and v_s."""
    sums, latex = [], []
    if linear:
        sums.append("sum_{j in L} c_j w_j")
        latex.append(r"\sum_{j\in L}c_jw_j")
    if nonlinear:
        sums.append("sum_{s_j = -1} c_j w_j")
        latex.append(r"\sum_{s_j=-1}c_jw_j")
    bias = ["b3", *(x.replace("w_j", "b_j") for x in sums)]
    bias_latex = ["b_3", *(x.replace("w_j", "b_j") for x in latex)]
    return phrase(
        "{M} and {v}, with the linear neurons {L}." if linear else "{M} and {v}.",
        M=F(f"M_s = {' + '.join(sums) or '0'}", f"M_s={'+'.join(latex) or '0'}"),
        v=F(f"v_s = {' + '.join(bias)}", f"v_s={'+'.join(bias_latex)}"),
        L=F(f"L = {index_set(linear).text}", f"L={index_set(linear).latex}"),
    )


def _feasible(free: int) -> Phrase:
    return phrase(
        "A choice s is feasible iff {need}, the number of free neurons; {rank} is the rank of M if its nonzero columns "
        "lie in an open half-space, one more otherwise.",
        need=rank_condition(free),
        rank=F("rank+(M)", r"\operatorname{rank}^+(M)"),
    )


def _reason(bends: bool) -> Phrase:
    if not bends:
        return ("The first layer is onto, so f determines the function on the orthant, which is one affine map.",)
    return phrase(
        "The first layer is onto, so f determines the function on the orthant, hence its bends and one affine map. "
        "Turning a neuron around keeps its bend and costs an affine term, {flip}, which linear neurons must carry.",
        flip=F("c σ(z) = c σ(-z) + c z", r"c\,\sigma(z)=c\,\sigma(-z)+c\,z"),
    )
