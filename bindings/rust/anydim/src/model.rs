// SPDX-License-Identifier: Apache-2.0
//! Models: compiled ONNX graphs with their weights, immutable and shared.

use std::ffi::CString;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use anydim_sys as sys;

use crate::edge::handles::ModelHandle;
use crate::edge::models::{model_builder_load, model_load_file, model_load_memory, save_options, ModelOptions};
use crate::edge::{c_string, calls};
use crate::{
    Bounds, ContextBuilder, CustomOperators, EdgeLayout, Engine, EngineInfo, GraphBuilder, Layout, Math, ModelInfo,
    Passes, Result, Reuse, ValueInfo,
};

/// A loaded model. Threads share it, and clones are the same model.
#[derive(Clone, Debug)]
pub struct Model(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub handle: ModelHandle,
    pub inputs: Vec<ValueInfo>,
    pub outputs: Vec<ValueInfo>,
    pub output_names: Arc<[String]>,
}

impl fmt::Display for ValueInfo {
    /// Such as `x: f32[1, 3, 48, width]`; a dim without a name and without a number is `?`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Vec<&str> = self.symbols.iter().map(|s| if s.is_empty() { "?" } else { s }).collect();
        write!(f, "{}: {}[{}]", self.name, self.dtype, dims.join(", "))
    }
}

/// How a model is loaded: what is asked of its arithmetic, of the choice of kernels, and of memory orders.
#[derive(Clone, Debug, Default)]
pub struct ModelBuilder {
    engine: Option<Engine>,
    math: Math,
    reuse: Reuse,
    passes: Passes,
    input_layout: Option<Layout>,
    output_layout: Option<Layout>,
    layouts: Vec<(String, EdgeLayout, Vec<i64>)>,
    layers: Vec<(String, Math)>,
    packed_weights: Option<CString>,
    external_data_folder: Option<CString>,
    sequences: Vec<String>,
    streaming: Vec<String>,
    streaming_chunk: i64,
    engines: Vec<Engine>,
    operators: Option<CustomOperators>,
    wrong: Option<crate::Error>,
}

impl Model {
    /// Loads an ONNX model from a file, optimises it and packs its weights.
    ///
    /// Errors: [`FileNotFound`](crate::Error::FileNotFound), [`IoError`](crate::Error::IoError),
    /// [`InvalidModel`](crate::Error::InvalidModel) for a damaged file, [`Unimplemented`](crate::Error::Unimplemented) with the
    /// names of all operators that are missing.
    pub fn load(engine: &Engine, path: impl AsRef<Path>) -> Result<Self> {
        Self::builder().engine(engine).load(path)
    }

    /// As [`load`](Self::load), with options.
    pub fn builder() -> ModelBuilder {
        ModelBuilder::default()
    }

    fn of(handle: ModelHandle) -> Result<Self> {
        let (inputs, outputs) = calls::model_get_counts(&handle)?;
        let inputs = (0..inputs).map(|i| calls::model_get_input(&handle, i)).collect::<Result<Vec<_>>>()?;
        let outputs = (0..outputs).map(|i| calls::model_get_output(&handle, i)).collect::<Result<Vec<_>>>()?;
        let output_names = outputs.iter().map(|o| o.name.clone()).collect::<Vec<_>>().into();
        Ok(Self(Arc::new(Inner { handle, inputs, outputs, output_names })))
    }

    /// Its inputs: names, dtypes, dims, bounds.
    pub fn inputs(&self) -> &[ValueInfo] {
        &self.0.inputs
    }

    /// Its outputs: names, dtypes, dims.
    pub fn outputs(&self) -> &[ValueInfo] {
        &self.0.outputs
    }

    /// Its facts: who wrote it, versions, nodes, bytes.
    pub fn info(&self) -> Result<ModelInfo> {
        calls::model_query(&self.0.handle)
    }

    /// Its metadata: keys and values.
    pub fn metadata(&self) -> Result<Vec<(String, String)>> {
        (0..self.info()?.metadata).map(|i| calls::model_get_metadata(&self.0.handle, i)).collect()
    }

    /// The engines that it runs on; the first is the one that it was loaded for.
    pub fn engines(&self) -> Result<Vec<EngineInfo>> {
        (0..self.info()?.engines).map(|i| calls::model_get_engine(&self.0.handle, i)).collect()
    }

    /// A description as JSON: facts, inputs, outputs, metadata, operators, nodes after all passes.
    pub fn describe(&self) -> Result<String> {
        calls::model_describe(&self.0.handle)
    }

