"""Censuses against enumeration and independent sampling; pictures; their commands."""

from __future__ import annotations

import json
import random
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import pytest

import symfiber as sf
from symfiber import library
from symfiber.cells import cells
from symfiber.census import binomial_interval, random_integer_network, sample_census, sign_census
from symfiber.cli import main
from symfiber.report.plot import arrangement, plot_arrangement, plot_fiber_graph, save_figure
from symfiber.report.plot_function import breakpoints, plot_function
from symfiber.report.plot_orthant import plot_columns, plot_weighted_arrangement


class TestSignCensus:
    @pytest.mark.parametrize(("n1", "n2"), [(1, 1), (1, 3), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3)])
    def test_against_direct_counting(self, n1: int, n2: int) -> None:
        """Each case counted by its own definition, without the classifier."""
        rows = list(product((1, -1), repeat=n1 + 1))
        counts = dict.fromkeys(("identifiable", "hidden", "hidden-single", "constant", "dead", "linear"), 0)
        if n1 == 1:
            counts["reversible"] = 0
        hiding = [tuple(1 if k == i else -1 for k in range(n1 + 1)) for i in range(n1)]
        for pattern in product(rows, repeat=n2):
            live = [row for row in pattern if 1 in row]
            if not live:
                counts["constant"] += 1
            elif any(all(row == h for row in live) for h in hiding):
                counts["hidden" if len(live) > 1 else "hidden-single"] += 1
            elif len(live) < n2:
                counts["dead"] += 1
            elif any(-1 not in row for row in live):
                counts["linear"] += 1
            elif all(row == (-1, 1) for row in live):
                counts["reversible"] += 1
            else:
                counts["identifiable"] += 1
        census = sign_census(n1, n2)
        assert census.shares == {case: Fraction(n, len(rows) ** n2) for case, n in counts.items()}
        assert census.enumerated and sum(census.shares.values()) == 1

    def test_large_widths_use_the_closed_forms(self) -> None:
        census = sign_census(30, 40)
        assert not census.enumerated and sum(census.shares.values()) == 1
        assert census.shares["constant"] == Fraction(1, 2 ** (31 * 40)) and "closed forms" in str(census)

    @pytest.mark.parametrize("bad", [(0, 1), (1, -1), ("2", 2), (1.5, 2)])
    def test_bad_widths(self, bad: Any) -> None:
        with pytest.raises(sf.InputError):
            sign_census(*bad)

    def test_dead_probability(self) -> None:
        """A second-layer neuron is dead with probability 2^−(n₁+1) for n₁ ≤ d, exactly; more often for n₁ = d + 1."""
        for n1 in (1, 2, 3):
            rows = list(product((1, -1), repeat=n1 + 1))
            assert Fraction(sum(1 not in row for row in rows), len(rows)) == Fraction(1, 2 ** (n1 + 1))

    @pytest.mark.parametrize(("d", "total"), [(1, 4000), (2, 4000), (3, 1500)])
    def test_dead_probability_of_wide_layers(self, d: int, total: int) -> None:
        """n₁ = d + 1: (2^d + 1)/4^(d+1) for independent symmetric entries, sampled with an interval of 99.9 %."""
        draw, dead = random.Random(d), 0

        def row(length: int) -> list[Fraction]:
            return [Fraction(int(draw.gauss(0, 1) * 10**6) or 1) for _ in range(length)]

        for _ in range(total):
            first = ([row(d) for _ in range(d + 1)], row(d + 1))
            net = sf.Network([first, ([row(d + 1)], row(1)), ([[1]], [0])])
            dead += not any(cell.activation_pattern[1][0] for cell in cells(net))
        low, high = binomial_interval(dead, total, 0.001)
        assert low < (2**d + 1) / 4 ** (d + 1) < high
        assert high - low < 0.05


class TestIntervals:
    @pytest.mark.parametrize(("successes", "total"), [(0, 10), (3, 10), (10, 10), (499, 1000)])
    def test_against_exact_tails(self, successes: int, total: int) -> None:
        low, high = binomial_interval(successes, total)

        def at_most(k: int, share: Fraction) -> Fraction:
            return sum((comb(total, i) * share**i * (1 - share) ** (total - i) for i in range(k + 1)), Fraction(0))

        if successes:
            assert abs(float(1 - at_most(successes - 1, Fraction(low).limit_denominator(10**6))) - 0.025) < 1e-3
        if successes < total:
            assert abs(float(at_most(successes, Fraction(high).limit_denominator(10**6))) - 0.025) < 1e-3
        assert 0 <= low <= successes / total <= high <= 1

    def test_refusals(self) -> None:
        for bad in ((-1, 3), (4, 3), (0, 0)):
            with pytest.raises(sf.InputError, match="successes"):
                binomial_interval(*bad)


