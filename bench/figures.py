#!/usr/bin/env python3
"""make bench: the figures that Holdfast is held to, beside tmux, screen and dtach on the same machine in the same minutes.

Every figure is a median of interleaved rounds. Prints a table (Markdown) with the goal of each and whether it was reached;
with --out also keeps all samples as JSON. Nothing here is a test: a noisy machine makes noisy figures, and the spread is shown.
"""
import argparse
import datetime
import functools
import json
import os
import platform
import statistics
import sys

KINDS = (("ascii", "dense"), ("sgr", "truecolour"), ("unicode", "UTF-8"))
COLUMNS = ("hold", "dtach", "tmux", "screen")


class Figure:
    """One row: samples by peer, which value of them counts, and the goal as a bound on it."""

    def __init__(self, name, unit, samples, value, goal, bound=None, at_least=False, digits=1):
        self.name, self.unit, self.goal, self.at_least, self.digits = name, unit, goal, at_least, digits
        self.values = {peer: [v for v in map(value, good(peer_samples)) if v is not None] for peer, peer_samples in samples.items()}
        self.bound = bound(self.medians()) if bound else None

    def medians(self):
        return {peer: statistics.median(values) for peer, values in self.values.items() if values}

    def reached(self):
        have = self.medians().get("hold")
        if have is None or self.bound is None:
            return None
        return have >= self.bound if self.at_least else have <= self.bound

    def row(self):
        cells = []
        for peer in COLUMNS:
            values = self.values.get(peer)
            cells.append(f"{statistics.median(values):.{self.digits}f} ({min(values):.{self.digits}f}–{max(values):.{self.digits}f})"
                         if values else "–")
        verdict = {True: "reached", False: "**missed**", None: "?"}[self.reached()]
        return f"| {self.name}, {self.unit} | " + " | ".join(cells) + f" | {self.goal} | {verdict} |"


def good(samples):
    return [sample for sample in samples if "error" not in sample]


def ratio_of(peer, factor):
    return lambda medians: medians[peer] * factor if peer in medians else None


def fixed(value):
    return lambda medians: value


def key(name):
    return lambda sample: sample.get(name)


def nested(outer, inner):
    return lambda sample: sample[outer][inner]


