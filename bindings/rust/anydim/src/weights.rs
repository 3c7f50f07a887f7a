// SPDX-License-Identifier: Apache-2.0
//! Constant operands, packed once.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use crate::dims::handles;
use crate::edge::handles::WeightsHandle;
use crate::edge::models::save_options;
use crate::edge::{c_string, calls};
use crate::{Attributes, Desc, Engine, Operator, Result, TensorView};

/// Constant inputs of an operator, packed once and shared by all primitives, shapes and threads. Clones are the same weights.
#[derive(Clone, Debug)]
pub struct Weights {
    pub(crate) handle: Arc<WeightsHandle>,
}

impl Weights {
    pub(crate) fn of(handle: WeightsHandle) -> Self {
        Self { handle: Arc::new(handle) }
    }

    /// Packs constants: each with the input that it is, from 0, in rising order. Their memory may go afterwards. `inputs`
    /// describes the others in the operator's order; it may be empty where only input 0 is not constant, and an optional input
    /// before a constant is left out by describing none for it. Attributes are those of the primitives to come.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for what the operator does not accept,
    /// [`Unimplemented`](crate::Error::Unimplemented) if no kernel takes it.
    pub fn pack<O: Operator>(
        engine: &Engine,
        operator: &O,
        attributes: &Attributes,
        inputs: &[Desc],
        constants: &[(usize, TensorView<'_>)],
    ) -> Result<Self> {
        let (descs, attr) = (handles(inputs)?, attributes.handle()?);
        let operands: Vec<i32> = constants.iter().map(|c| i32::try_from(c.0).unwrap_or(i32::MAX)).collect();
        let views: Vec<TensorView<'_>> = constants.iter().map(|c| c.1).collect();
        let made = operator.with_head(|op| {
            calls::weights_create(&engine.handle, op, Some(&attr), &descs, &views, Some(&operands))
        })?;
        Ok(Self::of(made))
    }

    /// Maps weights that [`save`](Self::save) wrote: nothing is packed, and processes that map one file share its memory. Nobody
    /// may change the file in place while it is mapped.
    ///
    /// Errors: [`FileNotFound`](crate::Error::FileNotFound); [`IoError`](crate::Error::IoError) for a damaged file;
    /// [`InvalidArgument`](crate::Error::InvalidArgument) for another operator's;
    /// [`Unimplemented`](crate::Error::Unimplemented) for another instruction set's.
    pub fn load<O: Operator>(
        engine: &Engine,
        operator: &O,
        attributes: &Attributes,
        inputs: &[Desc],
        path: impl AsRef<Path>,
    ) -> Result<Self> {
        let (descs, attr) = (handles(inputs)?, attributes.handle()?);
        let path = c_string(path.as_ref().as_os_str().as_bytes(), "path")?;
        let made = operator.with_head(|op| calls::weights_load(&engine.handle, op, Some(&attr), &descs, &path))?;
        Ok(Self::of(made))
    }

    /// Replaces the values, of the dtypes and dims there were and in their order, for all primitives over these weights.
    /// Executions that run meanwhile keep the values that they began with.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for other dtypes or dims, or another number of constants.
    pub fn update(&self, constants: &[TensorView<'_>]) -> Result<()> {
        calls::weights_update(&self.handle, constants)
    }

    /// Writes the packed form to a file for [`load`](Self::load), which always is a whole file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_with(path, true)
    }

    /// As [`save`](Self::save); without `sync` it does not wait for the disk, and a crash of the machine may lose the file.
    pub fn save_with(&self, path: impl AsRef<Path>, sync: bool) -> Result<()> {
        let path = c_string(path.as_ref().as_os_str().as_bytes(), "path")?;
        calls::weights_save(&self.handle, &path, &save_options(sync))
    }

    /// Bytes of the packed form.
    pub fn bytes(&self) -> Result<usize> {
        Ok(calls::weights_get_bytes(&self.handle)? as usize)
    }

    /// 1 after they were made or loaded, one more after each update.
    pub fn version(&self) -> Result<u64> {
        Ok(calls::weights_get_version(&self.handle)? as u64)
    }
}
