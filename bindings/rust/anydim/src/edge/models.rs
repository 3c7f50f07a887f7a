// SPDX-License-Identifier: Apache-2.0
//! Calls about models, contexts and primitives that take addresses besides views: paths in options, buffers, scratch memory,
//! and a closure that is called with how far a tuning is.

use std::ffi::CStr;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};

use anydim_sys as sys;

use super::custom::CustomOperatorsHandle;
use super::elements::AnyBits;
use super::handles::{
    BoundsHandle, CancellationHandle, ContextHandle, EngineHandle, LayersHandle, LayoutsHandle, ModelBuilderHandle,
    ModelHandle, PrimitiveHandle, SessionHandle, StateHandle, StreamHandle, StreamingHandle, TextHandle,
};
use super::host::drop_user;
use super::views::{Slot, TensorView, TensorViewMut};
use super::{check, whole_text};
use crate::error::invalid;
use crate::{CacheLine, Result};

/// Options of a model whose addresses are borrowed.
#[derive(Default)]
pub(crate) struct ModelOptions<'a> {
    pub math: i32,
    pub reuse: i32,
    pub input_layout: i32,
    pub output_layout: i32,
    pub passes: i32,
    pub layouts: Option<&'a LayoutsHandle>,
    pub layers: Option<&'a LayersHandle>,
    pub packed_weights: Option<&'a CStr>,
    pub external_data_folder: Option<&'a CStr>,
    pub sequences: Option<&'a CStr>,
    pub streaming: Option<&'a CStr>,
    pub streaming_chunk: i64,
    pub engines: Vec<&'a EngineHandle>,
    pub operators: Option<&'a CustomOperatorsHandle>,
}

impl ModelOptions<'_> {
    /// As the library takes them; the list of engines is this one's, which the options point to.
    fn raw(&self, engines: &mut Vec<sys::anydim_engine_t>) -> sys::anydim_model_options_t {
        let mut raw = sys::anydim_model_options_t::INIT;
        raw.math = self.math;
        raw.reuse = self.reuse;
        raw.input_layout = self.input_layout;
        raw.output_layout = self.output_layout;
        raw.passes = self.passes;
        raw.layouts = self.layouts.map_or(std::ptr::null_mut(), LayoutsHandle::raw);
        raw.layers = self.layers.map_or(std::ptr::null_mut(), LayersHandle::raw);
        raw.packed_weights = self.packed_weights.map_or(std::ptr::null(), CStr::as_ptr);
        raw.external_data_folder = self.external_data_folder.map_or(std::ptr::null(), CStr::as_ptr);
        raw.sequences = self.sequences.map_or(std::ptr::null(), CStr::as_ptr);
        raw.streaming = self.streaming.map_or(std::ptr::null(), CStr::as_ptr);
        raw.streaming_chunk = self.streaming_chunk;
        raw.operators = self.operators.map_or(std::ptr::null_mut(), CustomOperatorsHandle::raw);
        engines.extend(self.engines.iter().map(|engine| engine.raw()));
        if !engines.is_empty() {
            raw.engines = engines.as_ptr();
            raw.engine_count = count(engines.len());
        }
        raw
    }
}

pub(crate) fn model_load_file(engine: &EngineHandle, path: &CStr, options: &ModelOptions<'_>) -> Result<ModelHandle> {
    let (mut model, mut engines) = (ModelHandle::null(), Vec::new());
    let options = options.raw(&mut engines);
    check(unsafe { sys::anydim_model_load_file(engine.raw(), path.as_ptr(), &options, &mut model) })?;
    Ok(ModelHandle::new(model))
}

pub(crate) fn model_load_memory(
    engine: &EngineHandle,
    data: &[u8],
    options: &ModelOptions<'_>,
) -> Result<ModelHandle> {
    let (mut model, mut engines) = (ModelHandle::null(), Vec::new());
    let options = options.raw(&mut engines);
    let size = data.len() as i64; // a slice is never longer
    check(unsafe { sys::anydim_model_load_memory(engine.raw(), data.as_ptr().cast(), size, &options, &mut model) })?;
    Ok(ModelHandle::new(model))
}

