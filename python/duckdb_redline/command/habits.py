"""What fingers know from git: its options are taken with its meaning, or answered with the line that git wants."""

import re
import shlex
from difflib import SequenceMatcher
from typing import NoReturn

import click

from ..visible import harmless
from .sides import PathsAfterDashes

# What git has and redline leaves to it, by sub-command.
LEFT_TO_GIT = {
    "diff": "--word-diff --word-diff-regex --color-words --raw --check --summary --dirstat --cumulative --no-index --relative --binary "
    "--full-index --abbrev --text -a --compact-summary --patch-with-stat --ours --theirs --base --cc --merge-base --submodule "
    "--ext-diff --no-ext-diff --textconv --no-textconv --function-context -W --pickaxe-all --src-prefix --dst-prefix --no-prefix "
    "--line-prefix --ita-invisible-in-index --anchored --indent-heuristic -O -I --ws-error-highlight --find-copies-harder -B -D -l",
    "log": "--graph --decorate --date --abbrev-commit --no-abbrev-commit --show-signature --word-diff --raw --topo-order --date-order "
    "--author-date-order --branches --tags --remotes --simplify-by-decoration --boundary --left-right --cherry --cherry-pick "
    "--cherry-mark --merge --walk-reflogs -g --relative-date --parents --children --full-history --ancestry-path --cc -c -m -L "
    "--numstat --shortstat --summary --committer --invert-grep --all-match -i --regexp-ignore-case -E -F -P --skip --source "
    "--not --glob --exclude --show-notes --notes --no-decorate --use-mailmap --no-mailmap --min-parents --max-parents",
    "show": "--decorate --date --abbrev-commit --show-signature --word-diff --raw --cc -c -m --numstat --shortstat --first-parent "
    "--notes --no-notes --encoding --diff-filter",
    "blame": "--porcelain --line-porcelain -p -s -e -l -f -n -C -M --reverse --since --first-parent --contents --date --incremental "
    "--root -b --show-email --ignore-rev --ignore-revs-file -S --score-debug --show-stats --color-lines --color-by-age",
    "status": "-b --branch --long --show-stash -v --verbose --column --ahead-behind --no-ahead-behind --renames --no-renames "
    "--find-renames --ignore-submodules",
    "stat": "",
    "review": "",
}
# A suggestion that is less like what was typed means something else.
LEAST_LIKE = 0.8
COUNT = re.compile("-([0-9]+)")
# Options whose value is joined to them or left out, as git has them: what they are then.
BARE = {
    "diff": {"-M": "-M50%", "--find-renames": "--find-renames=50%", "--color": "--color=always"},
    "status": {
        "-s": "--porcelain=v1",
        "--short": "--porcelain=v1",
        "--porcelain": "--porcelain=v1",
        "-u": "-uall",
        "--untracked-files": "--untracked-files=all",
    },
}
BARE["stat"] = BARE["review"] = BARE["diff"]
# A word that no shell reads in another way.
PLAIN = re.compile(r"[\w@%+=:,./^-][\w@%+=:,./~^-]*", re.ASCII)


class GitCommand(PathsAfterDashes):
    """A sub-command that git has, too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["typed_words"] = list(args)
        before = args[: args.index("--")] if "--" in args else args
        bare = BARE.get(str(self.name), {})
        args = [bare.get(word, word) for word in before] + args[len(before) :]
        if self.name == "log":
            # git's way to say how many.
            numbered = [COUNT.sub(r"-n\1", word) if COUNT.fullmatch(word) else word for word in before]  # fmt: skip
            args = numbered + args[len(before) :]
        try:
            if any(str(param.name).endswith("and_paths") for param in self.params):
                return super().parse_args(ctx, args)
            return click.Command.parse_args(self, ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.partition("=")[0]
            if name in LEFT_TO_GIT.get(str(self.name), "").split():
                leave_to_git(ctx)
            near = [it for it in error.possibilities or [] if likeness(it, name) >= LEAST_LIKE]
            raise click.NoSuchOption(error.option_name, possibilities=near, ctx=ctx) from None


def likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()


def leave_to_git(ctx: click.Context) -> NoReturn:
    """Refuses what git alone has, with the line to type."""
    named = ctx.find_root().params.get("directory")
    words = ["git", *(["-C", named] if named else []), str(ctx.info_name), *ctx.meta["typed_words"]]
    quoted = (word if PLAIN.fullmatch(word) else shlex.quote(word) for word in words)
    click.echo(f"redline: use git for this: {harmless(' '.join(quoted))}", err=True)
    ctx.exit(2)
