// SPDX-License-Identifier: Apache-2.0
//! The edge to the C API: the only module of this crate with unsafe code. What it gives to the others is safe: handles that
//! destroy themselves, views that borrow what they show, and functions over them. `handles` and `calls` are generated; what
//! takes addresses or callbacks is in `host`, `models`, `elements`, `views`, `arrays` and `memory`.

#[rustfmt::skip]
pub(crate) mod calls;
#[rustfmt::skip]
pub(crate) mod handles;
#[cfg(feature = "ndarray")]
mod arrays;
pub(crate) mod copies;
pub(crate) mod custom;
pub(crate) mod elements;
pub(crate) mod host;
pub(crate) mod memory;
pub(crate) mod models;
pub(crate) mod views;

use std::ffi::{CStr, CString};
use std::marker::PhantomData;

use anydim_sys as sys;

use crate::error::{invalid, Failure};
use crate::{Error, Result};
use handles::TextHandle;

/// An error, if the status is one; it is read at once, in the thread in which it happened.
#[inline]
pub(crate) fn check(status: sys::anydim_status_t) -> Result<()> {
    if status == sys::ANYDIM_STATUS_OK {
        Ok(())
    } else {
        Err(last_error(status))
    }
}

#[cold]
fn last_error(status: sys::anydim_status_t) -> Error {
    let mut info = sys::anydim_error_info_t::INIT;
    if unsafe { sys::anydim_last_error_query(&mut info) } != sys::ANYDIM_STATUS_OK {
        return Error::new(status, Failure::new(format!("status {status}, of which nothing is told"), "", "", ""));
    }
    let (argument, function) = (owned(info.argument), owned(info.function));
    // Handles of this crate are of the right kind and its own; one that the library does not know was closed.
    if status == sys::ANYDIM_STATUS_INVALID_HANDLE {
        let what = if argument.is_empty() { "object" } else { &argument };
        let message = format!("the {what} is closed");
        return Error::new(sys::ANYDIM_STATUS_CLOSED, Failure::new(message, function, argument, ""));
    }
    // People who use the crate know its methods, not the functions under them.
    let message = owned(info.message);
    let plain =
        message.strip_prefix(&function).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&message).to_owned();
    Error::new(status, Failure::new(plain, function, argument, owned(info.node)))
}

/// A copy of a text of the library's, whose owner is alive while this is called.
fn owned(text: sys::anydim_string_t) -> String {
    if text.data.is_null() || text.length <= 0 {
        return String::new();
    }
    // The library's strings have the length that they say, and end with a zero.
    let bytes = unsafe { std::slice::from_raw_parts(text.data.cast::<u8>(), text.length as usize) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A text that was made for the caller.
fn whole_text(text: &TextHandle) -> Result<String> {
    calls::text_get_data(text)
}

/// The version of the library that is linked.
pub(crate) fn version() -> &'static str {
    // A text with a zero behind it that lives as long as the process.
    unsafe { CStr::from_ptr(sys::anydim_version()) }.to_str().unwrap_or("")
}

/// A text for the library: without zeros, and one behind it.
pub(crate) fn c_string(text: &[u8], what: &str) -> Result<CString> {
    CString::new(text).map_err(|e| {
        invalid(what, format!("{what} has a zero at byte {}; expected a text without", e.nul_position()))
    })
}

/// The numbers of a list.
fn dims_of(list: &sys::anydim_dims_t) -> &[i64] {
    &list.values[..(list.rank.max(0) as usize).min(list.values.len())]
}

/// A value of an enum that came out of the library.
pub(crate) fn known<T>(what: &str, number: i32, from: fn(i32) -> Option<T>) -> Result<T> {
    from(number).ok_or_else(|| {
        let message = format!("{what} is {number}, which this crate does not know: the library is newer");
        Error::Internal(Failure::new(message, "", what, ""))
    })
}

fn lengths(one: &str, other: &str) -> Error {
    invalid(other, format!("{one} and {other} differ in length"))
}

/// The head of an operator's struct, which is good as long as the struct.
#[derive(Clone, Copy)]
pub struct Head<'a>(*const sys::anydim_op_t, PhantomData<&'a ()>);

impl<'a> Head<'a> {
    /// Of a struct and its first field. The address is that of the whole struct, which calls read.
    pub(crate) fn new<T>(whole: &'a T, first: &'a sys::anydim_op_t) -> Self {
        let head: *const T = whole;
        debug_assert!(std::ptr::eq(head.cast(), first) && first.size as usize == std::mem::size_of::<T>());
        Self(head.cast(), PhantomData)
    }

    fn as_ptr(self) -> *const sys::anydim_op_t {
        self.0
    }
}
