#!/usr/bin/env python3
"""The engine alone beside Ghostty's (npm ghostty-opentui), interleaved, in CPU time: part of make bench; engine.py --rounds 7."""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
# MiB/s that each workload must reach on an idle machine, and times Ghostty's speed.
GOALS = {
    "ascii_dense": (400, 3), "ascii_log": (None, 3), "cursor_random": (200, 3), "cursor_styled": (200, 3), "lines_short": (100, 3),
    "long_lines": (None, 3), "osc_links": (50, 3), "scroll_region": (None, 3), "scroll_region_top": (None, 3), "sgr_16": (130, 2),
    "sgr_truecolor": (130, 3), "tui_htop": (160, 3), "tui_ink": (160, 3), "tui_vim": (160, 3), "utf8_cjk": (330, 3),
    "utf8_latin": (None, 2), "utf8_mixed": (100, 3),
}
# Of the engine alone: run, value, unit, goal (at most).
FIGURES = (
    ("memory", "plain_bytes", "history line of 50 characters, bytes", 64),
    ("memory", "plain_10000_mib", "10,000 of them, MiB", 1),
    ("memory", "colour_bytes", "history line of 30 truecolour spans, bytes", 320),
    ("restore", "encode_ms", "snapshot of 200×60 and 10,000 lines, encode, ms", 5),
    ("restore", "decode_ms", "the same, decode, ms", 5),
    ("restore", "restore_ms", "the same, as VT, ms", 10),
    ("resize", "resize_ms", "resize 200 to 100 columns with 100,000 lines, ms", 2),
)


def run(argv):
    return json.loads(subprocess.run(argv, stdout=subprocess.PIPE, check=True, text=True).stdout)


def spread(values, digits):
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


def parse_table(engine, rounds, mebibytes):
    """Rows of the table of workloads, and how many goals were missed."""
    missed, rows = 0, []
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([sys.executable, "-B", os.path.join(HERE, "workloads/gen.py"), directory, "--mb", str(mebibytes)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name, (absolute, times) in GOALS.items():
            file = os.path.join(directory, name + ".bin")
            runs = {"hold": [engine, "parse", file], "ghostty": ["node", os.path.join(HERE, "engine/ghostty.mjs"), file]}
            speeds = {peer: [] for peer in runs}
            for _ in range(rounds):
                for peer in random.sample(list(runs), len(runs)):
                    speeds[peer].append(run(runs[peer])["mib_s"])
            ours, theirs = (statistics.median(speeds[peer]) for peer in ("hold", "ghostty"))
            reached = ours >= times * theirs and (absolute is None or ours >= absolute)
            missed += not reached
            goal = f"≥ {times} ×" + (f", ≥ {absolute} MiB/s" if absolute else "")
            rows.append(f"| {name}, MiB/s | {spread(speeds['hold'], 0)} | {spread(speeds['ghostty'], 1)} | {ours / theirs:.1f} | {goal} | "
                        f"{'reached' if reached else '**missed**'} |")
            print(rows[-1], flush=True)
    return missed


def figure_table(engine, rounds):
    missed = 0
    samples = {}
    for _ in range(rounds):
        for what in {figure[0] for figure in FIGURES}:
            samples.setdefault(what, []).append(run([engine, what]))
    for what, key, words, most in FIGURES:
        values = [sample[key] for sample in samples[what]]
        reached = statistics.median(values) <= most
        missed += not reached
        print(f"| {words} | {spread(values, 2)} | – | – | ≤ {most} | {'reached' if reached else '**missed**'} |", flush=True)
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", default=os.path.join(ROOT, "build/release/engine_bench"))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--mb", type=float, default=4, help="MiB a workload")
    args = parser.parse_args()
    print("| engine alone | hold | ghostty-opentui | times | goal | |\n|---|---|---|---|---|---|")
    missed = parse_table(args.engine, args.rounds, args.mb) + figure_table(args.engine, args.rounds)
    print(f"\n{missed} of the engine's goals not reached." if missed else "\nEvery goal of the engine reached.", file=sys.stderr)


if __name__ == "__main__":
    main()
