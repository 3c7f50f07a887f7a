// SPDX-License-Identifier: Apache-2.0
//! Memory of engines: tensors that the library allocates, and bytes that are mapped.

use anydim_sys as sys;

use super::elements::AnyBits;
use super::handles::{EngineHandle, MemoryHandle, TensorHandle};
use super::host::drop_user;
use super::views::{list, TensorView, TensorViewMut};
use super::{calls, check};
use crate::{Dtype, Result};

/// A memory of a vector's elements; the vector is dropped when nothing uses them.
pub(crate) fn import<T: AnyBits>(engine: &EngineHandle, mut elements: Vec<T>) -> Result<MemoryHandle> {
    let bytes = std::mem::size_of_val(&elements[..]) as i64; // a vector is never longer
    let data = elements.as_mut_ptr().cast();
    let user = Box::into_raw(Box::new(elements)).cast();
    let mut memory = MemoryHandle::null();
    let made = check(unsafe {
        sys::anydim_memory_import(engine.raw(), data, bytes, Some(drop_user::<Vec<T>>), user, &mut memory)
    });
    if made.is_err() {
        // The finalizer is not called where the import fails.
        unsafe { drop_user::<Vec<T>>(user) };
    }
    made?;
    Ok(MemoryHandle::new(memory))
}

/// The view of a tensor, good as long as the handle.
pub(crate) fn tensor_view(tensor: &TensorHandle) -> Result<TensorView<'_>> {
    tensor_raw(tensor).map(TensorView::of)
}

pub(crate) fn tensor_view_mut(tensor: &mut TensorHandle) -> Result<TensorViewMut<'_>> {
    tensor_raw(tensor).map(TensorViewMut::of)
}

fn tensor_raw(tensor: &TensorHandle) -> Result<sys::anydim_view_t> {
    let mut view = sys::anydim_view_t::INIT;
    check(unsafe { sys::anydim_tensor_get_view(tensor.raw(), &mut view) })?;
    Ok(view)
}

/// The elements of a tensor with memory of its own, which lie densely; none where there is none.
pub(crate) fn tensor_slice_mut<T: AnyBits>(tensor: &mut TensorHandle) -> Result<&mut [T]> {
    let raw = tensor_raw(tensor)?;
    let count = TensorView::of(raw).as_slice::<T>()?.len();
    if count == 0 {
        return Ok(&mut []);
    }
    // The memory is the tensor's, which is borrowed for writing.
    Ok(unsafe { std::slice::from_raw_parts_mut(raw.data.cast(), count) })
}

/// Dense elements in a memory, from a byte on. The library checks that they are inside.
pub(crate) fn view_in<'a>(memory: &'a MemoryHandle, offset: usize, dtype: Dtype, dims: &[usize]) -> TensorView<'a> {
    TensorView::of(raw_in(memory, offset, dtype, dims))
}

pub(crate) fn view_in_mut<'a>(
    memory: &'a mut MemoryHandle,
    offset: usize,
    dtype: Dtype,
    dims: &[usize],
) -> TensorViewMut<'a> {
    TensorViewMut::of(raw_in(memory, offset, dtype, dims))
}

fn raw_in(memory: &MemoryHandle, offset: usize, dtype: Dtype, dims: &[usize]) -> sys::anydim_view_t {
    let mut view = sys::anydim_view_t::INIT;
    view.memory = memory.raw();
    view.offset = i64::try_from(offset).unwrap_or(i64::MAX);
    view.dtype = dtype as i32;
    view.dims = list(dims);
    view
}

/// Bytes of a memory, mapped until it is dropped.
#[derive(Debug)]
pub struct Mapped<'a> {
    memory: &'a MemoryHandle,
    offset: i64,
    data: *mut u8,
    bytes: usize,
}

// The bytes are borrowed for writing.
unsafe impl Send for Mapped<'_> {}
unsafe impl Sync for Mapped<'_> {}

pub(crate) fn map(memory: &mut MemoryHandle, offset: usize, bytes: usize) -> Result<Mapped<'_>> {
    let mut data = std::ptr::null_mut();
    let place = i64::try_from(offset).unwrap_or(i64::MAX);
    let size = i64::try_from(bytes).unwrap_or(i64::MAX);
    check(unsafe { sys::anydim_memory_map(memory.raw(), place, size, &mut data) })?;
    Ok(Mapped { memory, offset: place, data: data.cast(), bytes })
}

impl std::ops::Deref for Mapped<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        if self.data.is_null() || self.bytes == 0 {
            return &[];
        }
        unsafe { std::slice::from_raw_parts(self.data, self.bytes) }
    }
}

impl std::ops::DerefMut for Mapped<'_> {
    fn deref_mut(&mut self) -> &mut [u8] {
        if self.data.is_null() || self.bytes == 0 {
            return &mut [];
        }
        unsafe { std::slice::from_raw_parts_mut(self.data, self.bytes) }
    }
}

impl Drop for Mapped<'_> {
    fn drop(&mut self) {
        // What it says when the memory is gone is no matter any more.
        let _ = calls::memory_unmap(self.memory, self.offset, self.bytes as i64);
    }
}
