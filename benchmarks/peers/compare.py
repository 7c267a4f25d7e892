#!/usr/bin/env python3
"""Times iso::solve beside other libraries, on the same tensors in the same run, and checks that they agree.

    cmake --preset bench -D CMAKE_CUDA_ARCHITECTURES=native && cmake --build build/bench --target iso_peers
    python3 benchmarks/peers/compare.py --library build/bench/benchmarks/peers/libiso_peers.so --json peers.json
    python3 benchmarks/peers/compare.py --library ... --shape 1x1000000 --family sawtooth --dtype float32
    python3 benchmarks/peers/compare.py --library ... --all      # every shape and family, in both types, also weighted
    python3 benchmarks/peers/compare.py --device cpu       # iso::host::solve; builds it with g++
    python3 benchmarks/peers/compare.py --list             # what is installed, and what would be run
    python3 benchmarks/peers/compare.py --from peers.json  # the table of a run that was kept

Peers: TorchIsotonic, torchsort, SciPy, scikit-learn, as far as they are installed (`pip install torchisotonic==0.2.1
torchsort==0.1.10 scipy scikit-learn`). Needs PyTorch; without it, or without a device, the status is 4.

Without --all, --shape, --family and --dtype it runs the cases of the table in the top README.

How it is measured: solvers take turns, call by call, after a call that warms up. On the GPU the time is that between
two events around the call, on a stream that is busy while the call is enqueued, with the L2 cache flushed before. A
call that was still being enqueued when the stream got to it is counted as late, since its time may include that:
always where a library waits for the device within a call, as TorchIsotonic does with weights.
Libraries of the CPU are timed by the clock, with their data in the host's memory. Medians are printed: of iso also in
copies of the same bytes, of the others in times of iso. A fit that differs from ours, which is exact, by more than
its library's accuracy is reported, and the status is 1.
"""
import argparse
import dataclasses
import datetime
import json
import pathlib
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from report import NO_DEVICE, card_and_driver, commit, markdown

try:
    import torch
except ImportError as error:
    torch = error

SHAPES = ["1x1000000", "1x10000000", "1x100000000", "1000x10000", "10000x1000", "100x1000", "1000000x16", "10000000x5"]
FAMILIES = ["noise", "steep", "increasing", "sawtooth", "cliff"]  # those of data.hpp
DTYPES = ["float32", "float64"]
# The README's cases: noise in float32, but for what is named after the shape.
TABLE = [*SHAPES, "100000x200", "1x10000000 steep", "10000x1000 steep", "10000x1000 increasing",
         "1x100000000 increasing", "1x100000000 cliff", "1x100000000 sawtooth", "1x100000000 weighted",
         "10000x1000 weighted", "1x100000000 float64", "10000x1000 float64", "1000000x16 float64"]


@dataclasses.dataclass(frozen=True)
class Case:
    rows: int
    n: int
    family: str
    dtype: object
    weighted: bool

    def words(self):
        return {"rows": self.rows, "n": self.n, "family": self.family, "weighted": self.weighted,
                "dtype": str(self.dtype).removeprefix("torch.")}

    def data(self, device):
        """y and w (None without weights), rows x n each."""
        random = torch.Generator(device).manual_seed(1)
        i = torch.arange(self.n, dtype=torch.float64, device=device).expand(self.rows, -1)
        if self.family == "noise":
            y = torch.randn(i.shape, generator=random, dtype=torch.float64, device=device).add_(i, alpha=3 / self.n)
        elif self.family == "steep":
            y = torch.randn(i.shape, generator=random, dtype=torch.float64, device=device).mul_(2).add_(i)
        elif self.family == "sawtooth":
            y = i % 1000 + 1e-3 * i
        else:
            y = i.clone()
            if self.family == "cliff":
                y[:, -1] = -1e12
        w = None
        if self.weighted:
            w = torch.rand(i.shape, generator=random, dtype=self.dtype, device=device) + 0.1
        return y.to(self.dtype).contiguous(), w


class DeviceClock:
    """Milliseconds between events around a call, and whether it was late."""
    def __init__(self):
        self.flushed = torch.empty(1 << 28, dtype=torch.uint8, device="cuda")
        self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def __call__(self, call):
        torch.cuda.synchronize()
        self.flushed.zero_()
        torch.cuda._sleep(4_000_000)  # about two milliseconds, while which the call is enqueued
        self.events[0].record()
        call()
        self.events[1].record()
        late = self.events[0].query()
        torch.cuda.synchronize()
        return self.events[0].elapsed_time(self.events[1]), late


