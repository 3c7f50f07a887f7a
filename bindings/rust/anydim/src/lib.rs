// SPDX-License-Identifier: Apache-2.0
//! Deep-learning models and primitives whose dims are known when they run: a shape that was never seen before is neither
//! compiled for nor measured.
//!
//! A [`Session`] runs an ONNX model for any number of threads. In `Cargo.toml`:
//!
//! ```toml
//! [dependencies]
//! anydim = { version = "0.1", features = ["ndarray"] }
//! ```
//!
//! ```no_run
//! # #[cfg(feature = "ndarray")]
//! # fn main() -> anydim::Result<()> {
//! let session = anydim::Session::builder().threads(2).open("rec.onnx")?;
//! for width in [71, 320, 513] {
//!     let x = anydim::ndarray::Array4::<f32>::zeros((1, 3, 48, width));
//!     let y = session.run([("x", x.view().into())])?;
//!     println!("{:?}", y[0].dims());
//! }
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "ndarray"))]
//! # fn main() {}
//! ```
//!
//! A [`Primitive`] is one of the [`operators`] alone. What is given to a call is shown by views ([`TensorView`],
//! [`TensorViewMut`]), which borrow the caller's numbers and copy nothing. Runs into the caller's memory allocate nothing:
//! [`Session::run_into`], [`Context::run_into`], [`Primitive::execute_into`].
//!
//! # Ownership and threads
//!
//! An [`Engine`], [`Model`], [`Weights`] and [`Primitive`] are shared: clones are the same thing, and what is made from one
//! keeps it alive. A [`Session`] is shared by reference or in an `Arc`. A [`Context`] and a [`Stream`] have one user at a
//! time and are borrowed for writing. [`Output`]s own their memory and outlive where they came from.
//!
//! # Errors
//!
//! An [`Error`] has a variant for each status of the library and says which argument is wrong, what was found and what was
//! expected. What is not supported is [`Error::Unimplemented`]. Nothing that was passed is changed by a call that fails, but
//! for outputs of one that fails with [`Error::InvalidData`] or [`Error::Cancelled`].
//!
//! # Features
//!
//! - `ndarray`: views of arrays, and results as arrays. The crate is there as `anydim::ndarray`, so that a program has the same
//!   version; one that names ndarray itself needs 0.17.
//! - `half`: the types `f16` and `bf16` of the crate `half` as elements.
//! - `log`: [`logging::to_log`] makes records of the crate `log` from the library's log lines.
//! - `source` (default), `system`, `persistent-cache` (default): how the library is linked; see the crate `anydim-sys`.
#![deny(missing_docs)]
#![deny(unsafe_code)]
#![warn(unsafe_op_in_unsafe_fn)]

mod attributes;
mod border;
mod cancellation;
mod context;
mod custom;
mod dims;
#[allow(unsafe_code)] // the one place
mod edge;
mod engine;
mod error;
#[rustfmt::skip]
mod generated;
mod graph_builder;
mod json;
pub mod logging;
mod model;
pub mod observing;
mod operator;
mod outputs;
mod primitive;
mod run_async;
mod run_options;
mod session;
mod state;
mod streaming;
mod tensor;
mod values;
mod weights;

pub use attributes::Attributes;
pub use cancellation::Cancellation;
pub use context::{CacheLine, Context, ContextBuilder, TuneOptions};
pub use custom::{CustomOperator, CustomOperators};
pub use dims::{Bounds, Desc, Dim};
pub use edge::custom::{CustomFailure, CustomInput, CustomNode, CustomOutput};
pub use edge::elements::{AnyBits, Bf16, Element, F16};
pub use edge::host::{Part, Parts};
pub use edge::memory::Mapped;
pub use edge::views::{TensorView, TensorViewMut};
pub use engine::{Engine, EngineBuilder, Stream};
pub use error::{Failure, Result};
pub use generated::enums::*;
pub use generated::errors::Error;
pub use generated::infos::*;
pub use generated::operators;
pub use graph_builder::{GraphBuilder, GraphNode};
pub use model::{Model, ModelBuilder};
pub use operator::{Operator, PerSpatial};
pub use outputs::{Output, Outputs};
pub use primitive::{Primitive, PrimitiveBuilder};
pub use run_async::AsyncRun;
pub use run_options::RunOptions;
pub use session::{Batching, Session, SessionBuilder};
pub use state::State;
pub use streaming::Streaming;
pub use tensor::{Memory, Tensor};
pub use values::{Entry, InputValue, Key, Strings, Value, Values};
pub use weights::Weights;

#[cfg(feature = "ndarray")]
pub use ndarray;

/// The version of the library that is linked, such as "0.1.0".
pub fn version() -> &'static str {
    edge::version()
}

/// What the library that is linked is and has: version, engines, instruction sets.
pub fn build() -> Result<BuildInfo> {
    edge::calls::build_query()
}
