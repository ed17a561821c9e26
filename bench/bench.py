#!/usr/bin/env python3
"""One measurement, interleaved: bench.py tp|echo|attach|life|hundred --peers hold,dtach,tmux --rounds 7 (README.md)."""
import argparse
import functools
import statistics

import harness


def value_at(sample, path):
    for key in path.split("."):
        sample = sample[key]
    return sample


SHOWN = {
    "tp": ("mb_s", "cpu_ms_mb", "delivered", "foreign_cores"),
    "echo": ("gap.p50_us", "gap.p99_us", "hot.p50_us", "hot.p99_us", "cpu_us_per_key"),
    "attach": ("mark_ms", "last_ms", "bytes", "detach_ms"),
    "life": ("create_ms", "create_cmd_ms", "kill_ms"),
    "hundred": ("kib_per_session", "wakeups_s", "list_ms", "list_stopped_ms"),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("metric", choices=SHOWN)
    parser.add_argument("--peers", default="hold,dtach,tmux,screen")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--kind", default="ascii", help="tp: ascii, sgr or unicode")
    parser.add_argument("--mb", type=int, default=16, help="tp")
    parser.add_argument("--mode", default="attached", choices=harness.MODES, help="tp")
    parser.add_argument("--load", action="store_true", help="echo: another session floods")
    parser.add_argument("--lines", type=int, default=0, help="attach: lines of history")
    parser.add_argument("--count", type=int, default=100, help="hundred: sessions")
    args = parser.parse_args()
    sample = {
        "tp": functools.partial(harness.throughput, kind=args.kind, mb=args.mb, mode=args.mode),
        "echo": functools.partial(harness.echo, load=args.load),
        "attach": functools.partial(harness.attach, lines=args.lines),
        "life": harness.life,
        "hundred": functools.partial(harness.hundred, count=args.count),
    }[args.metric]
    for peer, samples in harness.interleave(args.peers.split(","), args.rounds, sample).items():
        good = [s for s in samples if "error" not in s]
        words = [f"{peer:10s} {len(good)}/{len(samples)} ok"]
        for path in SHOWN[args.metric]:
            values = [value_at(s, path) for s in good if path.split(".")[0] in s]
            if values:
                words.append(f"{path} {statistics.median(values):.2f} [{min(values):.2f}..{max(values):.2f}]")
        print("  ".join(words + [s["error"] for s in samples if "error" in s][:1]), flush=True)


if __name__ == "__main__":
    main()
