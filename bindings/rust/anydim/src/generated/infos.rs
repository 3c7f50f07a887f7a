// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! What objects and the library report about themselves.

#[allow(unused_imports)] // for documentation
use crate::*;

/// What this build of the library is and has.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BuildInfo {
    /// The first number of its version.
    pub major: i32,
    /// The next part of it.
    pub minor: i32,
    /// The last part of it.
    pub patch: i32,
    /// Whether it can keep tuned plans in a file, 0 if it was built without.
    pub persistent_cache: bool,
    /// Whether it has the OpenCL engine; whether there is a device, only its creation shows.
    pub opencl: bool,
    /// The processors that it was built for, such as x86-64.
    pub architecture: String,
    /// The instruction sets that it has kernels for, separated by blanks; [`anydim_sys::anydim_engine_query`]
    /// returns the one in use.
    pub kernel_isas: String,
}

/// What an engine is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EngineInfo {
    /// Its kind.
    pub kind: EngineKind,
    /// Most threads that its streams and contexts use by default.
    pub threads: i32,
    /// Number of kernels in its registry.
    pub kernels: i32,
    /// Name of the device.
    pub device: String,
    /// Instruction set in use (ANYDIM_MAX_ISA lowers it).
    pub isa: String,
}

/// A kind of engine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EngineKindInfo {
    /// Its number, as [`anydim_sys::anydim_engine_create`] takes it.
    pub kind: EngineKind,
    /// Its name, such as cpu or opencl, as logs and texts of engines have it.
    pub name: String,
}

/// A device that an engine can be made for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Number of its platform, from 0; 0 for the processor.
    pub platform: i32,
    /// Its number on the platform, from 0.
    pub device: i32,
    /// Whether an engine may be made for it: it is available and has a compiler.
    pub usable: bool,
    /// Cores, or what the device calls its compute units.
    pub units: i32,
    /// Whether it gets the kernels for GPUs, 0 if those for processors.
    pub like_gpu: bool,
    /// Bytes; 0 if unknown.
    pub memory_bytes: i64,
    /// Bytes of one allocation at most; 0 if unknown.
    pub largest_allocation_bytes: i64,
    /// Name of the device.
    pub name: String,
    /// Version of its driver; empty for the processor.
    pub driver: String,
    /// Name of its platform; empty for the processor.
    pub platform_name: String,
}

/// A kernel of the registry.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// Whether this machine can run it.
    pub usable: bool,
    /// Its name, as [`anydim_sys::anydim_attr_set_kernel`] takes it.
    pub name: String,
    /// The operator it computes.
    pub op: String,
    /// The instruction set it was compiled for.
    pub isa: String,
    /// The memory order it works on without a copy.
    pub layout: String,
    /// Element type of its first input; none: any.
    pub src: Option<Dtype>,
    /// Element type of its output; none: any.
    pub dst: Option<Dtype>,
}

/// What a memory is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// Whether it is the caller's; 0 if the engine allocated it.
    pub imported: bool,
    /// Its size.
    pub bytes: i64,
}

/// A kernel that was considered for a primitive.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// True for the chosen one.
    pub chosen: bool,
    /// The kernel's name.
    pub name: String,
    /// Why it was not chosen; empty for the chosen one.
    pub refusal: String,
}

/// A model's facts and metadata.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelInfo {
    /// Number of metadata entries.
    pub metadata: i32,
    /// Who wrote the file.
    pub producer_name: String,
    /// Its version.
    pub producer_version: String,
    /// Name of the graph.
    pub graph_name: String,
    /// The model's domain.
    pub domain: String,
    /// The model's own text.
    pub description: String,
    /// The model's own version.
    pub version: i64,
    /// Version of the default operator set.
    pub opset: i64,
    /// Nodes after all passes.
    pub nodes: i32,
    /// Nodes in the file.
    pub file_nodes: i32,
    /// Bytes of packed weights and constants held by the model, mapped ones included.
    pub weight_bytes: i64,
    /// Number of its packed weights, each counted once however many nodes read it.
    pub packed_weights: i32,
    /// How many of them are mapped from the file in options.packed_weights.
    pub mapped_weights: i32,
    /// Their bytes.
    pub mapped_bytes: i64,
    /// Number of engines that it runs on.
    pub engines: i32,
}

