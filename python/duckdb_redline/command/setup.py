"""The sub-commands setup, shell and help: completion, redline in DuckDB's own command line, and the functions."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING

import click

from ..connection import MIN_DUCKDB, literal
from ..visible import harmless
from .errors import said
from .interrupts import INTERRUPTS, PROMPT_SECONDS
from .replacing import replace
from .screen import Screen

if TYPE_CHECKING:
    import duckdb

# Between these, earlier versions wrote lines into ~/.duckdbrc, which kept every `duckdb` without -unsigned from starting.
BEGIN, END = "-- redline: begin", "-- redline: end"
SCRIPTS = ("macros", "git", "analytics", "data")
# Where each shell looks for the completion of a command, below the home directory.
COMPLETIONS = {
    "bash": ".local/share/bash-completion/completions/redline",
    "zsh": ".zfunc/_redline",
    "fish": ".config/fish/completions/redline.fish",
}

# click's own script forgets the revisions where a path may stand, too. Whatever is offered becomes part of a line that
# the shell reads: a name of a branch or of a file is quoted, all but a ~ that leads to a home directory.
BASH = """\
_redline_completion() {
    local line value path home
    COMPREPLY=()
    while IFS= read -r line; do
        value=${line#*,}
        case $line in
            plain,*) COMPREPLY+=("$(printf %q "$value")") ;;
            file,* | dir,*)
                while IFS= read -r path; do
                    if [[ -d $path || -d ${path/#"~"/$HOME} ]]; then
                        path+=/
                        compopt -o nospace 2>/dev/null
                    fi
                    home=
                    if [[ $path =~ ^~[A-Za-z0-9._-]*/ ]]; then
                        home=${BASH_REMATCH[0]}
                        path=${path#"$home"}
                    fi
                    [[ $home && ! $path ]] || path=$(printf %q "$path")
                    COMPREPLY+=("$home$path")
                done < <(compgen "-${line:0:1}" -- "$value") ;;
        esac
    done < <(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _REDLINE_COMPLETE=bash_complete "$1" 2>/dev/null)
}
complete -o nosort -F _redline_completion redline
"""
# zsh and fish quote what they insert. click's own script for fish ends a name at its first comma, and that for zsh offers
# nothing when it is used a second time.
ZSH = """\
#compdef redline
_redline() {
    local line
    local -a lines offered
    lines=("${(@f)$(COMP_WORDS="${words[*]}" COMP_CWORD=$((CURRENT - 1)) _REDLINE_COMPLETE=bash_complete redline 2>/dev/null)}")
    for line in $lines; do
        case $line in
            plain,*) offered+=("${line#plain,}") ;;
            file,*) _path_files -f ;;
            dir,*) _path_files -/ ;;
        esac
    done
    (( $#offered )) && compadd -U -V unsorted -a offered
}
_redline "$@"
"""
FISH = """\
function _redline_completion
    set -l given (commandline -cp) (commandline -t)
    for line in (env _REDLINE_COMPLETE=fish_complete COMP_WORDS=$given[1] COMP_CWORD=$given[2] redline 2>/dev/null)
        set -l found (string split -m 1 , -- $line)
        switch $found[1]
            case dir
                __fish_complete_directories $found[2]
            case file
                __fish_complete_path $found[2]
            case plain
                printf '%s\\n' $found[2]
        end
    end
end
complete --no-files --command redline --arguments "(_redline_completion)"
"""
# What reads completions in bash when they are first wanted; a package of its own.
LOADERS_OF_BASH = (
    "/usr/share/bash-completion/bash_completion",
    "/etc/bash_completion",
    "/usr/local/share/bash-completion/bash_completion",
    "/opt/homebrew/etc/profile.d/bash_completion.sh",
    "/usr/local/etc/profile.d/bash_completion.sh",
)
SCRIPTS_OF_SHELLS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def start_statements(con: "duckdb.DuckDBPyConnection", extension: pathlib.Path) -> list[str]:
    """Returns what loads redline and makes its macros, without comments: clients such as Harlequin split at any semicolon."""
    scripts = [
        con.execute("SELECT system.main.redline_sql(?)", [name]).fetchall()[0][0]
        for name in SCRIPTS
    ]
    return [
        f"LOAD {literal(str(extension))};",
        *(re.sub(r"^--.*\n", "", script, flags=re.MULTILINE) for script in scripts),
    ]


def set_up(shell: str | None, agreed: bool) -> None:
    """Writes the completion of a shell where that shell looks for it; on a terminal shows it first, and asks."""
    forget_start_lines()
    shell = shell or pathlib.Path(os.environ.get("SHELL", "")).name
    if shell not in COMPLETIONS:
        raise click.UsageError(
            f"no completion for {harmless(repr(shell))}: name bash, zsh or fish with --completion"
        )
    path, text = pathlib.Path.home() / COMPLETIONS[shell], SCRIPTS_OF_SHELLS[shell]
    if sys.stdin.isatty() and not agreed:
        click.echo(f"{path} will have:\n\n{textwrap.indent(text, '    ')}")
        if not click.confirm("Write it?", default=True):
            return
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, text.encode())
    click.echo(f"{path} completes `redline` in {shell} when it is started again.")
    if shell == "zsh":
        click.echo(
            "zsh looks there if ~/.zshrc has: fpath+=(~/.zfunc); autoload -Uz compinit && compinit"
        )
    if shell == "bash" and not any(map(os.path.exists, LOADERS_OF_BASH)):
        click.echo(
            f"The package bash-completion, which reads it, is not here: let ~/.bashrc have: source {shlex.quote(str(path))}"
        )


def undo() -> None:
    """Removes what `set_up` has written, as far as it is redline's, and the lines of earlier versions."""
    is_clean = not forget_start_lines()
    for path in [pathlib.Path.home() / place for place in COMPLETIONS.values()]:
        if path.is_file() and b"_REDLINE_COMPLETE" in path.read_bytes():
            path.unlink()
            click.echo(f"{path} is removed.")
            is_clean = False
    if is_clean:
        click.echo("There is nothing of redline's to remove.")


def forget_start_lines() -> bool:
    """Takes the lines of earlier versions out of ~/.duckdbrc; other lines stay, whatever bytes they have."""
    path = pathlib.Path.home() / ".duckdbrc"
    before = path.read_bytes() if path.exists() else b""
    ours = rf"^{BEGIN}\n.*?^{END}\n".encode()
    kept = re.sub(ours, b"", before, flags=re.MULTILINE | re.DOTALL)
    if kept == before:
        return False
    replace(path, kept)
    click.echo(
        f"{path} no longer loads redline, which kept `duckdb` without -unsigned from starting: "
        "redline shell has it."
    )
    return True


def run_shell(
    con: "duckdb.DuckDBPyConnection",
    screen: Screen,
    extension: pathlib.Path,
    database: str,
    options: list[str],
) -> None:
    """Runs DuckDB's command line with redline loaded and with options of its own; without one, a prompt of ours."""
    program = shutil.which("duckdb")
    if program is not None and is_new_enough(program):
        # Temporary: nothing is written to a database that is opened.
        statements = [
            statement.replace("CREATE OR REPLACE MACRO", "CREATE OR REPLACE TEMP MACRO")
            for statement in start_statements(con, extension)
        ]
        commands = [word for statement in statements for word in ("-cmd", statement)]
        con.close()
        os.execv(program, [program, "-unsigned", *commands, *options, database])
    if options:
        raise click.UsageError(
            f"{harmless(' '.join(options))} is for the program duckdb, which is not here in a version from "
            f"{'.'.join(map(str, MIN_DUCKDB))}: pip install --upgrade duckdb-cli, or ask redline sql"
        )
    prompt(con, screen)


def is_new_enough(program: str) -> bool:
    """Tells whether a command line of DuckDB can load redline."""
    said = subprocess.run(
        [program, "--version"], capture_output=True, text=True, check=False
    ).stdout
    numbers = tuple(int(number) for number in re.findall(r"\d+", said.partition(" ")[0])[:3])
    return numbers >= MIN_DUCKDB


def prompt(con: "duckdb.DuckDBPyConnection", screen: Screen) -> None:
    """Reads statements until the end of input, each up to a semicolon, and prints their rows."""
    import duckdb

    from .query import run_query

    if sys.stdin.isatty():
        import readline  # noqa: F401  (edits lines and keeps a history)

        click.echo("Statements end with a semicolon; Ctrl-D leaves. FROM redline_help();")
    INTERRUPTS.grace = PROMPT_SECONDS
    text = ""
    while True:
        try:
            text += (
                input(("     -> " if text else "redline> ") if sys.stdin.isatty() else "") + "\n"
            )
        except EOFError:
            return
        except KeyboardInterrupt:
            INTERRUPTS.heeded.set()
            click.echo()
            text = ""
            continue
        if not text.rstrip().endswith(";"):
            continue
        click.get_current_context().meta["query"] = text
        try:
            run_query(con, screen, text, None, None)
        except (KeyboardInterrupt, RuntimeError, duckdb.Error) as error:
            if INTERRUPTS.is_cause(error):
                INTERRUPTS.heeded.set()
                click.echo("interrupted", err=True)
            elif isinstance(error, duckdb.Error):
                click.echo(harmless(said(error).replace("\n", " ")), err=True)
            else:
                raise
        text = ""


def show_help(con: "duckdb.DuckDBPyConnection", screen: Screen, name: str | None) -> None:
    """Prints the functions in a line each, or one of them in full."""
    if name is None:
        rows = con.execute("SELECT name, description FROM redline_help() ORDER BY name").fetchall()
        width = max(len(name) for name, _ in rows)
        screen.show(
            f"{screen.styled(name.ljust(width), bold=True)}  {text}\n" for name, text in rows
        )
        return
    rows = con.execute("SELECT * FROM redline_help(function := ?)", [name]).fetchall()
    columns = [column[0] for column in con.description or []]
    for row in rows:
        screen.show(whole_help(dict(zip(columns, row)), screen))


def whole_help(told: dict[str, object], screen: Screen) -> list[str]:
    calls = [
        screen.styled(line, bold=True)
        for call in str(told["signature"]).split("\n")
        for line in textwrap.wrap(
            call,
            screen.width,
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]
    lines = [*calls, "", *textwrap.wrap(str(told["description"]), screen.width), ""]
    for parameter in told.get("parameters") or []:  # type: ignore[attr-defined]
        default = "" if parameter["default"] is None else f" [{parameter['default']}]"
        kind = f" {parameter['type']}" if parameter["type"] else ""
        lines.append(f"  {parameter['name']}{kind}{default}")
        means = str(parameter["description"] or "")
        lines += textwrap.wrap(
            means, screen.width, initial_indent=" " * 6, subsequent_indent=" " * 6
        )
    lines += [
        part for text in ("returns", "example") if told[text] for part in ("", str(told[text]))
    ]
    return [harmless(line) + "\n" if "\x1b" not in line else line + "\n" for line in lines]
