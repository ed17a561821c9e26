#!/usr/bin/env python3
"""make test: builds everything, runs everything, says in plain words what failed, and how long what took.

Three builds: release (what is shipped; all tests), asan (clang-19 with AddressSanitizer and UBSan; the tests of the rooms, the
recordings and end to end), fuzz (each fuzzer for 30 s). Closes with "N passed, N failed"; the exit code is 0 only if nothing failed.
"""
import os
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILDS = ROOT / "build"
JOBS = str(os.cpu_count() or 2)
SLOWEST_SHOWN = 12
FREE_MB_NEEDED = 4000
# The judges and the drawing of the house look at what is shipped; once is enough.
ONCE = r"^(oracles|project)\."
# Whoever starts the tests may sit in a session of hold or of another such program, or be an agent: no test may see it.
NOT_FOR_TESTS = ("HOLDFAST_", "TMUX", "STY", "CLAUDE", "ANTHROPIC_", "CODEX_", "GEMINI_")


def stop(sentence):
    print(f"make test: {sentence}", file=sys.stderr)
    sys.exit(1)


def run(words, **kwargs):
    return subprocess.run([str(word) for word in words], cwd=ROOT, stdin=subprocess.DEVNULL, **kwargs)


def stage(name):
    print(f"\n== {name}", flush=True)
    return time.monotonic()


def build(preset):
    start = stage(f"build {preset}")
    configure = run(["cmake", "--preset", preset, "-DHOLDFAST_TESTS=ON", "-Wno-dev", "--log-level=WARNING"])
    if configure.returncode != 0 or run(["cmake", "--build", BUILDS / preset]).returncode != 0:
        stop(f"the {preset} build failed (see above)")
    print(f"built in {time.monotonic() - start:.0f} s", flush=True)


def ctest(preset, *extra):
    """Runs the tests of a build; returns [(name, seconds, outcome)]."""
    start = stage(f"test {preset}")
    report = BUILDS / preset / "tests.xml"
    report.unlink(missing_ok=True)
    run(["ctest", "--test-dir", BUILDS / preset, "-j", JOBS, "--output-on-failure", "--no-tests=error",
         "--test-output-size-failed", "60000", "--output-junit", report, *extra])
    if not report.exists():
        stop(f"ctest could not run the tests of build/{preset}")
    print(f"took {time.monotonic() - start:.0f} s", flush=True)
    cases = ElementTree.parse(report).getroot().iter("testcase")
    return [(f"{preset}: {case.get('name')}", float(case.get("time")), outcome_of(case)) for case in cases]


def outcome_of(case):
    """ctest also says "notrun" of a test whose program or fixture is missing: that is a failure."""
    if case.get("status") == "run":
        return "passed"
    skipped = case.find("skipped")
    return "skipped" if skipped is not None and skipped.get("message", "").startswith("SKIP_") else "failed"


def check_disk():
    free_mb = shutil.disk_usage(ROOT).free // 2**20
    if free_mb < FREE_MB_NEEDED:
        stop(f"the disk of {ROOT} has {free_mb} MB left, the builds need {FREE_MB_NEEDED} MB: make room and run this again")


def under_a_reaper():
    """Orphans of the tests must be reaped at once, which not every PID 1 does: become a child of tini."""
    tini = shutil.which("tini")
    if tini and "HOLDFAST_TESTS_REAPED" not in os.environ:
        os.environ["HOLDFAST_TESTS_REAPED"] = "1"
        os.execv(tini, [tini, "-s", "--", sys.executable, "-B", str(Path(__file__).resolve())])


def main():
    under_a_reaper()
    start = time.monotonic()
    for name in [name for name in os.environ if name.startswith(NOT_FOR_TESTS)]:
        del os.environ[name]
    check_disk()
    for preset in ("release", "asan", "fuzz"):
        build(preset)
    results = ctest("release") + ctest("asan", "-E", ONCE) + ctest("fuzz")

    print("\nslowest:")
    for name, seconds, _ in sorted(results, key=lambda result: -result[1])[:SLOWEST_SHOWN]:
        print(f"  {seconds:7.1f} s  {name}")
    for name, _, outcome in results:
        if outcome != "passed":
            print(f"{outcome.upper()}: {name}")
    count = {word: sum(outcome == word for _, _, outcome in results) for word in ("passed", "failed", "skipped")}
    print(f"everything took {(time.monotonic() - start) / 60:.1f} min")
    print(f"{count['passed']} passed, {count['failed']} failed" + (f", {count['skipped']} skipped" if count["skipped"] else ""))
    return 1 if count["failed"] or not count["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
