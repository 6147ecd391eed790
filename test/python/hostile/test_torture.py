"""A sample of torture.py: damage to every kind of file of a repository, before, between and during queries."""

import pytest
import torture

pytestmark = pytest.mark.slow

SECONDS = 45
SEED = 12


# Promise (survival): A file that is truncated, grown, replaced or overwritten before, between or
# during queries does not end the process; neither does a lack of memory, threads or open files
# (`make torture`: 15,000 cases on each host, and a third of them each night, of other bytes).
# Promise (answers): A damaged file of a repository gives git's rows, those of the undamaged
# repository, or an error, never fewer rows; after a repair the next query has the right rows, in
# the same process. With `test_a_broken_repository_gives_right_rows_or_an_error`.
def test_damage_gives_right_rows_or_an_error(extension, tmp_path):
    """After the repair the same process gives the right rows again; `make torture` runs 15,000 cases."""
    run = torture.Torture(extension, tmp_path, SEED)
    run.run(1_500, seconds=SECONDS)
    assert not run.wrong, f"{len(run.wrong)} wrong of {dict(run.counts)}:\n" + "\n".join(
        run.wrong[:15]
    )
    assert run.counts["errors"] > 20 and run.counts["right rows"] > 20, (
        f"next to nothing was tried: {run.counts}"
    )
