//! A function in the registry: its name, parameters and result, and how it is registered.

use crate::ffi::{Overload, Registrar};
use redline_base::error::Result;
use redline_rows::{Declaration, Family};
use redline_rows::{Field, Type};

/// A function as it is registered.
#[derive(Clone, Copy)]
pub struct FunctionEntry {
    /// Its parameters and result.
    pub signature: Signature,
    /// Its declaration.
    pub declaration: Declaration,
    /// Registers it on the database that loads the extension.
    pub register: fn(&Registrar) -> Result<()>,
}

/// The parameters and the result of a function.
#[derive(Clone, Copy)]
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

impl FunctionEntry {
    /// Tells whether it is documented for users.
    pub fn is_public(&self) -> bool {
        self.declaration.family != Family::Debug
    }
}
