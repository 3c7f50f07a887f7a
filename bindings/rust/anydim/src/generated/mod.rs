// SPDX-License-Identifier: Apache-2.0
//! What follows from the API's description and the operators' one. The files beside this one are generated.

pub mod enums;
pub mod errors;
pub mod infos;
pub mod operators;
