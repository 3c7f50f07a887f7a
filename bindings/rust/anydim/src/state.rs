// SPDX-License-Identifier: Apache-2.0
//! States: what one sequence of a session's runs remembers.

use std::ffi::CString;
use std::sync::Arc;

use crate::edge::calls;
use crate::edge::handles::StateHandle;
use crate::edge::models::state_read;
use crate::edge::views::Slot;
use crate::error::invalid;
use crate::session::in_order;
use crate::{Model, Output, Outputs, Result, RunOptions, StateInfo, TensorView, ValueInfo};

/// Caches of keys and values, recurrent states: what a step of a sequence hands on to the next. Made by
/// [`Session::state`](crate::Session::state); the states of a session run beside each other on its contexts.
///
/// ```no_run
/// let session = anydim::Session::builder().open("decoder.onnx")?;
/// let mut state = session.state(2048)?;
/// state.add("past.key", "present.key", Some(2))?;
/// state.add("past.value", "present.value", Some(2))?;
/// let logits = state.step([("input_ids", anydim::TensorView::new(&[464i64, 3290], &[1, 2])?)])?;
/// # let _ = logits;
/// # Ok::<(), anydim::Error>(())
/// ```
#[derive(Debug)]
pub struct State {
    handle: StateHandle,
    model: Model,
    inputs: Vec<ValueInfo>,  // that belong to no part
    outputs: Vec<ValueInfo>, // likewise
    names: Arc<[String]>,    // of these outputs
    parts: Vec<(String, String)>,
}

fn text(value: &str, argument: &str) -> Result<CString> {
    CString::new(value).map_err(|_| invalid(argument, format!("{argument} has a zero byte")))
}

impl State {
    pub(crate) fn new(handle: StateHandle, model: Model) -> Result<Self> {
        let mut state = State {
            handle,
            model,
            inputs: Vec::new(),
            outputs: Vec::new(),
            names: Vec::new().into(),
            parts: Vec::new(),
        };
        state.find_others();
        Ok(state)
    }

    fn find_others(&mut self) {
        let (inputs, outputs) = (&self.model.0.inputs, &self.model.0.outputs);
        self.inputs = inputs.iter().filter(|i| !self.parts.iter().any(|p| p.0 == i.name)).cloned().collect();
        self.outputs = outputs.iter().filter(|o| !self.parts.iter().any(|p| p.1 == o.name)).cloned().collect();
        self.names = self.outputs.iter().map(|o| o.name.clone()).collect::<Vec<_>>().into();
    }

    /// Adds a part: what a step gives in an output is what the next one reads in an input. It grows along an axis and is empty at first,
    /// or is replaced and zero at first.
    ///
    /// Errors: [`NotFound`](crate::Error::NotFound), [`InvalidArgument`](crate::Error::InvalidArgument) for two that do not fit,
    /// [`Busy`](crate::Error::Busy) after the first step.
    pub fn add(&mut self, input: &str, output: &str, axis: Option<usize>) -> Result<()> {
        let axis = axis.map_or(-1, |a| i32::try_from(a).unwrap_or(i32::MAX));
        calls::state_add(&self.handle, &text(input, "input")?, &text(output, "output")?, axis)?;
        self.parts.push((input.to_owned(), output.to_owned()));
        self.find_others();
        Ok(())
    }

    /// Runs the model on the state and on inputs by their names, and keeps what the next step reads. A step that fails leaves the state
    /// as it was.
    ///
    /// Errors: as [`Session::run`](crate::Session::run); [`OutOfBounds`](crate::Error::OutOfBounds) beyond the limit.
    pub fn step<'n, 'v>(&mut self, inputs: impl IntoIterator<Item = (&'n str, TensorView<'v>)>) -> Result<Outputs> {
        self.step_with(inputs, &RunOptions::default())
    }

    /// As [`step`](Self::step), with options; their list of outputs does not count.
    pub fn step_with<'n, 'v>(
        &mut self,
        inputs: impl IntoIterator<Item = (&'n str, TensorView<'v>)>,
        options: &RunOptions,
    ) -> Result<Outputs> {
        let views = in_order(&self.inputs, inputs)?;
        let mut slots: Vec<Slot> = self.outputs.iter().map(|o| Slot::placed(o.dtype)).collect();
        options.step(&self.handle, &views, &mut slots)?;
        let values = slots.into_iter().map(Output::placed).collect();
        Ok(Outputs { values, names: self.names.clone(), places: None })
    }

    /// Begins a new sequence in the memory that there is.
    pub fn reset(&mut self) -> Result<()> {
        calls::state_reset(&self.handle)
    }

    /// Goes on from an earlier token: parts that grow keep their first slices.
    pub fn truncate(&mut self, length: usize) -> Result<()> {
        calls::state_truncate(&self.handle, i64::try_from(length).unwrap_or(i64::MAX))
    }

    /// Keeps parts that grow where they lie in pages of so many slices, from the first step on: growing copies nothing, and forks have
    /// the same pages. `pool_limit`: bytes of the pages of this state and its forks together; 0: without limit.
    ///
    /// Errors: [`Busy`](crate::Error::Busy) after the first step; [`Unimplemented`](crate::Error::Unimplemented) on devices.
    pub fn use_pages(&mut self, page: usize, pool_limit: usize) -> Result<()> {
        let number = |n| i64::try_from(n).unwrap_or(i64::MAX);
        calls::state_use_pages(&self.handle, number(page), number(pool_limit))
    }

    /// Another state of the same session that holds the same: a copy, or with pages the same pages.
    pub fn fork(&mut self) -> Result<State> {
        let mut copy = State::new(calls::state_fork(&self.handle)?, self.model.clone())?;
        copy.parts = self.parts.clone();
        copy.find_others();
        Ok(copy)
    }

    /// What the next step reads of a part, in the order in which they were added.
    pub fn read(&mut self, part: usize) -> Result<TensorView<'_>> {
        state_read(&self.handle, i32::try_from(part).unwrap_or(i32::MAX))
    }

    /// Copies a tensor for each part into the state, in place of what they held.
    pub fn write(&mut self, values: &[TensorView<'_>]) -> Result<()> {
        calls::state_write(&self.handle, values)
    }

    /// Its sizes and counters.
    pub fn info(&self) -> Result<StateInfo> {
        calls::state_query(&self.handle)
    }
}