    /// How many bytes of memory a context with these bounds needs for any shape within them.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) if a bound is missing or too wide to be counted.
    pub fn bytes_needed(&self, bounds: &Bounds) -> Result<usize> {
        let options = sys::anydim_context_options_t::INIT;
        Ok(calls::model_get_bytes_needed(&self.0.handle, &bounds.handle()?, &options, 0)? as usize)
    }

    /// Writes its packed weights to a file that [`ModelBuilder::packed_weights`] maps.
    pub fn save_packed_weights(&self, path: impl AsRef<Path>) -> Result<()> {
        self.save_packed_weights_with(path, true)
    }

    /// As [`save_packed_weights`](Self::save_packed_weights); without `sync` it does not wait for the disk, and a crash of the machine may lose the file.
    pub fn save_packed_weights_with(&self, path: impl AsRef<Path>, sync: bool) -> Result<()> {
        let path = c_string(path.as_ref().as_os_str().as_bytes(), "path")?;
        calls::model_save_packed(&self.0.handle, &path, &save_options(sync))
    }

    /// Writes it as a program file, which [`Model::load`] and [`ModelBuilder::load`] take in a model's place: its steps, as compiled for this
    /// machine's kind of processor, with its packed weights. Processes that load one file share its memory.
    ///
    /// Errors: those that name all that cannot be saved, engines other than the processor say, and those of writing files.
    pub fn save_program(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_string(path.as_ref().as_os_str().as_bytes(), "path")?;
        calls::model_save_program(&self.0.handle, &path, &save_options(true))
    }

    /// Begins a context of the model, in which one call runs at a time. [`Session`](crate::Session) has as many as it needs.
    pub fn context<'buffer>(&self) -> ContextBuilder<'buffer> {
        ContextBuilder::new(self)
    }
}

impl ModelBuilder {
    /// The engine that it runs on; the processor if none is named.
    #[must_use]
    pub fn engine(mut self, engine: &Engine) -> Self {
        self.engine = Some(engine.clone());
        self
    }

    /// Engines that it may run on, the preferred first: each node runs on the first that has a kernel for it, or else on the
    /// [`engine`](Self::engine), where inputs and outputs lie. Engines without a node are left out, as by [`Model::engines`].
    /// Results do not depend on it.
    #[must_use]
    pub fn engines(mut self, engines: &[Engine]) -> Self {
        self.engines = engines.to_vec();
        self
    }

    /// The math mode of its layers that have none of their own.
    #[must_use]
    pub fn math(mut self, mode: Math) -> Self {
        self.math = mode;
        self
    }

    /// The math mode of one layer, by the name of its node.
    #[must_use]
    pub fn layer_math(mut self, layer: &str, mode: Math) -> Self {
        self.layers.push((layer.to_owned(), mode));
        self
    }

    /// The reuse policy of all its operators.
    #[must_use]
    pub fn reuse(mut self, policy: Reuse) -> Self {
        self.reuse = policy;
        self
    }

    /// Which rewritings its graph gets: a means of finding the cause of a result.
    #[must_use]
    pub fn passes(mut self, passes: Passes) -> Self {
        self.passes = passes;
        self
    }

    /// The layout in which inputs of rank 3 and more come fastest. Other strides are read too.
    #[must_use]
    pub fn input_layout(mut self, layout: Layout) -> Self {
        self.input_layout = Some(layout);
        self
    }

    /// The layout of outputs of rank 3 and more that the library places.
    #[must_use]
    pub fn output_layout(mut self, layout: Layout) -> Self {
        self.output_layout = Some(layout);
        self
    }

    /// Asks for the memory order of one input or output by its name; `axes` with [`EdgeLayout::Order`] only, outermost first.
    #[must_use]
    pub fn layout(mut self, name: &str, rule: EdgeLayout, axes: &[usize]) -> Self {
        let axes = axes.iter().map(|&a| i64::try_from(a).unwrap_or(i64::MAX)).collect();
        self.layouts.push((name.to_owned(), rule, axes));
        self
    }

    /// A file that [`Model::save_packed_weights`] wrote: weights that it has are mapped, not packed.
    #[must_use]
    pub fn packed_weights(mut self, path: impl AsRef<Path>) -> Self {
        match c_string(path.as_ref().as_os_str().as_bytes(), "packed_weights") {
            Ok(path) => self.packed_weights = Some(path),
            Err(error) => self.wrong = Some(error),
        }
        self
    }