def host_clock(call):
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3, False


def time_in_turns(calls, budget):
    """What the clock says of each of the (clock, call) pairs: as often as fits the budget of milliseconds, 3 to 50."""
    times = [[] for _ in calls]
    for clock, call in calls:
        clock(call)
    wanted = [min(50, max(3, round(budget / max(clock(call)[0], 1e-3)))) for clock, call in calls]
    for turn in range(max(wanted)):
        for (clock, call), own, count in zip(calls, times, wanted):
            if turn < count:
                own.append(clock(call))
    return times


def difference(fit, exact):
    """The largest difference, relative to the largest exact value; NaN if either holds one."""
    fit, exact = fit.to(exact.device, torch.float64), exact.to(torch.float64)
    scale = exact.abs().max().item()
    return (fit - exact).abs().max().item() / (scale or 1.0)


def copy_call(y, w):
    """Copies as many bytes as a solve reads and writes."""
    source = torch.cat([t.flatten() for t in (y, w) if t is not None])
    source = source[:y.numel() * (2 if w is None else 3) // 2].clone()
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def try_peer(peer, y, w, case, exact):
    """A call of the peer, or None, and what is to be said of it so far."""
    if reason := peer.why_not(case):
        return None, {"not_run": reason}
    try:
        call = peer.bind(y, w)
        off = difference(peer.tensor(call()).reshape(y.shape), exact)
    except Exception as error:  # whatever a peer raises is told, and the others go on
        return None, {"failed": f"{type(error).__name__}: {error}"}
    return call, {"difference": off, "agrees": off <= peer.tolerance[case.dtype]}


def summary(times):
    """The outcome of a solver's calls."""
    ms = [took for took, _ in times]
    return {"ms": statistics.median(ms), "least_ms": min(ms), "most_ms": max(ms), "calls": len(ms),
            "late": sum(late for _, late in times)}


def run_case(case, ours, peers, device, budget):
    """What one case came to: a dictionary of each solver's times and differences."""
    y, w = case.data(device)
    clock = DeviceClock() if device == "cuda" else host_clock
    solve = ours.bind(y, w)
    exact = solve().clone()
    timed, outcomes = [("iso", clock, solve), ("copy", clock, copy_call(y, w))], {"iso": {}, "copy": {}}
    for peer in peers:
        call, outcomes[peer.name] = try_peer(peer, y, w, case, exact)
        if call is not None:
            timed.append((peer.name, host_clock if "(CPU)" in peer.name else clock, call))
    for (name, _, _), times in zip(timed, time_in_turns([(clock, call) for _, clock, call in timed], budget)):
        outcomes[name] |= summary(times)
    return {**case.words(), "solvers": outcomes}


def cell(outcome, iso):
    if "failed" in outcome:
        return "failed"
    if "ms" not in outcome:
        return "–"
    return f"{outcome['ms']:.3f} ({outcome['ms'] / iso:.2f}){'' if outcome['agrees'] else ' differs'}"


def print_tables(record):
    """Prints a table and what went wrong; whether all that ran agrees."""
    head = [record["card"], record["driver"] and f"driver {record['driver']}", record["torch"], record["date"],
            record["commit"] and f"commit {record['commit']}"]
    print(", ".join(filter(None, head)))
    print("; ".join(f"{name} {version}" for name, version in record["versions"].items()))
    for name, reason in record["missing"].items():
        print(f"not installed: {name} ({reason})")
    print("\nMilliseconds, median; in parentheses, the time in times of iso's.\n")
    peers, rows, notes, told = list(record["versions"]), [], [], []
    for result in record["results"]:
        solvers, label = result["solvers"], f"{result['dtype']}{' weighted' if result['weighted'] else ''}"
        iso = solvers["iso"]["ms"]
        rows.append([f"{result['rows']}x{result['n']}", result["family"], label, f"{iso:.3f}",
                     f"{iso / solvers['copy']['ms']:.2f}", *(cell(solvers[peer], iso) for peer in peers)])
        for name in ("iso", *peers):
            if late := solvers[name].get("late"):
                told.append(f"{name}, {', '.join(rows[-1][:3])}: {late} of {solvers[name]['calls']} calls were late")
        for peer in peers:
            if not solvers[peer].get("agrees", "not_run" in solvers[peer]):
                what = solvers[peer].get("failed") or f"differs by {solvers[peer]['difference']:.1e}"
                notes.append(f"{peer}, {', '.join(rows[-1][:3])}: {what}")
    print(markdown(["rows x n", "family", "type", "iso:", "copies:", *(f"{peer}:" for peer in peers)], rows))
    print("\n" + "\n".join(notes) if notes else "\nAll agree, each to its own accuracy.")
    if told:
        print("\n" + "\n".join(told))
    return not notes


def table_cases():
    for line in TABLE:
        shape, *words = line.split()
        rows, n = map(int, shape.split("x"))
        family = next((f for f in FAMILIES if f in words), "noise")
        dtype = next((d for d in DTYPES if d in words), "float32")
        yield Case(rows, n, family, getattr(torch, dtype), "weighted" in words)


def crossed_cases(args):
    for shape in args.shape or SHAPES:
        rows, n = map(int, shape.split("x"))
        for family in FAMILIES if args.all or "all" in (args.family or []) else args.family or ["noise"]:
            if family == "sawtooth" and n <= 1000:
                continue  # it would just be increasing
            for dtype in args.dtype or DTYPES:
                for weighted in [False, True]:
                    yield Case(rows, n, family, getattr(torch, dtype), weighted)


def wanted_cases(args):
    return crossed_cases(args) if args.all or args.shape or args.family or args.dtype else table_cases()


def load_ours(args, folder):
    import host_library
    import solvers
    if args.device == "cpu":
        return solvers.IsoHost(host_library.build(folder))
    return solvers.IsoDevice(args.library)


def run(args):
    from solvers import find_peers
    peers, missing = find_peers(args.device)
    card, driver = card_and_driver() if args.device == "cuda" else ("CPU", "")
    card = card or torch.cuda.get_device_name()
    record = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "card": card,
              "driver": driver, "commit": args.commit or commit(), "torch": f"PyTorch {torch.__version__}",
              "versions": {peer.name: peer.version for peer in peers}, "missing": missing, "results": []}
    with tempfile.TemporaryDirectory() as folder:
        ours = load_ours(args, folder)
        for case in wanted_cases(args):
            print(case.words(), file=sys.stderr, flush=True)
            record["results"].append(run_case(case, ours, peers, args.device, args.budget))
            if args.json:  # after each, lest a run that is stopped has measured in vain
                args.json.write_text(json.dumps(record, indent=1) + "\n")
            if args.device == "cuda":
                torch.cuda.empty_cache()
    return record


