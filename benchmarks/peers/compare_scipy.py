#!/usr/bin/env python3
"""Times iso::host::solve beside scipy.optimize.isotonic_regression, on the same values in one run.

SciPy works in float64 and gets the values as float64; iso gets them as float32 and as float64. The calls take
turns. Each line gives the best time of each, the ratio of the times, and the largest difference of the fits
relative to the data's scale. Needs numpy, scipy and g++.

    python3 benchmarks/peers/compare_scipy.py                # 1e7 values of noise, one thread
    python3 benchmarks/peers/compare_scipy.py --n 1000000 --family all --threads 2
"""
import argparse
import tempfile
import time

import numpy as np
import scipy
from scipy.optimize import isotonic_regression

from host_library import build


def families(n):
    rng = np.random.default_rng(0)
    i = np.arange(n, dtype=np.float64)
    return {
        "noise": lambda: rng.standard_normal(n),
        "trend": lambda: 1e3 * i / n + rng.standard_normal(n),
        "increasing": lambda: i,
        "decreasing": lambda: -i,
        "sawtooth": lambda: i % 1000 + 1e-3 * i,
        "cliff": lambda: np.where(i < n - 1, i, -1e12),
        "labels": lambda: (rng.random(n) < i / n).astype(np.float64),
    }


def best_of_each(repeats, calls):
    """The least time of each call and its last result; the calls take turns, so that they meet the same machine."""
    times, results = [float("inf")] * len(calls), [None] * len(calls)
    for _ in range(repeats):
        for k, call in enumerate(calls):
            start = time.perf_counter()
            results[k] = call()
            times[k] = min(times[k], time.perf_counter() - start)
    return times, results


def iso_call(solve, y, threads):
    fit = np.empty_like(y)
    arguments = 8 * y.itemsize, y.ctypes.data, None, fit.ctypes.data, 1, len(y), threads

    def call():
        solve(*arguments)
        return fit
    return call


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=10_000_000)
    parser.add_argument("--family", default="noise", help="one of %s, or all" % ", ".join(families(1)))
    parser.add_argument("--threads", type=int, default=1, help="of iso (SciPy has one); 0: all")
    parser.add_argument("--repeats", type=int, default=7)
    args = parser.parse_args()

    made = families(args.n)
    names = list(made) if args.family == "all" else [args.family]
    print(f"SciPy {scipy.__version__}, n = {args.n}, iso on {args.threads or 'all'} thread(s), "
          f"best of {args.repeats}, milliseconds")
    print(f"{'family':<12}{'scipy f64':>10}{'iso f32':>10}{'ratio':>7}{'iso f64':>10}{'ratio':>7}{'difference':>12}")
    with tempfile.TemporaryDirectory() as folder:
        solve = build(folder)
        for name in names:
            y32 = made[name]().astype(np.float32)
            y64 = y32.astype(np.float64)
            (peer, f32, f64), (reference, _, fit) = best_of_each(
                args.repeats, [lambda: isotonic_regression(y64).x, iso_call(solve, y32, args.threads),
                               iso_call(solve, y64, args.threads)])
            row = f"{name:<12}{peer * 1e3:>10.1f}"
            for ours in (f32, f64):
                row += f"{ours * 1e3:>10.1f}{peer / ours:>7.2f}"
            scale = np.abs(y64).max() or 1.0
            print(row + f"{np.abs(fit - reference).max() / scale:>12.1e}", flush=True)


if __name__ == "__main__":
    main()