pub(crate) fn model_builder_load(
    builder: &ModelBuilderHandle,
    engine: &EngineHandle,
    options: &ModelOptions<'_>,
) -> Result<ModelHandle> {
    let (mut model, mut engines) = (ModelHandle::null(), Vec::new());
    let options = options.raw(&mut engines);
    check(unsafe { sys::anydim_model_builder_create_model(builder.raw(), engine.raw(), &options, &mut model) })?;
    Ok(ModelHandle::new(model))
}

pub(crate) fn session_start_batching(session: &SessionHandle, rows: i32, wait_us: i64, waiting: i32) -> Result<()> {
    let mut options = sys::anydim_batching_options_t::INIT;
    options.rows = rows;
    options.wait_us = wait_us;
    options.waiting = waiting;
    check(unsafe { sys::anydim_session_start_batching(session.raw(), &options) })
}

/// That there are as many elements as the dims say: the library reads so many.
fn has_elements(count: usize, dims: &[i64]) -> Result<()> {
    let expected = dims.iter().try_fold(1i64, |product, &d| product.checked_mul(d));
    match expected {
        Some(expected) if i64::try_from(count) == Ok(expected) => Ok(()),
        _ => Err(invalid("values", format!("values has {count} elements; dims are {dims:?}"))),
    }
}

/// A constant of a vector's elements; the vector is dropped when nothing uses them.
pub(crate) fn model_builder_add_constant<T: AnyBits>(
    builder: &ModelBuilderHandle,
    name: &CStr,
    mut values: Vec<T>,
    dims: &[i64],
) -> Result<()> {
    has_elements(values.len(), dims)?;
    let data = values.as_mut_ptr().cast();
    let user = Box::into_raw(Box::new(values)).cast();
    let added = check(unsafe {
        sys::anydim_model_builder_add_constant(
            builder.raw(),
            name.as_ptr(),
            T::DTYPE as i32,
            count(dims.len()),
            dims.as_ptr(),
            data,
            Some(drop_user::<Vec<T>>),
            user,
        )
    });
    if added.is_err() {
        // The finalizer is not called where the call fails.
        unsafe { drop_user::<Vec<T>>(user) };
    }
    added
}

pub(crate) fn model_builder_node_tensor<T: AnyBits>(
    builder: &ModelBuilderHandle,
    attribute: &CStr,
    values: &[T],
    dims: &[i64],
) -> Result<()> {
    has_elements(values.len(), dims)?;
    let data = values.as_ptr() as *mut c_void; // it is only read
    check(unsafe {
        sys::anydim_model_builder_set_node_tensor(
            builder.raw(),
            attribute.as_ptr(),
            T::DTYPE as i32,
            count(dims.len()),
            dims.as_ptr(),
            data,
        )
    })
}

/// How a file of packed weights is written.
pub(crate) fn save_options(sync: bool) -> sys::anydim_save_options_t {
    let mut options = sys::anydim_save_options_t::INIT;
    options.sync = i32::from(sync);
    options
}

/// A context in memory of its own, or in a buffer, which the caller keeps as long as the context.
pub(crate) fn context_create(
    model: &ModelHandle,
    bounds: Option<&BoundsHandle>,
    options: &sys::anydim_context_options_t,
    buffer: Option<&mut [CacheLine]>,
) -> Result<ContextHandle> {
    let mut context = ContextHandle::null();
    let bounds = bounds.map_or(std::ptr::null_mut(), BoundsHandle::raw);
    let mut options = *options;
    if let Some(lines) = buffer {
        options.buffer = lines.as_mut_ptr().cast();
        options.buffer_bytes = std::mem::size_of_val(lines) as i64;
    }
    check(unsafe { sys::anydim_context_create(model.raw(), bounds, &options, &mut context) })?;
    Ok(ContextHandle::new(context))
}

