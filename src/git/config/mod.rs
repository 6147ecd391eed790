//! What the configuration says: `checkout` (of a work tree) and `conversions` (of the line endings of its files).

pub mod checkout;
pub mod conversions;
