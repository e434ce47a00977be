"""The theorem behind every case: its conditions on a member θ′ in matrix form, its reason, and the component count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symfiber.exact import ZERO
from symfiber.report.notation import Formula, Phrase, index_set

if TYPE_CHECKING:
    from symfiber.bottleneck import Bottleneck
    from symfiber.decomposition import Fiber

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
        What a member of the component satisfies, in matrix form.
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
NOTATION: Phrase = (
    F("w_j", "w_j"),
    " is row j of ",
    F("W2", "W_2"),
    ", ",
    F("b_j = b2[j]", "b_j=(b_2)_j"),
    ", ",
    F("c_j", "c_j"),
    " is column j of ",
    F("W3", "W_3"),
    "; indices start at 0; primes belong to ",
    THETA,
    ".",
)
_LAMBDA = F("λ > 0", r"\lambda\in\mathbf{R}^{n_1}_{>0}")
_MU = F("μ_j > 0", r"\mu_j>0")
_DEAD = F("[w_q'|b_q'] <= 0", r"[w_q'\mid b_q']\le 0")
_RENUMBER = "after renumbering the neurons of each hidden layer there are "


def theorem(fiber: Fiber) -> Theorem:
    """Return the theorem that describes the fiber."""
    if fiber.case == "visible":
        return _visible(fiber.bottleneck)
    if fiber.case == "constant":
        return _constant()
    if fiber.case == "univariate":
        return _univariate(fiber)
    return _hidden(fiber.bottleneck)


def _visible(bottleneck: Bottleneck) -> Theorem:
    g = bottleneck.function
    nonlinear, linear = g.neurons_of_type("nonlinear"), g.neurons_of_type("linear")
    free = tuple(j for j in range(len(g.bias)) if j not in set(nonlinear))
    conditions: list[Phrase] = [
        (F("[W1'|b1'] = diag(λ) [W1|b1]", r"[W_1'\mid b_1']=\operatorname{diag}(\lambda)\,[W_1\mid b_1]"),)
    ]
    if nonlinear:
        conditions.append(
            (
                F(
                    "[w_j'|b_j'] = s_j μ_j [w_j diag(λ)^-1 | b_j]",
                    r"[w_j'\mid b_j']=s_j\mu_j\,[\,w_j\operatorname{diag}(\lambda)^{-1}\mid b_j]",
                ),
                " and ",
                F("c_j' = c_j/μ_j", r"c_j'=c_j/\mu_j"),
                " for the nonlinear neurons ",
                F(f"j in N = {index_set(nonlinear).text}", rf"j\in N={index_set(nonlinear).latex}"),
            )
        )
    if free:
        conditions += [_free_neurons(free), (*_slope_equation("diag(λ)", r"\operatorname{diag}(\lambda)", "M_s"),)]
        conditions[-1] = (*conditions[-1], " and ", _constant_equation("v_s"))
    else:
        conditions.append((F("M_s = 0 and b3' = v_s", r"M_s=0\ \text{and}\ b_3'=v_s"),))
    notes = _visible_notes(nonlinear, linear, len(free))
    signs = (" and signs ", F("s_j", "s_j")) if nonlinear else ()
    return Theorem(
        "Theorem V",
        "nothing hidden",
        (
            "A parameter ",
            THETA,
            " lies in component s if and only if ",
            _RENUMBER,
            _LAMBDA,
            *((" and ", _MU) if nonlinear else ()),
            " with",
        ),
        tuple(conditions),
        notes,
        (
            "The first layer is onto, so f determines the function on the orthant, hence its bends and one affine map. "
            "Turning a neuron around keeps its bend and costs an affine term, ",
            F("c σ(z) = c σ(-z) + c z", r"c\,\sigma(z)=c\,\sigma(-z)+c\,z"),
            ", which linear neurons must carry.",
        )
        if signs
        else ("The first layer is onto, so f determines the function on the orthant, which is one affine map.",),
    )


def _visible_notes(nonlinear: tuple[int, ...], linear: tuple[int, ...], free: int) -> tuple[Phrase, ...]:
    sums, latex = [], []
    if linear:
        sums.append("sum_{j in L} c_j w_j")
        latex.append(r"\sum_{j\in L}c_jw_j")
    if nonlinear:
        sums.append("sum_{s_j = -1} c_j w_j")
        latex.append(r"\sum_{s_j=-1}c_jw_j")
    bias = [x.replace("w_j", "b_j") for x in sums]
    bias_latex = [x.replace("w_j", "b_j") for x in latex]
    where: Phrase = (
        F(f"M_s = {' + '.join(sums) or '0'}", f"M_s={'+'.join(latex) or '0'}"),
        " and ",
        F(f"v_s = {' + '.join(['b3', *bias])}", f"v_s={'+'.join(['b_3', *bias_latex])}"),
        *(
            (", with the linear neurons ", F(f"L = {index_set(linear).text}", f"L={index_set(linear).latex}"))
            if linear
            else ()
        ),
        ".",
    )
    feasible: Phrase = (
        "A choice s is feasible iff ",
        F(f"rank+(M_s) <= {free}", rf"\operatorname{{rank}}^+(M_s)\le {free}"),
        ", the number of free neurons; ",
        F("rank+(M)", r"\operatorname{rank}^+(M)"),
        " is the rank of M if its nonzero columns lie in an open half-space, one more otherwise.",
    )
    return where, feasible


def _free_neurons(free: tuple[int, ...]) -> Phrase:
    return (
        "each free neuron ",
        F(f"q in {index_set(free).text}", rf"q\in {index_set(free).latex}"),
        " is linear, ",
        F("[w_q'|b_q'] >= 0", r"[w_q'\mid b_q']\ge 0"),
        ", or dead, ",
        _DEAD,
        " with ",
        F("c_q'", "c_q'"),
        " arbitrary",
    )


def _slope_equation(text: str, latex: str, target: str) -> Phrase:
    return (
        F(
            f"sum_{{q linear}} c_q' w_q' {text} = {target}",
            rf"\textstyle\sum_{{q\ \mathrm{{linear}}}}c_q'\,w_q'\,{latex}={target}",
        ),
    )


def _constant_equation(target: str) -> Formula:
    return F(
        f"b3' + sum_{{q linear}} c_q' b_q' = {target}",
        rf"\textstyle b_3'+\sum_{{q\ \mathrm{{linear}}}}c_q'\,b_q'={target}",
    )


def _hidden(bottleneck: Bottleneck) -> Theorem:
    (i,), live = bottleneck.hidden, bottleneck.live
    g = bottleneck.function
    single = len(live) == 1
    dead = tuple(j for j in range(len(g.bias)) if j not in set(live))
    least = max((g.bias[j] / g.weight[j][i] for j in live), default=ZERO)
    others = tuple(k for k in range(g.input_dimension) if k != i)
    sign_text, sign_latex = ("ε_k ", r"\varepsilon_k") if single else ("", "")
    row = (
        ("ŵ | ĉ + t", r"\hat w\mid\hat c+t")
        if single
        else (f"W1[{i},:] | b1[{i}] + t", rf"(W_1)_{{{i}}}\mid (b_1)_{{{i}}}+t")
    )
    conditions: list[Phrase] = [
        (
            F(f"[W1'|b1']_k = {sign_text}λ_k [W1|b1]_k", rf"[W_1'\mid b_1']_k={sign_latex}\lambda_k\,[W_1\mid b_1]_k"),
            " for ",
            F(f"k in {index_set(others).text}", rf"k\in {index_set(others).latex}"),
        ),
        (F(f"[W1'|b1']_{i} = λ_{i} [{row[0]}]", rf"[W_1'\mid b_1']_{{{i}}}=\lambda_{{{i}}}\,[\,{row[1]}\,]"),),
        (
            F("w_j' = μ_j w_j diag(λ)^-1", r"w_j'=\mu_j\,w_j\operatorname{diag}(\lambda)^{-1}"),
            ", ",
            F(f"b_j' = μ_j (b_j - W2[j,{i}] t)", rf"b_j'=\mu_j\,(b_j-w_{{j,{i}}}\,t)"),
            ", ",
            F("c_j' = c_j/μ_j", r"c_j'=c_j/\mu_j"),
            " for the live neurons ",
            F(f"j in {index_set(live).text}", rf"j\in {index_set(live).latex}"),
        ),
        (
            F(f"t >= max_j b_j/W2[j,{i}] =", rf"t\ge\max_j b_j/w_{{j,{i}}}="),
            " ",
            least,
            ", which keeps ",
            F("b_j' <= 0", r"b_j'\le 0"),
        ),
    ]
    if dead:
        conditions.append(
            (
                _DEAD,
                " with ",
                F("c_q'", "c_q'"),
                " arbitrary for the dead neurons ",
                F(f"q in {index_set(dead).text}", rf"q\in {index_set(dead).latex}"),
            )
        )
    conditions.append((F("b3' = b3", "b_3'=b_3"),))
    return Theorem(
        "Theorem H1" if single else "Theorem H2",
        f"hypersurface {i} hidden, {len(live)} live neuron{'s' if not single else ''}",
        (
            "A parameter ",
            THETA,
            f" lies in {'component S' if single else 'the component'} if and only if ",
            _RENUMBER,
            _LAMBDA,
            ", ",
            _MU,
            " and ",
            F("t", "t"),
            " with",
        ),
        tuple(conditions),
        (_flip_note(i, live[0]),) if single else (),
        _hidden_why(i, single),
    )


def _flip_note(i: int, j: int) -> Phrase:
    return (
        F("ε_k = -1", r"\varepsilon_k=-1"),
        " for k in S and 1 otherwise, and ",
        F(
            f"[ŵ|ĉ] = [W1|b1]_{i} - sum_{{k in S}} |W2[{j},k]|/W2[{j},{i}] [W1|b1]_k",
            rf"[\hat w\mid\hat c]=[W_1\mid b_1]_{{{i}}}"
            rf"-\textstyle\sum_{{k\in S}}\frac{{|w_{{{j},k}}|}}{{w_{{{j},{i}}}}}[W_1\mid b_1]_k",
        ),
        f"; S is any set of first-layer neurons other than {i}.",
    )


def _hidden_why(i: int, single: bool) -> Phrase:
    common: Phrase = (
        f"A live neuron is active only where first-layer neuron {i} is, so only the affine function ",
        F(f"W2[j,{i}] y_{i} + b_j", rf"w_{{j,{i}}}\,y_{{{i}}}+b_j"),
        " is determined and the two biases can be traded.",
    )
    if not single:
        return common
    return (
        *common,
        " With a single live neuron ",
        F("-|w| σ(y) = -|w| σ(-y) - |w| y", r"-|w|\sigma(y)=-|w|\sigma(-y)-|w|y"),
        " turns other first-layer rows around as well.",
    )


def _constant() -> Theorem:
    return Theorem(
        "Theorem D",
        "all neurons of layer 2 dead",
        ("A parameter ", THETA, " lies in the component if and only if"),
        ((F("[W2'|b2'] <= 0", r"[W_2'\mid b_2']\le 0"), " entrywise, and ", F("b3' = b3", "b_3'=b_3")),),
        ((F("W1', b1', W3'", "W_1',\\ b_1',\\ W_3'"), " are arbitrary."),),
        ("No neuron of layer 2 is ever active, so f is the constant ", F("b3", "b_3"), "."),
    )


def _univariate(fiber: Fiber) -> Theorem:
    kinks = len(fiber.home.case.form.kinks)
    last = F(f"u_1 < ... < u_{kinks}", rf"u_1<\dots<u_{{{kinks}}}") if kinks > 1 else F("u_1", "u_1")
    return Theorem(
        "Theorem U",
        "one neuron in the first layer",
        (
            "A parameter ",
            THETA,
            " lies in component (±, visible or translated, s) if and only if, with the data ",
            F("r, u, δ, h_0", r"r,u,\delta,h_0"),
            " of its direction, after renumbering there are ",
            F("λ > 0, μ_j > 0 and β", r"\lambda>0,\ \mu_j>0\ \text{and}\ \beta"),
            " with",
        ),
        (
            (F("W1' = λ r", r"W_1'=\lambda r"), " and ", F("b1' = λ β", r"b_1'=\lambda\beta")),
            (F("β = -u_1", r"\beta=-u_1"), " (visible) or ", F("β > -u_1", r"\beta>-u_1"), " (translated)"),
            (
                F(
                    "[w_j'|b_j'] = s_j μ_j [1/λ | -(u_j + β)]",
                    r"[w_j'\mid b_j']=s_j\mu_j\,[\,1/\lambda\mid -(u_j+\beta)]",
                ),
                " and ",
                F("c_j' = δ_j/μ_j", r"c_j'=\delta_j/\mu_j"),
                " for every kink but the first (visible), for every kink (translated)",
            ),
            (
                "every other neuron q of layer 2 is linear, ",
                F("[w_q'|b_q'] >= 0", r"[w_q'\mid b_q']\ge 0"),
                ", or dead, ",
                _DEAD,
            ),
            (
                *_slope_equation("λ", r"\lambda", "M_s"),
                " and ",
                F(
                    "b3' + sum_{q linear} c_q' b_q' + sum_{s_j = -1} c_j' b_j' = h_0",
                    r"\textstyle b_3'+\sum_{q\ \mathrm{linear}}c_q'\,b_q'+\sum_{s_j=-1}c_j'\,b_j'=h_0",
                ),
            ),
        ),
        (
            (
                "f(x) = h(u) with ",
                F("u = r·x", r"u=r\cdot x"),
                " and ",
                F("h(u) = h_0 + sum_j δ_j σ(u - u_j)", r"\textstyle h(u)=h_0+\sum_j\delta_j\,\sigma(u-u_j)"),
                ", kinks ",
                last,
                "; ",
                F(
                    "M_s = [visible] δ_1 + sum_{s_j = -1} δ_j",
                    r"\textstyle M_s=[\text{visible}]\,\delta_1+\sum_{s_j=-1}\delta_j",
                ),
                ".",
            ),
        ),
        (
            "The direction, the kinks with their jumps and the value at the left end determine f and are determined "
            "by it; every kink is made by the first layer or by exactly one neuron of layer 2.",
        ),
    )


def hidden_reason(fiber: Fiber) -> Phrase:
    """Return why the hidden hypersurfaces are these."""
    bottleneck = fiber.bottleneck
    if fiber.case == "constant":
        return ("All of them are hidden, because every neuron of layer 2 is dead and f is constant.",)
    if bottleneck.hidden:
        (i,) = bottleneck.hidden
        if fiber.case == "univariate":
            return (F("H_0 = {y_0 = 0}", r"H_0=\{y_0=0\}"), " is hidden: it carries no kink of f.")
        return (
            F(f"H_{i} = {{y_{i} = 0}}", rf"H_{{{i}}}=\{{y_{{{i}}}=0\}}"),
            f" is hidden: every live neuron of layer 2 has a positive weight from neuron {i} and all other "
            "entries <= 0, so it is active only on one side of it.",
        )
    kinks: Phrase = (
        "None: for every i the one-sided derivative of f across ",
        F("H_i = {y_i = 0}", r"H_i=\{y_i=0\}"),
        " is somewhere not zero",
    )
    if fiber.case == "univariate":
        return ("None: ", F("H_0 = {y_0 = 0}", r"H_0=\{y_0=0\}"), " carries the first kink of f.")
    witnesses = _witnesses(bottleneck)
    shown = ", ".join(f"row {j} for i = {i}" for i, j in witnesses[:6])
    more = f", and {len(witnesses) - 6} more" if len(witnesses) > 6 else ""
    return (*kinks, f"; live rows of [W2|b2] that do not hide neuron i: {shown}{more}.")


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
        choices = case.labels
        k, f = choices.neuron_count, choices.free
        m, n = choices.base.shape
        if k == 0:
            return ("there is no nonlinear neuron to re-orient",)
        if choices.all_feasible:
            return (
                F(
                    f"all 2^{k} orientations are feasible",
                    rf"\text{{all }}2^{{{k}}}\text{{ orientations are feasible}}",
                ),
                f": {f} free neurons are at least ",
                F(f"min(m + 1, n1) = {min(m + 1, n)}", rf"\min(m+1,n_1)={min(m + 1, n)}"),
            )
        need = F("M_s = 0", "M_s=0") if f == 0 else F(f"rank+(M_s) <= {f}", rf"\operatorname{{rank}}^+(M_s)\le {f}")
        return ("of the ", F(f"2^{k}", f"2^{{{k}}}"), " orientations those with ", need, " are feasible")
    if fiber.case == "hidden-single":
        return (
            f"one for every set S of first-layer neurons other than {case.hidden}, ",
            F(f"2^{len(case.others)}", f"2^{{{len(case.others)}}}"),
        )
    if fiber.case == "univariate":
        parts = [
            f"{choices.count} {'along' if direction > 0 else 'against'} W1 and {'visible' if visible else 'translated'}"
            for direction, visible, choices in case.labels.families
            if choices.count
        ]
        return (" + ".join(parts),)
    return ("the conditions leave no discrete choice",)
