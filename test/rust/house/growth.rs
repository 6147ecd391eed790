//! Finds what grows with the input where a refusal of the system ends the process: `Vec` and its
//! kin abort it.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::sources::{Source, sources};

/// Where values are as large as what is given: six crates, and the histories of git, whose lists
/// have an item for each line or commit. What git reads of a repository is charged to a budget.
const PLACES: [&str; 7] = [
    "src/edit/",
    "src/git/history/",
    "src/journal/",
    "src/query/",
    "src/render/",
    "src/review/",
    "src/text/",
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
        visit::visit_macro(self, call);
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
        if allocates(call) && (copies || !has_room) {
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
            let found = unprotected(&source).into_iter();
            wrong.extend(found.map(|(line, call)| format!("{}:{line}: {call}", source.name)));
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
    ] {
        assert_eq!(found(body), 0, "{body}");
    }
}
