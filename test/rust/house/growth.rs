//! Finds what grows with the input where a refusal of the system ends the process: `Vec` and its
//! kin abort it.

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::sources::{Source, sources};

/// Where values are as large as what is given: seven crates, and of git commits, histories and the
/// index, whose lists have an item for each file, line or commit. What git reads of a repository is
/// charged to a budget.
const PLACES: [&str; 11] = [
    "src/edit/",
    "src/find/",
    "src/git/commit/",
    "src/git/history/",
    "src/git/index/",
    "src/journal/",
    "src/query/",
    "src/render/",
    "src/review/",
    "src/text/",
    "src/tools/room.rs",
];

/// Functions that allocate what they return.
const MAKES: [&str; 2] = ["from_utf8_lossy", "with_capacity"];

/// Methods of one argument that let their receiver grow.
const GROWS: [&str; 8] = [
    "entry",
    "extend",
    "extend_from_slice",
    "insert",
    "push",
    "push_back",
    "push_front",
    "push_str",
];

/// Names of what is as large as what is given, wherever they stand: a copy of one
/// has room or fails, too (`CopiedText`).
const WHOLE: [&str; 13] = [
    "body",
    "bytes",
    "content",
    "contents",
    "entries",
    "message",
    "new_string",
    "old_string",
    "patch",
    "payload",
    "text",
    "texts",
    "unified_diff",
];

/// Methods that copy what they are called on.
const COPIES: [&str; 8] = [
    "clone",
    "cloned",
    "repeat",
    "replace",
    "to_lowercase",
    "to_owned",
    "to_string",
    "to_uppercase",
];

/// Methods that return the whole of what they are called on.
const PASSES: [&str; 8] = [
    "as_bytes",
    "as_deref",
    "as_ref",
    "as_str",
    "trim",
    "trim_end",
    "trim_start",
    "unwrap_or_default",
];

/// Where texts have the width of a terminal.
const OF_ONE_ROW: [&str; 1] = ["src/render/card.rs"];

/// Calls that make room in what they are given, or fail.
const MAKE_ROOM: [&str; 6] =
    ["append", "refill", "reserve", "room", "try_reserve", "try_reserve_exact"];

/// What a function does, and what it has made room in up to there, as it is written.
#[derive(Default)]
struct Growth {
    roomy: Vec<String>,
    found: Vec<(usize, String)>,
}

/// Returns an expression as it is written, without what borrows or reads it.
fn written(value: &syn::Expr) -> String {
    match value {
        syn::Expr::Reference(inner) => written(&inner.expr),
        syn::Expr::Unary(inner) => written(&inner.expr),
        syn::Expr::Paren(inner) => written(&inner.expr),
        value => {
            let text = value.span().source_text().unwrap_or_default();
            text.chars().filter(|c| !c.is_whitespace()).collect()
        }
    }
}

/// Tells whether a call is one of the standard library that allocates, or lets its receiver grow:
/// types of ours have methods of these names, too, which take something else.
fn allocates(call: &syn::ExprMethodCall) -> bool {
    let name = call.method.to_string();
    let args: Vec<&syn::Expr> = call.args.iter().collect();
    let is_own = matches!(&*call.receiver, syn::Expr::Path(path) if path.path.is_ident("self"));
    match (name.as_str(), &args[..]) {
        ("collect" | "concat" | "into_owned" | "sort" | "to_vec", [])
        | ("sort_by" | "sort_by_cached_key" | "sort_by_key", [_]) => true,
        ("join", [between]) => {
            matches!(between, syn::Expr::Lit(_) | syn::Expr::Reference(_) | syn::Expr::Macro(_))
        }
        ("append", [more]) => {
            matches!(more, syn::Expr::Reference(more) if more.mutability.is_some())
        }
        (grows, [_]) if GROWS.contains(&grows) => !is_own,
        ("insert" | "insert_str" | "resize", [_, _]) => !is_own,
        _ => false,
    }
}

/// Returns the name of an expression that is one of [`WHOLE`], or a part of one.
fn whole(value: &syn::Expr) -> Option<&str> {
    let known = |name: &syn::Ident| WHOLE.into_iter().find(|one| name == one);
    match value {
        syn::Expr::Field(syn::ExprField { member: syn::Member::Named(name), .. }) => known(name),
        syn::Expr::Index(part) => whole(&part.expr),
        syn::Expr::MethodCall(call) if call.args.is_empty() => known(&call.method).or_else(|| {
            let is_passed = PASSES.iter().any(|one| call.method == one);
            is_passed.then(|| whole(&call.receiver))?
        }),
        syn::Expr::Paren(inner) => whole(&inner.expr),
        syn::Expr::Path(path) => known(path.path.get_ident()?),
        syn::Expr::Reference(inner) => whole(&inner.expr),
        syn::Expr::Try(passed) => whole(&passed.expr),
        syn::Expr::Unary(inner) => whole(&inner.expr),
        _ => None,
    }
}

/// Returns what a macro is given, where that is expressions.
fn given(call: &syn::Macro) -> Option<Punctuated<syn::Expr, syn::Token![,]>> {
    call.parse_body_with(Punctuated::parse_terminated).ok()
}

/// Tells whether `format!` writes one of [`WHOLE`]; `bytes` in it are a number.
fn formats_whole<'a>(given: impl IntoIterator<Item = &'a syn::Expr>) -> bool {
    given.into_iter().any(|one| match one {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => {
            let text = text.value();
            let mut names =
                text.split('{').skip(1).filter_map(|part| part.split(['}', ':']).next());
            names.any(|name| name != "bytes" && WHOLE.contains(&name))
        }
        syn::Expr::Assign(named) => whole(&named.right).is_some_and(|name| name != "bytes"),
        value => whole(value).is_some_and(|name| name != "bytes"),
    })
}

