//! The parameters of functions over two texts, and the state for comparing them.

use std::sync::Arc;

use crate::ffi::{Settings, THREADS};
use crate::functions::context::settings;
use crate::functions::params::{Args, Bytes, Param, required};
use crate::functions::surface::State;
use redline_base::budget::Budget;
use redline_base::error::Result;
use redline_base::limits::HOST_LIMITS;
use redline_text::{CancelToken, Diff, DiffOptions, Engine, lines};

/// The first text.
pub const A: Param<Bytes> = required("a", "The old text");
/// The second text.
pub const B: Param<Bytes> = required("b", "The new text");

/// The state of a thread of a function over texts.
pub struct Comparer {
    /// The engine, whose memory is reused.
    pub engine: Engine,
    /// The budget of the query.
    pub budget: Arc<Budget>,
}

impl State for Comparer {
    const SETTINGS: &'static [&'static str] = &[HOST_LIMITS.max_seconds.name, THREADS];

    fn open(settings: Settings) -> Result<Self> {
        Ok(Self { engine: Engine::default(), budget: settings::budget(&settings) })
    }

    fn helper(&self) -> Option<Self> {
        Some(Self { engine: Engine::default(), budget: Arc::clone(&self.budget) })
    }

    fn budget(&self) -> Option<&Arc<Budget>> {
        Some(&self.budget)
    }
}

impl Comparer {
    /// Compares the arguments `a` and `b`; `None` if a text is too large to be compared by line.
    ///
    /// # Errors
    /// `timeout`, and `too_large` when the query may use no more memory.
    pub fn compare<'a>(
        &mut self,
        args: Args<'a>,
        options: &DiffOptions,
    ) -> Result<Option<Diff<'a>>> {
        let (a, b) = (args.get(A)?, args.get(B)?);
        if a.len() > lines::MAX_BYTES || b.len() > lines::MAX_BYTES {
            return Ok(None);
        }
        Diff::new(&mut self.engine, a, b, options, &CancelToken::of(&self.budget)).map(Some)
    }
}
