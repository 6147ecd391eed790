//! git's built-in drivers: the lines of a language that head a section.
//!
//! Sources: gitattributes(5), "Defining a custom hunk-header", for the names and the application of
//! rules; each language's grammar; and git 2.47.3, tested line by line, wherever it differs from
//! the grammar. The names are those of git 2.47; `ini` and `r`, and other rules of `bash` and
//! `scheme`, came with git 2.50 to 2.55.

use super::Rule::{Anywhere, Indented, Line, Refuse};
use super::Sections;

/// Names of shared parts of patterns; later ones may use earlier ones.
///
/// A negated class never matches a byte that is not UTF-8, and `{any}` no NUL either, as in git in
/// a UTF-8 locale.
pub(super) const FRAGMENTS: [(&str, &str); 9] = [
    ("{rest}", "{any}*$"),
    ("{any}", r"(?u-i:[^\x00])"),
    ("{typed}", r"{word}(?:{b}+{word})+{b}*"),
    ("{word}", r"(?:[\w.@\[\]](?:<[\w@\[\]<>,{blank}]+>)?)+"),
    ("{call}", r"{name}{b}*\([^;]*$"),
    ("{name}", "[A-Z_a-z][0-9A-Z_a-z]*"),
    (
        "{space}",
        r"(?u-i:[\t-\r \u{1680}\u{2000}-\u{2006}\u{2008}-\u{200a}\u{2028}\u{2029}\u{205f}\u{3000}])",
    ),
    ("{b}", "[{blank}]"),
    ("{blank}", r"\t "),
];

