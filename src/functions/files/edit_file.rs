//! `edit_file(path, old_string, new_string [, replace_all [, base_oid]])` and `edit_file(path,
//! edits [, base_oid])`: replaces passages of a file.

use std::sync::Arc;

use crate::budget::Budget;
use crate::error::Result;
use crate::ffi::{Nulls, Overload, Settings};
use crate::functions::context::opened::Opened;
use crate::functions::params::files::{
    EDITS, NEW_STRING, OLD_STRING, ONE, ONE_OR_ALL, PAIRS, PATH, REPLACE_ALL, edit_arguments,
};
use crate::functions::params::{Args, Bytes, Maybe, Param, fields, optional};
use crate::functions::surface::{
    Declaration, Family, Grant, Out, RecordOf, Scalar, State, Written,
};
use crate::text::Engine;
use crate::tools::{EditCall, EditResult};

const BASE_OID: Param<Maybe<Bytes>> =
    optional("base_oid", "The git blob id that the file must have; NULL for any");

/// The scalar function.
pub struct EditFile;

/// The file tools, and the memory for comparing texts.
pub struct Editor {
    pub(super) tools: Opened,
    pub(super) engine: Engine,
}

impl State for Editor {
    const SETTINGS: &'static [&'static str] = Opened::SETTINGS;

    fn open(grant: Grant, settings: Settings) -> Result<Self> {
        Ok(Self { tools: Opened::open(grant, settings)?, engine: Engine::default() })
    }

    fn budget(&self) -> Option<&Arc<Budget>> {
        self.tools.budget()
    }
}

impl Scalar for EditFile {
    const DECLARATION: Declaration = Declaration {
        name: "edit_file",
        family: Family::Files,
        grant: Grant::Tools(&["edit_file"]),
        description: "Replaces text in a file",
        example: "SELECT edit_file('workspace/app.py', 'x = 1', 'x = 2').unified_diff",
    };
    const OVERLOADS: &'static [Overload] = &[
        ONE,
        ONE_OR_ALL,
        fields![PATH, OLD_STRING, NEW_STRING, REPLACE_ALL, BASE_OID],
        fields![PATH, PAIRS],
        fields![PATH, PAIRS, BASE_OID],
        fields![PATH, EDITS],
        fields![PATH, EDITS, BASE_OID],
    ];
    type Returns = RecordOf<EditResult>;
    type State = Editor;
    // A NULL must not silently skip an edit.
    const NULLS: Nulls = Nulls::Handle;

    fn call(editor: &mut Editor, args: Args<'_>, out: Out<'_, Self::Returns>) -> Result<Written> {
        let mut asked = edit_arguments(args)?;
        let base_oid = args.get(BASE_OID)?;
        asked.base_oid = base_oid.map(|given| String::from_utf8_lossy(given).into_owned());
        Ok(out.record(&editor.tools.edit(&mut editor.engine, EditCall::Strings(&asked))?))
    }
}
