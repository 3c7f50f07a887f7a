// SPDX-License-Identifier: Apache-2.0
//! Copies of tensors, which need nothing of the caller's: inputs of runs that go on beside the program, elements of sequences.

use anydim_sys as sys;

use super::views::{as_usize, dense, list, TensorView, DENSE};
use crate::error::invalid;
use crate::{Dtype, Result};

/// A dense copy of a tensor that needs nothing of the caller's.
pub(crate) struct Copied {
    #[allow(dead_code)] // the view shows it
    room: Vec<u64>,
    view: sys::anydim_view_t,
}

// The memory is this value's alone, and only read.
unsafe impl Send for Copied {}
unsafe impl Sync for Copied {}

impl Copied {
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for a view of a memory, which has no address.
    pub(crate) fn of(of: &TensorView<'_>) -> Result<Self> {
        if !of.raw().memory.is_null() {
            return Err(invalid("memory", "the tensor lies in a memory; expected one at an address: map the memory"));
        }
        let (dims, strides, size) = (of.dims(), of.strides(), of.dtype().size());
        let count = of.len();
        let mut room = vec![0u64; (count * size + 7) / 8];
        let (from, to) = (of.raw().data as *const u8, room.as_mut_ptr().cast::<u8>());
        // Inside of what the view borrows, which was checked when it was made, and of as many bytes as the copy has.
        if strides == dense(dims) {
            unsafe { std::ptr::copy_nonoverlapping(from, to, count * size) };
        } else {
            let mut index = vec![0usize; dims.len()];
            for i in 0..count {
                let place: isize = index.iter().zip(&strides).map(|(&i, &s)| i as isize * s).sum();
                unsafe { std::ptr::copy_nonoverlapping(from.offset(place * size as isize), to.add(i * size), size) };
                for axis in (0..dims.len()).rev() {
                    index[axis] += 1;
                    if index[axis] < dims[axis] {
                        break;
                    }
                    index[axis] = 0;
                }
            }
        }
        let mut view = of.raw();
        view.data = room.as_mut_ptr().cast();
        view.strides = DENSE;
        Ok(Self { room, view })
    }

    /// Tensors of one dtype and of these dims behind each other, along a new first axis.
    pub(crate) fn stack(dtype: Dtype, dims: &[usize], parts: &[TensorView<'_>]) -> Result<Self> {
        let all: Vec<usize> = std::iter::once(parts.len()).chain(dims.iter().copied()).collect();
        if all.len() > sys::ANYDIM_MAX_RANK {
            return Err(invalid(
                "dims",
                format!("dims are {all:?}; expected at most {} of them", sys::ANYDIM_MAX_RANK),
            ));
        }
        let bytes = dims.iter().product::<usize>() * dtype.size();
        let mut room = vec![0u64; (bytes * parts.len() + 7) / 8];
        for (i, part) in parts.iter().enumerate() {
            let one = Self::of(part)?;
            if one.view.dtype != dtype as i32 || part.dims() != dims {
                return Err(invalid("elements", format!("an element is {part:?}; expected {dtype}{dims:?}")));
            }
            // Both have so many bytes.
            unsafe {
                let to = room.as_mut_ptr().cast::<u8>().add(i * bytes);
                std::ptr::copy_nonoverlapping(one.view.data as *const u8, to, bytes);
            }
        }
        let mut view = sys::anydim_view_t::INIT;
        view.data = room.as_mut_ptr().cast();
        view.dtype = dtype as i32;
        view.dims = list(&all);
        Ok(Self { room, view })
    }

    pub(crate) fn view(&self) -> TensorView<'_> {
        TensorView::of(self.view)
    }

    pub(crate) fn dims(&self) -> &[usize] {
        as_usize(&self.view.dims)
    }
}
