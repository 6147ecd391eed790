//! The sources of the extension as a checker sees them: parsed, without their tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A source file.
pub struct Source {
    /// Its path from the root of the checkout.
    pub name: String,
    text: String,
    /// The lines, from 1, of items that only tests have, wherever they stand.
    tests: Vec<RangeInclusive<usize>>,
    /// The paths that it imports or names from `crate`, `super` or `self` on; re-exports are not
    /// among them.
    imports: Vec<Import>,
    /// What it shows of other files: a name, and the path of what it means.
    exports: Vec<(String, Import)>,
}

/// A path that a file names, and the line where it does.
struct Import {
    line: usize,
    path: Vec<String>,
}

impl Import {
    /// Has the path begin at the root of the workspace, whose crates are read as modules of one:
    /// `crate` of a file in `own`, and `redline_git` in any file.
    fn name_crate(&mut self, own: Option<&str>) {
        let Some(first) = self.path.first() else { return };
        let below = match first.strip_prefix("redline_") {
            Some(named) => Some(named.to_owned()),
            None => own.filter(|_| first == "crate").map(str::to_owned),
        };
        if let Some(below) = below {
            self.path.splice(..1, ["crate".to_owned(), below]);
        }
    }
}

/// Returns the crate of a file by its directory; `None` for the extension itself.
fn own_crate(name: &str) -> Option<&str> {
    let directory = name.strip_prefix("src/")?.split_once('/')?.0;
    (!["ffi", "functions"].contains(&directory)).then_some(directory)
}

/// A file that names something of another one.
pub struct Arrow<'s> {
    /// The file that names it.
    pub from: &'s str,
    /// The line where it does.
    pub line: usize,
    /// The path as it is written.
    pub path: String,
    /// The file that defines it, however many others show it on the way.
    pub to: &'s str,
}

impl Source {
    /// Parses a file.
    pub fn parse(name: &str, text: String) -> Self {
        let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut seen = Seen::default();
        seen.visit_file(&file);
        let Seen { tests, mut imports, mut exports } = seen;
        let own = own_crate(name);
        let shown = exports.iter_mut().map(|(_, import)| import);
        imports.iter_mut().chain(shown).for_each(|import| import.name_crate(own));
        Self { name: name.to_owned(), text, tests, imports, exports }
    }

    /// Returns the lines of code with their numbers, without those of tests and comments.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..)
            .zip(self.text.lines())
            .filter(|(number, _)| self.is_code(*number))
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// Returns the places where a failure becomes an absence or a default: a number of a line and
    /// the call whose result is dropped. Calls of `pure` read nothing: what they return is no
    /// failure of the system.
    pub fn dropped_failures(&self, pure: &[&str]) -> Vec<(usize, String)> {
        let mut found = Dropped { pure, found: Vec::new() };
        found.visit_file(&self.parsed());
        found.found.into_iter().filter(|(line, _)| self.is_code(*line)).collect()
    }

    /// Returns the file as it is parsed.
    pub fn parsed(&self) -> syn::File {
        syn::parse_file(&self.text).expect("it was parsed before")
    }

    /// Tells whether the file is a module of tests, which another one names so.
    pub fn is_test(&self) -> bool {
        self.module().iter().any(|name| name == "tests")
    }

    /// Tells whether a line belongs to no test.
    pub fn is_code(&self, line: usize) -> bool {
        !self.tests.iter().any(|lines| lines.contains(&line))
    }

    /// Returns the names of the module that the file is: `["git", "walk"]`, `["git"]` for its
    /// `mod.rs`.
    fn module(&self) -> Vec<String> {
        let below = self.name.trim_start_matches("src/").trim_end_matches(".rs");
        let mut names: Vec<String> = below.split('/').map(str::to_owned).collect();
        if matches!(names.last().map(String::as_str), Some("mod" | "lib")) {
            names.pop();
        }
        names
    }
}

/// Finds calls that drop why something failed.
struct Dropped<'p> {
    pure: &'p [&'p str],
    found: Vec<(usize, String)>,
}

/// What makes an absence or a default of a failure.
const DROPS: [&str; 4] = ["ok", "unwrap_or_default", "is_ok", "is_ok_and"];

/// What passes a failure on.
const PASSES: [&str; 7] = ["map", "map_err", "as_ref", "as_deref", "flatten", "cloned", "copied"];

