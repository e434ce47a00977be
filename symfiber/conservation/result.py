"""The conservation laws of gradient flow near a parameter, with the proof of their number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symfiber.conservation.brackets import BracketSpan
from symfiber.conservation.closure import is_closed_module, is_invariant
from symfiber.conservation.count import CountProof
from symfiber.conservation.fields import PATH_LIMIT, Fields, PathFields, PolynomialFields
from symfiber.conservation.sparse import partial_derivatives, polynomial_from_sparse, sparse_from_polynomial
from symfiber.conservation.verdict import Symmetry
from symfiber.errors import InputError, UndecidedError, VerificationError
from symfiber.exact import Matrix, Polynomial, PolynomialRing, Rational, dot, rational, shorten

_FLINT_LIMIT = 100_000


@dataclass(frozen=True, slots=True)
class Law:
    """A polynomial that gradient flow keeps constant, whatever the loss and the data.

    Attributes
    ----------
    name : str
        "scaling of …", "balance of …", "unseen parameter …", or its degree when none of these.
    kind : str
    polynomial : Polynomial
    """

    name: str
    kind: str
    polynomial: Polynomial

    def __str__(self) -> str:
        return f"{self.name}: {self.polynomial}"


@dataclass(frozen=True, eq=False)
class ConservationLaws:
    r"""The independent conservation laws of θ̇ = −∇L(f_θ), exactly counted: N − dim Lie(W)(θ).

    Attributes
    ----------
    setting : str
        Which polynomials span W: "realised cells", "all paths", "linear network" or "given polynomials".
    fields : PolynomialFields or PathFields
        Their gradients.
    point : tuple of Rational
        θ, in the order of ``names_of_parameters``.
    degree : int
        Up to which polynomial laws were looked for where the named ones did not suffice.
    laws : tuple of Law
        Functionally independent near θ.
    symmetries : tuple of Symmetry
        The verified symmetry fields and what each conserves.
    certificate : CountProof
    fiber_dimension : int
        N − rank W(θ): the dimension of the directions in which no realised coefficient changes to first order.

    Examples
    --------
    >>> from symfiber import Network, conservation_laws
    >>> net = Network([([[1, 2], [3, 1]], [1, 1]), ([[2, -1]], [-3]), ([[1]], [0])])
    >>> laws = conservation_laws(net)
    >>> laws.count, laws.fiber_dimension, laws.regular, laws.verify()
    (3, 4, True, True)
    >>> laws.names[0], str(laws.potentials[0])
    ('scaling of neuron 0 in layer 1', 'W1_0_0^2 + W1_0_1^2 + b1_0^2 - W2_0_0^2')
    >>> print(laws.non_integrable[0])
    hiding translation of neuron 0 in layer 1: no law, the coefficient of db1_0 ^ dW2_0_0 ^ db2_0 in V^dV is -1
    """

    setting: str
    fields: Fields
    point: tuple[Rational, ...]
    degree: int
    laws: tuple[Law, ...]
    symmetries: tuple[Symmetry, ...]
    certificate: CountProof
    fiber_dimension: int
    architecture: tuple[int, ...] | None = None

    @property
    def parameter_count(self) -> int:
        """N, the number of parameters that exist."""
        return len(self.point)

    @property
    def names_of_parameters(self) -> tuple[str, ...]:
        """The names of the coordinates of θ."""
        return self.fields.names

    @property
    def ring(self) -> PolynomialRing:
        """The ring of the laws."""
        return PolynomialRing(self.fields.names)

    @property
    def lie_dimension(self) -> int:
        """dim Lie(W)(θ), proved."""
        return self.certificate.lie_dimension

    @property
    def count(self) -> int:
        """N − dim Lie(W)(θ), proved.

        At a regular θ this is the number of independent laws near θ.  At a special θ it is the codimension of what the
        flows can reach from θ; of the functions that stay constant only :attr:`generic_count` are independent near θ.
        """
        return self.parameter_count - self.lie_dimension

    @property
    def generic_count(self) -> int:
        """The number of laws at generic parameters with the same cells.

        Raises
        ------
        UndecidedError
            When only bounds are proved; ``known`` has them.
        """
        least, most = self.certificate.generic_bounds
        if least != most:
            raise UndecidedError(
                f"the generic number of laws is between {least} and {most}", {"lower": least, "upper": most}
            )
        return least

    @property
    def regular(self) -> bool:
        """Whether dim Lie(W) has its generic value at θ, with proof.

        Raises
        ------
        UndecidedError
            When the generic value is not known.
        """
        if self.count > self.certificate.generic_bounds[1]:
            return False
        return self.count == self.generic_count

    @property
    def potentials(self) -> tuple[Polynomial, ...]:
        """The laws as polynomials, functionally independent near θ."""
        return tuple(law.polynomial for law in self.laws)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the laws, in the order of :attr:`potentials`."""
        return tuple(law.name for law in self.laws)

    @property
    def non_integrable(self) -> tuple[Symmetry, ...]:
        """The symmetry fields that give no law, each with the component of V♭∧dV♭ that refutes it."""
        return tuple(symmetry for symmetry in self.symmetries if symmetry.outcome == "no law")

    @property
    def explained_dimension(self) -> int:
        """The dimension that the listed symmetry fields span at θ, at most :attr:`fiber_dimension`.

        The rest belongs to motions that are not listed, such as the symmetries that only special parameters have.
        """
        rows = [
            self._row({name: component(self.point) for name, component in symmetry.field})
            for symmetry in self.symmetries
        ]
        return Matrix(rows, self.parameter_count).rank()

    def _row(self, values: Mapping[str, Rational]) -> list[Rational]:
        """A vector from its nonzero entries."""
        return [values.get(name, Rational(0)) for name in self.fields.names]

    def _gradient(self, polynomial: Polynomial) -> list[Rational]:
        """∇Q(θ)."""
        return self._row({name: polynomial.derivative(name)(self.point) for name in polynomial.symbols()})

    def rates(self, velocity: Sequence[Any]) -> tuple[Rational, ...]:
        """Return dQ/dt = ∇Q(θ)·θ̇ of every law for a rational velocity θ̇, for instance of ``flow_field``."""
        vector = [rational(x, "velocity entry") for x in velocity]
        if len(vector) != self.parameter_count:
            raise InputError(f"velocity must have {self.parameter_count} entries, got {len(vector)}")
        return tuple(dot(self._gradient(q), vector) for q in self.potentials)

    def time_derivatives(self, law: int) -> tuple[Polynomial, ...]:
        """Return the polynomials ∇Q·∇p of law number ``law`` for all generators p: all are zero.

        dQ/dt is their combination with the coefficients −∂L/∂p.
        """
        if not 0 <= law < len(self.laws):
            raise InputError(f"law must be between 0 and {len(self.laws) - 1}, got {shorten(law)}")
        return tuple(_pairing(self.laws[law].polynomial, p, self.ring) for p in self._generators())

    def _generators(self) -> list[Polynomial]:
        return [polynomial_from_sparse(self.fields.polynomial(key), self.ring) for key in self.fields.generator_keys()]

    def verify(self) -> bool:
        """Check laws, brackets and the upper bound anew, in FLINT's polynomials; raise when something fails.

        Raises
        ------
        VerificationError
            Naming what fails.
        """
        self._verify_laws()
        proof = self.certificate
        span = BracketSpan.at(self.fields, self.point)
        if span.extend(proof.words) != proof.lie_dimension:
            raise VerificationError("the brackets of the certificate must be independent at the parameters")
        if self._upper_bound() != proof.lie_dimension:
            raise VerificationError(f"the upper bound by {proof.reason} must be {proof.lie_dimension}")
        return True

    def _verify_laws(self) -> None:
        fields, size = self.fields, self.parameter_count
        if isinstance(fields, PathFields) and fields.path_count * size > _FLINT_LIMIT:
            # Exponent vectors would be long: compare path by path in sparse form, or layer by layer beyond the limit.
            listed = fields.explicit() if fields.path_count <= PATH_LIMIT else fields
            gradients = [partial_derivatives(sparse_from_polynomial(law.polynomial)) for law in self.laws]
            broken = [law.name for law, field in zip(self.laws, gradients) if not listed.annihilated_by(field)]
        else:
            generators = self._generators()
            broken = [law.name for law in self.laws if any(_pairing(law.polynomial, p, self.ring) for p in generators)]
        if broken:
            raise VerificationError(f"the law must be constant along every field, but {broken[0]} is not")

    def _upper_bound(self) -> int:
        rows = [self._gradient(q) for q in self.potentials]
        directions = self.certificate.directions
        if self.certificate.reason == "closed module":
            closed = is_closed_module(self.fields, self.certificate.words, self.point)
            return self.lie_dimension if closed else self.parameter_count
        if directions is not None:
            assert isinstance(self.fields, PolynomialFields)
            if not is_invariant(self.fields, self.point, directions):
                raise VerificationError("the affine subspace of the certificate must be invariant under the fields")
            normals = directions.nullspace() if directions.row_count else Matrix.identity(self.parameter_count)
            rows += [list(row) for row in normals.rows]
        return self.parameter_count - Matrix(rows, self.parameter_count).rank()

    def to_text(self) -> str:
        """Return a readable report."""
        from symfiber.conservation.report import laws_text

        return laws_text(self)

    def to_latex(self, standalone: bool = False) -> str:
        """Return the report as LaTeX, a part for a document with amsmath or a whole document."""
        from symfiber.conservation.report import laws_latex

        return laws_latex(self, standalone)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-ready data."""
        from symfiber.conservation.report import laws_data

        return laws_data(self)

    def _repr_latex_(self) -> str:
        from symfiber.conservation.report import laws_notebook_latex

        return laws_notebook_latex(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return (
            f"<ConservationLaws of {self.setting}: {self.count} laws, fiber dimension {self.fiber_dimension}, "
            f"{self.parameter_count} parameters>"
        )


def _pairing(law: Polynomial, generator: Polynomial, ring: PolynomialRing) -> Polynomial:
    """∇Q·∇p."""
    shared = set(law.symbols()) & set(generator.symbols())
    return sum((law.derivative(x) * generator.derivative(x) for x in sorted(shared)), ring.constant(0))
