// SPDX-License-Identifier: Apache-2.0
//! Views of ndarray's arrays, and views as arrays. With the feature `ndarray`.

use ndarray::{ArrayView, ArrayViewD, ArrayViewMut, Dimension, IxDyn, ShapeBuilder};

use super::elements::{AnyBits, Element};
use super::views::{TensorView, TensorViewMut};
use crate::error::invalid;
use crate::{Dtype, Result};

impl<'a, T: Element, D: Dimension> From<ArrayView<'a, T, D>> for TensorView<'a> {
    /// An array of more dims than 8 is refused by the call that takes the view.
    fn from(array: ArrayView<'a, T, D>) -> Self {
        Self::from_parts(array.as_ptr(), array.shape(), array.strides())
    }
}

impl<'a, T: AnyBits, D: Dimension> From<ArrayViewMut<'a, T, D>> for TensorViewMut<'a> {
    /// An array of more dims than 8 is refused by the call that takes the view.
    fn from(mut array: ArrayViewMut<'a, T, D>) -> Self {
        let data = array.as_mut_ptr();
        Self::from_parts(data, array.shape(), array.strides())
    }
}

impl<'a> TensorView<'a> {
    /// The tensor as an array, without a copy.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for another type, for negative strides, and for a view of
    /// a memory.
    pub fn to_array<T: Element>(&self) -> Result<ArrayViewD<'a, T>> {
        self.expect::<T>()?;
        let strides = self.strides();
        if strides.iter().any(|&s| s < 0) {
            return Err(invalid("strides", format!("strides are {strides:?}; expected none below zero")));
        }
        if T::DTYPE == Dtype::Bool {
            self.to_vec::<T>()?; // looks at every element
        }
        if self.is_empty() {
            return Ok(ArrayViewD::from_shape(IxDyn(self.dims()), &[]).expect("an array without elements"));
        }
        let strides: Vec<usize> = strides.iter().map(|&s| s as usize).collect();
        // The elements are there for 'a, where dims and strides say.
        Ok(unsafe { ArrayView::from_shape_ptr(IxDyn(self.dims()).strides(IxDyn(&strides)), self.0.data as *const T) })
    }
}