impl Dropped<'_> {
    fn look(&mut self, value: &syn::Expr) {
        let name = last_call(value);
        if name.as_ref().is_some_and(|name| !self.pure.contains(&name.as_str())) {
            self.found.push((value.span().start().line, name.unwrap_or_default()));
        }
    }
}

impl<'a> Visit<'a> for Dropped<'_> {
    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        if DROPS.contains(&call.method.to_string().as_str()) {
            self.look(&call.receiver);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_local(&mut self, local: &'a syn::Local) {
        let is_dropped = match &local.pat {
            syn::Pat::Wild(_) => true,
            syn::Pat::TupleStruct(pattern) => pattern.path.is_ident("Ok"),
            _ => false,
        };
        if let Some(init) = local.init.as_ref().filter(|_| is_dropped) {
            self.look(&init.expr);
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, test: &'a syn::ExprLet) {
        if matches!(&*test.pat, syn::Pat::TupleStruct(pattern) if pattern.path.is_ident("Ok")) {
            self.look(&test.expr);
        }
        visit::visit_expr_let(self, test);
    }
}

/// Returns the name of the function or method that a value comes from; what a `?` has passed is no
/// failure.
fn last_call(value: &syn::Expr) -> Option<String> {
    match value {
        syn::Expr::MethodCall(call) if PASSES.contains(&call.method.to_string().as_str()) => {
            last_call(&call.receiver)
        }
        syn::Expr::MethodCall(call) => Some(call.method.to_string()),
        syn::Expr::Call(call) => match &*call.func {
            syn::Expr::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => Some(String::from("a closure")),
        },
        syn::Expr::Reference(inner) => last_call(&inner.expr),
        syn::Expr::Paren(inner) => last_call(&inner.expr),
        _ => None,
    }
}

/// Returns every source file below `src`, read once for all tests.
pub fn sources() -> &'static [Source] {
    static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(read_sources);
    &SOURCES
}

fn read_sources() -> Vec<Source> {
    fn visit(directory: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).expect("a directory of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                visit(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    visit(&root.join("src"), &mut found);
    found.sort();
    let parse = |path: &PathBuf| {
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        Source::parse(&name, fs::read_to_string(path).expect("a source file"))
    };
    found.iter().map(parse).collect()
}

/// Returns the groups of files that import each other, directly or by way of others: of a name that
/// a file only shows, both that file and the one that defines it count.
pub fn circles(sources: &[Source]) -> Vec<Vec<&str>> {
    let files: BTreeMap<Vec<String>, usize> = sources.iter().map(Source::module).zip(0..).collect();
    let imported: Vec<BTreeSet<usize>> = sources
        .iter()
        .enumerate()
        .map(|(own, source)| {
            let module = source.module();
            let named = source.imports.iter().flat_map(|import| {
                // At the most depth, no re-export is followed.
                let [defined, named] = [0, sources.len()]
                    .map(|depth| definition(sources, &files, &module, &import.path, depth));
                [file_of(&files, &module, &import.path), defined.filter(|_| defined != named)]
            });
            named.flatten().filter(|&file| file != own).collect()
        })
        .collect();
    let reached: Vec<BTreeSet<usize>> =
        (0..sources.len()).map(|from| reachable(&imported, from)).collect();
    let mut circles = BTreeSet::new();
    for from in 0..sources.len() {
        let circle: Vec<usize> =
            reached[from].iter().copied().filter(|&to| reached[to].contains(&from)).collect();
        if !circle.is_empty() {
            circles.insert(circle);
        }
    }
    circles
        .into_iter()
        .map(|circle| circle.into_iter().map(|file| sources[file].name.as_str()).collect())
        .collect()
}

/// Returns what each file names of others: of a name that a file only shows, the file that defines
/// it. What a file shows of others counts too.
pub fn arrows(sources: &[Source]) -> Vec<Arrow<'_>> {
    let files: BTreeMap<Vec<String>, usize> = sources.iter().map(Source::module).zip(0..).collect();
    let mut arrows = Vec::new();
    for source in sources {
        let shown = source.exports.iter().map(|(_, import)| import);
        for import in source.imports.iter().chain(shown) {
            let Some(to) = definition(sources, &files, &source.module(), &import.path, 0) else {
                continue;
            };
            let (line, path) = (import.line, import.path.join("::"));
            arrows.push(Arrow { from: &source.name, line, path, to: &sources[to].name });
        }
    }
    arrows
}

