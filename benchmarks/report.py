#!/usr/bin/env python3
"""Runs the benchmarks, prints their times beside copies of the same bytes as Markdown, and keeps them as JSON.

    cmake --preset bench -D CMAKE_CUDA_ARCHITECTURES=native && cmake --build build/bench --target bench_device
    python3 benchmarks/report.py build/bench/benchmarks/device --json results.json
    python3 benchmarks/report.py build/bench/benchmarks/controls --json controls.json
    python3 benchmarks/report.py build/bench/benchmarks/device/bench_solve_float --filter 'noise/1x'
    python3 benchmarks/report.py build/bench/benchmarks/host/bench_host --json host.json
    python3 benchmarks/report.py --from results.json --compact noise       # the tables of a run that was kept

Arguments are programs of Google Benchmark, or folders whose programs named bench_* are meant. The JSON holds the
card, the driver, the commit, the date and what each program wrote by --benchmark_out; result.hpp says what the
names and counters mean. Needs nothing but Python. Exit status: 4 if no program found a device, 1 if a program or
one of its benchmarks failed, or nothing was measured.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

NO_DEVICE = 4
ROOT = pathlib.Path(__file__).resolve().parent.parent


def output_of(*command):
    """What a command prints, or an empty text if it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def commit():
    """The commit of this folder's repository, with a plus sign if files differ from it; empty outside of one."""
    head = output_of("git", "-C", str(ROOT), "rev-parse", "HEAD")
    return head + ("+" if head and output_of("git", "-C", str(ROOT), "status", "--porcelain") else "")


def card_and_driver():
    first = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()[:1]
    name, _, driver = first[0].partition(", ") if first else ("", "", "")
    return name, driver


def programs(paths):
    """The programs that the arguments name, in order."""
    for path in map(pathlib.Path, paths):
        found = sorted(path.glob("bench_*")) if path.is_dir() else [path]
        found = [p for p in found if p.is_file() and os.access(p, os.X_OK)]
        if not found:
            raise SystemExit(f"{path}: no benchmark program; build the target bench_device or bench_host")
        yield from found


