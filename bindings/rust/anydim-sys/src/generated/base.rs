// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! The library itself - version, statuses, the last error, strings and texts.

use std::os::raw::{c_char, c_void};

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// What [`anydim_text_t`] names; it is never looked into.
#[repr(C)]
#[derive(Debug)]
pub struct anydim_text_s {
    _private: [u8; 0],
}
/// A text made for the caller (an explanation). Read it with [`anydim_text_get_data`], free it with
/// [`anydim_text_destroy`]. Many threads may use it at once.
pub type anydim_text_t = *const anydim_text_s;

/// What a call returns. Zero is success.
pub type anydim_status_t = i32;
/// Success.
pub const ANYDIM_STATUS_OK: anydim_status_t = 0;
/// An argument is wrong by itself.
pub const ANYDIM_STATUS_INVALID_ARGUMENT: anydim_status_t = 1;
/// A null, stale, destroyed, foreign or wrong kind of handle.
pub const ANYDIM_STATUS_INVALID_HANDLE: anydim_status_t = 2;
/// Meaningful, but not supported by this build.
pub const ANYDIM_STATUS_UNIMPLEMENTED: anydim_status_t = 3;
/// Memory could not be allocated.
pub const ANYDIM_STATUS_OUT_OF_MEMORY: anydim_status_t = 4;
/// Another thread is using a one-user object.
pub const ANYDIM_STATUS_BUSY: anydim_status_t = 5;
/// The object was destroyed while in use.
pub const ANYDIM_STATUS_CLOSED: anydim_status_t = 6;
/// A name that does not exist (kernel, input, output).
pub const ANYDIM_STATUS_NOT_FOUND: anydim_status_t = 7;
/// Reading or writing failed.
pub const ANYDIM_STATUS_IO_ERROR: anydim_status_t = 8;
/// A model that is damaged or breaks its format's rules.
pub const ANYDIM_STATUS_INVALID_MODEL: anydim_status_t = 9;
/// A dim outside what its descriptor or bounds promise.
pub const ANYDIM_STATUS_OUT_OF_BOUNDS: anydim_status_t = 10;
/// Values found wrong while running; outputs may be partly written.
pub const ANYDIM_STATUS_INVALID_DATA: anydim_status_t = 11;
/// A defect of the library.
pub const ANYDIM_STATUS_INTERNAL: anydim_status_t = 12;
/// In a forked child: another thread of the parent was using the object when it forked, or the object is of a
/// device.
pub const ANYDIM_STATUS_FORKED: anydim_status_t = 13;
/// The run was ended from outside: by a cancellation, or by what [`anydim_run_options_t`].interrupted said.
pub const ANYDIM_STATUS_CANCELLED: anydim_status_t = 14;
/// The engine's device is gone, with all that lay in its memory. Nothing more can be done with what was made from
/// it.
pub const ANYDIM_STATUS_DEVICE_LOST: anydim_status_t = 15;
/// What was waited for did not come within the time that the caller allowed: a context, a batch, the background
/// worker.
pub const ANYDIM_STATUS_TIMED_OUT: anydim_status_t = 16;
/// As many requests wait for a batch as may wait.
pub const ANYDIM_STATUS_QUEUE_FULL: anydim_status_t = 17;
/// A file or folder that does not exist.
pub const ANYDIM_STATUS_FILE_NOT_FOUND: anydim_status_t = 18;

/// Says that callbacks that came with an environment are never called again: what the environment holds may go.
///
/// Thread rule: Any thread: the one that destroyed the last object that used them. It must not call Anydim.
///
/// - `user`: The environment that was given with it.
pub type anydim_finalizer_callback_t = Option<unsafe extern "C" fn(user: *mut c_void)>;

/// UTF-8 text that an object owns. It lives as long as the object that it was asked from.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_string_t {
    /// The bytes; a zero follows them.
    pub data: *const c_char,
    /// Their number, without the zero.
    pub length: i64,
}

impl anydim_string_t {
    /// All zero.
    pub const INIT: Self = Self {
        data: std::ptr::null(),
        length: 0,
    };
}

impl Default for anydim_string_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// What a call failed with. Its strings are good until the next call of the thread that fails.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_error_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// The status that it returned; ok if no call of the thread has failed.
    pub status: anydim_status_t,
    /// The text of [`anydim_last_error`].
    pub message: anydim_string_t,
    /// The function, such as [`anydim_context_run`].
    pub function: anydim_string_t,
    /// The argument as the function's text calls it, with the field or index that is meant: options.threads,
    /// inputs\[1\]. Empty where the failure is of none.
    pub argument: anydim_string_t,
    /// Name of the model's node at which it happened; empty where it was at none.
    pub node: anydim_string_t,
}

impl anydim_error_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        status: 0,
        message: anydim_string_t::INIT,
        function: anydim_string_t::INIT,
        argument: anydim_string_t::INIT,
        node: anydim_string_t::INIT,
    };
}

impl Default for anydim_error_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// What this build of the library is and has.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_build_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// The first number of its version.
    pub major: i32,
    /// The next part of it.
    pub minor: i32,
    /// The last part of it.
    pub patch: i32,
    /// 1 if it can keep tuned plans in a file, 0 if it was built without.
    pub persistent_cache: i32,
    /// 1 if it has the OpenCL engine; whether there is a device, only its creation shows.
    pub opencl: i32,
    /// The processors that it was built for, such as x86-64.
    pub architecture: anydim_string_t,
    /// The instruction sets that it has kernels for, separated by blanks; [`anydim_engine_query`] returns the one in
    /// use.
    pub kernel_isas: anydim_string_t,
}

impl anydim_build_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        major: 0,
        minor: 0,
        patch: 0,
        persistent_cache: 0,
        opencl: 0,
        architecture: anydim_string_t::INIT,
        kernel_isas: anydim_string_t::INIT,
    };
}

impl Default for anydim_build_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// The library's version as text, such as "0.1.0". Never fails.
    ///
    /// Stable since 0.1; slot 1.
    pub fn anydim_version() -> *const c_char;
    /// Describes this build of the library, which may have less or more than the header that a program was compiled
    /// with. Its strings live as long as the process.
    ///
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Stable since 0.1; slot 230; fails with `invalid_argument`.
    pub fn anydim_build_query(info: *mut anydim_build_info_t) -> anydim_status_t;
    /// A status as text, such as "invalid argument"; "unknown" for a number that is none. Never fails.
    ///
    /// - `status`: The status.
    ///
    /// Stable since 0.1; slot 2.
    pub fn anydim_status_name(status: anydim_status_t) -> *const c_char;
    /// The message of the last call of this thread that failed, or "" if none has. It names the function, the
    /// argument, the value found and what was expected. Valid until the next call of this thread that fails. Never
    /// fails.
    ///
    /// Stable since 0.1; slot 3.
    pub fn anydim_last_error() -> *const c_char;
    /// Returns the last failure of this thread, part by part. It leaves the last error as it is.
    ///
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Stable since 0.1; slot 5; fails with `invalid_argument`.
    pub fn anydim_last_error_query(info: *mut anydim_error_info_t) -> anydim_status_t;
    /// Returns the bytes of a text.
    ///
    /// - `text`: The text.
    /// - `string` (out): The bytes.
    ///
    /// Stable since 0.1; slot 297.
    pub fn anydim_text_get_data(
        text: anydim_text_t,
        string: *mut anydim_string_t,
    ) -> anydim_status_t;
    /// Destroys a text.
    ///
    /// - `text`: The handle, or null.
    ///
    /// Stable since 0.1; slot 65.
    pub fn anydim_text_destroy(text: anydim_text_t);
}
