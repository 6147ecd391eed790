//! The declaration of a function besides its parameters and columns.

/// The families of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Repositories.
    Git,
    /// Texts and patches.
    Text,
    /// Files of sandboxes.
    Files,
    /// Decisions of a person.
    Approvals,
    /// For agents and their hosts.
    Agent,
    /// Debug builds only.
    Debug,
}

/// Who may call a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// Callers to whom one of these tools is granted, or one that names the function among those
    /// that it opens: a host that withholds a tool withholds it in every form. With none of either
    /// it is closed.
    Tools(&'static [&'static str]),
    /// Everybody: it reads only its arguments, asks for the host's key, or only tells what may be
    /// done.
    Everybody,
}

/// The declaration of a function: without one it can be neither registered nor opened.
#[derive(Debug, Clone, Copy)]
pub struct Declaration {
    /// Its name in SQL.
    pub name: &'static str,
    /// Its family.
    pub family: Family,
    /// Who may call it.
    pub grant: Grant,
    /// Its result, in one line.
    pub description: &'static str,
    /// An example.
    pub example: &'static str,
}
