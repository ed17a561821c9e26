"""What the completion scripts offer, asked of the shells themselves."""

import subprocess
import unittest
from shutil import which

from harness import Case, main

BASH = """source <(hold completion bash)
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_hold
((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
"""


class Offers(Case):
    def setUp(self):
        super().setUp()
        (self.world.root / "bin").mkdir()
        (self.world.root / "bin/hold").symlink_to(self.world.binary)
        self.env = self.world.env | {"PATH": f"{self.world.root}/bin:{self.world.env['PATH']}"}

    def run_shell(self, *argv):
        done = subprocess.run(argv, env=self.env, cwd=self.world.root / "work", capture_output=True, text=True, timeout=30, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split("\n")[:-1]

    def bash(self, *words):
        return sorted(self.run_shell("bash", "--norc", "-c", BASH, "bash", *words))

    def fish(self, line):
        found = self.run_shell("fish", "--no-config", "-c", 'hold completion fish | source; complete -C "$argv[1]"', line)
        return sorted(word.split("\t")[0] for word in found)

    def start_three(self):
        for name in ("alive", "awake", "over"):
            self.world.start(name, "cat")
        self.world.must("kill", "over")

    def test_kill_is_offered_the_living_rm_the_ended_and_nobody_twice(self):
        self.start_three()
        for ask in (self.bash, lambda *words: self.fish(" ".join(words))):
            if ask != self.bash and not which("fish"):
                continue
            self.assertEqual(ask("hold", "kill", ""), ["alive", "awake"])
            self.assertEqual(ask("hold", "kill", "alive", ""), ["awake"])
            self.assertEqual(ask("hold", "kill", "aw"), ["awake"])
            self.assertEqual(ask("hold", "rm", ""), ["over"])
            self.assertEqual(ask("hold", "rm", "over", ""), [])
            self.assertEqual(ask("hold", "read", ""), ["alive", "awake", "over"])

    def test_a_detach_key_is_offered_only_if_hold_takes_it(self):
        offered = self.bash("hold", "attach", "--detach-key", "")
        self.assertIn("ctrl-x", offered)
        self.assertIn("none", offered)
        for key in offered:
            # As the command line takes it: a word that the shell reads once more.
            word = self.run_shell("bash", "-c", f"printf '%s\\n' {key}")[0]
            self.assertIn("absent", self.world.hold("attach", "absent", "--detach-key", word).complaint, key)

    @unittest.skipUnless(which("fish"), "fish is not installed")
    def test_fish_offers_the_same_detach_keys(self):
        read = [self.run_shell("bash", "-c", f"printf '%s\\n' {key}")[0] for key in self.bash("hold", "new", "--detach-key", "")]
        # It tells the words as they are, and quotes them itself when one is chosen.
        self.assertEqual(self.fish("hold new --detach-key "), sorted(read))

    def test_dashes_before_a_verb_offer_what_may_stand_there(self):
        self.assertEqual(self.bash("hold", "--"), ["--help", "--version"])
        self.assertIn("attach", self.bash("hold", ""))
        self.assertNotIn("--help", self.bash("hold", ""))

    def test_zsh_takes_its_script(self):
        if which("zsh"):
            self.run_shell("zsh", "-f", "-c", "autoload -Uz compinit; compinit -u -D; source <(hold completion zsh)")


if __name__ == "__main__":
    main()
