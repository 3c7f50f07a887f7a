// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! The primitive cache, within the process, and the persistent cache, between processes.

use std::os::raw::c_char;

#[allow(unused_imports)] // documentation names types of other modules
use super::*;

/// Kinds of records in the persistent cache.
pub type anydim_record_kind_t = i32;
/// Every kind.
pub const ANYDIM_RECORD_ALL: anydim_record_kind_t = 0;
/// Tuned plans.
pub const ANYDIM_RECORD_PLAN: anydim_record_kind_t = 1;
/// Compiled device programs.
pub const ANYDIM_RECORD_BINARY: anydim_record_kind_t = 2;

/// How a primitive was come by.
pub type anydim_primitive_cache_hit_t = i32;
/// No cache was asked: it is off, or the primitive is a model's.
pub const ANYDIM_PRIMITIVE_CACHE_NONE: anydim_primitive_cache_hit_t = 0;
/// Created by the call.
pub const ANYDIM_PRIMITIVE_CACHE_MISS: anydim_primitive_cache_hit_t = 1;
/// Core and descriptors were in the cache.
pub const ANYDIM_PRIMITIVE_CACHE_HIT: anydim_primitive_cache_hit_t = 2;
/// Another thread was creating the same and was waited for.
pub const ANYDIM_PRIMITIVE_CACHE_WAITED: anydim_primitive_cache_hit_t = 3;
/// Made over the one core of an operator whose shapes keep changing.
pub const ANYDIM_PRIMITIVE_CACHE_CHURN: anydim_primitive_cache_hit_t = 4;

/// The primitive cache.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_primitive_cache_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// Misses of one operator that differ in dims only after which its dims count as dynamic.
    pub churn_misses: i32,
    /// Most bytes it holds; 0 is off.
    pub limit_bytes: i64,
    /// Bytes it holds, keys included.
    pub bytes: i64,
    /// Entries it holds.
    pub entries: i64,
}

impl anydim_primitive_cache_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        churn_misses: 0,
        limit_bytes: 0,
        bytes: 0,
        entries: 0,
    };
}

impl Default for anydim_primitive_cache_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// How a primitive came to be.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_primitive_creation_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// What the primitive cache did.
    pub hit: anydim_primitive_cache_hit_t,
    /// Time that its creation took, the checks of handles aside.
    pub time_ns: i64,
}

impl anydim_primitive_creation_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        hit: 0,
        time_ns: 0,
    };
}

impl Default for anydim_primitive_creation_t {
    fn default() -> Self {
        Self::INIT
    }
}

/// The persistent cache as this process uses it. Numbers count from its start.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct anydim_persistent_cache_info_t {
    /// Size of this struct: from `INIT`.
    pub size: u32,
    /// 1, or 0 where it is off ([`anydim_persistent_cache_describe`] says why).
    pub enabled: i32,
    /// Most bytes of the user's file.
    pub limit_bytes: i64,
    /// Records in memory.
    pub entries: i64,
    /// About what they take there.
    pub index_bytes: i64,
    /// Look-ups that found one.
    pub hits: i64,
    /// Look-ups that did not.
    pub misses: i64,
    /// Records written to the file.
    pub stores: i64,
    /// Writes that failed (full or read-only disk, locked file); they harmed nothing.
    pub store_failures: i64,
    /// Records that went because the file was at its limit.
    pub evicted: i64,
    /// Records whose checksum was wrong; they were not used.
    pub damaged_records: i64,
    /// Damaged files that were put aside, as \*.damaged, and replaced.
    pub damaged_files: i64,
    /// Files whose index could not be read.
    pub load_failures: i64,
    /// What reading the index took.
    pub load_ns: i64,
}

impl anydim_persistent_cache_info_t {
    /// Its size and the defaults of its fields: what to start from.
    pub const INIT: Self = Self {
        size: std::mem::size_of::<Self>() as u32,
        enabled: 0,
        limit_bytes: 0,
        entries: 0,
        index_bytes: 0,
        hits: 0,
        misses: 0,
        stores: 0,
        store_failures: 0,
        evicted: 0,
        damaged_records: 0,
        damaged_files: 0,
        load_failures: 0,
        load_ns: 0,
    };
}

impl Default for anydim_persistent_cache_info_t {
    fn default() -> Self {
        Self::INIT
    }
}

