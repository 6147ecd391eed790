//! The bytes of an object or a file, shared by their readers.

use std::ops::Deref;
use std::sync::Arc;

use redline_base::budget::{Charge, LARGE_BYTES};

/// The bytes of an object or a file; cheap to clone. Large ones are charged to the query while they
/// are held.
#[derive(Debug, Clone, Default)]
pub struct Bytes {
    bytes: Arc<Vec<u8>>,
    _held: Option<Arc<Charge>>,
}

impl Bytes {
    /// Returns bytes with the charge made before they were read.
    pub fn held(bytes: Arc<Vec<u8>>, charge: Charge) -> Self {
        let held = (bytes.len() >= LARGE_BYTES).then(|| Arc::new(charge));
        Self { bytes, _held: held }
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Bytes {}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes: Arc::new(bytes), _held: None }
    }
}

impl Deref for Bytes {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redline_base::budget::{Budget, Stopped};

    #[test]
    fn large_bytes_are_charged_as_long_as_anybody_holds_them() {
        let budget = Budget::of(None, 3 * LARGE_BYTES);
        let read = |size: usize| {
            let charge = budget.charge_large(size as u64)?;
            Ok::<_, Stopped>(Bytes::held(Arc::new(vec![0; size]), charge))
        };
        let first = read(2 * LARGE_BYTES).unwrap();
        let copy = first.clone();
        drop(first);
        assert!(read(2 * LARGE_BYTES).is_err());
        assert!(read(LARGE_BYTES - 1).is_ok());
        drop(copy);
        assert_eq!(budget.bytes(), 0);
    }
}