#[inline]
pub(crate) fn context_run(
    context: &ContextHandle,
    inputs: &[TensorView<'_>],
    outputs: &mut [Slot],
    cancellation: Option<&CancellationHandle>,
) -> Result<()> {
    let options = run_options(-1, cancellation, &mut None);
    let (input_count, output_count) = (count(inputs.len()), count(outputs.len()));
    check(unsafe {
        sys::anydim_context_run(
            context.raw(),
            inputs.as_ptr().cast(),
            input_count,
            outputs.as_mut_ptr().cast(),
            output_count,
            &options,
        )
    })
}

pub(crate) fn context_submit(
    context: &ContextHandle,
    stream: &StreamHandle,
    inputs: &[TensorView<'_>],
    outputs: &mut [Slot],
    cancellation: Option<&CancellationHandle>,
) -> Result<()> {
    let options = run_options(-1, cancellation, &mut None);
    let (input_count, output_count) = (count(inputs.len()), count(outputs.len()));
    check(unsafe {
        sys::anydim_context_submit(
            context.raw(),
            stream.raw(),
            inputs.as_ptr().cast(),
            input_count,
            outputs.as_mut_ptr().cast(),
            output_count,
            &options,
        )
    })
}

pub(crate) fn context_explain(
    context: &ContextHandle,
    inputs: &[TensorView<'_>],
    cancellation: Option<&CancellationHandle>,
) -> Result<String> {
    let options = run_options(-1, cancellation, &mut None);
    let mut text = TextHandle::null();
    let (views, number) = (inputs.as_ptr().cast(), count(inputs.len()));
    check(unsafe { sys::anydim_context_explain(context.raw(), views, number, &options, &mut text) })?;
    whole_text(&TextHandle::new(text))
}

/// Asks whether a signal ends the call. A panic ends it, too.
pub(crate) type Interrupted = dyn Fn() -> bool + Send + Sync;

unsafe extern "C" fn interrupted(user: *mut c_void) -> i32 {
    let is_interrupted = unsafe { *user.cast::<&Interrupted>() };
    i32::from(catch_unwind(AssertUnwindSafe(is_interrupted)).unwrap_or(true))
}

/// What runs and steps ask for, for a call on this thread.
fn run_options(
    timeout_ms: i32,
    cancellation: Option<&CancellationHandle>,
    is_interrupted: &mut Option<&Interrupted>,
) -> sys::anydim_run_options_t {
    let mut options = sys::anydim_run_options_t::INIT;
    options.timeout_ms = timeout_ms;
    options.cancellation = cancellation.map_or(std::ptr::null(), CancellationHandle::raw);
    if let Some(is_interrupted) = is_interrupted {
        options.interrupted = Some(interrupted);
        options.user = (is_interrupted as *mut &Interrupted).cast();
    }
    options
}

#[inline]
pub(crate) fn session_run(
    session: &SessionHandle,
    inputs: &[TensorView<'_>],
    outputs: &mut [Slot],
    timeout_ms: i32,
    cancellation: Option<&CancellationHandle>,
    mut is_interrupted: Option<&Interrupted>,
) -> Result<()> {
    let options = run_options(timeout_ms, cancellation, &mut is_interrupted);
    let (input_count, output_count) = (count(inputs.len()), count(outputs.len()));
    check(unsafe {
        sys::anydim_session_run(
            session.raw(),
            inputs.as_ptr().cast(),
            input_count,
            outputs.as_mut_ptr().cast(),
            output_count,
            &options,
        )
    })
}

type Done = Box<dyn FnOnce(Result<Vec<Slot>>) + Send>;

unsafe extern "C" fn done(user: *mut c_void, status: i32, outputs: *const sys::anydim_view_t, output_count: i32) {
    // It is called once, and what it was made of is this call's.
    let report = *unsafe { Box::from_raw(user.cast::<Done>()) };
    let ended = check(status).map(|()| {
        let length = output_count.max(0) as usize;
        let outputs = if length == 0 { &[] } else { unsafe { std::slice::from_raw_parts(outputs, length) } };
        outputs.iter().map(|&view| Slot(view)).collect()
    });
    let _ = catch_unwind(AssertUnwindSafe(|| report(ended)));
}

/// Puts a run into the queue of a session with batching; what is said then is called once if this succeeds, on another thread.
pub(crate) fn session_submit(
    session: &SessionHandle,
    inputs: &[TensorView<'_>],
    outputs: &mut [Slot],
    timeout_ms: i32,
    cancellation: &CancellationHandle,
    report: Done,
) -> Result<()> {
    let options = run_options(timeout_ms, Some(cancellation), &mut None);
    let (input_count, output_count) = (count(inputs.len()), count(outputs.len()));
    let user = Box::into_raw(Box::new(report)).cast();
    let submitted = check(unsafe {
        sys::anydim_session_submit(
            session.raw(),
            inputs.as_ptr().cast(),
            input_count,
            outputs.as_mut_ptr().cast(),
            output_count,
            &options,
            Some(done),
            user,
        )
    });
    if submitted.is_err() {
        // It is not called then.
        drop(unsafe { Box::from_raw(user.cast::<Done>()) });
    }
    submitted
}

pub(crate) fn state_step(
    state: &StateHandle,
    inputs: &[TensorView<'_>],
    outputs: &mut [Slot],
    timeout_ms: i32,
    cancellation: Option<&CancellationHandle>,
    mut is_interrupted: Option<&Interrupted>,
) -> Result<()> {
    let options = run_options(timeout_ms, cancellation, &mut is_interrupted);
    let (input_count, output_count) = (count(inputs.len()), count(outputs.len()));
    check(unsafe {
        sys::anydim_state_step(
            state.raw(),
            inputs.as_ptr().cast(),
            input_count,
            outputs.as_mut_ptr().cast(),
            output_count,
            &options,
        )
    })
}

pub(crate) fn streaming_push(
    streaming: &StreamingHandle,
    inputs: &[TensorView<'_>],
    last: bool,
    outputs: &mut [Slot],
    timeout_ms: i32,
    cancellation: Option<&CancellationHandle>,
    mut is_interrupted: Option<&Interrupted>,
) -> Result<()> {
    let options = run_options(timeout_ms, cancellation, &mut is_interrupted);
    let (input_count, output_count) = (count(inputs.len()), count(outputs.len()));
    check(unsafe {
        sys::anydim_streaming_push(
            streaming.raw(),
            inputs.as_ptr().cast(),
            input_count,
            i32::from(last),
            outputs.as_mut_ptr().cast(),
            output_count,
            &options,
        )
    })
}

/// What a part of a state holds; the view is good as long as the state is borrowed.
pub(crate) fn state_read<'s>(state: &'s StateHandle, part: i32) -> Result<TensorView<'s>> {
    let mut slot = Slot::unasked();
    check(unsafe { sys::anydim_state_read(state.raw(), part, (&mut slot as *mut Slot).cast()) })?;
    Ok(slot.borrowed(state))
}

/// A length for the library; one that it cannot count is -1, which it refuses.
fn count(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(-1)
}

unsafe extern "C" fn progress(user: *mut c_void, done: i64, nodes: i64) -> i32 {
    let on_progress = unsafe { &mut *user.cast::<&mut dyn FnMut(usize, usize) -> bool>() };
    let goes_on = catch_unwind(AssertUnwindSafe(|| on_progress(done.max(0) as usize, nodes.max(0) as usize)));
    i32::from(!goes_on.unwrap_or(false))
}

/// Tunes; the closure gets the number of nodes that are done and of all, and says whether to go on.
pub(crate) fn context_tune(
    context: &ContextHandle,
    inputs: &[TensorView<'_>],
    node_ms: i32,
    record: bool,
    again: bool,
    cancellation: Option<&CancellationHandle>,
    mut on_progress: Option<&mut dyn FnMut(usize, usize) -> bool>,
) -> Result<String> {
    let mut options = sys::anydim_tune_options_t::INIT;
    options.node_ms = node_ms;
    options.record = i32::from(record);
    options.again = i32::from(again);
    options.cancellation = cancellation.map_or(std::ptr::null(), CancellationHandle::raw);
    if let Some(on_progress) = &mut on_progress {
        options.progress = Some(progress);
        options.user = (on_progress as *mut &mut dyn FnMut(usize, usize) -> bool).cast();
    }
    let mut text = TextHandle::null();
    let (views, number) = (inputs.as_ptr().cast(), count(inputs.len()));
    check(unsafe { sys::anydim_context_tune(context.raw(), views, number, &options, &mut text) })?;
    whole_text(&TextHandle::new(text))
}

#[inline]
pub(crate) fn primitive_execute_in(
    primitive: &PrimitiveHandle,
    stream: &StreamHandle,
    inputs: &[TensorView<'_>],
    outputs: &mut [TensorViewMut<'_>],
    scratch: &mut [CacheLine],
) -> Result<()> {
    let bytes = std::mem::size_of_val(scratch) as i64;
    check(unsafe {
        sys::anydim_primitive_execute_in(
            primitive.raw(),
            stream.raw(),
            inputs.as_ptr().cast(),
            count(inputs.len()),
            outputs.as_mut_ptr().cast(),
            count(outputs.len()),
            scratch.as_mut_ptr().cast(),
            bytes,
        )
    })
}