/// An input or output of a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ValueInfo {
    /// Element type.
    pub dtype: Dtype,
    /// Its name.
    pub name: String,
    /// Its dims; -1 where dynamic.
    pub dims: Vec<i64>,
    /// Smallest value of each dim.
    pub min: Vec<i64>,
    /// Largest value of each dim; 2^62 where there is no bound.
    pub max: Vec<i64>,
    /// Memory order as axes, outermost first, that the context asks for or makes. An output that follows has another
    /// one in runs whose inputs have.
    pub order: Vec<i64>,
    /// Each dim as text: a number, a symbol (height) or an expression of symbols.
    pub symbols: Vec<String>,
}

/// A context's counters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContextInfo {
    /// Whether it was made with bounds.
    pub bounded: bool,
    /// Bytes of memory it holds.
    pub arena_bytes: i64,
    /// How often its memory grew; always 0 with bounds.
    pub growths: i64,
    /// Runs that completed.
    pub runs: i64,
    /// Most threads a run uses.
    pub threads: i32,
}

/// A node of a model as a context runs it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct NodeInfo {
    /// The node's name, after fusion the name of its first part.
    pub name: String,
    /// Operator and attributes.
    pub op: String,
    /// Name of its kernel.
    pub kernel: String,
    /// Tier of its kernel.
    pub tier: String,
    /// Post-ops fused into it.
    pub post_ops: String,
    /// Scratch of the last run.
    pub scratch_bytes: i64,
    /// Bytes of its outputs in the last run.
    pub output_bytes: i64,
    /// Time in the last run; -1 unless the context measures.
    pub time_ns: i64,
}

/// A session's contexts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Contexts that exist.
    pub contexts: i32,
    /// Most that may exist.
    pub limit: i32,
    /// Those in which something runs now.
    pub in_use: i32,
    /// Runs that wait for one now.
    pub waiting: i32,
    /// How often their memory grew, up to their last runs; always 0 with bounds.
    pub growths: i64,
    /// Bytes of their memory, after their last runs.
    pub arena_bytes: i64,
}

/// A state's sizes and counters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StateInfo {
    /// Its parts: pairs of an input and an output.
    pub parts: i32,
    /// How many of them steps append to, or write, where they lie. The others are written beside the old ones.
    pub in_place: i32,
    /// Slices along the growing axis of its first part that grows; 0 if none does.
    pub length: i64,
    /// Most slices of a growing axis; 0 = without limit.
    pub limit: i64,
    /// Steps that completed since it was made or reset.
    pub steps: i64,
    /// Bytes of memory that it holds.
    pub bytes: i64,
    /// Bytes that steps wrote of new slices and of parts that do not grow.
    pub appended_bytes: i64,
    /// Bytes that steps copied of old slices: 0 for parts in place, but for growths.
    pub copied_bytes: i64,
    /// How often memory of its parts was made again; with a limit never after the first step.
    pub growths: i64,
    /// Slices of a page of the first part that lies in pages; 0 if none does.
    pub page: i64,
    /// Pages that it has, of all parts.
    pub pages: i64,
    /// Those of them that other states have, too.
    pub shared_pages: i64,
    /// Bytes of the pages of this state and of all that were forked from it or it from, each page once.
    pub pool_bytes: i64,
    /// Most bytes of these pages; 0 = without limit.
    pub pool_limit: i64,
}

/// What a sequence of chunks has come to, and what is known of any.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StreamingInfo {
    /// So many elements of the axis have come when all outputs along it have begun; -1: more than 2^31.
    pub first_after: i32,
    /// Elements of the axis that have come.
    pub received: i64,
    /// Chunks that were computed since it was made or reset.
    pub chunks: i64,
    /// Bytes that it holds of its own, of what later chunks read again.
    pub bytes: i64,
    /// Most elements of a chunk; 0 = any number.
    pub most_chunk: i64,
}

/// What the batching of a session did and does. Counters begin when it is started first.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BatchingInfo {
    /// Whether runs are joined now.
    pub started: bool,
    /// Requests that wait now.
    pub waiting: i64,
    /// Batches that run now.
    pub running: i64,
    /// Requests that ended well.
    pub requests: i64,
    /// Their rows.
    pub rows: i64,
    /// Batches that they ran in; a request that ran by itself is one.
    pub batches: i64,
    /// Rows of the largest.
    pub largest_batch: i64,
    /// Requests that failed in a run, each with a status of its own.
    pub failed: i64,
    /// Requests that were cancelled.
    pub cancelled: i64,
    /// Requests whose time was over before their batch began.
    pub late: i64,
    /// Requests that found too many waiting.
    pub refused: i64,
    /// Nanoseconds from a request's call to its end: half of the last 4,096 took no longer.
    pub p50_ns: i64,
    /// The same of 99 in 100.
    pub p99_ns: i64,
    /// Rows a second, from the beginning of the same requests to now.
    pub rows_per_second: i64,
}

