#!/usr/bin/env python3
"""Draws results that report.py kept: one row's time against its length, and every shape's time in copies.

    python3 benchmarks/plot.py results.json --folder plots       # writes plots/time.svg and plots/copies.svg

Needs matplotlib; without it the script says so and ends with status 1.
"""
import argparse
import json
import pathlib

from report import cases

try:
    import matplotlib
    matplotlib.use("svg")
    from matplotlib import pyplot, ticker
except ImportError as error:
    raise SystemExit(f"plot.py needs matplotlib, which cannot be imported: {error}")

matplotlib.rcParams["svg.hashsalt"] = "iso"  # the same drawing, the same file


def unique(values):
    return list(dict.fromkeys(values))


def label(case):
    return " ".join(filter(None, (case["type"], case["variant"])))


def panels(found, height):
    """Axes beside one another, one for each family, with the family's cases."""
    families = unique(c["family"] for c in found)
    figure, axes = pyplot.subplots(1, len(families), figsize=(3.2 * len(families) + 1.2, height), sharex=True,
                                   sharey=True, squeeze=False, layout="constrained")
    for axis, family in zip(axes[0], families):
        axis.set_title(family)
        axis.grid(True, which="major", linewidth=0.4, color="0.85")
    return figure, [(axis, [c for c in found if c["family"] == family]) for axis, family in zip(axes[0], families)]


def add_legend(figure, parts):
    figure.legend(*parts[0][0].get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0), ncol=5,
                  fontsize="small", frameon=False)


def draw_times(found):
    """Milliseconds against n of single rows, the copies of the same bytes dotted in the same colour."""
    figure, parts = panels([c for c in found if c["rows"] == 1], 4)
    colours = {kind: f"C{i}" for i, kind in enumerate(unique(map(label, found)))}
    for axis, own in parts:
        for kind in unique(map(label, own)):
            line = sorted((c["n"], c["ms"], c["copy_ms"]) for c in own if label(c) == kind)
            n, ms, copy_ms = zip(*line)
            axis.loglog(n, ms, color=colours[kind], marker="o", markersize=3, label=kind)
            axis.loglog(n, copy_ms, color=colours[kind], linestyle=":", linewidth=1)
        axis.set_xlabel("n")
    parts[0][0].set_ylabel("ms (dotted: a copy of the same bytes)")
    add_legend(figure, parts)
    return figure


def draw_copies(found):
    """Time in copies of the same bytes, one line of the drawing for each shape."""
    shapes = unique(c["shape"] for c in found)
    figure, parts = panels(found, 1.6 + 0.28 * len(shapes))
    colours = {kind: f"C{i}" for i, kind in enumerate(unique(map(label, found)))}
    for axis, own in parts:
        for kind in unique(map(label, own)):
            dots = [(c["copies"], shapes.index(c["shape"])) for c in own if label(c) == kind]
            axis.scatter(*zip(*dots), s=18, color=colours[kind], label=kind)
        axis.set_xscale("log")
        axis.set_xlabel("copies")
    first = parts[0][0]
    low, high = (edge(c["copies"] for c in found) for edge in (min, max))
    first.set_xticks([t for k in range(-2, 6) for t in (10.0**k, 2 * 10.0**k, 5 * 10.0**k) if low / 2 < t < 2 * high])
    first.xaxis.set_major_formatter("{x:g}")
    first.xaxis.set_minor_locator(ticker.NullLocator())
    first.set_yticks(range(len(shapes)), shapes)
    first.invert_yaxis()
    add_legend(figure, parts)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", help="what report.py --json kept")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."))
    args = parser.parse_args()
    found = [c for path in args.results for c in cases(json.loads(pathlib.Path(path).read_text()))]
    found = [c for c in found if c["subject"] == "solve" and not c["error"]]
    if not found:
        raise SystemExit("no solves in the results")
    args.folder.mkdir(parents=True, exist_ok=True)
    drawings = {"copies": draw_copies(found)}
    if any(c["rows"] == 1 for c in found):
        drawings["time"] = draw_times(found)
    for name, figure in drawings.items():
        path = args.folder / f"{name}.svg"
        figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
        print(path)


if __name__ == "__main__":
    main()
