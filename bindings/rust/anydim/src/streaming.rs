// SPDX-License-Identifier: Apache-2.0
//! Streams: models that are computed chunk by chunk along one axis.

use crate::edge::calls;
use crate::edge::handles::StreamingHandle;
use crate::edge::views::Slot;
use crate::session::in_order;
use crate::{Model, Output, Outputs, Result, RunOptions, StreamingInfo, TensorView};

/// One sequence that comes in chunks. Made by [`Session::streaming`](crate::Session::streaming); those of a session run beside each other on
/// its contexts. All results together, one chunk after the other, have the bits of one run over the whole.
///
/// ```no_run
/// let model = anydim::Model::builder().streaming("audio", 2).streaming_chunk(1600).load("denoiser.onnx")?;
/// let session = anydim::Session::builder().over(&model)?;
/// let mut stream = session.streaming()?;
/// let chunk = vec![0.0f32; 1600];
/// let voice = stream.push([("audio", anydim::TensorView::new(&chunk, &[1, 1, 1600])?)], false)?;
/// # let _ = voice;
/// # Ok::<(), anydim::Error>(())
/// ```
#[derive(Debug)]
pub struct Streaming {
    handle: StreamingHandle,
    model: Model,
    axes: Vec<Option<usize>>, // by output
}

impl Streaming {
    pub(crate) fn new(handle: StreamingHandle, model: Model) -> Result<Self> {
        let mut axes = Vec::new();
        for output in 0..model.0.outputs.len() {
            let axis = calls::streaming_get_axis(&handle, i32::try_from(output).unwrap_or(i32::MAX))?;
            axes.push(usize::try_from(axis).ok());
        }
        Ok(Streaming { handle, model, axes })
    }

    /// The axis along which an output comes; `None`: it comes with the last chunk.
    pub fn axis(&self, output: usize) -> Option<usize> {
        self.axes.get(output).copied().flatten()
    }

    /// Computes what a chunk makes computable: of an input that is streamed the next elements, 0 or more, of others the same with each
    /// chunk. Gives the new elements of each output along the axis; with `last`, after which no chunk comes, all outputs. A call that
    /// fails leaves the sequence as it was.
    ///
    /// Errors: as [`Session::run`](crate::Session::run); [`OutOfBounds`](crate::Error::OutOfBounds) for a chunk that is too large.
    pub fn push<'n, 'v>(
        &mut self,
        inputs: impl IntoIterator<Item = (&'n str, TensorView<'v>)>,
        last: bool,
    ) -> Result<Outputs> {
        self.push_with(inputs, last, &RunOptions::default())
    }

    /// As [`push`](Self::push), with options; their list of outputs does not count.
    pub fn push_with<'n, 'v>(
        &mut self,
        inputs: impl IntoIterator<Item = (&'n str, TensorView<'v>)>,
        last: bool,
        options: &RunOptions,
    ) -> Result<Outputs> {
        let views = in_order(&self.model.0.inputs, inputs)?;
        let outputs = &self.model.0.outputs;
        let wanted: Vec<bool> = self.axes.iter().map(|axis| last || axis.is_some()).collect();
        let slot = |(o, wanted): (&crate::ValueInfo, &bool)| {
            if *wanted {
                Slot::placed(o.dtype)
            } else {
                Slot::unasked()
            }
        };
        let mut slots: Vec<Slot> = outputs.iter().zip(&wanted).map(slot).collect();
        options.push(&self.handle, &views, last, &mut slots)?;
        let (mut values, mut names) = (Vec::new(), Vec::new());
        for ((slot, output), wanted) in slots.into_iter().zip(outputs).zip(wanted) {
            if wanted {
                values.push(Output::placed(slot));
                names.push(output.name.clone());
            }
        }
        Ok(Outputs { values, names: names.into(), places: None })
    }

    /// Begins a new sequence in the memory that there is.
    pub fn reset(&mut self) -> Result<()> {
        calls::streaming_reset(&self.handle)
    }

    /// Most bytes that this sequence and the contexts for one chunk ever need.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) where chunks or other dims have no bound.
    pub fn bytes_needed(&self) -> Result<i64> {
        calls::streaming_get_bytes_needed(&self.handle)
    }

    /// Its sizes and counters.
    pub fn info(&self) -> Result<StreamingInfo> {
        calls::streaming_query(&self.handle)
    }
}
