//! What the configuration says: `checkout` (of a work tree), `conversions` (of the line endings of its files) and `drivers`
//! (of diffs).

pub mod checkout;
pub mod conversions;
pub mod drivers;
