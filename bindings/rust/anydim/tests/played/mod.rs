// SPDX-License-Identifier: Apache-2.0
//! The library, played in Rust for Miri: engines and what they hold, bytes of all kinds, errors. Handles are boxes, and what is made
//! from an engine keeps it. What runs is in `runs`.

use std::alloc::{alloc_zeroed, dealloc, Layout};
use std::cell::Cell;
use std::collections::HashMap;
use std::os::raw::c_void;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use anydim_sys::*;

mod runs;

pub use runs::say;

pub struct Host(anydim_engine_options_t);
unsafe impl Send for Host {}
unsafe impl Sync for Host {}
impl Drop for Host {
    fn drop(&mut self) {
        let kept = [(self.0.parallel_finalizer, self.0.parallel_user), (self.0.memory_finalizer, self.0.memory_user)];
        for (finalizer, user) in kept {
            if let Some(finalizer) = finalizer {
                unsafe { finalizer(user) };
            }
        }
    }
}

/// Bytes of an engine, or of the caller.
struct Block {
    host: Arc<Host>,
    data: *mut u8,
    bytes: usize,
    imported: Option<(anydim_finalizer_callback_t, *mut c_void)>,
}
unsafe impl Send for Block {}
impl Block {
    fn new(host: &Arc<Host>, bytes: usize) -> Self {
        let data = match host.0.allocate {
            Some(allocate) => unsafe { allocate(host.0.memory_user, bytes.max(1) as i64, 64) }.cast::<u8>(),
            None => unsafe { alloc_zeroed(Self::layout(bytes)) },
        };
        assert!(!data.is_null() && data as usize % 64 == 0);
        unsafe { data.write_bytes(0, bytes) };
        Self { host: Arc::clone(host), data, bytes, imported: None }
    }
    fn layout(bytes: usize) -> Layout {
        Layout::from_size_align(bytes.max(1), 64).expect("a layout")
    }
}
impl Drop for Block {
    fn drop(&mut self) {
        match (self.imported.take(), self.host.0.release) {
            (Some((Some(finalizer), user)), _) => unsafe { finalizer(user) },
            (Some((None, _)), _) => {}
            (None, Some(release)) => unsafe {
                release(self.host.0.memory_user, self.data.cast(), self.bytes.max(1) as i64);
            },
            (None, None) => unsafe { dealloc(self.data, Self::layout(self.bytes)) },
        }
    }
}

struct Made {
    host: Arc<Host>,
    room: Mutex<Option<Block>>,
    view: anydim_view_t,
    stop: AtomicBool,
}
unsafe impl Sync for Made {}
impl Made {
    fn of(host: &Arc<Host>) -> Self {
        let view = anydim_view_t::INIT;
        Self { host: Arc::clone(host), room: Mutex::default(), view, stop: AtomicBool::new(false) }
    }
}

fn give<T>(value: T, out: *mut *mut T) -> i32 {
    unsafe { *out = Box::into_raw(Box::new(value)) };
    ANYDIM_STATUS_OK
}
unsafe fn look<'a, T, H>(handle: *const H) -> &'a T {
    assert!(!handle.is_null());
    unsafe { &*handle.cast::<T>() }
}
unsafe fn end<T, H>(handle: *const H) {
    if !handle.is_null() {
        drop(unsafe { Box::from_raw(handle as *mut T) });
    }
}
fn text(of: &'static str) -> anydim_string_t {
    anydim_string_t { data: of.as_ptr().cast(), length: of.len() as i64 }
}

