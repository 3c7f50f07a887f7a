// SPDX-License-Identifier: Apache-2.0
//! What runs in the library that is played: primitives, models, sessions and contexts, each of which negates its input, and the log.

use std::mem::MaybeUninit;
use std::os::raw::c_char;
use std::sync::atomic::Ordering;

use super::*;

struct Negation {
    x: *const f32,
    y: *mut f32,
    count: usize,
    done: Vec<AtomicBool>,
}
unsafe extern "C" fn part(context: *mut c_void, index: i64) {
    let n = unsafe { &*context.cast::<Negation>() };
    if index < 0 || index as usize >= n.done.len() || n.done[index as usize].swap(true, Ordering::SeqCst) {
        return;
    }
    let each = n.count.div_ceil(n.done.len());
    for i in index as usize * each..((index as usize + 1) * each).min(n.count) {
        unsafe { n.y.add(i).write(-n.x.add(i).read()) };
    }
}

/// y = -x, in parts, into the caller's memory, into the room of a context, or into a result of its own.
unsafe fn negate(
    made: &Made,
    inputs: *const anydim_view_t,
    outputs: *mut anydim_view_t,
    room: Option<*mut u8>,
) -> i32 {
    let x = unsafe { &*inputs };
    if x.dims.rank != 1 || x.dtype != ANYDIM_F32 {
        return fail(ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0] is of another rank or dtype");
    }
    let bytes = bytes_of(x);
    let y = unsafe { &mut *outputs };
    if y.data.is_null() && y.memory.is_null() {
        if y.dtype == 0 {
            return ANYDIM_STATUS_OK; // not asked for
        }
        y.dims = x.dims;
        y.data = match room {
            Some(room) => room.cast(),
            None => {
                let block = Block::new(&made.host, bytes);
                let data = block.data;
                let mut results = RESULTS.lock().expect("no panic");
                assert!(results.get_or_insert_with(HashMap::new).insert(data as usize, block).is_none());
                data.cast()
            }
        };
    } else if bytes_of(y) != bytes {
        return fail(ANYDIM_STATUS_INVALID_ARGUMENT, "outputs[0] has other dims");
    }
    let (x, y) = unsafe { (address(x), address(y)) };
    let done = (0..4).map(|_| AtomicBool::new(false)).collect();
    let mut work = Negation { x, y, count: bytes / 4, done };
    let context: *mut c_void = std::ptr::addr_of_mut!(work).cast();
    if let Some(parallel_for) = made.host.0.parallel_for {
        unsafe { parallel_for(made.host.0.parallel_user, 4, Some(part), context) };
    }
    (0..4).for_each(|i| unsafe { part(context, i) }); // what the loop left out
    ANYDIM_STATUS_OK
}

// -- primitives ----------------------------------------------------------------------------------------------------------

#[no_mangle]
unsafe extern "C" fn anydim_desc_create(
    dtype: i32,
    rank: i32,
    dims: *const anydim_dim_t,
    _layout: i32,
    desc: *mut *mut Vec<anydim_dim_t>,
) -> i32 {
    assert_eq!(dtype, ANYDIM_F32);
    give(unsafe { std::slice::from_raw_parts(dims, rank as usize) }.to_vec(), desc)
}
#[no_mangle]
unsafe extern "C" fn anydim_desc_destroy(desc: *const c_void) {
    unsafe { end::<Vec<anydim_dim_t>, _>(desc) }
}
#[no_mangle]
unsafe extern "C" fn anydim_primitive_create(
    engine: *const c_void,
    op: *const anydim_op_t,
    attr: *const u64,
    inputs: *const *const Vec<anydim_dim_t>,
    input_count: i32,
    weights: *const c_void,
    primitive: *mut *mut Made,
) -> i32 {
    // The whole struct, of which the caller names the head.
    let size = unsafe { (*op).size } as usize;
    let whole = unsafe { std::slice::from_raw_parts(op.cast::<MaybeUninit<u8>>(), size) }.to_vec();
    assert_eq!(whole.len(), std::mem::size_of::<anydim_unary_t>());
    assert!(unsafe { (*op.cast::<anydim_unary_t>()).function } == ANYDIM_UNARY_NEG);
    assert!(unsafe { *attr } == 7 && weights.is_null() && input_count == 1);
    assert_eq!(unsafe { (&**inputs).len() }, 1);
    give(Made::of(unsafe { look(engine) }), primitive)
}
#[no_mangle]
unsafe extern "C" fn anydim_primitive_get_output_dtype(
    _primitive: *const c_void,
    index: i32,
    dtype: *mut i32,
) -> i32 {
    assert_eq!(index, 0);
    unsafe { *dtype = ANYDIM_F32 };
    ANYDIM_STATUS_OK
}
#[no_mangle]
unsafe extern "C" fn anydim_primitive_execute(
    primitive: *const c_void,
    stream: *const c_void,
    inputs: *const anydim_view_t,
    input_count: i32,
    outputs: *mut anydim_view_t,
    output_count: i32,
) -> i32 {
    assert!((input_count, output_count) == (1, 1) && !stream.is_null());
    unsafe { negate(look(primitive), inputs, outputs, None) }
}

