//! Result values as plain Rust, computed inside panic containment and written outside it.

use std::time::{Duration, Instant};

use super::types::{Field, Type};
use redline_base::budget::{Grow, Stopped, stop};
use redline_base::limits;

/// The values of one column or of the children of a list or struct.
#[derive(Debug)]
pub enum Column {
    /// BOOLEAN values.
    Boolean(Vec<Option<bool>>),
    /// UTINYINT values.
    UTinyInt(Vec<Option<u8>>),
    /// INTEGER values.
    Integer(Vec<Option<i32>>),
    /// BIGINT values, and TIMESTAMPTZ ones, which DuckDB stores alike.
    BigInt(Vec<Option<i64>>),
    /// DOUBLE values.
    Double(Vec<Option<f64>>),
    /// VARCHAR values.
    Text(Texts),
    /// BLOB values.
    Blob(Texts),
    /// Lists: the length of each row's list, and all elements in one column.
    List {
        /// Length per row; NULL for a NULL list.
        lengths: Vec<Option<usize>>,
        /// The elements of all rows, in order.
        child: Box<Column>,
    },
    /// Structs: all fields have as many values as there are structs.
    Struct {
        /// A column per field.
        fields: Vec<Column>,
        /// The rows, in order, that are NULL as a whole.
        nulls: Vec<usize>,
    },
}

/// The longest text that is stored once for several rows: longer ones would make a chunk that is
/// much larger than its bytes here.
const REPEATED_BYTES: usize = 256;

/// Texts stored end to end, so that a row costs no allocation of its own; a short one that is equal
/// to that of the row before is stored once.
#[derive(Debug, Default)]
pub struct Texts {
    bytes: Vec<u8>,
    spans: Vec<Span>,
}

/// Where a text is.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: usize,
    end: usize,
    is_null: bool,
}

impl Texts {
    /// Returns the texts in order; NULL is `None`. Two that are stored once are the same slice.
    pub fn iter(&self) -> impl Iterator<Item = Option<&[u8]>> {
        let text = |span: &Span| (!span.is_null).then(|| &self.bytes[span.start..span.end]);
        self.spans.iter().map(text)
    }

    fn push(&mut self, text: Option<&[u8]>) {
        if !text.is_some_and(|text| self.repeat(text)) {
            self.append(text.unwrap_or_default());
            self.end(text.is_none());
        }
    }

    /// Repeats the last text, if it is this one; tells whether it is.
    fn repeat(&mut self, text: &[u8]) -> bool {
        let same = |last: &&Span| !last.is_null && self.bytes[last.start..last.end] == *text;
        let last = self.spans.last().filter(|_| text.len() <= REPEATED_BYTES).filter(same);
        let Some(&last) = last else { return false };
        self.spans.add(last);
        true
    }

    /// Ends a text: its bytes are those since the previous one.
    fn end(&mut self, is_null: bool) {
        let span = Span { start: self.stored(), end: self.bytes.len(), is_null };
        self.spans.add(span);
    }

    /// Returns how many bytes the texts have so far, without those of the next one.
    fn stored(&self) -> usize {
        self.spans.last().map_or(0, |last| last.end)
    }

    /// Appends bytes to the next text.
    fn append(&mut self, bytes: &[u8]) {
        self.bytes.make_room(bytes.len());
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() - self.stored() > limits::VALUE_BYTES {
            stop(Stopped::Value);
        }
    }

    /// Appends a text; invalid UTF-8 becomes U+FFFD, and counts as that.
    fn push_lossy(&mut self, bytes: &[u8]) {
        for chunk in bytes.utf8_chunks() {
            self.append(chunk.valid().as_bytes());
            if !chunk.invalid().is_empty() {
                self.append("\u{fffd}".as_bytes());
            }
        }
        self.end(false);
    }
}

impl Column {
    /// Returns an empty column of a type.
    pub fn new(kind: &Type) -> Self {
        match kind {
            Type::Boolean => Self::Boolean(Vec::new()),
            Type::UTinyInt => Self::UTinyInt(Vec::new()),
            Type::Integer => Self::Integer(Vec::new()),
            Type::UInteger | Type::TextOrTexts | Type::Moment | Type::Options(_) => {
                unreachable!("a type of parameters only")
            }
            Type::BigInt | Type::Timestamp => Self::BigInt(Vec::new()),
            Type::Double => Self::Double(Vec::new()),
            Type::Varchar | Type::Json => Self::Text(Texts::default()),
            Type::Blob => Self::Blob(Texts::default()),
            Type::List(child) => {
                Self::List { lengths: Vec::new(), child: Box::new(Self::new(child)) }
            }
            Type::Struct(fields) => {
                let fields = fields.iter().map(|field| Self::new(&field.kind)).collect();
                Self::Struct { fields, nulls: Vec::new() }
            }
        }
    }

