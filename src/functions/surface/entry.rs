//! A function as the registry lists it: what it is called, takes and returns, and how it is
//! registered.

use super::declaration::{Declaration, Family};
use crate::error::Result;
use crate::ffi::{Field, Overload, Registrar, Type};

/// A function as it is registered.
pub struct Entry {
    /// What it takes and returns.
    pub signature: Signature,
    /// What it says of itself.
    pub declaration: Declaration,
    pub(super) register: fn(&Registrar) -> Result<()>,
}

/// What a function takes and returns.
pub enum Signature {
    /// A table function.
    Table {
        /// Positional parameters, all required.
        parameters: &'static [Field],
        /// Named parameters, all optional.
        named: &'static [Field],
        /// The columns.
        columns: &'static [Field],
    },
    /// A scalar function.
    Scalar {
        /// The parameters of each overload.
        overloads: &'static [Overload],
        /// The type of the result.
        returns: Type,
    },
}

impl Entry {
    /// Registers the function on the database that loads the extension.
    pub fn register(&self, registrar: &Registrar) -> Result<()> {
        (self.register)(registrar)
    }

    /// Tells whether users are told of it.
    pub fn is_public(&self) -> bool {
        self.declaration.family != Family::Debug
    }
}
