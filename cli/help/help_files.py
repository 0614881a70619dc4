#!/usr/bin/env python3
"""help_files.py STEPSIM FOLDER: writes what shells and `man` know about the program into FOLDER, laid out as below share/:
man/man1, bash-completion/completions, zsh/site-functions and fish/vendor_completions.d.

Everything is taken from `stepsim --help`, `stepsim COMMAND --help` and `stepsim help --json`; nothing is listed here."""
import gzip
import json
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass, field


@dataclass
class Entry:
    """An indented line of --help: a term, and what it means."""
    term: str
    text: str

    @property
    def flags(self):
        return re.findall(r"-[\w-]+", self.term.split(" ")[0])

    @property
    def argument(self):
        """What follows the flag: FILE, N or KEY; empty if nothing does."""
        return self.term.partition(" ")[2].strip("[]")

    @property
    def words(self):
        """The words that the flag or parameter takes; empty if it takes anything else."""
        word = r"(?:\w+(?: \([^)]*\))?)"
        found = re.search(rf"(?:^|: |by |range: )((?:{word}, )*{word} or {word})(?=[ .:]|$)", self.text)
        return re.split(r", | or ", re.sub(r" \([^)]*\)", "", found.group(1))) if found else []


@dataclass
class Command:
    name: str
    summary: str
    usage: str = ""
    sections: dict = field(default_factory=dict)  # heading -> its lines

    def entries(self, heading):
        entries = []
        for line in self.sections.get(heading, []):
            term, _, text = line.strip().partition("  ")
            if line.startswith("      "):
                entries[-1].text = f"{entries[-1].text} {line.strip()}".strip()
            else:
                entries.append(Entry(term, text.strip()))
        return entries


class Program:
    """What the program says about itself."""

    def __init__(self, path):
        self.path = path
        self.version = self.output("version").split()[1]
        self.kinds = {kind["name"]: kind for kind in json.loads(self.output("help", "--json"))["kinds"]}
        self.whole = self.read("stepsim", "--help")
        self.commands = [self.read(topic["name"], topic["name"], "--help") for topic in self.topics("command")]
        self.common = [Entry(topic["name"], topic["summary"]) for topic in self.topics("option")]
        # Values by parameter: words of its description, and topics that name it, such as device.to=H100.
        self.values = {topic["name"]: Entry("", topic["summary"].partition(":")[0]).words for topic in self.topics("parameter")}
        for kind in self.kinds.values():
            for topic in kind["topics"]:
                for detail in topic["details"]:
                    parameter, equals, value = detail["text"].partition("=")
                    if detail["label"] == "in a scenario" and equals:
                        self.values[parameter].append(value)

    def output(self, *words):
        return subprocess.run([self.path, *words], check=True, capture_output=True, text=True).stdout

    def topics(self, kind):
        return self.kinds[kind]["topics"]

    def read(self, name, *words):
        """Splits --help into its sections. Text below the last one is under the heading ''."""
        lines = self.output(*words).splitlines()
        command = Command(name, lines[0].rstrip("."))
        heading = ""
        for line in lines[1:]:
            if line.startswith("Usage: "):
                command.usage = line.removeprefix("Usage: stepsim ")
            elif re.match(r"\w.*:$", line):
                heading = line[:-1]
            elif line and not line.startswith(" "):
                command.sections.setdefault("", []).append(line)
            elif line:
                command.sections.setdefault(heading, []).append(line)
        return command

    def options(self, command):
        """The options of a command with those that it has in common with others."""
        own = command.entries("Options")
        has_common = any(heading.startswith("Common options") for heading in command.sections)
        return own + ([option for option in self.common if option.flags[0] not in [o.flags[0] for o in own]] if has_common else [])

    def words(self, option):
        if option.argument == "MODEL":
            return [topic["name"] for topic in self.topics("network model")]
        return option.words if option.argument in ("KEY", "NAME", "WHEN") else []

    def extensions(self, option):
        """Extensions of the files that the option takes: None if it takes no file, empty for any file."""
        if option.argument.startswith(("FILE", "DIR", "P[")):
            if option.flags[0] == "-o":
                return [topic["name"] for topic in self.topics("output") if topic["name"] in option.text]
            return [".yaml", ".yml"] if option.flags[0] in ("--job", "--cluster", "-s") else []
        return None

    def changes(self):
        """What can follow --set: network.bandwidth= and, of parameters that take words, comm.barrier=global."""
        return {parameter: list(dict.fromkeys(values)) for parameter, values in self.values.items()}