    /// Returns the number of values.
    pub fn count(&self) -> usize {
        match self {
            Self::Boolean(values) => values.len(),
            Self::UTinyInt(values) => values.len(),
            Self::Integer(values) => values.len(),
            Self::BigInt(values) => values.len(),
            Self::Double(values) => values.len(),
            Self::Text(texts) | Self::Blob(texts) => texts.spans.len(),
            Self::List { lengths, .. } => lengths.len(),
            Self::Struct { fields, .. } => fields.first().map_or(0, Self::count),
        }
    }

    /// Removes all values and keeps the capacity.
    pub fn clear(&mut self) {
        match self {
            Self::Boolean(values) => values.clear(),
            Self::UTinyInt(values) => values.clear(),
            Self::Integer(values) => values.clear(),
            Self::BigInt(values) => values.clear(),
            Self::Double(values) => values.clear(),
            Self::Text(texts) | Self::Blob(texts) => {
                texts.bytes.clear();
                texts.spans.clear();
            }
            Self::List { lengths, child } => {
                lengths.clear();
                child.clear();
            }
            Self::Struct { fields, nulls } => {
                fields.iter_mut().for_each(Self::clear);
                nulls.clear();
            }
        }
    }

    /// Appends NULL; in a struct to every field too, as DuckDB reads the fields of a NULL struct.
    pub fn push_null(&mut self) {
        match self {
            Self::Boolean(values) => values.add(None),
            Self::UTinyInt(values) => values.add(None),
            Self::Integer(values) => values.add(None),
            Self::BigInt(values) => values.add(None),
            Self::Double(values) => values.add(None),
            Self::Text(texts) | Self::Blob(texts) => texts.push(None),
            Self::List { lengths, .. } => lengths.add(None),
            Self::Struct { fields, nulls } => {
                nulls.add(fields.first().map_or(0, Self::count));
                fields.iter_mut().for_each(Self::push_null);
            }
        }
    }

    /// Appends a text or NULL.
    ///
    /// # Panics
    /// On a column of another type, as the other `push` functions do: a mistake in the code,
    /// which the boundary reports as an internal error.
    pub fn push_text(&mut self, text: Option<&str>) {
        match self {
            Self::Text(texts) => texts.push(text.map(str::as_bytes)),
            other => panic!("a text was pushed to {other:?}"),
        }
    }

    /// Appends bytes as text: invalid UTF-8 becomes U+FFFD.
    pub fn push_bytes(&mut self, bytes: Option<&[u8]>) {
        // What is stored is valid.
        if let (Self::Text(texts), Some(bytes)) = (&mut *self, bytes)
            && texts.repeat(bytes)
        {
            return;
        }
        // Most bytes are valid UTF-8, and validating is several times faster than replacing.
        match (self, bytes.map(|bytes| (bytes, std::str::from_utf8(bytes)))) {
            (Self::Text(texts), Some((bytes, Err(_)))) => texts.push_lossy(bytes),
            (column, bytes) => column.push_text(bytes.and_then(|(_, text)| text.ok())),
        }
    }

    /// Appends bytes unchanged, or NULL.
    pub fn push_blob(&mut self, bytes: Option<&[u8]>) {
        match self {
            Self::Blob(blobs) => blobs.push(bytes),
            other => panic!("a BLOB was pushed to {other:?}"),
        }
    }

    /// Appends a BIGINT, a TIMESTAMPTZ in microseconds since 1970, or NULL.
    pub fn push_bigint(&mut self, number: Option<i64>) {
        match self {
            Self::BigInt(values) => values.add(number),
            other => panic!("a BIGINT was pushed to {other:?}"),
        }
    }

    /// Appends an INTEGER or NULL.
    pub fn push_integer(&mut self, number: Option<i32>) {
        match self {
            Self::Integer(values) => values.add(number),
            other => panic!("an INTEGER was pushed to {other:?}"),
        }
    }

