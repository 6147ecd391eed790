//! Reads a JSON list of edits, each with the path of its file.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{ChangeKind, FileChange, Replacement};
use redline_base::budget::{CopiedText, Grow, GrowMap};
use redline_base::error::{Error, Result, quoted};
use redline_base::{limits, strict_json};

const FIELDS: [&str; 4] = ["path", "old_string", "new_string", "replace_all"];

pub(super) fn read(patch: &str) -> Result<Vec<FileChange>> {
    let list = strict_json::parse(patch).map_err(|error| {
        Error::invalid_args(format!("the patch is not a JSON list of edits: {error}"))
            .with_hint("Give [{\"path\": …, \"old_string\": …, \"new_string\": …}, …]")
    })?;
    let count = list.as_array().map_or(0, Vec::len);
    if count > limits::EDITS {
        return Err(Error::too_large(format!(
            "there are {count} edits, and one call takes at most {}",
            limits::EDITS
        ))
        .with_hint("Make them in several calls"));
    }
    let mut changes: Vec<FileChange> = Vec::new();
    let mut places = HashMap::new();
    for (edit, number) in list.as_array().into_iter().flatten().zip(1..) {
        let (path, replacement) = edit
            .as_object()
            .ok_or_else(|| wrong(number, "is not an object"))
            .and_then(|edit| replacement(edit, number))?;
        let place = *places.slot(path.clone()).or_insert(changes.len());
        match changes.get_mut(place).map(|change| &mut change.kind) {
            Some(ChangeKind::Edit(edits)) => edits.add(replacement),
            _ => changes.add(FileChange::new(path, ChangeKind::Edit(vec![replacement]), number)),
        }
    }
    Ok(changes)
}

fn wrong(number: usize, what: &str) -> Error {
    Error::invalid_args(format!("edit {number} of the list {what}"))
        .with_hint("Its fields are path, old_string, new_string and replace_all")
}

fn replacement(edit: &Map<String, Value>, number: usize) -> Result<(String, Replacement)> {
    if let Some(other) = edit.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        return Err(wrong(number, &format!("has the field {}", quoted(other))));
    }
    let text = |field: &str| match edit.get(field) {
        Some(Value::String(text)) => Ok(text.copied_text()),
        _ => Err(wrong(number, &format!("has no text {field}"))),
    };
    let replace_all = match edit.get("replace_all") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(all)) => *all,
        Some(_) => return Err(wrong(number, "has a replace_all that is not a boolean")),
    };
    let [path, old_string, new_string] = ["path", "old_string", "new_string"].map(text);
    Ok((path?, Replacement { old_string: old_string?, new_string: new_string?, replace_all }))
}
