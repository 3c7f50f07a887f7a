// SPDX-License-Identifier: Apache-2.0
//! What a host program provides to the library: its loop, its allocator, and a place for log lines. Callbacks are closures; the
//! library is asked to free them when it needs them no more. A panic of one ends there and is reported as a failure.

use std::alloc::{GlobalAlloc, Layout};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Mutex;

use anydim_sys as sys;

use super::handles::EngineHandle;
use super::{check, known};
use crate::{EngineKind, LogLevel, Result};

/// The parts of a loop of the library, for the host program's own loop: see
/// [`EngineBuilder::parallel_for`](crate::EngineBuilder::parallel_for).
#[derive(Debug)]
pub struct Parts<'a> {
    count: i64,
    next: AtomicI64,
    part: unsafe extern "C" fn(*mut c_void, i64),
    context: *mut c_void,
    lifetime: PhantomData<&'a ()>,
}

/// One part of a loop, which runs at most once.
#[derive(Debug)]
pub struct Part<'a> {
    index: i64,
    parts: &'a Parts<'a>,
}

// Parts may be run by any thread, several at once with different indices; each index is assigned once.
unsafe impl Sync for Parts<'_> {}
unsafe impl Send for Parts<'_> {}

impl<'a> Parts<'a> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count.max(0) as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count <= 0
    }

    /// The next part that nobody has taken, on any thread; none when all are taken.
    pub fn take(&'a self) -> Option<Part<'a>> {
        // Never further than one past the end for each thread that asks.
        let index = self.next.fetch_add(1, Ordering::Relaxed);
        if index < self.count {
            Some(Part { index, parts: self })
        } else {
            self.next.store(self.count, Ordering::Relaxed);
            None
        }
    }
}

impl Part<'_> {
    /// Which part it is, from 0.
    pub fn index(&self) -> usize {
        self.index as usize
    }

    /// Computes it.
    pub fn run(self) {
        // Each index is assigned once, and only while the loop's caller waits.
        unsafe { (self.parts.part)(self.parts.context, self.index) }
    }
}

pub(crate) type Loop = Box<dyn Fn(&Parts<'_>) + Send + Sync>;
pub(crate) type Logger = Box<dyn Fn(LogLevel, &str) + Send + Sync>;

unsafe extern "C" fn parallel_for(
    user: *mut c_void,
    count: i64,
    part: sys::anydim_part_callback_t,
    context: *mut c_void,
) -> i32 {
    let part = match part {
        Some(part) => part,
        None => return 1,
    };
    let run = unsafe { &*user.cast::<Loop>() };
    let parts = Parts { count, next: AtomicI64::new(0), part, context, lifetime: PhantomData };
    i32::from(catch_unwind(AssertUnwindSafe(|| run(&parts))).is_err())
}

/// An allocator, and the layouts of what it gave: the library passes the size when it frees, Rust needs the alignment too.
struct Memory {
    allocator: Box<dyn GlobalAlloc + Send + Sync>,
    layouts: Mutex<HashMap<usize, Layout>>,
}

unsafe extern "C" fn allocate(user: *mut c_void, bytes: i64, alignment: i64) -> *mut c_void {
    let memory = unsafe { &*user.cast::<Memory>() };
    let layout = match (usize::try_from(bytes), usize::try_from(alignment)) {
        (Ok(bytes), Ok(alignment)) if bytes > 0 => Layout::from_size_align(bytes, alignment),
        _ => return std::ptr::null_mut(),
    };
    let allocated = catch_unwind(AssertUnwindSafe(|| {
        let layout = layout.ok()?;
        let address = unsafe { memory.allocator.alloc(layout) };
        if address.is_null() {
            return None;
        }
        memory.layouts.lock().unwrap_or_else(|e| e.into_inner()).insert(address as usize, layout);
        Some(address)
    }));
    allocated.ok().flatten().map_or(std::ptr::null_mut(), <*mut u8>::cast)
}

unsafe extern "C" fn release(user: *mut c_void, address: *mut c_void, _bytes: i64) {
    let memory = unsafe { &*user.cast::<Memory>() };
    let known = memory.layouts.lock().unwrap_or_else(|e| e.into_inner()).remove(&(address as usize));
    if let Some(layout) = known {
        let _ = catch_unwind(AssertUnwindSafe(|| unsafe { memory.allocator.dealloc(address.cast(), layout) }));
    }
}

unsafe extern "C" fn log_line(user: *mut c_void, level: sys::anydim_log_level_t, text: *const c_char) {
    let logger = unsafe { &*user.cast::<Logger>() };
    let text =
        if text.is_null() { Default::default() } else { unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy() };
    let level = LogLevel::from_number(level).unwrap_or(LogLevel::Error);
    let _ = catch_unwind(AssertUnwindSafe(|| logger(level, &text)));
}

/// Frees what `user` was made of.
pub(super) unsafe extern "C" fn drop_user<T>(user: *mut c_void) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(user.cast::<T>()) })));
}

pub(crate) fn engine_create(
    kind: EngineKind,
    device: i32,
    (threads, flushed_denormals): (i32, bool),
    run: Option<Loop>,
    allocator: Option<Box<dyn GlobalAlloc + Send + Sync>>,
) -> Result<EngineHandle> {
    let mut options = sys::anydim_engine_options_t::INIT;
    options.threads = threads;
    options.flushed_denormals = i32::from(flushed_denormals);
    if let Some(run) = run {
        options.parallel_for = Some(parallel_for);
        options.parallel_user = Box::into_raw(Box::new(run)).cast();
        options.parallel_finalizer = Some(drop_user::<Loop>);
    }
    if let Some(allocator) = allocator {
        let memory = Memory { allocator, layouts: Mutex::default() };
        options.allocate = Some(allocate);
        options.release = Some(release);
        options.memory_user = Box::into_raw(Box::new(memory)).cast();
        options.memory_finalizer = Some(drop_user::<Memory>);
    }
    let mut engine = EngineHandle::null();
    let made = check(unsafe { sys::anydim_engine_create(kind as i32, device, &options, &mut engine) });
    if made.is_err() {
        // Finalizers are not called where the creation fails.
        unsafe {
            if !options.parallel_user.is_null() {
                drop_user::<Loop>(options.parallel_user);
            }
            if !options.memory_user.is_null() {
                drop_user::<Memory>(options.memory_user);
            }
        }
    }
    made?;
    Ok(EngineHandle::new(engine))
}

pub(crate) fn log_set(level: LogLevel, logger: Option<Logger>) -> Result<()> {
    let (callback, finalizer): (sys::anydim_log_callback_t, sys::anydim_finalizer_callback_t) =
        if logger.is_some() { (Some(log_line), Some(drop_user::<Logger>)) } else { (None, None) };
    let user: *mut c_void = logger.map_or(std::ptr::null_mut(), |l| Box::into_raw(Box::new(l)).cast());
    let done = check(unsafe { sys::anydim_log_set(level as i32, callback, user, finalizer) });
    if done.is_err() && !user.is_null() {
        unsafe { drop_user::<Logger>(user) };
    }
    done
}

pub(crate) fn log_level() -> Result<LogLevel> {
    let mut info = sys::anydim_log_info_t::INIT;
    check(unsafe { sys::anydim_log_query(&mut info) })?;
    known("level", info.level, LogLevel::from_number)
}