    /// The folder in which a model that is loaded from bytes has its external data.
    #[must_use]
    pub fn external_data_folder(mut self, path: impl AsRef<Path>) -> Self {
        match c_string(path.as_ref().as_os_str().as_bytes(), "external_data_folder") {
            Ok(path) => self.external_data_folder = Some(path),
            Err(error) => self.wrong = Some(error),
        }
        self
    }

    /// What an input that is a sequence is made of: the rank of each element. The model then has inputs NAME\[0\], NAME\[1\] and so on
    /// in its place; without this a sequence has any number of elements of equal dims.
    #[must_use]
    pub fn sequence(mut self, name: &str, ranks: &[usize]) -> Self {
        let ranks: Vec<String> = ranks.iter().map(ToString::to_string).collect();
        self.sequences.push(format!("{name}={}", ranks.join(",")));
        self
    }

    /// Loads the model for runs without this input, which is an optional.
    #[must_use]
    pub fn absent(mut self, name: &str) -> Self {
        self.sequences.push(format!("{name}=-"));
        self
    }

    /// An input that may come in chunks along this axis: see [`Session::streaming`](crate::Session::streaming).
    #[must_use]
    pub fn streaming(mut self, name: &str, axis: usize) -> Self {
        self.streaming.push(format!("{name}={axis}"));
        self
    }

    /// Most elements of such a chunk, for which memory is taken at once. Without it chunks have any size.
    #[must_use]
    pub fn streaming_chunk(mut self, elements: usize) -> Self {
        self.streaming_chunk = i64::try_from(elements).unwrap_or(i64::MAX);
        self
    }

    /// Operators of the program's own, which compute their nodes of the model.
    #[must_use]
    pub fn operators(mut self, operators: &CustomOperators) -> Self {
        self.operators = Some(operators.clone());
        self
    }

    /// Loads the model from a file: see [`Model::load`].
    pub fn load(self, path: impl AsRef<Path>) -> Result<Model> {
        let path = c_string(path.as_ref().as_os_str().as_bytes(), "path")?;
        self.with_options(|engine, options| model_load_file(&engine.handle, &path, options))
    }

    /// Loads the model from the bytes of a file, which may go afterwards.
    ///
    /// Errors: as [`Model::load`]; [`InvalidModel`](crate::Error::InvalidModel) for a model whose data is in other files
    /// and no [`external_data_folder`](Self::external_data_folder).
    pub fn load_bytes(self, bytes: &[u8]) -> Result<Model> {
        self.with_options(|engine, options| model_load_memory(&engine.handle, bytes, options))
    }

    /// Makes the model of a graph that the program put together, which stays as it is.
    ///
    /// Errors: [`InvalidModel`](crate::Error::InvalidModel) names the node and what is wrong with it,
    /// [`Unimplemented`](crate::Error::Unimplemented) the operators that are missing.
    pub fn load_graph(self, graph: &GraphBuilder) -> Result<Model> {
        self.with_options(|engine, options| model_builder_load(&graph.0, &engine.handle, options))
    }

    fn with_options(self, load: impl FnOnce(&Engine, &ModelOptions<'_>) -> Result<ModelHandle>) -> Result<Model> {
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        let engine = self.engine.map_or_else(Engine::cpu, Ok)?;
        let sequences = c_string(self.sequences.join(";").as_bytes(), "sequences")?;
        let streaming = c_string(self.streaming.join(";").as_bytes(), "streaming")?;
        let (layouts, layers) = (calls::layouts_create()?, calls::layers_create()?);
        for (name, rule, axes) in &self.layouts {
            calls::layouts_set(&layouts, &c_string(name.as_bytes(), "name")?, *rule as i32, axes)?;
        }
        for (name, mode) in &self.layers {
            calls::layers_set_math(&layers, &c_string(name.as_bytes(), "layer")?, *mode as i32)?;
        }
        Model::of(load(
            &engine,
            &ModelOptions {
                math: self.math as i32,
                reuse: self.reuse as i32,
                input_layout: self.input_layout.unwrap_or(Layout::RowMajor) as i32,
                output_layout: self.output_layout.unwrap_or(Layout::RowMajor) as i32,
                passes: self.passes as i32,
                layouts: Some(&layouts),
                layers: Some(&layers),
                packed_weights: self.packed_weights.as_deref(),
                external_data_folder: self.external_data_folder.as_deref(),
                sequences: (!self.sequences.is_empty()).then_some(&sequences),
                streaming: (!self.streaming.is_empty()).then_some(&streaming),
                streaming_chunk: self.streaming_chunk,
                engines: self.engines.iter().map(|e| &*e.handle).collect(),
                operators: self.operators.as_ref().map(|o| &*o.0),
            },
        )?)
    }
}
