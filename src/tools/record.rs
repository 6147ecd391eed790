//! Results that are declared once: the struct and its docs are the JSON, the schema of the JSON,
//! and the value of SQL.

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellType {
    /// A text.
    Text,
    /// A number, 0 or more.
    Count,
    /// True or false.
    Truth,
}

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'a> {
    /// A text.
    Text(&'a str),
    /// A number, 0 or more.
    Count(u64),
    /// True or false.
    Truth(bool),
}

/// A Rust type that fields may have.
pub trait AsCell {
    /// The type of the field.
    const TYPE: CellType;
    /// Returns the value.
    fn cell(&self) -> Cell<'_>;
}

impl AsCell for String {
    const TYPE: CellType = CellType::Text;
    fn cell(&self) -> Cell<'_> {
        Cell::Text(self)
    }
}

impl AsCell for u64 {
    const TYPE: CellType = CellType::Count;
    fn cell(&self) -> Cell<'_> {
        Cell::Count(*self)
    }
}

impl AsCell for bool {
    const TYPE: CellType = CellType::Truth;
    fn cell(&self) -> Cell<'_> {
        Cell::Truth(*self)
    }
}

/// A field of a result.
pub struct RecordField<R: 'static> {
    /// The name.
    pub name: &'static str,
    /// The description.
    pub doc: &'static str,
    /// The type.
    pub kind: CellType,
    /// Returns the value.
    pub value: for<'a> fn(&'a R) -> Cell<'a>,
}

/// A result whose fields are known by name.
pub trait Record: Sized + 'static {
    /// The fields, in order.
    const FIELDS: &'static [RecordField<Self>];
}

/// Declares a result: a struct with `Serialize`, `JsonSchema` and [`Record`].
macro_rules! record {
    (
        $(#[doc = $about:literal])*
        pub struct $name:ident {
            $( $(#[doc = $doc:literal])+ pub $field:ident: $kind:ty, )+
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Debug, Clone, Default, PartialEq, Eq)]
        pub struct $name {
            $( $(#[doc = $doc])+ pub $field: $kind, )+
        }

        impl $crate::tools::record::Record for $name {
            const FIELDS: &'static [$crate::tools::record::RecordField<Self>] = &[
                $( $crate::tools::record::RecordField {
                    name: stringify!($field),
                    doc: concat!($($doc),+).trim_ascii_start(),
                    kind: <$kind as $crate::tools::record::AsCell>::TYPE,
                    value: |record| $crate::tools::record::AsCell::cell(&record.$field),
                }, )+
            ];
        }
    };
}

pub(super) use record;
