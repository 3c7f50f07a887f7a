// SPDX-License-Identifier: Apache-2.0
//! Dims that are numbers or come with each call, descriptors of tensors, and bounds of a model's inputs.

use std::ops::{Bound, RangeBounds, RangeFull, RangeInclusive};

use anydim_sys as sys;

use crate::edge::handles::{BoundsHandle, DescHandle};
use crate::edge::{c_string, calls};
use crate::{Dtype, Layout, Result};

/// A dim of a descriptor or of bounds: a number, or dynamic, with promises and a hint.
///
/// ```
/// use anydim::Dim;
/// let fixed: Dim = 64.into();
/// let batch: Dim = (1..=8).into();                       // never outside of this, which is checked
/// let width = Dim::dynamic(1..=2048).hint(640);           // 640 is likely; it only orders choices
/// let height = Dim::dynamic(..).multiple_of(32);
/// # let _ = (fixed, batch, width, height);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dim(sys::anydim_dim_t);

impl Dim {
    /// A number.
    pub fn fixed(value: usize) -> Self {
        let value = number(value);
        Self(sys::anydim_dim_t { value, min: value, max: value, hint: -1, multiple_of: 1 })
    }

    /// A dim whose number comes with the tensor and is never outside of the range, which is a promise; `..` promises nothing.
    pub fn dynamic(range: impl RangeBounds<usize>) -> Self {
        let min = match range.start_bound() {
            Bound::Included(min) => *min,
            Bound::Excluded(below) => below.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let max = match range.end_bound() {
            Bound::Included(max) => number(*max),
            Bound::Excluded(above) => number(*above) - 1,
            Bound::Unbounded => i64::MAX,
        };
        Self(sys::anydim_dim_t { value: -1, min: number(min), max, hint: -1, multiple_of: 1 })
    }

    /// A likely number. It orders choices, and changes neither results nor bounds.
    #[must_use]
    pub fn hint(mut self, value: usize) -> Self {
        self.0.hint = number(value);
        self
    }

    /// Promises that the number is a multiple of this.
    #[must_use]
    pub fn multiple_of(mut self, value: usize) -> Self {
        self.0.multiple_of = number(value);
        self
    }
}

fn number(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

macro_rules! dims_of_numbers {
    ($($number:ty),*) => {$(
        impl From<$number> for Dim {
            /// A number; one below zero is refused by what takes the dim.
            fn from(value: $number) -> Self {
                let value = i64::try_from(value).unwrap_or(i64::MAX);
                Self(sys::anydim_dim_t { value: if value == -1 { -2 } else { value }, min: value, max: value, hint: -1, multiple_of: 1 })
            }
        }
        impl From<RangeInclusive<$number>> for Dim {
            /// A dim that comes with the tensor, from the smallest to the largest number.
            fn from(range: RangeInclusive<$number>) -> Self {
                let (min, max) = (i64::try_from(*range.start()), i64::try_from(*range.end()));
                let (min, max) = (min.unwrap_or(i64::MAX), max.unwrap_or(i64::MAX));
                Self(sys::anydim_dim_t { value: -1, min, max, hint: -1, multiple_of: 1 })
            }
        }
    )*};
}
dims_of_numbers!(i32, i64, usize);

impl From<RangeFull> for Dim {
    /// Any number: `..`.
    fn from(_: RangeFull) -> Self {
        Self::dynamic(..)
    }
}

/// What a tensor to come will be: dtype, dims and layout.
#[derive(Clone, Debug)]
pub struct Desc {
    dtype: Dtype,
    dims: Vec<sys::anydim_dim_t>,
    layout: Layout,
}

impl Desc {
    /// A descriptor of tensors with any strides.
    ///
    /// ```
    /// use anydim::{Desc, Dim, Dtype};
    /// let images = Desc::new(Dtype::F32, [Dim::dynamic(1..=8), 3.into(), Dim::dynamic(..), Dim::dynamic(..)]);
    /// # let _ = images;
    /// ```
    pub fn new<D: Into<Dim>>(dtype: Dtype, dims: impl IntoIterator<Item = D>) -> Self {
        Self { dtype, dims: dims.into_iter().map(|d| d.into().0).collect(), layout: Layout::Strided }
    }

    /// Of f32.
    pub fn f32<D: Into<Dim>>(dims: impl IntoIterator<Item = D>) -> Self {
        Self::new(Dtype::F32, dims)
    }

    /// How the elements of all tensors will lie: a promise that a kernel may use.
    #[must_use]
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    pub(crate) fn handle(&self) -> Result<DescHandle> {
        calls::desc_create(self.dtype as i32, &self.dims, self.layout as i32)
    }
}

pub(crate) fn handles(descs: &[Desc]) -> Result<Vec<DescHandle>> {
    descs.iter().map(Desc::handle).collect()
}

/// Promises about the dims of a model's inputs. A context or session with bounds takes all the memory that it will ever need
/// when it is made, and refuses shapes outside.
///
/// ```
/// use anydim::{Bounds, Dim};
/// let bounds = Bounds::new().input("x", [Dim::dynamic(1..=4), 3.into(), 48.into(), Dim::dynamic(32..=1200)]);
/// # let _ = bounds;
/// ```
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    inputs: Vec<(String, Vec<sys::anydim_dim_t>)>,
}

impl Bounds {
    /// No promise yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bounds of one input by its name. What is not a number needs a largest one.
    #[must_use]
    pub fn input<D: Into<Dim>>(mut self, name: &str, dims: impl IntoIterator<Item = D>) -> Self {
        self.inputs.push((name.to_owned(), dims.into_iter().map(|d| d.into().0).collect()));
        self
    }

    pub(crate) fn handle(&self) -> Result<BoundsHandle> {
        let bounds = calls::bounds_create()?;
        for (name, dims) in &self.inputs {
            calls::bounds_set(&bounds, &c_string(name.as_bytes(), "input")?, dims)?;
        }
        Ok(bounds)
    }
}