/// Returns the file that defines what a path means in a module.
fn definition(
    sources: &[Source],
    files: &BTreeMap<Vec<String>, usize>,
    module: &[String],
    path: &[String],
    depth: usize,
) -> Option<usize> {
    let whole = absolute(module, path).or_else(|| {
        let whole = [module, path].concat();
        files.contains_key(&whole[..=module.len()]).then_some(whole)
    })?;
    let length = (1..=whole.len()).rev().find(|&length| files.contains_key(&whole[..length]))?;
    let file = files[&whole[..length]];
    let export = whole.get(length).and_then(|name| {
        sources[file].exports.iter().find(|(shown, _)| shown == name && depth < sources.len())
    });
    match export {
        Some((_, import)) => {
            let path = [&import.path[..], &whole[length + 1..]].concat();
            definition(sources, files, &whole[..length], &path, depth + 1)
        }
        None => Some(file),
    }
}

fn reachable(imported: &[BTreeSet<usize>], from: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut left: Vec<usize> = imported[from].iter().copied().collect();
    while let Some(file) = left.pop() {
        if found.insert(file) {
            left.extend(&imported[file]);
        }
    }
    found
}

/// Returns the file that a path leads to: the one of the longest module that it begins with.
fn file_of(
    files: &BTreeMap<Vec<String>, usize>,
    module: &[String],
    path: &[String],
) -> Option<usize> {
    let whole = absolute(module, path)?;
    (1..=whole.len()).rev().find_map(|length| files.get(&whole[..length]).copied())
}

/// Returns a path from the root of the crate on; `None` where it does not begin with `crate`,
/// `super` or `self`.
fn absolute(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|name| *name == "super").count();
    let base = match path.first()?.as_str() {
        "crate" => &[],
        "self" => module,
        "super" => &module[..module.len().checked_sub(supers)?],
        _ => return None,
    };
    Some([base, &path[supers.max(1)..]].concat())
}

/// What is met on the way through a file.
#[derive(Default)]
struct Seen {
    tests: Vec<RangeInclusive<usize>>,
    imports: Vec<Import>,
    exports: Vec<(String, Import)>,
}

/// Calls `each` with every path of a tree of imports, and the name that it gives it.
fn each_import(before: &[String], tree: &syn::UseTree, each: &mut impl FnMut(String, Import)) {
    let mut found = |ident: &syn::Ident, name: &syn::Ident| {
        let path = match ident.to_string().as_str() {
            "self" if !before.is_empty() => before.to_vec(),
            own => [before, &[own.to_owned()]].concat(),
        };
        each(name.to_string(), Import { line: ident.span().start().line, path });
    };
    match tree {
        syn::UseTree::Path(path) => {
            each_import(&[before, &[path.ident.to_string()]].concat(), &path.tree, each);
        }
        syn::UseTree::Name(name) => found(&name.ident, &name.ident),
        syn::UseTree::Rename(name) => found(&name.ident, &name.rename),
        syn::UseTree::Glob(glob) => {
            let line = glob.span().start().line;
            each("*".to_owned(), Import { line, path: before.to_vec() });
        }
        syn::UseTree::Group(group) => {
            group.items.iter().for_each(|tree| each_import(before, tree, each));
        }
    }
}

impl Seen {
    /// Notes what only tests have, be it on one system; nothing in it is looked at.
    fn is_test(&mut self, attributes: &[syn::Attribute], item: &impl Spanned) -> bool {
        let is_test = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).any(
            |attribute| {
                attribute.parse_args::<syn::Meta>().is_ok_and(|condition| match condition {
                    syn::Meta::Path(path) => path.is_ident("test"),
                    syn::Meta::List(list) => {
                        list.path.is_ident("all") && list.tokens.to_string().starts_with("test ,")
                    }
                    syn::Meta::NameValue(_) => false,
                })
            },
        );
        if is_test {
            let first =
                attributes.iter().map(|attribute| attribute.span().start().line).min().unwrap_or(1);
            self.tests.push(first..=item.span().end().line);
        }
        is_test
    }
}

