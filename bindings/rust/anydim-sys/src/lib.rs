// SPDX-License-Identifier: Apache-2.0
//! The C API of Anydim as Rust declares it, generated from the description that its headers are generated from, and the
//! library to link with (the crate's README says how it is found). Everything here is unsafe to use; the crate `anydim` is
//! safe.
//!
//! - A handle is a value, not an address: a slot and a generation. A null, stale, destroyed or foreign handle gives
//!   [`ANYDIM_STATUS_INVALID_HANDLE`]. Destroy accepts null. Children hold their parents.
//! - A handle type that points to const may be used by many threads at once; a second user of one that does not gets
//!   [`ANYDIM_STATUS_BUSY`].
//! - Option structs begin with their own size: start from `INIT`, which is also their `Default`.
//! - On failure nothing that the caller passed was changed, and [`anydim_last_error`] of the same thread says which argument,
//!   what was found and what was expected.
#![deny(missing_docs)]
#![allow(non_camel_case_types)]

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
compile_error!("Anydim runs on 64-bit Linux only");

#[rustfmt::skip]
mod generated;

pub use generated::*;
