//! The result of an operation on several files as a row.

use crate::functions::surface::{Col, HasList, ListOf, Out, Row, Written, structures, varchar};
use redline_tools::ChangedFiles;

impl<F> Row for ChangedFiles<F>
where
    F: for<'a> Row<Of<'a> = &'a F>,
{
    type Of<'a> = &'a Self;

    const OWN: &'static [Col<Self>] = &[
        varchar(
            "id",
            "The operation, for revert_edit; NULL where nothing was written",
            |result, out| out.text(result.id.as_deref()),
        ),
        varchar(
            "outcome",
            "`applied`, `already_applied` where nothing is left to do, or `would_apply`",
            |result, out| out.text(result.outcome),
        ),
        structures::<Self, F>("files", "What became of each file"),
        varchar("message", "What happened, in one line", |result, out| {
            out.text(result.message.as_str())
        }),
    ];
}

impl<F> HasList<F> for ChangedFiles<F>
where
    F: for<'a> Row<Of<'a> = &'a F>,
{
    fn list(result: &Self, out: Out<'_, ListOf<F>>) -> Written {
        out.all(&result.files)
    }
}
