// SPDX-License-Identifier: Apache-2.0
//! Tensors with memory of their own, and memory of engines.

use crate::edge::elements::AnyBits;
use crate::edge::handles::{MemoryHandle, TensorHandle};
use crate::edge::{calls, memory};
use crate::{Dtype, Element, Engine, Layout, Mapped, MemoryInfo, Result, TensorView, TensorViewMut};

impl Dtype {
    /// Bytes of one element in memory. A dtype of less than 8 bits has one byte for each element.
    ///
    /// ```
    /// assert_eq!(anydim::Dtype::F16.size(), 2);
    /// assert_eq!(anydim::Dtype::I4.size(), 1);
    /// ```
    pub fn size(self) -> usize {
        // The library knows every value of the enum.
        calls::dtype_get_size(self as i32).map_or(0, |bytes| bytes as usize)
    }
}

/// A tensor in memory that the library allocates from an engine and frees. Programs that have their numbers in slices or arrays
/// need none: a [`TensorView`] shows those.
///
/// ```
/// use anydim::{Dtype, Engine, Tensor};
/// let mut x = Tensor::zeros(&Engine::cpu()?, Dtype::F32, &[2, 3])?;
/// x.as_mut_slice::<f32>()?[4] = 7.0;
/// assert_eq!(x.view()?.to_vec::<f32>()?, [0.0, 0.0, 0.0, 0.0, 7.0, 0.0]);
/// # Ok::<(), anydim::Error>(())
/// ```
#[derive(Debug)]
pub struct Tensor(TensorHandle);

impl Tensor {
    /// A tensor of zeros, the last dim innermost.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for more dims than 8 and for sizes that cannot be counted.
    pub fn zeros(engine: &Engine, dtype: Dtype, dims: &[usize]) -> Result<Self> {
        Self::with_layout(engine, dtype, dims, Layout::RowMajor)
    }

    /// As [`zeros`](Self::zeros), in another layout.
    pub fn with_layout(engine: &Engine, dtype: Dtype, dims: &[usize], layout: Layout) -> Result<Self> {
        let dims: Vec<i64> = dims.iter().map(|&d| i64::try_from(d).unwrap_or(i64::MAX)).collect();
        Ok(Self(calls::tensor_allocate(&engine.handle, dtype as i32, &dims, layout as i32)?))
    }

    /// The tensor to read.
    pub fn view(&self) -> Result<TensorView<'_>> {
        memory::tensor_view(&self.0)
    }

    /// The tensor to write.
    pub fn view_mut(&mut self) -> Result<TensorViewMut<'_>> {
        memory::tensor_view_mut(&mut self.0)
    }

    /// The elements, where they lie densely: see [`TensorView::as_slice`].
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        self.view()?.as_slice()
    }

    /// The elements to write, where they lie densely.
    pub fn as_mut_slice<T: AnyBits>(&mut self) -> Result<&mut [T]> {
        memory::tensor_slice_mut(&mut self.0)
    }
}

/// Bytes of an engine. Views name places in them, for calls on the same engine.
///
/// ```
/// use anydim::{Dtype, Engine, Memory};
/// let mut memory = Memory::allocate(&Engine::cpu()?, 1024)?;
/// memory.map(0, 4)?.copy_from_slice(&1.5f32.to_ne_bytes());      // unmapped at the end of the statement
/// let x = memory.view(0, Dtype::F32, &[1]);                      // for runs and executions
/// assert_eq!(x.dims(), [1]);
/// # Ok::<(), anydim::Error>(())
/// ```
#[derive(Debug)]
pub struct Memory(pub(crate) MemoryHandle);

impl Memory {
    /// Bytes of zeros, aligned to 64.
    pub fn allocate(engine: &Engine, bytes: usize) -> Result<Self> {
        Ok(Self(calls::memory_allocate(&engine.handle, i64::try_from(bytes).unwrap_or(i64::MAX))?))
    }

    /// The numbers of a vector, without a copy. The vector is freed when nothing uses them any more.
    ///
    /// ```
    /// use anydim::{Dtype, Engine, Memory};
    /// let pixels = vec![0.5f32; 3 * 48 * 320];
    /// let memory = Memory::import(&Engine::cpu()?, pixels)?;
    /// let x = memory.view(0, Dtype::F32, &[1, 3, 48, 320]);
    /// assert_eq!(x.dims(), [1, 3, 48, 320]);
    /// # Ok::<(), anydim::Error>(())
    /// ```
    ///
    /// Errors: [`Unimplemented`](crate::Error::Unimplemented) where the engine's device cannot reach memory of the host. The
    /// vector is freed then, too.
    pub fn import<T: AnyBits>(engine: &Engine, numbers: Vec<T>) -> Result<Self> {
        memory::import(&engine.handle, numbers).map(Self)
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> Result<usize> {
        Ok(self.info()?.bytes as usize)
    }

    /// What it is: its size, and whether it was imported.
    pub fn info(&self) -> Result<MemoryInfo> {
        calls::memory_query(&self.0)
    }

    /// A dense tensor to read whose first byte is at `offset`. Calls check that it is inside.
    pub fn view(&self, offset: usize, dtype: Dtype, dims: &[usize]) -> TensorView<'_> {
        memory::view_in(&self.0, offset, dtype, dims)
    }

    /// A dense tensor to write whose first byte is at `offset`. Calls check that it is inside.
    pub fn view_mut(&mut self, offset: usize, dtype: Dtype, dims: &[usize]) -> TensorViewMut<'_> {
        memory::view_in_mut(&mut self.0, offset, dtype, dims)
    }

    /// The bytes from `offset` on, to read and to write until what is returned is dropped.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for bytes outside of the memory.
    pub fn map(&mut self, offset: usize, bytes: usize) -> Result<Mapped<'_>> {
        memory::map(&mut self.0, offset, bytes)
    }
}
