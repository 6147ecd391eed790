//! The context of an execution: the host's settings and the access that they give.

use std::sync::Arc;

use super::database::{self, Database};
use super::settings;
use crate::ffi::{Settings, State, THREADS};
use redline_base::budget::{Budget, RowThread};
use redline_base::error::Result;
use redline_base::limits::HOST_LIMITS;
use redline_edit::Session;
use redline_query::Caller;
use redline_query::Context;
use redline_rows::joined;
use redline_sandbox::{Access, CopyRules};

/// Whether DuckDB may read and write files anywhere.
pub const EXTERNAL_ACCESS: &str = "enable_external_access";
/// Directories accessible while external access is off.
const ALLOWED_DIRECTORIES: &str = "allowed_directories";
/// Single files accessible then.
const ALLOWED_PATHS: &str = "allowed_paths";
/// Whether settings can no longer be set.
pub const LOCK_CONFIGURATION: &str = "lock_configuration";
/// The directory that DuckDB uses for `~`.
pub const HOME_DIRECTORY: &str = "home_directory";

/// The directory of DuckDB's temporary files.
const TEMP_DIRECTORY: &str = "temp_directory";

/// DuckDB's own settings that functions which open repositories or files read.
const HOST_SETTINGS: &[&str] = &[
    THREADS,
    // Read before the setting that applies only while it is off.
    EXTERNAL_ACCESS,
    ALLOWED_DIRECTORIES,
    ALLOWED_PATHS,
    HOME_DIRECTORY,
    LOCK_CONFIGURATION,
    TEMP_DIRECTORY,
];

/// The settings that such functions read: those, and all of redline.
pub const SETTINGS: &[&str] = joined!(&str: HOST_SETTINGS, settings::NAMES);

/// The tools that show the content of files.
const READING: &[&str] = &["read_file", "edit_file"];

/// The settings at the start of an execution, and the context of its queries.
#[derive(Clone)]
pub struct ExecutionContext {
    /// The settings as they are.
    pub settings: Settings,
    /// What they let queries open and use, and for whom.
    pub caller: Caller,
}

/// The rows of a function that only reads may be computed by several threads.
impl State for ExecutionContext {
    const SETTINGS: &'static [&'static str] = SETTINGS;

    fn open(settings: Settings) -> Result<Self> {
        Self::new(settings)
    }

    fn helper(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn budget(&self) -> Option<&Arc<Budget>> {
        Some(&self.caller.context.budget)
    }
}

impl ExecutionContext {
    /// Interprets the settings for a session's call of a tool, whose time starts now.
    pub fn for_tool(settings: Settings, session: Session) -> Result<Self> {
        let mut execution = Self::new(settings)?;
        execution.caller.session = session;
        execution.caller.context.budget = settings::tool_budget(&execution.settings);
        execution.caller.begin();
        Ok(execution)
    }

    /// Interprets the settings.
    pub fn new(settings: Settings) -> Result<Self> {
        // A missing value counts as off.
        let external = settings.get(EXTERNAL_ACCESS).as_boolean().unwrap_or(false);
        let directories = settings.get(ALLOWED_DIRECTORIES).as_texts().unwrap_or_default();
        let files = settings.get(ALLOWED_PATHS).as_texts().unwrap_or_default();
        let mut access = Access::new(external, &directories).with_files(&files);
        if let Some(json) = settings::sandboxes(&settings) {
            access = access.within(json, settings::max_read_bytes(&settings))?;
        }
        let database = Database::of(&settings)?;
        let context = Context {
            access: Arc::new(access),
            budget: settings::budget(&settings),
            threads: settings.threads(),
            repositories: Arc::clone(&database.repositories),
            host_limits: settings::host_limits(&settings),
        };
        let has_approver =
            settings::approvers(&settings).is_ok_and(|approvers| approvers.is_some());
        let is_locked = settings.get(LOCK_CONFIGURATION).as_boolean() == Some(true);
        let caller = Caller {
            context,
            state: Arc::clone(&database.state),
            connection: settings.connection(),
            session: Session::Connection(settings.connection()),
            limits: settings::rules(&settings),
            journaling: settings::journaling(&settings),
            may_read: database::is_one_granted(READING, &settings),
            no_approver: (!has_approver && is_locked)
                .then_some("redline_approver names no approver"),
        };
        caller.begin();
        Ok(Self { settings, caller })
    }

    /// Gives the next row its part of the threads, as other rows may be computed at the same time.
    pub fn share_threads(&mut self) {
        self.caller.context.threads = RowThread::share(self.settings.threads());
    }

    /// Returns the rules for copies of contents that DuckDB's readers open.
    pub fn copy_rules(&self) -> CopyRules<'_> {
        CopyRules {
            access: &self.caller.context.access,
            temporary: self.settings.get(TEMP_DIRECTORY).as_text(),
            bytes: self.caller.context.host_limits.copies_bytes,
            name: HOST_LIMITS.copies_bytes.name,
        }
    }

    /// Returns the name of the approver with this secret; an empty one belongs to nobody.
    ///
    /// # Errors
    /// `permission_denied`.
    pub fn approver(&self, key: &[u8], function: &str) -> Result<String> {
        settings::approvers(&self.settings)?.named_by(key, function).map(str::to_owned)
    }
}
