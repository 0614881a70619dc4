#!/usr/bin/env python3
"""help_files.py STEPSIM HELP_FILES: bash, zsh and fish complete, each in a terminal, and `man` reads every manual page.
A shell that is not installed is skipped."""
import gzip
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from checks import HANGS  # noqa: E402

STEPSIM, MAKER = (os.path.abspath(path) for path in sys.argv[1:3])


class Terminal:
    """A shell in a terminal. `stepsim` prints the words that it is given."""

    def __init__(self, words, folder, setup):
        environment = {"HOME": folder, "PATH": os.environ["PATH"], "TERM": "dumb", "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": folder}
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)
        self.send(setup + "\necho READY$((1 + 1))\n")
        self.wait_for("READY2")

    def send(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, pattern):
        seen = ""
        while select.select([self.terminal], [], [], HANGS)[0]:
            try:
                seen += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:
                break
            found = re.search(pattern, seen)
            if found:
                return found
        raise AssertionError(f"the shell printed {seen!r}, not {pattern}")

    def completed(self, line):
        """The words of `line` after the tabulator key was pressed at its end."""
        self.send(line + "\t\n")
        return self.wait_for(r"<<(.*)>>").group(1).split("|")

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.child, 0)


# line -> the words that the tabulator key makes of it
COMPLETIONS = {
    "stepsim crit": ["critical-path"],
    "stepsim replay --net": ["replay", "--network"],
    "stepsim replay --network max": ["replay", "--network", "maxmin"],
    "stepsim replay --color alw": ["replay", "--color", "always"],
    "stepsim compare a b --by oper": ["compare", "a", "b", "--by", "operator"],
    "stepsim whatif a --set network.bandw": ["whatif", "a", "--set", "network.bandwidth="],
    "stepsim whatif a --set comm.barrier=gl": ["whatif", "a", "--set", "comm.barrier=global"],
    "stepsim whatif a --set device.to=MI300X": ["whatif", "a", "--set", "device.to=MI300X"],
    "stepsim whatif a --set device.to=7900": ["whatif", "a", "--set", "device.to=7900 XTX"],
    "stepsim replay a --cluster clu": ["replay", "a", "--cluster", "cluster.yaml"],
    "stepsim replay tra": ["replay", "trace.json.gz"],
    "stepsim capture --with-ncc": ["capture", "--with-nccl"],
    "stepsim help gloss": ["help", "glossary"],
}


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        subprocess.run([sys.executable, MAKER, STEPSIM, f"{cls.folder}/share"], check=True)
        for name in ("cluster.yaml", "clusters.txt", "trace.json.gz"):
            pathlib.Path(cls.folder, name).touch()

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def check_shell(self, words, setup):
        if shutil.which(words[0]) is None:
            self.skipTest(f"{words[0]} is not installed")
        terminal = Terminal(words, self.folder, setup)
        for line, expected in COMPLETIONS.items():
            with self.subTest(line):
                self.assertEqual([word for word in terminal.completed(line) if word], expected)
        terminal.close()

    def test_bash(self):
        self.check_shell(["bash", "--norc", "-i"], "PS1=; bind 'set bell-style none'; "
                         "stepsim() { local IFS='|'; printf '<%s>\\n' \"<$*>\"; }; source share/bash-completion/completions/stepsim")

    def test_zsh(self):
        self.check_shell(["zsh", "-f", "-i"], "PS1=; unsetopt zle_bracketed_paste prompt_sp; fpath=($PWD/share/zsh/site-functions $fpath); "
                         "autoload -U compinit; compinit -u -D; stepsim() { printf '<%s>\\n' \"<${(j:|:)@}>\"; }")

    def test_fish(self):
        if shutil.which("fish") is None:
            self.skipTest("fish is not installed")
        for line, expected in COMPLETIONS.items():
            with self.subTest(line):
                offered = subprocess.run(["fish", "--no-config", "-c", "source share/fish/vendor_completions.d/stepsim.fish; complete -C $argv[1]", line], cwd=self.folder, check=True, capture_output=True, text=True,
                                         env={**os.environ, "HOME": self.folder}).stdout
                self.assertIn(expected[-1], [candidate.partition("\t")[0] for candidate in offered.splitlines()])

    def test_files_of_other_kinds_are_not_offered(self):
        if shutil.which("bash") is None:
            self.skipTest("bash is not installed")
        terminal = Terminal(["bash", "--norc", "-i"], self.folder, "PS1=; stepsim() { local IFS='|'; printf '<%s>\\n' \"<$*>\"; }; "
                            "source share/bash-completion/completions/stepsim")
        self.assertEqual(terminal.completed("stepsim whatif trace.json.gz -s clusters")[-1], "clusters")
        terminal.close()

    def test_manual_pages(self):
        if shutil.which("man") is None:
            self.skipTest("man is not installed")
        pages = sorted(pathlib.Path(self.folder, "share/man/man1").iterdir())
        commands = re.findall(r"^  ([a-z-]+) {2,}", subprocess.run([STEPSIM, "--help"], check=True, capture_output=True, text=True)
                              .stdout.partition("Commands:")[2].partition("\n\n")[0], re.MULTILINE)
        self.assertEqual({page.name for page in pages}, {"stepsim.1.gz", *(f"stepsim-{command}.1.gz" for command in commands)})
        for page in pages:
            with self.subTest(page.name):
                read = subprocess.run(["man", "--warnings", "-l", page], check=True, capture_output=True, text=True,
                                      env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8"})
                self.assertEqual(read.stderr, "")
                for heading in ("NAME", "SYNOPSIS", "SEE ALSO"):
                    self.assertRegex(read.stdout, rf"(?m)^{heading}$")
        bad = pathlib.Path(self.folder, "bad.1")
        bad.write_bytes(gzip.decompress(pages[0].read_bytes()) + b".XX unknown\n")
        self.assertNotEqual(subprocess.run(["man", "--warnings", "-l", bad], capture_output=True, text=True, check=False).stderr, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
