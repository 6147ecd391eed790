//! What a function says of itself beside its parameters and columns.

/// Which functions belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Repositories.
    Git,
    /// Texts and patches.
    Text,
    /// Files of sandboxes.
    Files,
    /// What a person is shown and decides.
    Approvals,
    /// What agents and their hosts call.
    Agent,
    /// Debug builds only.
    Debug,
}

/// Who may call a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// Those who are granted one of the tools that it stands behind: a host that withholds a tool
    /// withholds it on every way.
    Tools(&'static [&'static str]),
    /// Everybody: it reads nothing but its arguments, asks for the host's key, or only tells what
    /// may be done.
    Everybody,
}

/// What a function says of itself.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// Its name in SQL.
    pub name: &'static str,
    /// Which functions it belongs to.
    pub family: Family,
    /// Who may call it.
    pub grant: Grant,
    /// What it returns, in one line.
    pub description: &'static str,
    /// A query that shows it.
    pub example: &'static str,
}

/// A function that says who may call it; without this it can be neither registered nor opened.
pub trait Declared: 'static {
    /// What it says of itself.
    const DECLARATION: Declaration;
}