    /// Appends a UTINYINT or NULL.
    pub fn push_utinyint(&mut self, number: Option<u8>) {
        match self {
            Self::UTinyInt(values) => values.add(number),
            other => panic!("a UTINYINT was pushed to {other:?}"),
        }
    }

    /// Appends a DOUBLE or NULL.
    pub fn push_double(&mut self, number: Option<f64>) {
        match self {
            Self::Double(values) => values.add(number),
            other => panic!("a DOUBLE was pushed to {other:?}"),
        }
    }

    /// Appends a BOOLEAN or NULL.
    pub fn push_boolean(&mut self, truth: Option<bool>) {
        match self {
            Self::Boolean(values) => values.add(truth),
            other => panic!("a BOOLEAN was pushed to {other:?}"),
        }
    }

    /// Appends a list: `fill` appends its elements to the child column.
    pub fn push_list<E>(
        &mut self,
        fill: impl FnOnce(&mut Column) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::List { lengths, child } => {
                let before = child.count();
                fill(child)?;
                lengths.add(Some(child.count() - before));
                Ok(())
            }
            other => panic!("a list was pushed to {other:?}"),
        }
    }

    /// Returns the fields of a struct column, to append one value to each.
    pub fn fields_mut(&mut self) -> &mut [Column] {
        match self {
            Self::Struct { fields, .. } => fields,
            other => panic!("fields were asked of {other:?}"),
        }
    }

    /// Appends the values of a column of the same type.
    pub fn append(&mut self, more: Self) {
        fn extend<T: Copy>(values: &mut Vec<T>, more: &[T]) {
            values.make_room(more.len());
            values.extend_from_slice(more);
        }
        match (self, more) {
            (Self::Boolean(values), Self::Boolean(more)) => extend(values, &more),
            (Self::UTinyInt(values), Self::UTinyInt(more)) => extend(values, &more),
            (Self::Integer(values), Self::Integer(more)) => extend(values, &more),
            (Self::BigInt(values), Self::BigInt(more)) => extend(values, &more),
            (Self::Double(values), Self::Double(more)) => extend(values, &more),
            (Self::Text(texts), Self::Text(more)) | (Self::Blob(texts), Self::Blob(more)) => {
                let before = texts.bytes.len();
                extend(&mut texts.bytes, &more.bytes);
                texts.spans.make_room(more.spans.len());
                texts.spans.extend(more.spans.iter().map(|span| Span {
                    start: before + span.start,
                    end: before + span.end,
                    ..*span
                }));
            }
            (Self::List { lengths, child }, Self::List { lengths: more, child: elements }) => {
                extend(lengths, &more);
                child.append(*elements);
            }
            (Self::Struct { fields, nulls }, Self::Struct { fields: more, nulls: more_nulls }) => {
                let before = fields.first().map_or(0, Self::count);
                nulls.make_room(more_nulls.len());
                nulls.extend(more_nulls.iter().map(|&row| before + row));
                fields.iter_mut().zip(more).for_each(|(field, more)| field.append(more));
            }
            (column, more) => panic!("{more:?} was appended to {column:?}"),
        }
    }

    /// Returns the approximate size of the values.
    pub fn bytes(&self) -> usize {
        const EACH: usize = 16;
        match self {
            Self::Text(texts) | Self::Blob(texts) => texts.bytes.len() + EACH * texts.spans.len(),
            Self::List { lengths, child } => EACH * lengths.len() + child.bytes(),
            Self::Struct { fields, .. } => fields.iter().map(Self::bytes).sum(),
            _ => EACH * self.count(),
        }
    }
}

/// The rows of one chunk: the requested columns, in the query's order.
#[derive(Debug)]
pub struct Batch {
    columns: Vec<Column>,
    projection: Vec<usize>,
    started: Instant,
}

impl Batch {
    /// Returns an empty chunk of these fields; `projection` has the indices of the requested ones.
    pub fn new(fields: &[Field], projection: Vec<usize>) -> Self {
        let columns = projection.iter().map(|&index| Column::new(&fields[index].kind)).collect();
        Self { columns, projection, started: Instant::now() }
    }

    /// Removes all rows, and begins to count its time.
    pub fn restart(&mut self) {
        self.columns.iter_mut().for_each(Column::clear);
        self.started = Instant::now();
    }

    /// Returns the columns, in the order of the query.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the indices of the requested columns in the table.
    pub fn projection(&self) -> &[usize] {
        &self.projection
    }