def list_all(args):
    from solvers import find_peers
    peers, missing = find_peers(args.device)
    for peer in peers:
        print(f"{peer.name} {peer.version}")
    for name, reason in missing.items():
        print(f"not installed: {name} ({reason})")
    for case in wanted_cases(args):
        skipped = [f"{peer.name} ({reason})" for peer in peers if (reason := peer.why_not(case))]
        print(case.words(), "without " + ", ".join(skipped) if skipped else "")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=pathlib.Path, help="what the target iso_peers built")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--shape", action="append", metavar="ROWSxN", help="may be repeated")
    parser.add_argument("--family", nargs="+", choices=[*FAMILIES, "all"])
    parser.add_argument("--dtype", nargs="+", choices=DTYPES)
    parser.add_argument("--all", action="store_true", help="every family of every shape")
    parser.add_argument("--budget", type=float, default=300, help="milliseconds of calls of each solver in each case")
    parser.add_argument("--json", type=pathlib.Path, help="where to keep the results")
    parser.add_argument("--from", dest="kept", type=pathlib.Path, help="print results kept before, run nothing")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--commit", default="", help="the commit, where this folder is not a repository's")
    return parser, parser.parse_args()


def main():
    parser, args = parse()
    if args.kept:
        raise SystemExit(0 if print_tables(json.loads(args.kept.read_text())) else 1)
    reason = ""
    if isinstance(torch, ImportError):
        reason = f"PyTorch cannot be imported: {torch}"
    elif args.device == "cuda" and not args.list and not torch.cuda.is_available():
        reason = f"PyTorch {torch.__version__} finds no CUDA device"
    if reason:
        print(f"Nothing to compare: {reason}", file=sys.stderr)
        raise SystemExit(NO_DEVICE)
    if args.list:
        return list_all(args)
    if args.device == "cuda" and args.library is None:
        parser.error("--library is missing; build the target iso_peers")
    record = run(args)
    raise SystemExit(0 if print_tables(record) else 1)


if __name__ == "__main__":
    main()
