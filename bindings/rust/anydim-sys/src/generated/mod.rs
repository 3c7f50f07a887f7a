// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! The modules of the C API, under their names there.

mod base;
mod batching;
mod builder;
mod caches;
mod context;
mod custom;
mod engine;
mod log;
mod memory;
mod model;
mod modes;
mod observing;
mod operators;
mod plugin;
mod primitive;
mod session;
mod state;
mod streaming;
mod tensor;
mod worker;

pub use base::*;
pub use batching::*;
pub use builder::*;
pub use caches::*;
pub use context::*;
pub use custom::*;
pub use engine::*;
pub use log::*;
pub use memory::*;
pub use model::*;
pub use modes::*;
pub use observing::*;
pub use operators::*;
pub use plugin::*;
pub use primitive::*;
pub use session::*;
pub use state::*;
pub use streaming::*;
pub use tensor::*;
pub use worker::*;

/// Version of the C API that these declarations are of: major, minor, patch.
pub const ANYDIM_VERSION: [u32; 3] = [0, 1, 0];