def run(program, pattern):
    """What the program wrote by --benchmark_out (None if it failed), and its exit status."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.json"
        command = [str(program.resolve()), f"--benchmark_out={out}", "--benchmark_out_format=json"]
        command += [f"--benchmark_filter={pattern}"] if pattern else []
        status = subprocess.run(command, stdout=sys.stderr).returncode
        if status != 0 or not out.exists() or out.stat().st_size == 0:
            print(f"{program}: no results, status {status}", file=sys.stderr)
            return None, status
        return {"program": program.name, **kept(json.loads(out.read_text()))}, 0


def kept(result):
    """What of a program's results is worth keeping: not the names of the machine and of its folders, nor what Google
    Benchmark measures of loops that this suite times itself; numbers to six digits."""
    context = {k: v for k, v in result["context"].items() if k not in ("host_name", "executable", "load_avg", "caches")}
    idle = {"name", "family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads",
            "run_type", "iterations", "cpu_time", "time_unit"}
    runs = [{k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in one.items() if k not in idle}
            for one in result["benchmarks"]]
    return {"context": context, "benchmarks": runs}


def text_of(record):
    """The record as JSON, with a line for every benchmark."""
    def block(open_with, items, depth):
        pad = "\n" + " " * depth
        return open_with[:-1] + pad + ("," + pad).join(items) + "]}"

    def head(of, key):
        return json.dumps({**{k: v for k, v in of.items() if k != key}, key: []})[:-1]

    runs = [block(head(run, "benchmarks"), map(json.dumps, run["benchmarks"]), 2) for run in record["runs"]]
    return block(head(record, "runs"), runs, 1) + "\n"


def run_all(paths, pattern, commit_text):
    """The record of a run of all programs, and their exit statuses."""
    name, driver = card_and_driver()
    record = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "card": name,
              "driver": driver, "commit": commit_text or commit(), "runs": []}
    statuses = []
    for program in programs(paths):
        result, status = run(program, pattern)
        statuses.append(status)
        if result is not None:
            record["runs"].append(result)
            record["card"] = record["card"] or result["context"].get("device", "")
    return record, statuses


def cases(record):
    """One dictionary for each benchmark: subject, type, family, shape, rows, n, variant, ms and its counters."""
    for program in record["runs"]:
        for result in program["benchmarks"]:
            parts = [p for p in result["run_name"].split("/") if not p.startswith(("iterations:", "manual_time"))]
            subject, kind, family, shape = parts[:4]
            rows, n = map(int, shape.split("x"))
            yield {**result, "subject": subject, "type": kind, "family": family, "shape": shape, "rows": rows,
                   "n": n, "variant": "/".join(parts[4:]), "ms": result["real_time"],
                   "error": result.get("error_message", "")}


def markdown(head, rows):
    """A table; columns whose heads end in a colon hold numbers."""
    align = ["---:" if h.endswith(":") else "---" for h in head]
    lines = [[h.rstrip(":") for h in head], align, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def solve_table(found):
    head = ["rows x n", "family", "type", "ms:", "least:", "most:", "copy ms:", "copies:"]
    rows = []
    for c in found:
        kind = " ".join(filter(None, [c["type"], c["variant"], "(late)" if c.get("late") else ""]))
        rows.append([c["shape"], c["family"], kind, *(f"{c[k]:.4f}" for k in ("ms", "least_ms", "most_ms", "copy_ms")),
                     f"{c['copies']:.2f}"])
    return markdown(head, rows)


def baseline_table(found):
    head = ["rows x n", "family", "type", "thread a row, ms:", "iso, ms:", "ratio:", "difference:"]
    return markdown(head, [[c["shape"], c["family"], c["type"], f"{c['ms']:.4f}", f"{c['solve_ms']:.4f}",
                            f"{c['ms'] / c['solve_ms']:.2f}", f"{c['difference']:.1e}"] for c in found])


def controls_table(found):
    """Ways to merge a row's chunk hulls, or to hull lanes, each beside the paper's way in the same turns."""
    head = ["n:", "family", "what", "way", "ms:", "least:", "most:", "paper's way, ms:", "ratio:", "levels:",
            "launches:", "MB held:", "missing:", "extra:"]
    rows = []
    for c in found:
        way = c["variant"] + (" (late)" if c.get("late") else "")
        counts = [f"{c[k]:.0f}" if k in c else "" for k in ("levels", "launches")]
        held = f"{c['held_bytes'] / 1e6:.1f}" if "held_bytes" in c else ""
        wrong = [f"{c[k]:.0f}" if c.get(k) else "" for k in ("missing", "extra")]
        rows.append([str(c["n"]), c["family"], c["subject"], way,
                     *(f"{c[k]:.4f}" for k in ("ms", "least_ms", "most_ms", "beside_ms")),
                     f"{c['ms'] / c['beside_ms']:.2f}", *counts, held, *wrong])
    return markdown(head, rows)


def compact_table(found, family):
    """Shapes down, types across: milliseconds and copies of one family."""
    found = [c for c in found if c["family"] == family]
    kinds = list(dict.fromkeys((c["type"], c["variant"]) for c in found))
    shapes = list(dict.fromkeys(c["shape"] for c in found))
    by_place = {(c["shape"], c["type"], c["variant"]): c for c in found}
    rows = []
    for shape in shapes:
        line = [shape]
        for kind in kinds:
            c = by_place.get((shape, *kind))
            line += [f"{c['ms']:.3f}", f"{c['copies']:.1f}"] if c else ["", ""]
        rows.append(line)
    head = ["rows x n"]
    for kind in kinds:
        head += [" ".join(filter(None, kind)) + ", ms:", "copies:"]
    return markdown(head, rows)


def print_tables(record, family):
    found = list(cases(record))
    good = [c for c in found if not c["error"]]
    solves = [c for c in good if c["subject"] == "solve"]
    baselines = [c for c in good if c["subject"] == "thread_per_row"]
    controls = [c for c in good if c["subject"] in ("merge", "lanes")]
    where = [record["card"] or "CPU", f"driver {record['driver']}" if record["driver"] else "",
             f"commit {record['commit']}" if record["commit"] else "", record["date"]]
    print(", ".join(filter(None, where)) + ". Milliseconds, median, least and most of many calls.\n")
    if solves:
        print(compact_table(solves, family) if family else solve_table(solves), end="\n\n")
    if baselines and not family:
        print(baseline_table(baselines), end="\n\n")
    if controls and not family:
        print(controls_table(controls), end="\n\n")
    for c in found:
        if c["error"]:
            print(f"failed: {c['run_name']}: {c['error']}")
    return bool(good) and len(good) == len(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--filter", default="", help="run the benchmarks whose names this expression is found in")
    parser.add_argument("--json", help="where to keep the results")
    parser.add_argument("--from", dest="kept", help="print results kept before, run nothing")
    parser.add_argument("--compact", metavar="FAMILY", help="a short table of one family of data")
    parser.add_argument("--commit", default="", help="the commit, where this folder is not a repository's")
    args = parser.parse_args()
    if bool(args.kept) == bool(args.programs):
        parser.error("name programs to run, or results with --from")

    if args.kept:
        record, statuses = json.loads(pathlib.Path(args.kept).read_text()), [0]
    else:
        record, statuses = run_all(args.programs, args.filter, args.commit)
        if all(status == NO_DEVICE for status in statuses):
            raise SystemExit(NO_DEVICE)
        if args.json:
            pathlib.Path(args.json).write_text(text_of(record))
    whole = print_tables(record, args.compact)
    raise SystemExit(0 if whole and not any(statuses) else 1)


if __name__ == "__main__":
    main()
