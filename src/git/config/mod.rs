//! The configuration: `checkout` (of a work tree), `conversions` (of line endings) and `drivers`
//! (of diffs).

pub mod checkout;
pub mod conversions;
pub mod drivers;
