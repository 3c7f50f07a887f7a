// SPDX-License-Identifier: Apache-2.0
//! Views: tensors as calls take them, borrowed from whoever holds the numbers. A view is a plain struct; making one allocates
//! nothing.

use std::fmt;
use std::marker::PhantomData;

use anydim_sys as sys;

use super::elements::{AnyBits, Element};
use crate::error::invalid;
use crate::{Dtype, Result};

/// A tensor to read: where its elements lie, and how. It borrows them for `'a`.
///
/// ```
/// use anydim::TensorView;
/// let numbers = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let x = TensorView::new(&numbers, &[2, 3])?;
/// assert_eq!(x.dims(), [2, 3]);
/// let columns = TensorView::with_strides(&numbers, 0, &[3, 2], &[1, 3])?; // transposed
/// assert_eq!(columns.to_vec::<f32>()?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok::<(), anydim::Error>(())
/// ```
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct TensorView<'a>(pub(super) sys::anydim_view_t, PhantomData<&'a [u8]>);

/// A tensor to write: an output that lies in the caller's memory, which it borrows for `'a`.
///
/// What it borrows can be neither read nor written while it is there:
///
/// ```compile_fail,E0506
/// let mut room = vec![0.0f32; 6];
/// let y = anydim::TensorViewMut::new(&mut room, &[2, 3]).unwrap();
/// room[0] = 1.0;
/// drop(y);
/// ```
#[repr(transparent)]
pub struct TensorViewMut<'a>(sys::anydim_view_t, PhantomData<&'a mut [u8]>);

/// An output that the library may place itself.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Slot(pub(super) sys::anydim_view_t);

// What it asks for, or what the library placed and nobody else has.
unsafe impl Send for Slot {}
// They are references to elements that may be shared between threads.
unsafe impl Send for TensorView<'_> {}
unsafe impl Sync for TensorView<'_> {}
unsafe impl Send for TensorViewMut<'_> {}
unsafe impl Sync for TensorViewMut<'_> {}

/// A list for the library. One that is too long keeps its length, which the library refuses.
#[inline]
pub(crate) fn list(values: &[usize]) -> sys::anydim_dims_t {
    let mut dims = sys::anydim_dims_t::INIT;
    dims.rank = values.len() as i32;
    for (to, &from) in dims.values.iter_mut().zip(values) {
        *to = i64::try_from(from).unwrap_or(i64::MAX);
    }
    dims
}

#[inline]
fn strides_list(values: &[isize]) -> sys::anydim_dims_t {
    let mut dims = sys::anydim_dims_t::INIT;
    dims.rank = values.len() as i32;
    for (to, &from) in dims.values.iter_mut().zip(values) {
        *to = from as i64;
    }
    dims
}

/// The numbers of a list of dims, of which none is negative.
pub(super) fn as_usize(list: &sys::anydim_dims_t) -> &[usize] {
    let values = super::dims_of(list);
    // Both types have 64 bits, which lib.rs of anydim-sys makes sure of.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// Checks that the elements of a tensor lie in a slice of so many; null strides are dense ones.
#[inline]
fn lies_in(length: usize, offset: usize, dims: &[usize], strides: Option<&[isize]>) -> Result<()> {
    if dims.len() > sys::ANYDIM_MAX_RANK {
        return Err(invalid(
            "dims",
            format!("dims has {} entries; expected at most {}", dims.len(), sys::ANYDIM_MAX_RANK),
        ));
    }
    let count = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d));
    let elements = match count {
        Some(n) => n,
        None => return Err(invalid("dims", format!("dims are {dims:?}, more elements than can be counted"))),
    };
    let strides = match strides {
        None if offset == 0 && elements == length => return Ok(()),
        None => return Err(invalid("data", format!("data has {length} elements; dims {dims:?} need {elements}"))),
        Some(strides) => strides,
    };
    if strides.len() != dims.len() {
        return Err(invalid("strides", format!("strides has {} entries; expected {}", strides.len(), dims.len())));
    }
    if elements == 0 {
        return Ok(());
    }
    let (mut low, mut high) = (offset as i128, offset as i128);
    for (&d, &s) in dims.iter().zip(strides) {
        let reach = (d as i128 - 1) * s as i128;
        if reach < 0 {
            low += reach;
        } else {
            high += reach;
        }
    }
    if low < 0 || high >= length as i128 {
        return Err(invalid("strides", format!("the elements lie from {low} to {high}; data has {length}")));
    }
    Ok(())
}

#[inline]
fn raw<T: Element>(data: *const T, dims: sys::anydim_dims_t, strides: sys::anydim_dims_t) -> sys::anydim_view_t {
    let mut view = sys::anydim_view_t::INIT;
    view.data = data as *mut _;
    view.dtype = T::DTYPE as i32;
    view.dims = dims;
    if dims.rank > 0 {
        view.strides = strides;
    }
    view
}

/// Strides of rank 0: dense, the last dim innermost.
pub(super) const DENSE: sys::anydim_dims_t = sys::anydim_dims_t::INIT;