// -- models --------------------------------------------------------------------------------------------------------------

#[no_mangle]
unsafe extern "C" fn anydim_model_load_memory(
    engine: *const c_void,
    data: *const c_void,
    size: i64,
    options: *const anydim_model_options_t,
    model: *mut *mut Made,
) -> i32 {
    let bytes = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size as usize) };
    if bytes != b"negate" {
        return fail(ANYDIM_STATUS_INVALID_MODEL, "not the model");
    }
    let options = unsafe { &*options };
    for i in 0..options.engine_count as usize {
        let _: &Arc<Host> = unsafe { look(*options.engines.add(i)) };
    }
    assert_eq!(unsafe { (*options.layers.cast::<u64>(), *options.layouts.cast::<u64>()) }, (7, 7));
    give(Made::of(unsafe { look(engine) }), model)
}
#[no_mangle]
unsafe extern "C" fn anydim_model_get_counts(_model: *const c_void, inputs: *mut i32, outputs: *mut i32) -> i32 {
    unsafe { (*inputs, *outputs) = (1, 1) };
    ANYDIM_STATUS_OK
}
fn value(name: &'static str, info: *mut anydim_value_info_t) -> i32 {
    let info = unsafe { &mut *info };
    (info.dtype, info.name, info.dims.rank) = (ANYDIM_F32, text(name), 1);
    (info.dims.values[0], info.symbols[0]) = (-1, text("n"));
    ANYDIM_STATUS_OK
}
#[no_mangle]
unsafe extern "C" fn anydim_model_get_input(
    _model: *const c_void,
    _index: i32,
    info: *mut anydim_value_info_t,
) -> i32 {
    value("x", info)
}
#[no_mangle]
unsafe extern "C" fn anydim_model_get_output(
    _model: *const c_void,
    _index: i32,
    info: *mut anydim_value_info_t,
) -> i32 {
    value("y", info)
}
#[no_mangle]
unsafe extern "C" fn anydim_session_create(
    model: *const c_void,
    _bounds: *const c_void,
    _options: *const anydim_context_options_t,
    _contexts: i32,
    session: *mut *mut Made,
) -> i32 {
    give(Made::of(&unsafe { look::<Made, _>(model) }.host), session)
}
#[no_mangle]
unsafe extern "C" fn anydim_session_run(
    session: *const c_void,
    inputs: *const anydim_view_t,
    _input_count: i32,
    outputs: *mut anydim_view_t,
    _output_count: i32,
    options: *const anydim_run_options_t,
) -> i32 {
    if session.is_null() {
        return fail(ANYDIM_STATUS_INVALID_HANDLE, "session is null");
    }
    let options = unsafe { &*options };
    if options.interrupted.map_or(0, |asked| unsafe { asked(options.user) }) != 0 {
        return fail(ANYDIM_STATUS_CANCELLED, "a signal ended the wait");
    }
    let stop: Option<&Made> =
        if options.cancellation.is_null() { None } else { Some(unsafe { look(options.cancellation) }) };
    if stop.map_or(false, |s| s.stop.load(Ordering::SeqCst)) {
        return fail(ANYDIM_STATUS_CANCELLED, "cancelled");
    }
    unsafe { negate(look(session), inputs, outputs, None) }
}
#[no_mangle]
unsafe extern "C" fn anydim_context_create(
    model: *const c_void,
    _bounds: *const c_void,
    options: *const anydim_context_options_t,
    context: *mut *mut Made,
) -> i32 {
    let host = &unsafe { look::<Made, _>(model) }.host;
    let mut made = Made::of(host);
    let (buffer, bytes) = unsafe { ((*options).buffer, (*options).buffer_bytes) };
    if buffer.is_null() {
        let block = Block::new(host, 1024);
        made.view.data = block.data.cast();
        *made.room.get_mut().expect("no panic") = Some(block);
    } else {
        assert!(bytes >= 1024 && buffer as usize % 64 == 0);
        made.view.data = buffer;
    }
    give(made, context)
}
#[no_mangle]
unsafe extern "C" fn anydim_context_run(
    context: *const c_void,
    inputs: *const anydim_view_t,
    _input_count: i32,
    outputs: *mut anydim_view_t,
    _output_count: i32,
    _options: *const anydim_run_options_t,
) -> i32 {
    let made: &Made = unsafe { look(context) };
    unsafe { negate(made, inputs, outputs, Some(made.view.data.cast())) }
}
#[no_mangle]
unsafe extern "C" fn anydim_context_tune(
    _context: *const c_void,
    _inputs: *const anydim_view_t,
    _input_count: i32,
    options: *const anydim_tune_options_t,
    report: *mut *mut String,
) -> i32 {
    let options = unsafe { &*options };
    for done in 0..3 {
        if options.progress.map_or(0, |told| unsafe { told(options.user, done, 2) }) != 0 {
            return fail(ANYDIM_STATUS_CANCELLED, "told to end");
        }
    }
    give("{\"nodes\": []}".to_owned(), report)
}
#[no_mangle]
unsafe extern "C" fn anydim_text_get_data(of: *const c_void, string: *mut anydim_string_t) -> i32 {
    let text: &String = unsafe { look(of) };
    unsafe { *string = anydim_string_t { data: text.as_ptr().cast(), length: text.len() as i64 } };
    ANYDIM_STATUS_OK
}
#[no_mangle]
unsafe extern "C" fn anydim_text_destroy(text: *const c_void) {
    unsafe { end::<String, _>(text) }
}
#[no_mangle]
unsafe extern "C" fn anydim_cancellation_create(out: *mut *mut Made) -> i32 {
    give(Made::of(&Arc::new(Host(anydim_engine_options_t::INIT))), out)
}
#[no_mangle]
unsafe extern "C" fn anydim_cancellation_set(cancellation: *const c_void, on: i32) -> i32 {
    unsafe { look::<Made, _>(cancellation) }.stop.store(on != 0, Ordering::SeqCst);
    ANYDIM_STATUS_OK
}

// -- the log -------------------------------------------------------------------------------------------------------------

struct Log(anydim_log_callback_t, *mut c_void, anydim_finalizer_callback_t);
unsafe impl Send for Log {}
static LOG: Mutex<Option<Log>> = Mutex::new(None);

#[no_mangle]
unsafe extern "C" fn anydim_log_set(
    level: i32,
    callback: anydim_log_callback_t,
    user: *mut c_void,
    finalizer: anydim_finalizer_callback_t,
) -> i32 {
    if level == ANYDIM_LOG_ERROR && callback.is_some() {
        return fail(ANYDIM_STATUS_INVALID_ARGUMENT, "not this level");
    }
    let before = LOG.lock().expect("no panic").replace(Log(callback, user, finalizer));
    if let Some(Log(_, user, Some(finalizer))) = before {
        unsafe { finalizer(user) };
    }
    ANYDIM_STATUS_OK
}

/// A line for the log, with a zero behind it.
pub fn say(line: &str) {
    let log = LOG.lock().expect("no panic");
    if let Some(Log(Some(callback), user, _)) = &*log {
        let text = std::ffi::CString::new(line).expect("no zero");
        unsafe { callback(*user, ANYDIM_LOG_INFO, text.as_ptr() as *const c_char) };
    }
}
