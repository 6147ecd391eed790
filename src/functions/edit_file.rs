//! `edit_file(path, old_string, new_string [, replace_all [, base_oid]])`: a passage of a file
//! replaced.

use super::arguments::row_text;
use super::file_tools::{approval_required, writable};
use super::host::{self, Host};
use crate::edit::{Edit, FileName, Plan, check_base};
use crate::error::{Error, Result, quoted};
use crate::ffi::{Arguments, Column, Field, Nulls, Overload, ScalarFunction, Settings, Type};
use crate::git::blob_id;
use crate::sandbox::Expected;
use crate::text::{Engine, Stop};

/// The scalar function.
pub struct EditFile;

impl ScalarFunction for EditFile {
    const NAME: &'static str = "edit_file";
    const OVERLOADS: &'static [Overload] = &[
        &[Type::Varchar, Type::Varchar, Type::Varchar],
        &[Type::Varchar, Type::Varchar, Type::Varchar, Type::Boolean],
        &[Type::Varchar, Type::Varchar, Type::Varchar, Type::Boolean, Type::Varchar],
    ];
    const RETURNS: Type = Type::Struct(&[
        Field::new("path", Type::Varchar),
        Field::new("replacements_made", Type::BigInt),
        Field::new("lines_changed", Type::BigInt),
        Field::new("message", Type::Varchar),
        Field::new("unified_diff", Type::Varchar),
        Field::new("base_oid", Type::Varchar),
        Field::new("oid", Type::Varchar),
    ]);
    const VOLATILE: bool = true;
    // A NULL must not be an edit that silently did not happen.
    const NULLS: Nulls = Nulls::Handle;
    const SETTINGS: &'static [&'static str] = host::SETTINGS;
    type State = (Engine, Host);

    fn open(settings: Settings) -> Result<Self::State> {
        Ok((Engine::default(), Host::open(Self::NAME, settings)?))
    }

    fn call((engine, host): &mut Self::State, arguments: Arguments<'_>, out: &mut Column) -> Result<()> {
        let text = |index: usize, name: &str| match arguments.text(index) {
            None => Err(Error::invalid_args(format!("the argument '{name}' of edit_file is NULL"))
                .with_hint("Give a text; new_string may be '' to remove the passage")),
            Some(bytes) => String::from_utf8(bytes.to_vec()).map_err(|error| {
                Error::invalid_args(format!("the argument '{name}' is not valid UTF-8")).with_source(error)
            }),
        };
        text(0, "path")?;
        let path = row_text(arguments, 0, "path")?;
        let (old_string, new_string) = (text(1, "old_string")?, text(2, "new_string")?);
        let replace_all = arguments.boolean(3).unwrap_or(false);
        let place = writable(&path, host)?;
        // Errors quote passages of the file, so what must not be read unseen must not be edited so.
        if place.sandbox().approvals().edit || place.sandbox().approvals().read {
            return Err(approval_required("editing", &path));
        }
        let file = FileName { sandbox: place.sandbox().name(), relative: place.path().as_str() };
        let expected = place.read_for_writing()?;
        let Expected::Present { bytes, .. } = &expected else {
            // The file's own error names those that were perhaps meant.
            place.read()?;
            return Err(Error::stale(format!("{} has just been made", quoted(&path))).with_hint("Ask again"));
        };
        let base_oid = blob_id(bytes)?;
        if let Some(given) = arguments.text(4) {
            check_base(file, &String::from_utf8_lossy(given), &base_oid)?;
        }
        let edit = Edit { old_string: &old_string, new_string: &new_string, replace_all };
        let most = place.sandbox().max_file_bytes();
        let plan = Plan::new(engine, file, bytes, &[edit], most, &Stop::never())?;
        place.write(&plan.content, &expected)?;
        let fields = out.fields_mut();
        fields[0].push_text(Some(&path));
        fields[1].push_bigint(i64::try_from(plan.replacements_made()).ok());
        fields[2].push_bigint(i64::try_from(plan.lines_changed()).ok());
        fields[3].push_text(Some(&plan.message(file)));
        fields[4].push_text(Some(&plan.unified_diff));
        fields[5].push_text(Some(&base_oid));
        fields[6].push_text(Some(&blob_id(&plan.content)?));
        Ok(())
    }
}
