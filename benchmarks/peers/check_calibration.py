#!/usr/bin/env python3
"""Compares iso::calibrate with scikit-learn's IsotonicRegression on random data sets.

    python3 benchmarks/peers/check_calibration.py [--sets 2000] [--seed 1] [--compiler g++]

Needs numpy, scikit-learn and a C++20 compiler. Builds a small program against the headers of this repository, sends
it data sets (ties, weights of zero, both directions, bounds, both ways to answer scores out of range), and compares
the curve at the training scores, at random scores and at the ends. Prints the largest difference, relative to the
largest target, for each kind of data set; exit status 1 if one is above 1e-9 or NaN stands in different places.

scikit-learn sums in floating point and takes scores less than 1e-15 apart for equal. So the numbers agree up to
rounding, not bit for bit, and the scores drawn here are further apart than that.
"""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import sklearn
from sklearn.isotonic import IsotonicRegression

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Reads data sets from standard input until it ends, and answers each with its predictions.
PROGRAM = r"""
#include <cstdio>
#include <stdexcept>
#include <vector>
#include <iso/calibration.hpp>

static std::vector<double> read(long long n) {
  std::vector<double> v(static_cast<std::size_t>(n));
  if (std::fread(v.data(), sizeof(double), v.size(), stdin) != v.size()) throw std::runtime_error("input ends early");
  return v;
}

int main() {
  long long head[5];  // observations, weights (0 or as many), queries, increasing, NaN outside
  while (std::fread(head, sizeof head, 1, stdin) == 1) {
    const auto bounds = read(2), scores = read(head[0]), targets = read(head[0]), weights = read(head[1]);
    auto queries = read(head[2]);
    iso::calibration_curve<double> curve;
    iso::calibrate<double>(scores, targets, weights, curve,
                           {.increasing = head[3] != 0, .y_min = bounds[0], .y_max = bounds[1],
                            .outside = head[4] != 0 ? iso::out_of_range::nan : iso::out_of_range::clip,
                            .threads = 1}).check();
    curve.predict(queries, queries, 1).check();
    std::fwrite(queries.data(), sizeof(double), queries.size(), stdout);
    std::fflush(stdout);
  }
}
"""

KINDS = ("labels", "labels on a grid", "noise", "rounded noise", "trend", "large offset", "all tied")


def draw(kind, rng):
    """Scores, targets, weights (or None), options of one data set."""
    n = int(rng.integers(1, 300))
    x = rng.random(n)
    if kind == "labels on a grid":
        x = np.round(x * rng.integers(1, 40)) / 8
    if kind == "rounded noise":
        x = np.round(rng.normal(size=n), 1)
    if kind == "all tied":
        x = np.full(n, x[0])
    if kind.startswith("labels"):
        y = (rng.random(n) < x).astype(float)
    elif kind == "rounded noise":
        y = np.round(rng.normal(size=n), 1)
    elif kind == "trend":
        y = x + 0.1 * rng.normal(size=n)
    elif kind == "large offset":
        y = 1e6 + rng.random(n)
    else:
        y = rng.normal(size=n)
    w = None
    if rng.random() < 0.5:
        w = rng.choice([0.0, 0.5, 1.0, 2.0, 0.1], size=n) if rng.random() < 0.5 else rng.exponential(size=n)
        if not w.any():
            w[0] = 1.0
    low, high = (np.quantile(y, 0.2), np.quantile(y, 0.8)) if rng.random() < 0.3 else (-np.inf, np.inf)
    return x, y, w, bool(rng.random() < 0.5), low, high, bool(rng.random() < 0.3)


def ours(process, x, y, w, increasing, low, high, nan_outside, queries):
    head = np.array([len(x), 0 if w is None else len(w), len(queries), increasing, nan_outside], dtype=np.int64)
    parts = [np.array([low, high]), x, y, np.empty(0) if w is None else w, queries]
    process.stdin.write(head.tobytes() + b"".join(p.astype(np.float64).tobytes() for p in parts))
    process.stdin.flush()
    return np.frombuffer(process.stdout.read(8 * len(queries)), dtype=np.float64)


def theirs(x, y, w, increasing, low, high, nan_outside, queries):
    model = IsotonicRegression(
        increasing=increasing,
        y_min=None if np.isinf(low) else low,
        y_max=None if np.isinf(high) else high,
        out_of_bounds="nan" if nan_outside else "clip",
    )
    values = model.fit(x, y, sample_weight=w).predict(queries)
    if nan_outside and len(model.X_thresholds_) == 1:
        # The one known difference: there, a curve of one score answers every query even if asked for NaN.
        values[queries != model.X_thresholds_[0]] = np.nan
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=2000, help="data sets of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    worst, misplaced = {}, 0
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "driver.cpp"), os.path.join(folder, "driver")
        with open(source, "w") as file:
            file.write(PROGRAM)
        include = os.path.join(ROOT, "include")
        subprocess.run([args.compiler, "-std=c++20", "-O2", "-pthread", "-I", include, source, "-o", program], check=True)
        process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for kind in KINDS:
            worst[kind] = 0.0
            for _ in range(args.sets):
                x, y, *options = draw(kind, rng)
                span = x.max() - x.min() + 1
                inside = rng.uniform(x.min(), x.max(), size=100)
                queries = np.concatenate([x, inside, [x.min() - span, x.max() + span, np.inf, -np.inf, np.nan]])
                finite = queries[np.isfinite(queries)]  # which is all that scikit-learn accepts
                got = ours(process, x, y, *options, queries)
                want = theirs(x, y, *options, finite)
                misplaced += not np.isnan(got[-1])
                got = got[np.isfinite(queries)]
                misplaced += int((np.isnan(got) != np.isnan(want)).sum())
                worst[kind] = max(worst[kind], np.nanmax(np.abs(got - want), initial=0) / np.abs(y).max(initial=1e-300))
        process.stdin.close()
        if process.wait() != 0:
            sys.exit("the driver failed")
    print(f"scikit-learn {sklearn.__version__}, {args.sets} data sets of each kind, seed {args.seed}")
    for kind, difference in worst.items():
        print(f"{kind:18s} largest relative difference {difference:.2e}")
    print(f"NaN in different places: {misplaced}")
    sys.exit(0 if misplaced == 0 and max(worst.values()) < 1e-9 else 1)


if __name__ == "__main__":
    main()
