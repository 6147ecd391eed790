//! The file tools as SQL functions open them.

use std::sync::Arc;

use super::execution_context::{self, ExecutionContext};
use crate::ffi::Settings;
use crate::functions::surface::State;
use redline_base::budget::Budget;
use redline_base::error::Result;
use redline_query::files::FileTools;
use redline_text::Engine;

/// The settings of an execution, the file tools for its connection, and the memory for comparing
/// texts.
pub struct Opened {
    pub execution: ExecutionContext,
    pub tools: FileTools,
    pub engine: Engine,
}

/// The rows of a file tool are computed one after the other, since they change files.
impl State for Opened {
    const SETTINGS: &'static [&'static str] = execution_context::SETTINGS;

    fn open(settings: Settings) -> Result<Self> {
        let execution = ExecutionContext::new(settings)?;
        let tools = FileTools::new(execution.caller.clone());
        Ok(Self { execution, tools, engine: Engine::default() })
    }

    fn budget(&self) -> Option<&Arc<Budget>> {
        Some(self.tools.budget())
    }
}