    /// Returns the columns with their indices in the table, to append one value to each per row.
    pub fn projected(&mut self) -> impl Iterator<Item = (usize, &mut Column)> {
        self.projection.iter().copied().zip(&mut self.columns)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Column::count)
    }

    /// Tells whether the batch must be returned before another row: it has the rows or bytes of a
    /// chunk, or it has rows and its time is up.
    pub fn is_full(&self) -> bool {
        let rows = self.rows();
        rows >= limits::CHUNK_ROWS
            || (rows > 0
                && (self.columns.iter().map(Column::bytes).sum::<usize>() >= limits::CHUNK_BYTES
                    || self.started.elapsed() >= Duration::from_millis(limits::CHUNK_MILLIS)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Type = Type::List(&Type::Struct(&[
        Field::new("seq", Type::BigInt, ""),
        Field::new("content", Type::Varchar, ""),
    ]));

    #[test]
    fn null_and_empty_texts_are_different() {
        let mut column = Column::new(&Type::Varchar);
        column.push_text(Some(""));
        column.push_text(None);
        column.push_bytes(Some(b"a\xffb"));
        let Column::Text(texts) = &column else { unreachable!() };
        let all: Vec<_> = texts.iter().collect();
        assert_eq!(all, [Some(&b""[..]), None, Some("a\u{fffd}b".as_bytes())]);
    }

    #[test]
    fn a_short_text_is_stored_once_for_all_rows_that_repeat_it() {
        let (mut column, long) = (Column::new(&Type::Varchar), "x".repeat(REPEATED_BYTES + 1));
        let rows = [Some("ab"), Some("ab"), None, Some("ab"), Some(""), Some(""), Some("ab")];
        let rows = [&rows[..], &[Some(long.as_str()); 2]].concat();
        rows.iter().for_each(|text| column.push_text(*text));
        column.push_bytes(Some(b"ab"));
        column.push_bytes(Some(b"ab"));
        let mut more = Column::new(&Type::Varchar);
        more.push_text(Some("ab"));
        more.push_text(Some("ab"));
        column.append(more);
        let Column::Text(texts) = &column else { unreachable!() };
        let all: Vec<_> = texts.iter().collect();
        let wanted: Vec<_> = rows.iter().map(|text| text.map(str::as_bytes)).collect();
        assert_eq!(all[..rows.len()], wanted);
        assert_eq!(all[rows.len()..], [Some(&b"ab"[..]); 4]);
        let stored = "ab".len() * 5 + 2 * long.len();
        assert_eq!(texts.bytes.len(), stored);
    }

    #[test]
    fn a_null_list_between_lists_shifts_no_element() {
        let mut column = Column::new(&LINE);
        for length in [Some(2), None, Some(1)] {
            match length {
                None => column.push_null(),
                Some(length) => column
                    .push_list(|child| {
                        for seq in 0..length {
                            let fields = child.fields_mut();
                            fields[0].push_bigint(Some(seq));
                            fields[1].push_text(Some("x"));
                        }
                        Ok::<(), ()>(())
                    })
                    .unwrap(),
            }
        }
        let Column::List { lengths, child } = &column else { unreachable!() };
        assert_eq!(lengths, &[Some(2), None, Some(1)]);
        assert_eq!(child.count(), 3);
    }

    #[test]
    fn a_null_struct_is_null_as_a_whole_and_in_its_fields() {
        const KIND: Type = Type::Struct(&[
            Field::new("number", Type::Double, ""),
            Field::new("text", Type::Varchar, ""),
        ]);
        let mut column = Column::new(&KIND);
        column.push_null();
        let fields = column.fields_mut();
        fields[0].push_double(Some(0.5));
        fields[1].push_null();
        column.push_null();
        assert_eq!(column.count(), 3);
        let Column::Struct { fields, nulls } = &column else { unreachable!() };
        assert_eq!(nulls, &[0, 2]);
        assert!(fields.iter().all(|field| field.count() == 3));
        column.clear();
        assert!(matches!(column, Column::Struct { nulls, .. } if nulls.is_empty()));
    }

    #[test]
    fn a_chunk_of_long_texts_goes_out_before_its_2048_rows() {
        let mut batch = Batch::new(&[Field::new("content", Type::Varchar, "")], vec![0]);
        let text = "x".repeat(limits::CHUNK_BYTES / 4);
        for _ in 0..4 {
            batch.columns[0].push_text(Some(&text));
        }
        assert!(batch.is_full());
    }
}
