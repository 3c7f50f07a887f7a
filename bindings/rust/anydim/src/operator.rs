// SPDX-License-Identifier: Apache-2.0
//! What all operators have in common, and the kinds of values that their attributes take.

use anydim_sys as sys;

pub(crate) use sealed::Sealed;

mod sealed {
    use crate::edge::Head;

    /// Operators are those of the library.
    pub trait Sealed {
        /// Shows the operator's struct to a call.
        #[doc(hidden)]
        fn with_head<R>(&self, call: impl FnOnce(Head<'_>) -> R) -> R;
    }
}

/// An operator with its attributes; the types of [`operators`](crate::operators) are them.
pub trait Operator: Sealed {
    /// Its name in texts, logs and explanations.
    const KIND: &'static str;

    /// How many outputs it has with these attributes.
    fn outputs(&self) -> usize;
}

/// A number for each spatial dim: made of one number for all of them, or of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerSpatial(pub(crate) [i64; 3]);

macro_rules! per_spatial {
    ($($number:ty),*) => {$(
        impl From<$number> for PerSpatial {
            fn from(number: $number) -> Self {
                Self([number as i64; 3])
            }
        }
        impl From<[$number; 1]> for PerSpatial {
            fn from(numbers: [$number; 1]) -> Self {
                Self([numbers[0] as i64, 0, 0])
            }
        }
        impl From<[$number; 2]> for PerSpatial {
            fn from(numbers: [$number; 2]) -> Self {
                Self([numbers[0] as i64, numbers[1] as i64, 0])
            }
        }
        impl From<[$number; 3]> for PerSpatial {
            fn from(numbers: [$number; 3]) -> Self {
                Self([numbers[0] as i64, numbers[1] as i64, numbers[2] as i64])
            }
        }
    )*};
}
per_spatial!(i32, i64, usize);

/// A short list. One that is too long keeps its length, which the library refuses with a message.
pub(crate) fn list_of(values: &[i64]) -> sys::anydim_dims_t {
    let mut list = sys::anydim_dims_t::INIT;
    list.rank = i32::try_from(values.len()).unwrap_or(i32::MAX);
    for (to, from) in list.values.iter_mut().zip(values) {
        *to = *from;
    }
    list
}

/// As [`list_of`], of real numbers.
pub(crate) fn reals_of(values: &[f32]) -> sys::anydim_reals_t {
    let mut list = sys::anydim_reals_t::INIT;
    list.count = i32::try_from(values.len()).unwrap_or(i32::MAX);
    for (to, from) in list.values.iter_mut().zip(values) {
        *to = *from;
    }
    list
}
