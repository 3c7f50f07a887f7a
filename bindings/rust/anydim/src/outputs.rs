// SPDX-License-Identifier: Apache-2.0
//! Results that the library placed.

use std::fmt;
use std::ops::Index;
use std::sync::Arc;

use crate::edge::copies::Copied;
use crate::edge::views::{Placed, Slot};
use crate::{Dtype, Element, Result, TensorView};

/// A result in memory of the library's, which is freed when this is dropped. It needs neither the session nor the model
/// that it came from.
pub struct Output(Held);

enum Held {
    Placed(Placed),
    Copied(Copied), // a part of what the library placed
}

impl From<Copied> for Output {
    fn from(copy: Copied) -> Self {
        Self(Held::Copied(copy))
    }
}

impl Output {
    /// Of a slot that a call filled in whose results are the caller's.
    pub(crate) fn placed(slot: Slot) -> Self {
        Self(Held::Placed(Placed::new(slot)))
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        self.view().dtype()
    }

    /// The dims, outermost first.
    pub fn dims(&self) -> &[usize] {
        match &self.0 {
            Held::Placed(placed) => placed.dims(),
            Held::Copied(copy) => copy.dims(),
        }
    }

    /// The tensor, to read or to hand to another call.
    pub fn view(&self) -> TensorView<'_> {
        match &self.0 {
            Held::Placed(placed) => placed.view(),
            Held::Copied(copy) => copy.view(),
        }
    }

    /// The elements, where they lie densely: see [`TensorView::as_slice`].
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        self.view().as_slice()
    }

    /// A copy of the elements in the order of their indices.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.view().to_vec()
    }

    /// The tensor as an array, without a copy: see [`TensorView::to_array`].
    #[cfg(feature = "ndarray")]
    pub fn to_array<T: Element>(&self) -> Result<ndarray::ArrayViewD<'_, T>> {
        self.view().to_array()
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").field("dtype", &self.dtype()).field("dims", &self.dims()).finish()
    }
}

impl<'a> From<&'a Output> for TensorView<'a> {
    fn from(output: &'a Output) -> Self {
        output.view()
    }
}

/// The results of a run, by their place among the model's outputs or by their name.
#[derive(Debug)]
pub struct Outputs {
    pub(crate) values: Vec<Output>,
    pub(crate) names: Arc<[String]>,
    /// Which of the model's outputs they are.
    pub(crate) places: Option<Vec<usize>>,
}

impl Outputs {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The result of this name.
    pub fn get(&self, name: &str) -> Option<&Output> {
        self.iter().find(|(n, _)| *n == name).map(|(_, output)| output)
    }

    /// Names and results, in the model's order or that in which they were asked for.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Output)> {
        self.values.iter().enumerate().map(move |(i, output)| {
            let place = self.places.as_ref().map_or(i, |p| p[i]);
            (self.names[place].as_str(), output)
        })
    }
}

impl Index<usize> for Outputs {
    type Output = Output;

    fn index(&self, index: usize) -> &Output {
        &self.values[index]
    }
}

impl Index<&str> for Outputs {
    type Output = Output;

    fn index(&self, name: &str) -> &Output {
        match self.get(name) {
            Some(output) => output,
            None => {
                panic!("there is no output {name:?}; there are {:?}", self.iter().map(|(n, _)| n).collect::<Vec<_>>())
            }
        }
    }
}

impl IntoIterator for Outputs {
    type Item = Output;
    type IntoIter = std::vec::IntoIter<Output>;

    fn into_iter(self) -> Self::IntoIter {
        self.values.into_iter()
    }
}