def figures(rounds, keep, quick):
    import harness
    mb = 4 if quick else 16

    def sampled(name, peers, function, times=1, **options):
        samples = harness.interleave([p for p in peers if p in harness.PEERS], rounds * times, functools.partial(function, **options))
        keep[name] = samples
        return samples

    for kind, word in KINDS:
        # Short samples of wide spread: more of them.
        samples = sampled(f"attached {kind}", COLUMNS, harness.throughput, times=1 if quick else 3, kind=kind, mb=mb)
        yield Figure(f"attached, {word}", "MB/s", samples, key("mb_s"), "≥ 0.9 × dtach", ratio_of("dtach", 0.9), at_least=True)
        yield Figure(f"attached, {word}", "CPU ms/MB", samples, key("cpu_ms_mb"), "≤ ⅔ tmux", ratio_of("tmux", 2 / 3), digits=2)
    for kind, word in KINDS:
        samples = sampled(f"detached {kind}", ("hold", "dtach"), harness.throughput, kind=kind, mb=16 if quick else 256, mode="detached")
        yield Figure(f"detached, {word}, all parsed", "MB/s", samples, key("mb_s"), "≥ 0.85 × dtach", ratio_of("dtach", 0.85), at_least=True)
    samples = sampled("three clients", ("hold", "dtach", "tmux"), harness.throughput, mb=mb, mode="clients3")
    yield Figure("three clients, slowest", "MB/s", samples, key("mb_s"), "≥ 1.5 × tmux", ratio_of("tmux", 1.5), at_least=True)
    yield Figure("three clients, bytes that arrive", "of those written", samples, key("delivered"), "all", fixed(1.0), at_least=True, digits=3)
    for load, word in ((False, "idle"), (True, "another session floods")):
        samples = sampled(f"echo {word}", COLUMNS, harness.echo, load=load)
        for pace in ("gap", "hot"):
            yield Figure(f"echo, {word}, {pace}, p50", "µs", samples, nested(pace, "p50_us"), "≤ 1.15 × dtach", ratio_of("dtach", 1.15))
    samples = sampled("attach 0", COLUMNS, harness.attach)
    yield Figure("attach, no history, last byte", "ms", samples, key("last_ms"), "≤ dtach + 5 ms",
                 lambda medians: medians["dtach"] + 5 if "dtach" in medians else None)
    samples = sampled("attach 10000", ("hold", "tmux", "screen"), harness.attach, lines=10000)
    yield Figure("attach, 10,000 lines, last byte", "ms", samples, key("last_ms"), "< 40 ms", fixed(40))
    samples = sampled("life", COLUMNS, harness.life, times=1 if quick else 3)
    yield Figure("first create, program runs", "ms", samples, key("create_ms"), "≤ 1.5 × dtach", ratio_of("dtach", 1.5))
    samples = sampled("hundred", COLUMNS, harness.hundred, idle_s=3 if quick else 10)
    yield Figure("list of 100 sessions", "ms", samples, key("list_ms"), "< 20 ms", fixed(20))
    yield Figure("the same, one holder stopped", "ms", samples, key("list_stopped_ms"), "≤ 100 ms more",
                 lambda medians: statistics.median(s["list_ms"] for s in good(samples["hold"])) + 100 if good(samples["hold"]) else None)
    yield Figure("memory a session, 100 running", "KiB PSS", samples, key("kib_per_session"), "≤ 1.2 MB", fixed(1.2e6 / 1024), digits=0)
    yield Figure("wake-ups, 100 idle sessions", "a second", samples, key("wakeups_s"), "none", fixed(0))
    for mb, count, word, bound in ((20, 20, "20 MB printed, 10,000 lines kept", 1.2e6), (0, 100, "fresh", 400e3)):
        samples = sampled(f"sleeping {mb}", ("hold",), harness.sleeping, mb=mb, count=5 if quick else count, idle_s=2 if quick else 10)
        yield Figure(f"asleep, {word}: memory a session, of {count}", "KiB PSS", samples, key("kib_per_session"), f"≤ {bound / 1e6:g} MB",
                     fixed(bound / 1024), digits=0)
        yield Figure(f"asleep, {word}: wake-ups", "a second", samples, key("wakeups_s"), "none", fixed(0))
        yield Figure(f"asleep, {word}: waking adds to an attach", "ms", samples, key("waking_ms"), "≤ 15 ms", fixed(15))


def machine():
    model = "unknown processor"
    with open("/proc/cpuinfo") as cpuinfo:
        for line in cpuinfo:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{os.cpu_count()} × {model}, Linux {platform.release()}, {datetime.date.today().isoformat()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hold", help="the binary to measure")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--out", help="file for all samples, JSON")
    parser.add_argument("--quick", action="store_true", help="small loads, to see that everything runs")
    args = parser.parse_args()
    if args.hold:
        os.environ["HOLD"] = os.path.abspath(args.hold)  # read by adapters.py when figures() imports the harness
    keep = {}
    print(f"{machine()}; medians of {args.rounds} interleaved rounds (least–most)\n")
    print("| figure | " + " | ".join(COLUMNS) + " | goal | |\n|---|" + "---|" * len(COLUMNS) + "---|---|")
    missed = 0
    for figure in figures(args.rounds, keep, args.quick):
        missed += figure.reached() is not True
        print(figure.row(), flush=True)
    if args.out:
        with open(args.out, "w") as out:
            json.dump(keep, out)
    print(f"\n{missed} of the goals not reached." if missed else "\nEvery goal reached.", file=sys.stderr)


if __name__ == "__main__":
    main()
