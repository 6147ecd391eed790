"""Writes files whole: a reader sees the old content or the new one, and a failure leaves the old one."""

import hashlib
import os
import pathlib
import stat
import tempfile


def replace(path: pathlib.Path, content: bytes, *, mode: int | None = None) -> None:
    """Replaces the content of a file, or makes it.

    A link is followed, and what it leads to is replaced. A file keeps its permissions; a new one has `mode`, or else what
    the umask leaves. What is no regular file, such as a pipe or a terminal, is written to.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        mode = mode if mode is not None else 0o666 & ~umask()
    else:
        if not stat.S_ISREG(found.st_mode):
            path.write_bytes(content)
            return
        mode = stat.S_IMODE(found.st_mode)
    # Only of a file: what a link like /dev/stdout leads to has no name.
    path = path.resolve() if path.is_symlink() else path
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".redline-")
    except OSError as error:
        # The name of the temporary file says nothing to a person.
        raise OSError(error.errno, error.strerror, str(path)) from None
    made = pathlib.Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            if hasattr(os, "fchmod"):  # Windows has no such permissions.
                os.fchmod(file.fileno(), mode)
        made.replace(path)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def umask() -> int:
    """Returns the permissions that a new file does not have."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def own_place(kind: str, repo: str, *names: str) -> pathlib.Path:
    """Returns a file for a page in a directory of this user alone: one for each repository and these names."""
    said = "\0".join([os.path.realpath(repo), *names]).encode("utf-8", "surrogateescape")
    # On Windows this directory is the user's own already.
    user = os.getuid() if hasattr(os, "getuid") else None
    folder = pathlib.Path(tempfile.gettempdir()) / (
        "redline" if user is None else f"redline-{user}"
    )
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    is_shared = user is not None and (found.st_uid != user or found.st_mode & 0o077 != 0)
    if is_shared or folder.is_symlink():
        folder = pathlib.Path(tempfile.mkdtemp(prefix="redline-"))
    return folder / f"{kind}-{hashlib.sha256(said).hexdigest()[:12]}.html"