/// All drivers, sorted by name.
pub(super) static DRIVERS: [Sections; 25] = [
    Sections::ignoring_case(
        "ada",
        &[
            // Instances, renamings and stubs have no body; a context clause is not a heading.
            Refuse(r"^(?:{any}*{b})?(?:renames|is{b}+(?:new|separate))(?:{b}{rest}|$)"),
            Refuse(r"^{b}*with{b}{rest}"),
            Indented(r"(?:function|package|procedure|protected|task){b}+{rest}"),
        ],
    ),
    Sections::new(
        "bash",
        &[
            // A name and its parentheses; or the keyword, up to the start of the body: `{`, `(`,
            // `((` or `[[`.
            Indented(
                r"{name}{b}*\({b}*\)|function{b}+{name}(?:{b}*\({b}*\)|{b}+){b}*(?:\{|\(\(?|\[\[)",
            ),
        ],
    ),
    Sections::new(
        "bibtex",
        &[
            // The kind of an entry and its key.
            Anywhere(r#"(@[A-Za-z]+{b}*\{?{b}*[^@,\\{}#~%"'{blank}]*){rest}"#),
        ],
    ),
    Sections::new(
        "cpp",
        &[
            // Labels: jump targets and access specifiers.
            Refuse(r"^{b}*{name}:{space}*(?:/[*/]|$)"),
            Line(r"(?:::{space}*)?[A-Z_a-z]{rest}"),
        ],
    ),
    Sections::new(
        "csharp",
        &[
            // Statements that look like a method.
            Refuse(concat!(
                r"(?:^|{b})(?:case|catch|default|do|else|fixed|for|foreach|if|lock|new|return|switch|throw",
                r"|using|while)(?:{b}|\(|$)",
            )),
            // Methods, then properties: two words at least.
            Indented(r"{typed}\([^;]*$"),
            Indented(r"{typed}[^;:=,()]*$"),
            Indented(concat!(
                r"(?:(?:abstract|internal|new|partial|private|protected|public|sealed|static|unsafe){b}+)*",
                r"(?:class|enum|interface|record|struct){b}+{rest}",
            )),
            Indented(r"namespace{b}+{rest}"),
        ],
    ),
    Sections::ignoring_case(
        "css",
        &[
            // Declarations, and selectors that continue.
            Refuse(r"[:;]{space}*$"),
            Line(r"[#.:@\[]?[0-9_a-z]{rest}"),
        ],
    ),
    Sections::new(
        "dts",
        &[
            // Properties and directives.
            Refuse(r"[;=]"),
            Indented(r"(?:/{b}*\{|&?[A-Z_a-z]){any}*"),
        ],
    ),
    Sections::new("elixir", &[Indented(r"(?:def(?:impl|macro|module|p|protocol)?|test){b}{rest}")]),
    Sections::ignoring_case(
        "fortran",
        &[
            // Comments; and names of procedures that are defined elsewhere.
            Refuse(r"^(?:[*c]|{b}*!)"),
            Refuse(r"^{b}*module{b}+procedure{b}"),
            Indented(concat!(
                r"(?:end{b}+)?(?:program|module|block{b}+data",
                r#"|(?:(?u-i:[^!"'{blank}])+{b}+)*(?:function|subroutine)){b}+[a-z]{rest}"#,
            )),
        ],
    ),
    Sections::ignoring_case(
        "fountain",
        &[Line(r"\.(?u-i:[^.]){rest}"), Line(r"(?:est|ext|i/e|int|int\.?/ext)[. ]{rest}")],
    ),
    Sections::new(
        "golang",
        &[Indented(r"func{any}*"), Indented(r"type{b}{any}*(?:interface|struct){b}*(?:\{{b}*)?")],
    ),
    Sections::new("html", &[Indented(r"<[Hh][1-6](?:{b}{any}*)?>{rest}")]),
    Sections::new(
        "java",
        &[
            // Statements that look like a method; only their first letters are compared.
            Refuse(r"^{b}*(?:catch|do|for|if|instanceof|new|return|switch|throw|while)"),
            Indented(r"(?:[a-z-]+{b}+)*(?:class|enum|interface|record){b}+{rest}"),
            Indented(r"(?:[A-Z_a-z<>&][0-9A-Z_a-z<>&?.,\[\]]*{b}+)+{call}"),
        ],
    ),
    Sections::new("kotlin", &[Indented(r"(?:[a-z]+{b}+)*(?:class|fun|interface){b}+{rest}")]),
    Sections::new("markdown", &[Line(r" {0,3}#{1,6}{b}{any}*")]),
    Sections::new(
        "matlab",
        &[
            Line(r"{space}*((?:classdef|function){space}{rest})"),
            // Code sections; `##` is Octave's.
            Line(r"(?:%%%?|##){space}{rest}"),
        ],
    ),
    Sections::new(
        "objc",
        &[
            Refuse(r"^{b}*(?:do|else|for|if|return|switch|while)"),
            // Methods, functions, and their containers.
            Indented(r"[+-]{b}*\({b}*[A-Z_a-z][0-9A-Z_a-z*{blank}]*\){b}*[A-Za-z_]{rest}"),
            Indented(r"(?:{name}{b}+)+{call}"),
            Line(r"@(?:implementation|interface|protocol){b}{rest}"),
        ],
    ),
    Sections::new(
        "pascal",
        &[
            Line(r"(?:class{b}+)?(?:function|procedure){rest}"),
            Line(
                r"(?:constructor|destructor|interface|implementation|initialization|finalization){rest}",
            ),
            Line(r"{any}*={b}*(?:class|record){rest}"),
        ],
    ),
    Sections::new(
        "perl",
        &[
            Line(r"package {any}*"),
            // For a sub with a prototype or signature, git uses only that as the heading.
            Line(r"sub [\w:']+{b}*(\([^)]*\){b}*)?(?::[^#;]*)?(?:\{{b}*)?(?:#{any}*)?$"),
            // Here it uses only the name.
            Line(r"(AUTOLOAD|BEGIN|CHECK|DESTROY|END|INIT|UNITCHECK){b}*(?:\{{b}*)?(?:#{any}*)?$"),
            Line(r"=head[0-9] {any}*"),
        ],
    ),
    Sections::new(
        "php",
        &[
            Indented(r"(?:(?:abstract|final|private|protected|public|static){b}+)*function{rest}"),
            Indented(r"(?:(?:(?:abstract|final){b}+)?class|enum|interface|trait){rest}"),
        ],
    ),
    Sections::new("python", &[Indented(r"(?:class|(?:async{b}+)?def){b}{rest}")]),
    Sections::new("ruby", &[Indented(r"(?:class|def|module){b}{rest}")]),
    Sections::new(
        "rust",
        &[Indented(concat!(
            r#"(?:pub(?:\([^)\\]+\))?{b}+)?(?:(?:async|const|extern{b}+"[^"]+"|unsafe){b}+)?"#,
            r"(?:enum|fn|impl|macro_rules!|mod|struct|trait|union)[<{blank}][^;]*$",
        ))],
    ),
    Sections::new(
        "scheme",
        &[
            // Scheme's own definitions, and those of Racket, Gerbil and others.
            Indented(concat!(
                r"\((?:(?:define|def(?:alias|class|method|proto|record|rules|struct|syntax)?)[-*/{blank}]",
                r"|(?:class|library|module|struct)[*+{blank}]){rest}",
            )),
        ],
    ),
    Sections::new("tex", &[Line(r"\\(?:chapter|part|(?:sub)*section)\*?\{{rest}")]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_driver_compiles_and_is_found_by_its_name_alone() {
        assert!(DRIVERS.is_sorted_by_key(|sections| sections.name));
        for sections in &DRIVERS {
            let found = Sections::driver(sections.name.as_bytes()).unwrap();
            assert_eq!(found.name, sections.name);
            assert_eq!(found.compiled().len(), sections.rules.len());
        }
        for unknown in ["", "default", "Rust", "rus", "rust ", "ini", "r", "javascript"] {
            assert!(Sections::driver(unknown.as_bytes()).is_none(), "{unknown}");
        }
    }
}
