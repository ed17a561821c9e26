#!/usr/bin/env python3
"""make test: builds everything, runs everything, says in plain words what failed, and how long what took.

Three builds: release (what is shipped; all tests), asan (clang-19 with AddressSanitizer and UBSan; all but those labelled
`release-only`), fuzz (each fuzzer for 30 s). Closes with "N passed, N failed"; the exit code is 0 only if nothing failed.
"""
import hashlib
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


def install_node_modules():
    """`npm ci` for each lock file of the tests, unless node_modules is of that very lock."""
    for lock in sorted((ROOT / "tests").rglob("package-lock.json")):
        if "node_modules" in lock.parts:
            continue
        digest = hashlib.sha256(lock.read_bytes()).hexdigest()
        stamp = lock.parent / "node_modules" / ".lock-sha256"
        if stamp.exists() and stamp.read_text() == digest:
            continue
        print(f"npm ci in {lock.parent.relative_to(ROOT)}", flush=True)
        words = ["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"]
        if subprocess.run(words, cwd=lock.parent, stdin=subprocess.DEVNULL).returncode != 0:
            stop(f"the node packages of {lock.parent.relative_to(ROOT)} cannot be installed (npm's words are above): is there "
                 "a network, and room on the disk?")
        stamp.write_text(digest)


def build(preset):
    start = stage(f"build {preset}")
    configure = run(["cmake", "--preset", preset, "-Wno-dev", "--log-level=WARNING"])
    if configure.returncode != 0 or run(["cmake", "--build", BUILDS / preset]).returncode != 0:
        stop(f"the {preset} build failed (see above)")
    print(f"built in {time.monotonic() - start:.0f} s", flush=True)


def ctest(preset, *extra):
    """Runs the tests of a build; returns [(name, seconds, passed)]."""
    start = stage(f"test {preset}")
    report = BUILDS / preset / "tests.xml"
    report.unlink(missing_ok=True)
    run(["ctest", "--test-dir", BUILDS / preset, "-j", JOBS, "--output-on-failure", "--no-tests=error",
         "--test-output-size-failed", "60000", "--output-junit", report, *extra])
    if not report.exists():
        stop(f"ctest could not run the tests of build/{preset}")
    print(f"took {time.monotonic() - start:.0f} s", flush=True)
    cases = ElementTree.parse(report).getroot().iter("testcase")
    return [(f"{preset}: {case.get('name')}", float(case.get("time")), case.get("status") == "run") for case in cases]


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
    install_node_modules()
    for preset in ("release", "asan", "fuzz"):
        build(preset)
    results = ctest("release") + ctest("asan", "-LE", "release-only") + ctest("fuzz")

    failed = [name for name, _, passed in results if not passed]
    print("\nslowest:")
    for name, seconds, _ in sorted(results, key=lambda result: -result[1])[:SLOWEST_SHOWN]:
        print(f"  {seconds:7.1f} s  {name}")
    for name in failed:
        print(f"FAILED: {name}")
    print(f"everything took {(time.monotonic() - start) / 60:.1f} min")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
