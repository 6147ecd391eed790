//! `diff_html(from, to, repo)`: a change as one page for a browser.

use crate::ffi::{Nulls, Overload};
use crate::functions::context::execution_context::ExecutionContext;
use crate::functions::params::{
    Args, FROM, REPO, TO, Value, comparison, fields, options, row_options,
};
use crate::functions::surface::{Declaration, Family, Grant, Scalar};
use redline_base::error::Result;
use redline_query::review::diff_page::DiffPage;
use redline_render::html;
use redline_rows::{Field, Out, Varchar, Written};
use redline_text::CancelToken;

const NAMED: &[Field] = comparison::NAMED;
const WHOLE: [Field; 4] = [
    FROM.field,
    TO.field,
    REPO.field,
    options(NAMED, "A STRUCT of the named parameters of file_changes; NULL for none"),
];

/// The scalar function.
pub struct DiffHtml;

/// Volatile, since the meaning of a revision changes with the repository.
impl Scalar for DiffHtml {
    const DECLARATION: Declaration = Declaration {
        name: "diff_html",
        family: Family::Git,
        grant: Grant::Tools(&["GitDiff"]),
        description: "Returns a comparison as one HTML page to review in a browser, self-contained and readable without script",
        example: "SELECT length(diff_html('HEAD~1', 'HEAD', '.')) > 0",
    };
    const OVERLOADS: &'static [Overload] = &[WHOLE.split_at(3).0, &WHOLE];
    type Returns = Varchar;
    type State = ExecutionContext;
    const NULLS: Nulls = Nulls::Handle;

    fn call(
        execution: &mut ExecutionContext,
        args: Args<'_>,
        out: Out<'_, Varchar>,
    ) -> Result<Written> {
        if args.is_null(REPO.field.name) {
            return Ok(out.null());
        }
        let values = row_options(args.options(), NAMED, args.function())?;
        let nothing = [Value::Text("EMPTY".to_owned())];
        let args = args.with((NAMED, &values), (fields![FROM], &nothing));
        let revisions = comparison::revisions(args)?;
        execution.share_threads();
        let page = DiffPage::of(&revisions, &execution.caller.context)?;
        let html = html::page(&page.page, &CancelToken::of(&execution.caller.context.budget))?;
        Ok(out.text(html))
    }
}