extern "C" {
    /// Sets how many bytes the process's primitive cache may hold; what is too much is dropped at once. 0 turns it
    /// off. The first limit comes from the variable ANYDIM_PRIMITIVE_CACHE_BYTES (4 MiB if it is not set). The cache
    /// holds what was found out about operators and descriptors, never weights. Errors: invalid_argument for a
    /// negative number.
    ///
    /// - `bytes`: Most bytes.
    ///
    /// Experimental; slot 122; fails with `invalid_argument`.
    pub fn anydim_primitive_cache_set_limit(bytes: i64) -> anydim_status_t;
    /// Drops all that the primitive cache holds. Primitives that exist go on as they are.
    ///
    /// Experimental; slot 123.
    pub fn anydim_primitive_cache_clear() -> anydim_status_t;
    /// Returns the primitive cache's limit and contents. Hits and misses are among the counters.
    ///
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 124; fails with `invalid_argument`.
    pub fn anydim_primitive_cache_query(
        info: *mut anydim_primitive_cache_info_t,
    ) -> anydim_status_t;
    /// Returns how a primitive was created and how long that took.
    ///
    /// - `primitive`: The primitive.
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 130; fails with `invalid_argument`.
    pub fn anydim_primitive_query_creation(
        primitive: anydim_primitive_t,
        info: *mut anydim_primitive_creation_t,
    ) -> anydim_status_t;
    /// Returns the counters of this process's persistent cache. It keeps tuned plans and compiled device programs in
    /// a file between processes; losing it costs time and nothing else. Where it is and how it is turned off:
    /// docs/persistent-cache.md. Touches no file, but for reading the index if no engine was made yet. Thread-safe,
    /// as all functions of the persistent cache are.
    ///
    /// - `info` (out): Filled in; set its size before.
    ///
    /// Experimental; slot 100; fails with `invalid_argument`.
    pub fn anydim_persistent_cache_query(
        info: *mut anydim_persistent_cache_info_t,
    ) -> anydim_status_t;
    /// Returns the path of the user's file, which need not exist. The variable ANYDIM_CACHE_DIR names its folder,
    /// else it is $XDG_CACHE_HOME/anydim, else ~/.cache/anydim. Deleting it is always safe. Errors: unimplemented
    /// where the cache is off.
    ///
    /// - `text` (out, the caller destroys it): The path.
    ///
    /// Experimental; slot 101; fails with `unimplemented`.
    pub fn anydim_persistent_cache_get_path(text: *mut anydim_text_t) -> anydim_status_t;
    /// Describes the persistent cache as JSON: enabled (or off_because), path, system_path, file_bytes, limit_bytes,
    /// the counters of [`anydim_persistent_cache_query`], last_failure, and the records of both files: kind, key,
    /// bytes, origin (who made it), created and used (seconds since 1970; used counts in hours), system (in the
    /// read-only file), good (its checksum is right). Reads the files, waiting at most seconds for another process.
    /// Where the cache is off the list is empty. Errors: busy for a file that stays locked, invalid_data for a
    /// damaged one, unimplemented for another program's, io_error.
    ///
    /// - `text` (out, the caller destroys it): The description.
    ///
    /// Experimental; slot 102; may block; fails with `busy`, `invalid_data`, `unimplemented`, `io_error`.
    pub fn anydim_persistent_cache_describe(text: *mut anydim_text_t) -> anydim_status_t;
    /// Checks every record of both files and the structure of the files, and returns the result as JSON: ok,
    /// records, damaged (records with a wrong checksum), structure and system_structure ("ok", "no file", or what is
    /// wrong). A damaged file is a result, not an error; nothing is changed. What is damaged is never used, and goes
    /// with the next write.
    ///
    /// Errors: unimplemented where the cache is off, busy for a file that stays locked.
    ///
    /// - `text` (out, the caller destroys it): The result.
    ///
    /// Experimental; slot 103; may block; fails with `unimplemented`, `busy`.
    pub fn anydim_persistent_cache_verify(text: *mut anydim_text_t) -> anydim_status_t;
    /// Writes the sound records of the user's file into a new file, replacing what is at `path`. Other machines read
    /// it with [`anydim_persistent_cache_import`]; as cache-1.sqlite in /usr/share/anydim/cache (or
    /// ANYDIM_CACHE_SYSTEM_DIR) it serves every user.
    ///
    /// Errors: not_found if there is nothing to export, invalid_argument if `path` is the cache itself or no file (a
    /// folder, a device, a pipe), busy, invalid_data, io_error, unimplemented where the cache is off.
    ///
    /// - `path`: Path of the file to write.
    /// - `records` (out): How many records it has.
    ///
    /// Experimental; slot 104; may block; fails with `invalid_argument`, `not_found`, `busy`, `invalid_data`,
    /// `io_error`, `unimplemented`.
    pub fn anydim_persistent_cache_export(
        path: *const c_char,
        records: *mut i64,
    ) -> anydim_status_t;
    /// Adds the records of an exported file (or of a copied cache) to the user's file and uses them; those of the
    /// same key are replaced, damaged ones are left out and counted. Errors: file_not_found if there is no such
    /// file, not_found if it is empty, invalid_argument if it is the cache itself, invalid_data if it is damaged as
    /// a whole, busy, io_error, unimplemented for a file of another kind and where the cache is off.
    ///
    /// - `path`: Path of the file to read.
    /// - `records` (out): How many records were added.
    /// - `damaged` (out): How many were left out.
    ///
    /// Experimental; slot 105; may block; fails with `invalid_argument`, `not_found`, `file_not_found`, `busy`,
    /// `invalid_data`, `io_error`, `unimplemented`.
    pub fn anydim_persistent_cache_import(
        path: *const c_char,
        records: *mut i64,
        damaged: *mut i64,
    ) -> anydim_status_t;
    /// Removes records from the user's file and from memory. The system's file is left as it is. A damaged file is
    /// put aside.
    ///
    /// Errors: invalid_argument for a kind that is none, busy, io_error (read-only), unimplemented for another
    /// program's file and where the cache is off.
    ///
    /// - `kind`: Which; [`ANYDIM_RECORD_ALL`] for all.
    /// - `removed` (out): How many records the file had of them.
    ///
    /// Experimental; slot 106; may block; fails with `invalid_argument`, `busy`, `io_error`, `unimplemented`.
    pub fn anydim_persistent_cache_clear(
        kind: anydim_record_kind_t,
        removed: *mut i64,
    ) -> anydim_status_t;
}