impl<'ast> Visit<'ast> for Seen {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes: &[syn::Attribute] = match item {
            syn::Item::Const(item) => &item.attrs,
            syn::Item::Enum(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Macro(item) => &item.attrs,
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Static(item) => &item.attrs,
            syn::Item::Struct(item) => &item.attrs,
            syn::Item::Trait(item) => &item.attrs,
            syn::Item::Type(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            _ => &[],
        };
        if !self.is_test(attributes, item) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !self.is_test(&item.attrs, item) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_import = matches!(item.vis, syn::Visibility::Inherited);
        each_import(&[], &item.tree, &mut |name, import| {
            // A module that shows what its files hold does not depend on it.
            if is_import {
                self.imports.push(import);
            } else {
                self.exports.push((name, import));
            }
        });
    }

    /// `pub(super)` names a module and imports nothing.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|segment| segment.ident.to_string());
        let line = path.span().start().line;
        self.imports.push(Import { line, path: names.collect() });
        visit::visit_path(self, path);
    }

    /// In what is given to a macro, paths are those that begin with `crate` or a crate of ours.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let text = call.tokens.to_string().replace(' ', "");
        let line = call.span().start().line;
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        for path in text.split(|c| !is_name(c)) {
            if path.starts_with("crate::") || path.starts_with("redline_") {
                let path = path.split("::").map(str::to_owned).collect();
                self.imports.push(Import { line, path });
            }
        }
        visit::visit_macro(self, call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_after_a_test_in_the_middle_of_a_file_is_read() {
        let text = "use a;\n#[cfg(test)]\nmod tests {\n    use crate::ffi;\n}\n// crate::no\nuse crate::git;\n\
                    impl A {\n    #[cfg(test)]\n    fn only() {}\n    fn planted() { crate::ffi::x() }\n}\n";
        let source = Source::parse("src/text/planted.rs", text.to_owned());
        let numbers: Vec<usize> = source.code().map(|(number, _)| number).collect();
        assert_eq!(numbers, [1, 7, 8, 11, 12]);
    }

    #[test]
    fn files_that_import_each_other_are_found_by_whatever_way() {
        let file = |name: &str, text: &str| Source::parse(name, text.to_owned());
        let planted = [
            file("src/a/mod.rs", "mod b; mod c; mod d; pub use b::B;"),
            file(
                "src/a/b.rs",
                "pub(super) struct B; use super::c::C; #[cfg(test)] mod tests { use super::super::d::D; }",
            ),
            file("src/a/c.rs", "fn f() -> crate::d::D {}"),
            file("src/a/d.rs", "use super::{b::{B}, c as other};"),
            file("src/e/lib.rs", "use redline_a::B; use std::fs;"),
        ];
        assert_eq!(circles(&planted), [["src/a/b.rs", "src/a/c.rs", "src/a/d.rs"]]);
        assert!(circles(&planted[..3]).is_empty());
    }

    #[test]
    fn an_arrow_leads_to_the_file_that_defines_what_is_named() {
        let file = |name: &str, text: &str| Source::parse(name, text.to_owned());
        let planted = [
            file("src/a/mod.rs", "mod b; mod c; pub use b::{B, other as Other}; pub use c::*;"),
            file("src/a/b.rs", "pub struct B; pub use redline_d::D;"),
            file("src/a/c.rs", "use super::B;\nfn f() { println!(\"{}\", redline_d::D); }"),
            file(
                "src/d/lib.rs",
                "use redline_a::B::new;\nuse redline_a::{self, Other, b::D, Absent};",
            ),
        ];
        let arrows: Vec<_> = arrows(&planted)
            .into_iter()
            .filter(|arrow| arrow.from != arrow.to && !arrow.from.ends_with("mod.rs"))
            .map(|arrow| (arrow.from, arrow.line, arrow.to))
            .collect();
        assert_eq!(
            arrows,
            [
                ("src/a/b.rs", 1, "src/d/lib.rs"),
                ("src/a/c.rs", 1, "src/a/b.rs"),
                ("src/a/c.rs", 2, "src/d/lib.rs"),
                ("src/d/lib.rs", 1, "src/a/b.rs"),
                ("src/d/lib.rs", 2, "src/a/mod.rs"),
                ("src/d/lib.rs", 2, "src/a/b.rs"),
                ("src/d/lib.rs", 2, "src/a/mod.rs"),
            ]
        );
    }
}