impl<'a> TensorView<'a> {
    /// Of elements that lie densely, the last dim innermost.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for another number of elements than the dims say.
    #[inline]
    pub fn new<T: Element>(data: &'a [T], dims: &[usize]) -> Result<Self> {
        lies_in(data.len(), 0, dims, None)?;
        Ok(Self(raw(data.as_ptr(), list(dims), DENSE), PhantomData))
    }

    /// Of elements that lie in a slice by strides, which count elements; the one at index 0... is `data[offset]`. A stride of 0
    /// repeats, a negative one walks backwards.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) where an element lies outside of the slice.
    #[inline]
    pub fn with_strides<T: Element>(data: &'a [T], offset: usize, dims: &[usize], strides: &[isize]) -> Result<Self> {
        lies_in(data.len(), offset, dims, Some(strides))?;
        let first = data.as_ptr().wrapping_add(offset.min(data.len())); // of the whole slice: strides may lead back
        Ok(Self(raw(first, list(dims), strides_list(strides)), PhantomData))
    }

    /// Of an address whose elements live for `'a`: of arrays that keep what dims and strides promise.
    #[cfg(feature = "ndarray")]
    pub(super) fn from_parts<T: Element>(data: *const T, dims: &[usize], strides: &[isize]) -> Self {
        Self(raw(data, list(dims), strides_list(strides)), PhantomData)
    }

    /// Of a view that a call made, whose elements live for `'a`.
    pub(super) fn of(view: sys::anydim_view_t) -> Self {
        Self(view, PhantomData)
    }

    pub(super) fn raw(&self) -> sys::anydim_view_t {
        self.0
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        Dtype::from_number(self.0.dtype).unwrap_or(Dtype::U8)
    }

    /// The dims, outermost first.
    pub fn dims(&self) -> &[usize] {
        as_usize(&self.0.dims)
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.dims().iter().product()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The strides, which count elements; of a dense tensor, too.
    pub fn strides(&self) -> Vec<isize> {
        if self.0.strides.rank == self.0.dims.rank {
            return super::dims_of(&self.0.strides).iter().map(|&s| s as isize).collect();
        }
        dense(self.dims())
    }

    /// The elements where they lie densely, the last dim innermost.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for another type, for other strides
    /// ([`to_vec`](Self::to_vec) takes any), and for a view of a memory.
    pub fn as_slice<T: Element>(&self) -> Result<&'a [T]> {
        self.expect::<T>()?;
        let (count, strides) = (self.len(), self.strides());
        let in_order = self.dims().iter().zip(&strides).zip(dense(self.dims())).all(|((&d, &s), e)| d <= 1 || s == e);
        if count > 0 && !in_order {
            return Err(invalid("strides", format!("strides are {strides:?}; dense ones are expected here")));
        }
        if count == 0 {
            return Ok(&[]);
        }
        let bytes = unsafe { std::slice::from_raw_parts(self.0.data as *const u8, count * std::mem::size_of::<T>()) };
        if T::DTYPE == Dtype::Bool {
            check_bools(bytes.iter().copied())?;
        }
        // The library aligns what it allocates, and slices are aligned.
        Ok(unsafe { std::slice::from_raw_parts(self.0.data as *const T, count) })
    }

    /// A copy of the elements in the order of their indices, whatever the strides.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for another type, and for a view of a memory.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.expect::<T>()?;
        let (dims, strides) = (self.dims(), self.strides());
        let mut out = Vec::with_capacity(self.len());
        let mut index = vec![0usize; dims.len()];
        let first = self.0.data as *const T;
        for _ in 0..self.len() {
            let place: isize = index.iter().zip(&strides).map(|(&i, &s)| i as isize * s).sum();
            // Inside of what the view borrows, which was checked when it was made.
            let at = unsafe { first.offset(place) };
            if T::DTYPE == Dtype::Bool {
                check_bools(std::iter::once(unsafe { *at.cast::<u8>() }))?;
            }
            out.push(unsafe { *at });
            for axis in (0..dims.len()).rev() {
                index[axis] += 1;
                if index[axis] < dims[axis] {
                    break;
                }
                index[axis] = 0;
            }
        }
        Ok(out)
    }

    /// What lies at one index of the first axis, which there is.
    pub(crate) fn slice(&self, index: usize) -> TensorView<'a> {
        let (dims, strides) = (self.dims(), self.strides());
        assert!(index < dims[0], "the index is {index}; the first dim is {}", dims[0]);
        let mut view = self.0;
        let place = index as isize * strides[0] * self.dtype().size() as isize;
        view.data = (self.0.data as *mut u8).wrapping_offset(place).cast(); // inside of what the view borrows
        view.dims = list(&dims[1..]);
        view.strides = if dims.len() > 1 { strides_list(&strides[1..]) } else { DENSE };
        TensorView(view, PhantomData)
    }

    pub(super) fn expect<T: Element>(&self) -> Result<()> {
        if self.0.dtype != T::DTYPE as i32 {
            return Err(invalid(
                "dtype",
                format!("the tensor's dtype is {}; {} is asked for", self.dtype(), T::DTYPE),
            ));
        }
        if !self.0.memory.is_null() {
            return Err(invalid("memory", "the tensor lies in a memory; expected one at an address: map the memory"));
        }
        Ok(())
    }
}