# --- manual pages

def roff(text):
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", r"\e").replace("-", r"\-"), flags=re.MULTILINE)


def tagged(entries):
    return "".join(f".TP\n.B {roff(entry.term)}\n{roff(entry.text)}\n" if entry.text else f".TP\n.B {roff(entry.term)}\n\\&\n"
                   for entry in entries)


def man_page(program, command, see_also):
    whole = command is program.whole
    name = "stepsim" if whole else f"stepsim-{command.name}"
    page = [f'.TH {name.upper()} 1 "" "stepsim {program.version}" "User Commands"\n',
            f".SH NAME\n{roff(name)} \\- {roff(command.summary)}\n", f".SH SYNOPSIS\n.B stepsim\n{roff(command.usage)}\n"]
    for heading, lines in command.sections.items():
        if heading.startswith("Common options"):
            page.append(f".SH COMMON OPTIONS\n{tagged([o for o in program.options(command) if o not in command.entries('Options')])}")
        elif heading == "Examples":
            page.append(".SH EXAMPLES\n.EX\n" + "".join(f"{roff(line.strip())}\n" for line in lines) + ".EE\n")
        elif heading:
            title, _, note = heading.partition(" (")
            page.append(f".SH {roff(title.upper())}\n" + (f"{roff(note.rstrip(')'))}\n" if note else "") + tagged(command.entries(heading)))
    if "" in command.sections:
        page.append(".SH NOTES\n" + "".join(f"{roff(line)}\n" for line in command.sections[""]))
    page.append(".SH SEE ALSO\n" + " ,\n".join(f".BR {roff(other)} (1)" for other in see_also) + "\n")
    return name, "".join(page)


# --- completions

def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def bash(program):
    """Each case sets the candidates, one a line, or the pattern of file names that fit."""
    def case(pattern, words=(), files=None):
        lines = [f"words={quoted(chr(10).join(words))}"] if words else []
        if files is not None:
            lines.append(f"files={quoted('@(' + '|'.join('*' + extension for extension in files) + ')' if files else '*')}")
        return f"    {pattern}) {'; '.join(lines)} ;;\n" if lines else ""

    arguments = {}  # "command option" -> its case, once for options that many commands have
    options = ""
    for command in program.commands:
        all_options = program.options(command)
        options += case(command.name, sorted(flag for option in all_options for flag in option.flags) + ["--help"])
        for option in all_options:
            if option.argument and option.flags[-1] != "--set":
                words, files = program.words(option), program.extensions(option)
                arguments.setdefault(case("", words, files) or "    ) ;;\n", []).extend(f"{command.name}/{flag}" for flag in option.flags)
    by_option = "".join(f"    {' | '.join(names)}{body[4:]}" for body, names in arguments.items())
    set_words = [f"{parameter}={value}" for parameter, values in program.changes().items() for value in values or [""]]
    return f"""# Completion of stepsim for bash. Made by cli/help/help_files.py from the program.
_stepsim() {{
  local IFS=$'\\n' line=${{COMP_LINE:0:COMP_POINT}} words='' files='' current previous=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}}
  current=${{line##* }}  # bash divides words at '=' and ':', so its own would lack network.bandwidth=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    words={quoted(chr(10).join([command.name for command in program.commands] + ["help", "version", "--help", "--version"]))}
  elif [[ $command == help ]]; then
    words={quoted(chr(10).join(help_words(program)))}
  elif [[ $line =~ (^|' ')--set[' ']+[^' ']*$ ]]; then
    words={quoted(chr(10).join(set_words))}
    compopt -o nospace
  elif [[ $current == -* ]]; then
    case $command in
{options.replace("    ", "      ")}    esac
  else
    case $command/$previous in
{by_option.replace("    ", "      ")}      *) files='*' ;;
    esac
  fi
  local candidate cut=${{current%"${{COMP_WORDS[COMP_CWORD]#=}}"}}
  [[ ${{COMP_WORDS[COMP_CWORD]}} == '=' ]] && cut=$current
  for candidate in $words; do
    [[ $candidate == "$current"* ]] && COMPREPLY+=("$(printf '%q' "${{candidate#"$cut"}}")")
  done
  if [[ -n $files ]]; then
    for candidate in $(compgen -f -- "$current"); do
      if [[ -d $candidate || $candidate == $files ]]; then COMPREPLY+=("$candidate"); fi
    done
    compopt -o filenames
  fi
}}
complete -F _stepsim stepsim
"""