impl<'a> Visit<'a> for Growth {
    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        let outer = std::mem::take(&mut self.roomy);
        visit::visit_item_fn(self, item);
        self.roomy = outer;
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        let outer = std::mem::take(&mut self.roomy);
        visit::visit_impl_item_fn(self, item);
        self.roomy = outer;
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        if let syn::Expr::Path(path) = &*call.func
            && let Some(name) = path.path.segments.last().map(|last| last.ident.to_string())
        {
            if MAKE_ROOM.contains(&name.as_str()) {
                self.makes_room(&call.args);
            }
            if MAKES.contains(&name.as_str()) {
                self.found.push((call.span().start().line, name));
            }
        }
        visit::visit_expr_call(self, call);
    }

    /// What is copied to be an index is a range.
    fn visit_expr_index(&mut self, part: &'a syn::ExprIndex) {
        self.visit_expr(&part.expr);
        match &*part.index {
            syn::Expr::MethodCall(call) if call.method == "clone" => {
                self.visit_expr(&call.receiver)
            }
            index => self.visit_expr(index),
        }
    }

    /// What can fail is passed on.
    fn visit_expr_try(&mut self, passed: &'a syn::ExprTry) {
        match &*passed.expr {
            syn::Expr::MethodCall(call) => self.call(call, true),
            _ => visit::visit_expr_try(self, passed),
        }
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        self.call(call, false);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        let tokens = call.tokens.to_string();
        if call.path.is_ident("vec") && tokens.contains("; ") {
            self.found.push((call.span().start().line, "vec".to_owned()));
        }
        let given = given(call).unwrap_or_default();
        if call.path.is_ident("format") && formats_whole(&given) {
            self.found.push((call.span().start().line, "format".to_owned()));
        }
        given.iter().for_each(|value| self.visit_expr(value));
    }
}

impl Growth {
    fn call(&mut self, call: &syn::ExprMethodCall, can_fail: bool) {
        let name = call.method.to_string();
        if MAKE_ROOM.contains(&name.as_str()) {
            self.makes_room(&call.args);
            self.roomy.push(written(&call.receiver));
        }
        // What it is called on runs before it.
        visit::visit_expr_method_call(self, call);
        let has_room = can_fail || self.roomy.contains(&written(&call.receiver));
        let copies = ["collect", "concat", "into_owned", "join", "to_vec"];
        let copies = copies.contains(&name.as_str()) || name.starts_with("sort");
        let copies_whole = COPIES.contains(&name.as_str()) && whole(&call.receiver).is_some();
        if copies_whole || (allocates(call) && (copies || !has_room)) {
            self.found.push((call.method.span().start().line, name));
        }
    }

    fn makes_room<'a>(&mut self, given: impl IntoIterator<Item = &'a syn::Expr>) {
        self.roomy.extend(given.into_iter().map(written));
    }
}

/// Returns what grows without room in a source: a line, and the call.
fn unprotected(source: &Source) -> Vec<(usize, String)> {
    let mut growth = Growth::default();
    growth.visit_file(&source.parsed());
    growth.found.retain(|(line, _)| source.is_code(*line));
    growth.found
}

#[test]
fn what_grows_with_the_input_has_room_or_fails() {
    let mut wrong = Vec::new();
    for source in sources() {
        if PLACES.iter().any(|place| source.name.starts_with(place)) && !source.is_test() {
            let is_one_row = OF_ONE_ROW.contains(&source.name.as_str());
            let mut found = unprotected(source);
            found.retain(|(_, call)| call != "format" || !is_one_row);
            wrong.extend(
                found.into_iter().map(|(line, call)| format!("{}:{line}: {call}", source.name)),
            );
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_planted_growth_is_found_and_one_with_room_is_not() {
    let found = |body: &str| {
        let text = format!("fn f() -> Option<()> {{ {body}; None }}");
        unprotected(&Source::parse("src/text/planted.rs", text)).len()
    };
    for body in [
        "items.push(1)",
        "let all: Vec<_> = items.iter().collect()",
        "let copy = text.to_vec()",
        "let many = vec![0; count]",
        "table.insert(1, 2)",
        "String::from_utf8_lossy(bytes)",
        "names.join(\", \")",
        "items.sort_by_key(|item| item.0)",
        "reserve(&mut others, 1)?; items.push(1)",
        "let copy = given.message.clone()",
        "let copy = self.text().to_owned()",
        "let copy = body[1..].to_string()",
        "let copy = text.replace('a', \"b\")",
        "format!(\"{}\", names.iter().collect::<String>())",
        "let copy = edit.old_string.as_deref().cloned()",
        "format!(\"{before}{body}\")",
        "format!(\"{}: {:?}\", name, &file.content)",
    ] {
        assert_eq!(found(body), 1, "{body}");
    }
    for body in [
        "reserve(&mut items, 1)?; items.push(1)",
        "cancel.room(&mut charge, &mut self.items, 1)?; self.items.push(1)",
        "self.push(1)",
        "writer.push(1)?",
        "items.add(1)",
        "let all: Vec<_> = items.iter().gather()",
        "let few = vec![1, 2]",
        "charge.join(other)",
        "let copy = text.copied_text()",
        "let copy = name.clone()",
        "let part = &lines[hunk.text.clone()]",
        "format!(\"{name}: {}, {bytes} bytes\", quoted(text))",
    ] {
        assert_eq!(found(body), 0, "{body}");
    }
}
