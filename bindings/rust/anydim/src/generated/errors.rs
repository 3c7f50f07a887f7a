// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! The error of the crate: a variant for each status.

#[allow(unused_imports)] // for documentation
use crate::*;

/// What a call failed with: the status, and what it says about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// An argument is wrong by itself.
    InvalidArgument(Failure),
    /// A null, stale, destroyed, foreign or wrong kind of handle.
    InvalidHandle(Failure),
    /// Meaningful, but not supported by this build.
    Unimplemented(Failure),
    /// Memory could not be allocated.
    OutOfMemory(Failure),
    /// Another thread is using a one-user object.
    Busy(Failure),
    /// The object was destroyed while in use.
    Closed(Failure),
    /// A name that does not exist (kernel, input, output).
    NotFound(Failure),
    /// Reading or writing failed.
    IoError(Failure),
    /// A model that is damaged or breaks its format's rules.
    InvalidModel(Failure),
    /// A dim outside what its descriptor or bounds promise.
    OutOfBounds(Failure),
    /// Values found wrong while running; outputs may be partly written.
    InvalidData(Failure),
    /// A defect of the library.
    Internal(Failure),
    /// In a forked child: another thread of the parent was using the object when it forked, or the object is of a
    /// device.
    Forked(Failure),
    /// The run was ended from outside: by a cancellation, or by what [`RunOptions`].interrupted said.
    Cancelled(Failure),
    /// The engine's device is gone, with all that lay in its memory. Nothing more can be done with what was made
    /// from it.
    DeviceLost(Failure),
    /// What was waited for did not come within the time that the caller allowed: a context, a batch, the background
    /// worker.
    TimedOut(Failure),
    /// As many requests wait for a batch as may wait.
    QueueFull(Failure),
    /// A file or folder that does not exist.
    FileNotFound(Failure),
}

impl Error {
    pub(crate) fn new(status: i32, failure: Failure) -> Self {
        match status {
            1 => Self::InvalidArgument(failure),
            2 => Self::InvalidHandle(failure),
            3 => Self::Unimplemented(failure),
            4 => Self::OutOfMemory(failure),
            5 => Self::Busy(failure),
            6 => Self::Closed(failure),
            7 => Self::NotFound(failure),
            8 => Self::IoError(failure),
            9 => Self::InvalidModel(failure),
            10 => Self::OutOfBounds(failure),
            11 => Self::InvalidData(failure),
            13 => Self::Forked(failure),
            14 => Self::Cancelled(failure),
            15 => Self::DeviceLost(failure),
            16 => Self::TimedOut(failure),
            17 => Self::QueueFull(failure),
            18 => Self::FileNotFound(failure),
            _ => Self::Internal(failure),
        }
    }

    /// The status.
    pub fn status(&self) -> Status {
        match self {
            Self::InvalidArgument(_) => Status::InvalidArgument,
            Self::InvalidHandle(_) => Status::InvalidHandle,
            Self::Unimplemented(_) => Status::Unimplemented,
            Self::OutOfMemory(_) => Status::OutOfMemory,
            Self::Busy(_) => Status::Busy,
            Self::Closed(_) => Status::Closed,
            Self::NotFound(_) => Status::NotFound,
            Self::IoError(_) => Status::IoError,
            Self::InvalidModel(_) => Status::InvalidModel,
            Self::OutOfBounds(_) => Status::OutOfBounds,
            Self::InvalidData(_) => Status::InvalidData,
            Self::Internal(_) => Status::Internal,
            Self::Forked(_) => Status::Forked,
            Self::Cancelled(_) => Status::Cancelled,
            Self::DeviceLost(_) => Status::DeviceLost,
            Self::TimedOut(_) => Status::TimedOut,
            Self::QueueFull(_) => Status::QueueFull,
            Self::FileNotFound(_) => Status::FileNotFound,
        }
    }

    /// What it says: message, argument, node.
    pub fn failure(&self) -> &Failure {
        match self {
            Self::InvalidArgument(failure)
            | Self::InvalidHandle(failure)
            | Self::Unimplemented(failure)
            | Self::OutOfMemory(failure)
            | Self::Busy(failure)
            | Self::Closed(failure)
            | Self::NotFound(failure)
            | Self::IoError(failure)
            | Self::InvalidModel(failure)
            | Self::OutOfBounds(failure)
            | Self::InvalidData(failure)
            | Self::Internal(failure)
            | Self::Forked(failure)
            | Self::Cancelled(failure)
            | Self::DeviceLost(failure)
            | Self::TimedOut(failure)
            | Self::QueueFull(failure)
            | Self::FileNotFound(failure) => failure,
        }
    }
}