/// A model's constants may hold any byte as a bool, and Rust's own has two.
fn check_bools(mut bytes: impl Iterator<Item = u8>) -> Result<()> {
    match bytes.find(|&b| b > 1) {
        Some(b) => Err(invalid("data", format!("an element of bool is {b}; expected 0 or 1"))),
        None => Ok(()),
    }
}

pub(crate) fn dense(dims: &[usize]) -> Vec<isize> {
    let mut strides = vec![1isize; dims.len()];
    for axis in (0..dims.len().saturating_sub(1)).rev() {
        strides[axis] = strides[axis + 1].wrapping_mul(dims[axis + 1] as isize);
    }
    strides
}

impl fmt::Debug for TensorView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorView")
            .field("dtype", &self.dtype())
            .field("dims", &self.dims())
            .field("strides", &self.strides())
            .finish()
    }
}

/// The first element of a slice; of one without, an address that is never read.
fn first_mut<T>(data: &mut [T]) -> *const T {
    data.as_mut_ptr()
}

impl<'a> TensorViewMut<'a> {
    /// Of elements that lie densely, the last dim innermost.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for another number of elements than the dims say.
    #[inline]
    pub fn new<T: AnyBits>(data: &'a mut [T], dims: &[usize]) -> Result<Self> {
        lies_in(data.len(), 0, dims, None)?;
        Ok(Self(raw(first_mut(data), list(dims), DENSE), PhantomData))
    }

    /// Of elements that lie in a slice by strides, as [`TensorView::with_strides`].
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) where an element lies outside of the slice.
    pub fn with_strides<T: AnyBits>(
        data: &'a mut [T],
        offset: usize,
        dims: &[usize],
        strides: &[isize],
    ) -> Result<Self> {
        lies_in(data.len(), offset, dims, Some(strides))?;
        let place = offset.min(data.len());
        let first = first_mut(data).wrapping_add(place); // of the whole slice: strides may lead back
        Ok(Self(raw(first, list(dims), strides_list(strides)), PhantomData))
    }

    /// Of elements of dtype bool, a byte each, which lie densely.
    ///
    /// Errors: as [`TensorViewMut::new`].
    pub fn of_bools(data: &'a mut [u8], dims: &[usize]) -> Result<Self> {
        let mut view = Self::new(data, dims)?;
        view.0.dtype = Dtype::Bool as i32;
        Ok(view)
    }

    /// For an output that is not asked for: it is not made.
    pub fn unasked() -> Self {
        Self(sys::anydim_view_t::INIT, PhantomData)
    }

    /// Of an address whose elements are the caller's alone for `'a`.
    #[cfg(feature = "ndarray")]
    pub(super) fn from_parts<T: AnyBits>(data: *mut T, dims: &[usize], strides: &[isize]) -> Self {
        Self(raw(data, list(dims), strides_list(strides)), PhantomData)
    }

    pub(super) fn of(view: sys::anydim_view_t) -> Self {
        Self(view, PhantomData)
    }

    /// The same view for a shorter time.
    pub fn reborrow(&mut self) -> TensorViewMut<'_> {
        TensorViewMut(self.0, PhantomData)
    }

    /// The dims, outermost first.
    pub fn dims(&self) -> &[usize] {
        as_usize(&self.0.dims)
    }

    /// As a call takes them. All have an address or ask for nothing, so that the library places none of them.
    pub(crate) fn as_slots<'s>(views: &'s mut [TensorViewMut<'_>]) -> &'s mut [Slot] {
        // Both are a view and nothing else.
        unsafe { &mut *(views as *mut [TensorViewMut<'_>] as *mut [Slot]) }
    }
}

impl fmt::Debug for TensorViewMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TensorViewMut").field("dims", &self.dims()).finish()
    }
}

impl Slot {
    /// An output of this dtype that the library places.
    pub(crate) fn placed(dtype: Dtype) -> Self {
        let mut view = sys::anydim_view_t::INIT;
        view.dtype = dtype as i32;
        Self(view)
    }

    /// An output that is not asked for.
    pub(crate) fn unasked() -> Self {
        Self(sys::anydim_view_t::INIT)
    }

    /// What the library placed, for as long as the caller knows that it is there.
    pub(crate) fn borrowed<'a, T>(&self, _owner: &'a T) -> TensorView<'a> {
        TensorView::of(self.0)
    }
}

/// A result in memory of the library's, which this frees.
pub(crate) struct Placed(sys::anydim_view_t);

// The memory is this value's alone.
unsafe impl Send for Placed {}
unsafe impl Sync for Placed {}

impl Placed {
    /// Of a slot that a call filled in whose results are the caller's.
    pub(crate) fn new(slot: Slot) -> Self {
        Self(slot.0)
    }

    pub(crate) fn view(&self) -> TensorView<'_> {
        TensorView::of(self.0)
    }

    pub(crate) fn dims(&self) -> &[usize] {
        as_usize(&self.0.dims)
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        unsafe { sys::anydim_result_release(self.0.data) }
    }
}