thread_local!(static FAILURE: Cell<(i32, &'static str)> = Cell::new((0, "")));
fn fail(status: i32, why: &'static str) -> i32 {
    FAILURE.with(|f| f.set((status, why)));
    status
}

static RESULTS: Mutex<Option<HashMap<usize, Block>>> = Mutex::new(None);

fn bytes_of(view: &anydim_view_t) -> usize {
    view.dims.values[..view.dims.rank as usize].iter().product::<i64>() as usize * 4
}
unsafe fn address(view: &anydim_view_t) -> *mut f32 {
    if view.memory.is_null() {
        return view.data.cast();
    }
    let block: &Block = unsafe { look(view.memory) };
    unsafe { block.data.offset(view.offset as isize).cast() }
}

#[no_mangle]
unsafe extern "C" fn anydim_last_error_query(info: *mut anydim_error_info_t) -> i32 {
    let (status, why) = FAILURE.with(Cell::get);
    let info = unsafe { &mut *info };
    (info.status, info.message, info.function) = (status, text(why), text("anydim_function"));
    ANYDIM_STATUS_OK
}

#[no_mangle]
unsafe extern "C" fn anydim_engine_create(
    _kind: i32,
    _device: i32,
    options: *const anydim_engine_options_t,
    engine: *mut *mut Arc<Host>,
) -> i32 {
    let options = unsafe { *options };
    if options.threads > 256 {
        return fail(ANYDIM_STATUS_INVALID_ARGUMENT, "threads is more than 256");
    }
    give(Arc::new(Host(options)), engine)
}

macro_rules! made_of_engines {
    ($($destroy:ident),*) => {$(
        #[no_mangle]
        unsafe extern "C" fn $destroy(handle: *const c_void) {
            unsafe { end::<Made, _>(handle) }
        }
    )*};
}
made_of_engines!(
    anydim_stream_destroy,
    anydim_model_destroy,
    anydim_session_destroy,
    anydim_primitive_destroy,
    anydim_context_destroy,
    anydim_tensor_destroy,
    anydim_cancellation_destroy
);

macro_rules! boxes_of_a_number {
    ($($create:ident, $destroy:ident),*) => {$(
        #[no_mangle]
        unsafe extern "C" fn $create(out: *mut *mut u64) -> i32 {
            give(7, out)
        }
        #[no_mangle]
        unsafe extern "C" fn $destroy(handle: *const c_void) {
            unsafe { end::<u64, _>(handle) }
        }
    )*};
}
boxes_of_a_number!(
    anydim_layouts_create,
    anydim_layouts_destroy,
    anydim_layers_create,
    anydim_layers_destroy,
    anydim_attr_create,
    anydim_attr_destroy
);

macro_rules! settings {
    ($($name:ident),*) => {$(
        #[no_mangle]
        unsafe extern "C" fn $name(attr: *const u64, _value: i32) -> i32 {
            assert_eq!(unsafe { *attr }, 7);
            ANYDIM_STATUS_OK
        }
    )*};
}
settings!(anydim_attr_set_reuse, anydim_attr_set_math, anydim_attr_set_scratchpad);

#[no_mangle]
unsafe extern "C" fn anydim_engine_destroy(engine: *const c_void) {
    unsafe { end::<Arc<Host>, _>(engine) }
}

#[no_mangle]
unsafe extern "C" fn anydim_stream_create(engine: *const c_void, _: *const c_void, stream: *mut *mut Made) -> i32 {
    give(Made::of(unsafe { look(engine) }), stream)
}

// -- bytes ---------------------------------------------------------------------------------------------------------------

#[no_mangle]
unsafe extern "C" fn anydim_memory_allocate(engine: *const c_void, bytes: i64, memory: *mut *mut Block) -> i32 {
    give(Block::new(unsafe { look(engine) }, bytes as usize), memory)
}
#[no_mangle]
unsafe extern "C" fn anydim_memory_import(
    engine: *const c_void,
    data: *mut c_void,
    bytes: i64,
    finalizer: anydim_finalizer_callback_t,
    user: *mut c_void,
    memory: *mut *mut Block,
) -> i32 {
    if bytes == 3 {
        return fail(ANYDIM_STATUS_UNIMPLEMENTED, "three bytes");
    }
    let host: &Arc<Host> = unsafe { look(engine) };
    let imported = Some((finalizer, user));
    give(Block { host: Arc::clone(host), data: data.cast(), bytes: bytes as usize, imported }, memory)
}
#[no_mangle]
unsafe extern "C" fn anydim_memory_destroy(memory: *const c_void) {
    unsafe { end::<Block, _>(memory) }
}
#[no_mangle]
unsafe extern "C" fn anydim_memory_query(memory: *const c_void, info: *mut anydim_memory_info_t) -> i32 {
    let (block, info): (&Block, _) = unsafe { (look(memory), &mut *info) };
    (info.bytes, info.imported) = (block.bytes as i64, i32::from(block.imported.is_some()));
    ANYDIM_STATUS_OK
}
#[no_mangle]
unsafe extern "C" fn anydim_memory_map(
    memory: *const c_void,
    offset: i64,
    bytes: i64,
    data: *mut *mut c_void,
) -> i32 {
    let block: &Block = unsafe { look(memory) };
    if offset + bytes > block.bytes as i64 {
        return fail(ANYDIM_STATUS_INVALID_ARGUMENT, "outside");
    }
    unsafe { *data = block.data.offset(offset as isize).cast() };
    ANYDIM_STATUS_OK
}
#[no_mangle]
unsafe extern "C" fn anydim_memory_unmap(_memory: *const c_void, _offset: i64, _bytes: i64) -> i32 {
    ANYDIM_STATUS_OK
}
#[no_mangle]
unsafe extern "C" fn anydim_memory_copy(
    _stream: *const c_void,
    target: *const c_void,
    target_offset: i64,
    source: *const c_void,
    source_offset: i64,
    bytes: i64,
) -> i32 {
    let (target, source): (&Block, &Block) = unsafe { (look(target), look(source)) };
    let (to, from) =
        unsafe { (target.data.offset(target_offset as isize), source.data.offset(source_offset as isize)) };
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes as usize) };
    ANYDIM_STATUS_OK
}
#[no_mangle]
unsafe extern "C" fn anydim_result_release(data: *mut c_void) {
    if !data.is_null() {
        let held = RESULTS.lock().expect("no panic").as_mut().and_then(|r| r.remove(&(data as usize)));
        drop(held.expect("a result that is there"));
    }
}
#[no_mangle]
unsafe extern "C" fn anydim_tensor_allocate(
    engine: *const c_void,
    dtype: i32,
    rank: i32,
    dims: *const i64,
    _layout: i32,
    tensor: *mut *mut Made,
) -> i32 {
    let host: &Arc<Host> = unsafe { look(engine) };
    let mut made = Made::of(host);
    let dims = unsafe { std::slice::from_raw_parts(dims, rank as usize) };
    made.view.dtype = dtype;
    made.view.dims.rank = rank;
    made.view.dims.values[..dims.len()].copy_from_slice(dims);
    let block = Block::new(host, bytes_of(&made.view));
    made.view.data = block.data.cast();
    *made.room.get_mut().expect("no panic") = Some(block);
    give(made, tensor)
}
#[no_mangle]
unsafe extern "C" fn anydim_tensor_get_view(tensor: *const c_void, view: *mut anydim_view_t) -> i32 {
    unsafe { *view = look::<Made, _>(tensor).view };
    ANYDIM_STATUS_OK
}