class TestSampledCensus:
    def test_executors_and_resuming_agree(self, tmp_path: Path) -> None:
        plain = sample_census((2, 2, 2, 1), 12, seed=3)
        assert plain.samples == 12 and max(plain.dimensions) <= 11
        for value, count in plain.dimensions.items():
            own = [sf.functional_dimension(random_integer_network((2, 2, 2, 1), 3, k)) for k in range(12)]
            assert own.count(value) == count
        with ProcessPoolExecutor(2) as pool:
            assert sample_census((2, 2, 2, 1), 12, 3, pool) == plain
        with ThreadPoolExecutor(2) as threads:
            assert sample_census((2, 2, 2, 1), 12, 3, threads, tmp_path / "threads.jsonl") == plain
        log = tmp_path / "census.jsonl"

        def interrupt(done: int) -> None:
            if done == 5:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            sample_census((2, 2, 2, 1), 12, 3, save=log, progress=interrupt)
        assert len(log.read_text().splitlines()) == 5
        log.write_text(log.read_text() + '{"architecture": [2, 2')
        assert sample_census((2, 2, 2, 1), 12, 3, save=log) == plain
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        assert sorted(line["sample"] for line in lines) == list(range(12))

    def test_dask(self) -> None:
        """A Dask cluster's executor works unchanged; skipped where Dask is not installed."""
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            distributed.Client(cluster) as client,
        ):
            assert sample_census((2, 2, 2, 1), 12, 3, client.get_executor()) == sample_census((2, 2, 2, 1), 12, 3)

    def test_refusals(self, tmp_path: Path) -> None:
        log = tmp_path / "census.jsonl"
        sample_census((2, 1, 1), 2, save=log)
        with pytest.raises(sf.InputError, match=r"must be for \(2, 2, 1\)"):
            sample_census((2, 2, 1), 2, save=log)
        log.write_text("nonsense\n" + log.read_text())
        with pytest.raises(sf.InputError, match="line 1"):
            sample_census((2, 1, 1), 2, save=log)
        with pytest.raises(sf.InputError, match="writable"):
            sample_census((2, 1, 1), 2, save=tmp_path / "no" / "x.jsonl")
        for bad in (0, -1, 1.5):
            with pytest.raises(sf.InputError, match="samples"):
                sample_census((2, 1, 1), bad)  # type: ignore[arg-type]


class TestPictures:
    @pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
    def test_files(self, tmp_path: Path, ending: str) -> None:
        save_figure(plot_arrangement(library.get("hidden-2-2-2-1")), tmp_path / f"a{ending}")
        save_figure(plot_fiber_graph(sf.fiber(library.get("dead-2-2-3-1"))), tmp_path / f"g{ending}")
        assert all((tmp_path / f"{name}{ending}").stat().st_size > 1000 for name in "ag")

    def test_hidden_segments(self) -> None:
        """A segment is hidden exactly when values at three collinear points across it are affine."""
        net = library.get("hidden-2-2-2-1")
        segments = arrangement(net, ((-4, 4), (-4, 4))).segments
        assert {True, False} == {segment.hidden for segment in segments}
        for segment in segments:
            start, end = segment.ends
            middle = [(a + b) / 2 for a, b in zip(start, end)]
            normal = (end[1] - start[1], start[0] - end[0])
            step = Fraction(1, 10**6)
            before, on, after = (net([m + k * step * n for m, n in zip(middle, normal)])[0] for k in (-1, 0, 1))
            assert (before + after == 2 * on) == segment.hidden

    def test_refusals(self, tmp_path: Path) -> None:
        with pytest.raises(sf.UnsupportedError, match="two inputs, got 3"):
            plot_arrangement(library.get("hidden-single-3-3-1-1"))
        with pytest.raises(sf.InputError, match="region"):
            arrangement(library.get("hidden-2-2-2-1"), ((1, 0), (0, 1)))
        with pytest.raises(sf.InputError, match=r"\.svg"):
            save_figure(plot_arrangement(library.get("hidden-2-2-2-1")), tmp_path / "a.gif")
        assert list(tmp_path.iterdir()) == []


