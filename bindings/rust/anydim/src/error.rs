// SPDX-License-Identifier: Apache-2.0
//! What an [`Error`] says. Its variants follow from the API's statuses.

use std::fmt;

use crate::Error;

/// The result of what can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What a failed call was about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(Box<Parts>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    message: String,
    function: String,
    argument: String,
    node: String,
}

impl Failure {
    pub(crate) fn new(
        message: impl Into<String>,
        function: impl Into<String>,
        argument: impl Into<String>,
        node: impl Into<String>,
    ) -> Self {
        let (message, function) = (message.into(), function.into());
        Self(Box::new(Parts { message, function, argument: argument.into(), node: node.into() }))
    }

    /// Which argument is wrong, the value found and what was expected.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The function of the C API that failed; none for what this crate found by itself.
    pub fn function(&self) -> Option<&str> {
        some(&self.0.function)
    }

    /// The argument that is meant, such as `inputs[1]`; none where the failure is of none.
    pub fn argument(&self) -> Option<&str> {
        some(&self.0.argument)
    }

    /// The name of the model's node at which it happened; none where it was at none.
    pub fn node(&self) -> Option<&str> {
        some(&self.0.node)
    }
}

fn some(text: &str) -> Option<&str> {
    if text.is_empty() {
        None
    } else {
        Some(text)
    }
}

impl Error {
    /// Which argument is wrong, the value found and what was expected.
    pub fn message(&self) -> &str {
        self.failure().message()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for Error {}

/// What this crate itself finds wrong with an argument.
#[cold]
pub(crate) fn invalid(argument: &str, message: impl Into<String>) -> Error {
    Error::InvalidArgument(Failure::new(message, "", argument, ""))
}

/// What this crate itself has no way to say to the library.
#[cold]
pub(crate) fn unimplemented(message: impl Into<String>) -> Error {
    Error::Unimplemented(Failure::new(message, "", "", ""))
}

/// What the system has no room for.
#[cold]
pub(crate) fn out_of_memory(message: impl Into<String>) -> Error {
    Error::OutOfMemory(Failure::new(message, "", "", ""))
}

/// What this crate itself does not find.
#[cold]
pub(crate) fn not_found(argument: &str, message: impl Into<String>) -> Error {
    Error::NotFound(Failure::new(message, "", argument, ""))
}