def help_words(program):
    """Names that `stepsim help` explains, without those of several words."""
    names = [kind["plural"] for kind in program.kinds.values()] + [topic["name"] for kind in program.kinds.values() for topic in kind["topics"]]
    return sorted({name for name in names if re.fullmatch(r"[\w.-]+", name)})


def zsh(program):
    def escaped(text):
        return re.sub(r"([\[\]:\\])", r"\\\1", text)

    def action(option):
        words, files = program.words(option), program.extensions(option)
        if option.flags[-1] == "--set":
            return ":change:_stepsim_change"
        if words:
            return f":{option.argument}:({' '.join(words)})"
        if files is not None:
            return f":file:_files -g '*({'|'.join(files)})(-.)'" if files else ":file:_files"
        return f":{escaped(option.argument)}:" if option.argument else ""

    def specs(command):
        for option in program.options(command):
            others = " ".join(option.flags)
            for flag in option.flags:
                yield f"    {quoted(f'*{flag}[{escaped(option.text)}]{action(option)}' if '--set' in others else f'({others}){flag}[{escaped(option.text)}]{action(option)}')}"
        yield "    '*:trace:_files'"

    cases = "".join(f"  {command.name}) _arguments -S \\\n" + " \\\n".join(specs(command)) + " ;;\n" for command in program.commands)
    keys = "\n".join(f"    {quoted(escaped(parameter))}" for parameter in program.changes())
    values = "".join(f"    {parameter}) compadd -- {' '.join(map(quoted, values))} ;;\n" for parameter, values in program.changes().items() if values)
    names = "\n".join(f"    {quoted(f'{command.name}:{escaped(command.summary)}')}" for command in program.commands)
    return f"""#compdef stepsim
# Completion of stepsim for zsh. Made by cli/help/help_files.py from the program.
_stepsim_change() {{
  if compset -P 1 '*='; then
    case ${{IPREFIX%=}} in
{values}    esac
    return
  fi
  local -a keys=(
{keys}
  )
  compadd -S= -a keys
}}
_stepsim() {{
  local -a commands=(
{names}
    'help:Explain a word'
    'version:Print version and commit'
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
  help) compadd -- {' '.join(map(quoted, help_words(program)))} ;;
{cases}  esac
}}
_stepsim "$@"
"""


def fish(program):
    lines = ["# Completion of stepsim for fish. Made by cli/help/help_files.py from the program.",
             "complete -c stepsim -f", "complete -c stepsim -n 'not __fish_use_subcommand; and not __fish_seen_subcommand_from help' -F"]
    for command in program.commands:
        lines.append(f"complete -c stepsim -n __fish_use_subcommand -a {command.name} -d {quoted(command.summary)}")
    lines.append("complete -c stepsim -n __fish_use_subcommand -a 'help version'")
    lines.append(f"complete -c stepsim -n '__fish_seen_subcommand_from help' -a {quoted(' '.join(help_words(program)))}")
    changes = [f"{parameter}={value}" for parameter, values in program.changes().items() for value in values or [""]]
    lines.append("function __stepsim_changes\n    printf '%s\\n' " + " ".join(map(quoted, changes)) + "\nend")
    for command in program.commands:
        for option in program.options(command):
            flags = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)
            line = f"complete -c stepsim -n '__fish_seen_subcommand_from {command.name}' {flags} -d {quoted(option.text)}"
            words, files = program.words(option), program.extensions(option)
            if option.flags[-1] == "--set":
                line += " -x -a '(__stepsim_changes)'"
            elif words:
                line += f" -x -a {quoted(' '.join(words))}"
            elif files:
                line += f" -r -k -a {quoted(' '.join(f'(__fish_complete_suffix {extension})' for extension in files))}"
            elif files is not None:
                line += " -r -F"
            elif option.argument:
                line += " -x"
            lines.append(line)
    return "\n".join(lines) + "\n"


def main():
    program, folder = Program(sys.argv[1]), pathlib.Path(sys.argv[2])
    names = ["stepsim"] + [f"stepsim-{command.name}" for command in program.commands]
    files = {f"man/man1/{name}.1.gz": gzip.compress(text.encode(), mtime=0) for name, text in
             (man_page(program, command, [other for other in names if other != f"stepsim-{command.name}"] if command is not program.whole
                       else names[1:]) for command in [program.whole, *program.commands])}
    files |= {"bash-completion/completions/stepsim": bash(program).encode(), "zsh/site-functions/_stepsim": zsh(program).encode(),
              "fish/vendor_completions.d/stepsim.fish": fish(program).encode()}
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


if __name__ == "__main__":
    main()