class TestCommands:
    def test_dimension(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["dimension", "library:hiding-in-composition-2-2-2-2-1", "--json"]) == 0
        data = json.loads(capsys.readouterr().out)
        assert (data["functional_dimension"], data["local_fiber_dimension"], data["unexplained"]) == (10, 11, [])
        assert main(["dimension", "library:wide-1-2-1-1"]) == 0
        assert "unexplained 0" in capsys.readouterr().out

    def test_census_and_plot(self, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
        assert main(["census", "2", "2"]) == 0 and "17/32" in capsys.readouterr().out
        assert main(["census", "2", "1", "1", "--samples", "3", "--workers", "2"]) == 0
        assert "3 random 2-1-1 networks" in capsys.readouterr().out
        assert main(["census", "2", "1", "--depth", "3", "--samples", "2"]) == 0
        assert "2 random 2-2-1-1-1 networks" in capsys.readouterr().out
        assert main(["plot", "library:hidden-2-2-2-1", "-o", str(tmp_path / "a.svg"), "--size", "7/2"]) == 0
        assert (tmp_path / "a.svg").read_text().startswith("<?xml")

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            (["census"], 2),
            (["census", "0", "1"], 2),
            (["census", "2", "x"], 2),
            (["census", "2", "2", "1", "--samples", "0"], 2),
            (["census", "2", "2", "1", "--depth", "2"], 2),
            (["census", "2", "2", "--depth", "0"], 2),
            (["census", "2", "2", "1", "--workers", "0"], 2),
            (["plot", "library:hidden-2-2-2-1"], 2),
            (["plot", "library:hidden-2-2-2-1", "-o", "x.gif"], 2),
            (["plot", "library:hidden-2-2-2-1", "-o", "x.png", "--size", "-1"], 2),
            (["plot", "library:hidden-2-2-2-1", "-o", "x.png", "--size", "0.5"], 2),
            (["plot", "library:iris-4-2-3-3", "-o", "x.png"], 3),
            (["dimension", "missing.json"], 2),
        ],
    )
    def test_bad_input(self, arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(arguments) == code
        error = capsys.readouterr().err
        assert error.strip() and "Traceback" not in error and not Path("x.png").exists()


def test_pictures_of_the_quadrant_and_of_columns():
    layers = sf.Network([([[2, -1], [-1, 2], [1, 3], [-1, -1]], [1, 1, 2, -3]), ([[3, -2, 5, 1]], [0])]).scalar_layers
    axes = plot_weighted_arrangement(sf.OrthantFunction.from_layers(*layers)).axes[0]
    assert axes.get_title() == "nonlinear: 0, 1; linear: 2; dead: 3"
    for line, (w, b) in zip(axes.lines, (([2, -1], 1), ([-1, 2], 1))):
        for x, y in zip(*line.get_data()):
            assert abs(w[0] * x + w[1] * y + b) < 1e-9 and x >= 0 and y >= 0
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["neuron 0: jump [6, -3]", "neuron 1: jump [2, -4]"]
    pointed = plot_columns([[1, 2, 0], [0, 1, 3]]).axes[0].get_title()
    around = plot_columns([[1, 0, -1], [0, 1, -1]]).axes[0].get_title()
    assert pointed.endswith("= 2") and around.endswith("= 3") and "not pointed" in around
    plot_columns([[0, 0], [0, 0]])
    with pytest.raises(sf.UnsupportedError, match="two rows"):
        plot_columns([[1, 2]])
    wide = sf.Network([([[1, -2, 3]], [1]), ([[1]], [0])]).scalar_layers
    with pytest.raises(sf.UnsupportedError, match="two inputs"):
        plot_weighted_arrangement(sf.OrthantFunction.from_layers(*wide))


def test_the_graph_of_a_network_with_one_input():
    net = sf.Network([([[1]], [0]), ([[2], [1]], [-3, -5]), ([[1, -3]], [1])])
    assert [(place, layer, hidden) for place, layer, hidden in breakpoints(net)] == [
        (0, 1, True),
        (Fraction(3, 2), 2, False),
        (5, 2, False),
    ]
    axes = plot_function(net, (-2, 8)).axes[0]
    xs, ys = axes.lines[0].get_data()
    assert all(abs(float(net([Fraction(x)])[0]) - y) < 1e-9 for x, y in zip(xs, ys))
    with pytest.raises(sf.UnsupportedError, match="one input"):
        plot_function(sf.Network([([[1, 2]], [0]), ([[1]], [0])]))
