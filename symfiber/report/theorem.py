"""What a theorem of a report consists of, and the formulas that several theorems share."""

from __future__ import annotations

from dataclasses import dataclass

from symfiber.report.notation import Formula, Phrase, phrase

F = Formula


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem of THEORY §2, stated for one network.

    Attributes
    ----------
    name, title : str
    premise : Phrase
        Up to "if and only if".
    conditions : tuple of Phrase
        What a member θ′ of the component satisfies, in matrix form.
    notes : tuple of Phrase
        The meaning of the letters.
    reason : Phrase
        Why it holds, in a sentence or two.
    """

    name: str
    title: str
    premise: Phrase
    conditions: tuple[Phrase, ...]
    notes: tuple[Phrase, ...]
    reason: Phrase


THETA = F("θ'", r"\theta'")
SIGMA = F("f(x) = W3 σ(W2 σ(W1 x + b1) + b2) + b3", r"f(x)=W_3\,\sigma(W_2\,\sigma(W_1x+b_1)+b_2)+b_3")
NOTATION = phrase(
    "{w} is row j of {W2}, {b}, {c} is column j of {W3}; indices start at 0; primes belong to {theta}.",
    w=F("w_j", "w_j"),
    W2=F("W2", "W_2"),
    b=F("b_j = b2[j]", "b_j=(b_2)_j"),
    c=F("c_j", "c_j"),
    W3=F("W3", "W_3"),
    theta=THETA,
)
LAMBDA = F("λ > 0", r"\lambda\in\mathbf{R}^{n_1}_{>0}")
MU = F("μ_j > 0", r"\mu_j>0")
LINEAR = F("[w_q'|b_q'] >= 0", r"[w_q'\mid b_q']\ge 0")
DEAD = F("[w_q'|b_q'] <= 0", r"[w_q'\mid b_q']\le 0")
OUTGOING = F("c_q'", "c_q'")
SCALED_OUTGOING = F("c_j' = c_j/μ_j", r"c_j'=c_j/\mu_j")
OUTPUT_BIAS = F("b3' = b3", "b_3'=b_3")
RENUMBER = "after renumbering the neurons of each hidden layer there are"


def slope_equation(scale: str, scale_latex: str) -> Formula:
    """Return Σ_{q linear} c′_q w′_q · scale = M_s."""
    return F(
        f"sum_{{q linear}} c_q' w_q' {scale} = M_s",
        rf"\textstyle\sum_{{q\ \mathrm{{linear}}}}c_q'\,w_q'\,{scale_latex}=M_s",
    )


def rank_condition(free: int) -> Formula:
    """Return rank⁺(M_s) ≤ f."""
    return F(f"rank+(M_s) <= {free}", rf"\operatorname{{rank}}^+(M_s)\le {free}")
