#!/usr/bin/env python3
"""Times how long nvcc takes for one translation unit: an empty one, one that includes iso/solve.cuh, and ones that
solve rows of each kind, each compiled to an object for one architecture, optimised.

Every line gives the best time of the runs, what that is above the empty unit, and the size of the object. The machine
should have nothing else to do.

    python3 benchmarks/compile_time/measure.py                     # sm_80, 3 runs
    python3 benchmarks/compile_time/measure.py --architecture 90 --runs 1 --nvcc /usr/local/cuda/bin/nvcc
"""
import argparse
import pathlib
import subprocess
import tempfile
import time

INCLUDE = pathlib.Path(__file__).resolve().parent.parent.parent / "include"


def solve(value, weighted):
    """A function that solves one row, as a caller's source has it."""
    weights = f"std::span<const {value}> w, " if weighted else ""
    return (f"iso::status fit(cudaStream_t stream, std::span<const {value}> y, {weights}std::span<{value}> fit) {{\n"
            f"  return iso::solve<{value}, {str(weighted).lower()}>(stream, y, {'w, ' if weighted else ''}fit);\n}}\n")


def units():
    """Name and text of each translation unit."""
    header = "#include <iso/solve.cuh>\n"
    every = [(value, weighted) for value in ("float", "double") for weighted in (False, True)]
    yield "empty", ""
    yield "#include <iso/solve.cuh>", header
    for value, weighted in every:
        yield f"solve<{value}, {str(weighted).lower()}>", header + solve(value, weighted)
    yield "all four", header + "".join(solve(*kind) for kind in every)


def compile_seconds(command, runs):
    """The best of the runs; a compiler that fails ends the program with what it said."""
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        best = min(best, time.perf_counter() - start)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--architecture", default="80", help="the number of sm_NUMBER")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--option", action="append", default=[], help="one more for nvcc, as in --option=-split-compile=2")
    options = parser.parse_args()

    print(f"{'translation unit':26} {'seconds':>8} {'added':>8} {'KiB':>8}   sm_{options.architecture}")
    empty = None
    with tempfile.TemporaryDirectory() as folder:
        source, compiled = pathlib.Path(folder) / "unit.cu", pathlib.Path(folder) / "unit.o"
        command = [options.nvcc, "-std=c++20", "-O3", f"-arch=sm_{options.architecture}", f"-I{INCLUDE}",
                   *options.option, "-c", str(source), "-o", str(compiled)]
        for name, text in units():
            source.write_text(text)
            seconds = compile_seconds(command, options.runs)
            empty = seconds if empty is None else empty
            size = compiled.stat().st_size / 1024
            print(f"{name:26} {seconds:8.2f} {seconds - empty:8.2f} {size:8.0f}", flush=True)


if __name__ == "__main__":
    main()
