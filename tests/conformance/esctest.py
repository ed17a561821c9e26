#!/usr/bin/env python3
"""Runs esctest2, a test suite of xterm's control sequences, against the terminal engine: `ESCTEST=DIR make conformance`.

DIR is a copy of https://github.com/ThomasDickey/esctest2. It is GPL-2 and no part of this repository.

What fails must be what docs/conformance.md lists, each with its reason, no more and no less; and at least PASSED_MIN
tests must pass.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOLD = os.environ.get("HOLD", str(ROOT / "build/release/hold"))
LIST = ROOT / "docs/conformance.md"
PASSED_MIN = 480
# How long the suite waits for an answer that does not come, and how long a run of it may take, in seconds.
ANSWER_SECONDS = 2
RUN_SECONDS = 1800
# What the suite is told: an xterm of 2023 or later (?45 goes back over joined lines only) that is a VT420.
OPTIONS = ["--expected-terminal=xterm", "--options", "xtermWinopsEnabled", "--max-vt-level", "4",
           "--xterm-reverse-wrap", "383", "--timeout", str(ANSWER_SECONDS), "--no-print-logs"]


def suite():
    """The folder with esctest.py in it."""
    given = os.environ.get("ESCTEST", "")
    for folder in (pathlib.Path(given), pathlib.Path(given) / "esctest"):
        if given and (folder / "esctest.py").is_file():
            return folder.resolve()
    sys.exit("hold: esctest2 is not part of this repository. Fetch https://github.com/ThomasDickey/esctest2 and name the "
             "folder: ESCTEST=DIR make conformance")


def results(folder, include=".*"):
    """What became of each test: passed, failed, or known (the suite itself expects xterm to fail it, or skips it)."""
    with tempfile.TemporaryDirectory() as scratch:
        log = pathlib.Path(scratch) / "log"
        command = [HOLD, "debug", "vt", "--profile", "xterm", "--title-reports", "--plain-checksums", "--host", "--",
                   sys.executable, "-B", "esctest.py", *OPTIONS, "--logfile", str(log), "--include", include]
        subprocess.run(command, cwd=folder, timeout=RUN_SECONDS, stdout=subprocess.DEVNULL, check=False)
        text = log.read_text(errors="replace")
    outcome, name = {}, None
    for line in text.splitlines():
        if line.startswith("Run test: "):
            name = line.removeprefix("Run test: ")
        elif line == "Passed.":
            outcome[name] = "passed"
        elif line.startswith("*** TEST "):
            outcome[name] = "failed"
        elif line.startswith(("Fails as expected: ", "Skipped because ")):
            outcome[name] = "known"
    return outcome


def listed():
    """The tests that docs/conformance.md says fail."""
    return set(re.findall(r"`(\w+Tests\.test_\w+)`", LIST.read_text()))


def main():
    folder = suite()
    outcome = results(folder)
    names = {kind: sorted(n for n, k in outcome.items() if k == kind) for kind in ("passed", "known", "failed")}
    surprises = [n for n in names["failed"] if n not in listed()]
    # On a busy machine an answer can come too late; then the tests after it read the wrong one.
    if surprises:
        print(f"Once more, alone: {' '.join(surprises)}")
        again = results(folder, "^(" + "|".join(map(re.escape, surprises)) + ")$")
        for name in surprises:
            if again.get(name) == "passed":
                names["failed"].remove(name)
                names["passed"].append(name)
    print(f"esctest2: {len(outcome)} tests, {len(names['passed'])} passed, {len(names['known'])} known to the suite, "
          f"{len(names['failed'])} failed")
    for name in names["failed"]:
        print(f"  {name}{'' if name in listed() else '   NOT LISTED in docs/conformance.md'}")
    stale = sorted(listed() - set(names["failed"]))
    for name in stale:
        print(f"  {name}   is listed in docs/conformance.md, but does not fail")
    if len(names["passed"]) < PASSED_MIN:
        print(f"fewer than {PASSED_MIN} passed")
    good = set(names["failed"]) == listed() and len(names["passed"]) >= PASSED_MIN
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