/// The background worker's counters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WorkerInfo {
    /// Whether its thread was started.
    pub running: bool,
    /// Whether it is paused.
    pub paused: bool,
    /// Whether it is off for the rest of the process.
    pub turned_off: bool,
    /// Requests that wait or are being served.
    pub queued: i64,
    /// Requests accepted.
    pub requested: i64,
    /// Requests dropped because the queue was full or the time budget used up.
    pub dropped: i64,
    /// Requests for what had been served before.
    pub repeated: i64,
    /// Requests served.
    pub served: i64,
    /// Requests that failed; nothing else is affected.
    pub failed: i64,
    /// Time at work.
    pub busy_ns: i64,
}

/// The primitive cache.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PrimitiveCacheInfo {
    /// Misses of one operator that differ in dims only after which its dims count as dynamic.
    pub churn_misses: i32,
    /// Most bytes it holds; 0 is off.
    pub limit_bytes: i64,
    /// Bytes it holds, keys included.
    pub bytes: i64,
    /// Entries it holds.
    pub entries: i64,
}

/// How a primitive came to be.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PrimitiveCreation {
    /// What the primitive cache did.
    pub hit: PrimitiveCacheHit,
    /// Time that its creation took, the checks of handles aside.
    pub time_ns: i64,
}

/// The persistent cache as this process uses it. Numbers count from its start.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PersistentCacheInfo {
    /// False where it is off ([`anydim_sys::anydim_persistent_cache_describe`] says why).
    pub enabled: bool,
    /// Most bytes of the user's file.
    pub limit_bytes: i64,
    /// Records in memory.
    pub entries: i64,
    /// About what they take there.
    pub index_bytes: i64,
    /// Look-ups that found one.
    pub hits: i64,
    /// Look-ups that did not.
    pub misses: i64,
    /// Records written to the file.
    pub stores: i64,
    /// Writes that failed (full or read-only disk, locked file); they harmed nothing.
    pub store_failures: i64,
    /// Records that went because the file was at its limit.
    pub evicted: i64,
    /// Records whose checksum was wrong; they were not used.
    pub damaged_records: i64,
    /// Damaged files that were put aside, as \*.damaged, and replaced.
    pub damaged_files: i64,
    /// Files whose index could not be read.
    pub load_failures: i64,
    /// What reading the index took.
    pub load_ns: i64,
}

/// A counter of the process.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Counter {
    /// Whether it is a current level; 0 if it only grows.
    pub level: bool,
    /// Its name.
    pub name: String,
    /// What it counts.
    pub doc: String,
    /// Its value.
    pub value: i64,
}

/// The contents of a verbose line, except for its tensors. docs/verbose.md has the fields.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallInfo {
    /// Number of its tensors: inputs and weights in the operator's order, then those of post-ops, then outputs.
    pub tensors: i32,
    /// The node's name; empty for a primitive of a program.
    pub name: String,
    /// The operator with its attributes.
    pub op: String,
    /// The chain of post-ops; empty for none.
    pub post_ops: String,
    /// The kernel that ran.
    pub kernel: String,
    /// Its tier.
    pub tier: String,
    /// The time it took.
    pub time_ns: i64,
    /// Additions and multiplications of matmul and the convolutions, padding included; -1 for other operators.
    pub flops: i64,
    /// Most threads it could use.
    pub threads: i32,
}

/// A tensor of a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CallTensor {
    /// What it is.
    pub role: CallRole,
    /// Its element type.
    pub dtype: Dtype,
    /// Which input, post-op tensor or output of the primitive it is, from 0.
    pub index: i32,
    /// Its dims.
    pub dims: Vec<i64>,
    /// Its strides, in elements.
    pub strides: Vec<i64>,
    /// Smallest integer that makes sense as its data (an index, a divisor).
    pub low: i64,
    /// The largest.
    pub high: i64,
}
