"""Theorems H2 and H1 for one network: a hypersurface is hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symfiber.report.notation import Formula, Phrase, member_of, phrase
from symfiber.report.theorem import (
    DEAD,
    LAMBDA,
    MU,
    OUTGOING,
    OUTPUT_BIAS,
    RENUMBER,
    SCALED_OUTGOING,
    THETA,
    Theorem,
)

if TYPE_CHECKING:
    from symfiber.bottleneck import Bottleneck

F = Formula


def hidden_theorem(bottleneck: Bottleneck, with_numbers: bool = True) -> Theorem:
    """Return Theorem H1 (one live neuron) or H2 (several) for a network, or for the signs of one."""
    (i,), live = bottleneck.hidden, bottleneck.live
    single = len(live) == 1
    component = "component S" if single else "the component"
    return Theorem(
        "Theorem H1" if single else "Theorem H2",
        f"hypersurface {i} hidden, {len(live)} live neuron{'' if single else 's'}",
        phrase(
            f"A parameter {{theta}} lies in {component} if and only if {RENUMBER} {{scale}}, {{mu}} and {{t}} with",
            theta=THETA,
            scale=LAMBDA,
            mu=MU,
            t=F("t", "t"),
        ),
        (*_first_layer(bottleneck, i, single), *_second_layer(bottleneck, i, with_numbers), (OUTPUT_BIAS,)),
        (_flips(i, live[0]),) if single else (),
        _reason(i, single),
    )


def _first_layer(bottleneck: Bottleneck, i: int, single: bool) -> list[Phrase]:
    others = [k for k in range(bottleneck.function.input_dimension) if k != i]
    sign, sign_latex = ("ε_k ", r"\varepsilon_k") if single else ("", "")
    row, row_latex = f"W1[{i},:] | b1[{i}] + t", rf"(W_1)_{{{i}}}\mid (b_1)_{{{i}}}+t"
    if single:
        row, row_latex = "ŵ | ĉ + t", r"\hat w\mid\hat c+t"
    scaled = F(f"[W1'|b1']_k = {sign}λ_k [W1|b1]_k", rf"[W_1'\mid b_1']_k={sign_latex}\lambda_k\,[W_1\mid b_1]_k")
    return [
        phrase("{scaled} for {k}", scaled=scaled, k=member_of("k", others)),
        (F(f"[W1'|b1']_{i} = λ_{i} [{row}]", rf"[W_1'\mid b_1']_{{{i}}}=\lambda_{{{i}}}\,[\,{row_latex}\,]"),),
    ]


def _second_layer(bottleneck: Bottleneck, i: int, with_numbers: bool) -> list[Phrase]:
    g, live = bottleneck.function, bottleneck.live
    dead = [j for j in range(len(g.bias)) if j not in set(live)]
    equals = " = " if with_numbers else ""
    conditions = [
        phrase(
            "{row}, {bias}, {out} for the live neurons {j}",
            row=F("w_j' = μ_j w_j diag(λ)^-1", r"w_j'=\mu_j\,w_j\operatorname{diag}(\lambda)^{-1}"),
            bias=F(f"b_j' = μ_j (b_j - W2[j,{i}] t)", rf"b_j'=\mu_j\,(b_j-w_{{j,{i}}}\,t)"),
            out=SCALED_OUTGOING,
            j=member_of("j", live),
        ),
        phrase(
            "{range}{least}, which keeps {nonpositive}",
            range=F(f"t >= max_j b_j/W2[j,{i}]{equals}", rf"t\ge\max_j b_j/w_{{j,{i}}}{equals.strip()}"),
            least=max(g.bias[j] / g.weight[j][i] for j in live) if with_numbers else "",
            nonpositive=F("b_j' <= 0", r"b_j'\le 0"),
        ),
    ]
    if dead:
        words = "{dead} with {out} arbitrary for the dead neurons {q}"
        conditions.append(phrase(words, dead=DEAD, out=OUTGOING, q=member_of("q", dead)))
    return conditions


def _flips(i: int, j: int) -> Phrase:
    return phrase(
        f"{{sign}} for k in S and 1 otherwise, and {{row}}; S is any set of first-layer neurons other than {i}.",
        sign=F("ε_k = -1", r"\varepsilon_k=-1"),
        row=F(
            f"[ŵ|ĉ] = [W1|b1]_{i} - sum_{{k in S}} |W2[{j},k]|/W2[{j},{i}] [W1|b1]_k",
            rf"[\hat w\mid\hat c]=[W_1\mid b_1]_{{{i}}}"
            rf"-\textstyle\sum_{{k\in S}}\frac{{|w_{{{j},k}}|}}{{w_{{{j},{i}}}}}[W_1\mid b_1]_k",
        ),
    )


def _reason(i: int, single: bool) -> Phrase:
    words = (
        f"A live neuron is active only where first-layer neuron {i} is, so only the affine function {{affine}} is "
        "determined and the two biases can be traded."
    )
    if single:
        words += " With a single live neuron {flip} turns other first-layer rows around as well."
    return phrase(
        words,
        affine=F(f"W2[j,{i}] y_{i} + b_j", rf"w_{{j,{i}}}\,y_{{{i}}}+b_j"),
        flip=F("-|w| σ(y) = -|w| σ(-y) - |w| y", r"-|w|\sigma(y)=-|w|\sigma(-y)-|w|y"),
    )
