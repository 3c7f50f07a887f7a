// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The structs of the C API: options with their defaults, what queries report, and where the parts of plain structs
 * lie in the images that cross to C.
 */
final class NativeStructs {
  private NativeStructs() {}

  /** What this build of the library is and has. */
  static final class BuildInfo {
    /** The first number of its version. */
    final int major;
    /** The next part of it. */
    final int minor;
    /** The last part of it. */
    final int patch;
    /** 1 if it can keep tuned plans in a file, 0 if it was built without. */
    final int persistentCache;
    /** 1 if it has the OpenCL engine; whether there is a device, only its creation shows. */
    final int opencl;
    /** The processors that it was built for, such as x86-64. */
    final String architecture;
    /** The instruction sets that it has kernels for, separated by blanks; engineQuery returns the one in use. */
    final String kernelIsas;

    BuildInfo(long[] numbers, byte[][] texts) {
      major = (int) numbers[0];
      minor = (int) numbers[1];
      patch = (int) numbers[2];
      persistentCache = (int) numbers[3];
      opencl = (int) numbers[4];
      architecture = text(texts[0]);
      kernelIsas = text(texts[1]);
    }
  }

  /** Options of an engine. */
  static final class EngineOptions {
    /** Most threads that its streams use; 0 = all cores this process may use. */
    int threads;
    /** The host's own loop; null: the library's threads. */
    long parallelFor;
    /** Passed to parallel_for and parallel_finalizer. */
    long parallelUser;
    /** Called when parallel_for is not called any more; or null. */
    long parallelFinalizer;
    /** Allocates large memory; null: the system does. */
    long allocate;
    /** Frees it; required with allocate. */
    long release;
    /** Passed to allocate, release and memory_finalizer. */
    long memoryUser;
    /** Called when neither is called any more; or null. */
    long memoryFinalizer;
    /** Of opencl: 1 = a device that treats denormals as zeros is accepted, too. */
    int flushedDenormals;
  }

  /** What an engine is. */
  static final class EngineInfo {
    /** Its kind. */
    final int kind;
    /** Most threads that its streams and contexts use by default. */
    final int threads;
    /** Number of kernels in its registry. */
    final int kernels;
    /** Name of the device. */
    final String device;
    /** Instruction set in use (ANYDIM_MAX_ISA lowers it). */
    final String isa;

    EngineInfo(long[] numbers, byte[][] texts) {
      kind = (int) numbers[0];
      threads = (int) numbers[1];
      kernels = (int) numbers[2];
      device = text(texts[0]);
      isa = text(texts[1]);
    }
  }

  /** A kind of engine. */
  static final class EngineKindInfo {
    /** Its number, as engineCreate takes it. */
    final int kind;
    /** Its name, such as cpu or opencl, as logs and texts of engines have it. */
    final String name;

    EngineKindInfo(long[] numbers, byte[][] texts) {
      kind = (int) numbers[0];
      name = text(texts[0]);
    }
  }

  /** A device that an engine can be made for. */
  static final class DeviceInfo {
    /** Number of its platform, from 0; 0 for the processor. */
    final int platform;
    /** Its number on the platform, from 0. */
    final int device;
    /** 1 if an engine may be made for it: it is available and has a compiler. */
    final int usable;
    /** Cores, or what the device calls its compute units. */
    final int units;
    /** 1 if it gets the kernels for GPUs, 0 if those for processors. */
    final int likeGpu;
    /** Bytes; 0 if unknown. */
    final long memoryBytes;
    /** Bytes of one allocation at most; 0 if unknown. */
    final long largestAllocationBytes;
    /** Name of the device. */
    final String name;
    /** Version of its driver; empty for the processor. */
    final String driver;
    /** Name of its platform; empty for the processor. */
    final String platformName;

    DeviceInfo(long[] numbers, byte[][] texts) {
      platform = (int) numbers[0];
      device = (int) numbers[1];
      usable = (int) numbers[2];
      units = (int) numbers[3];
      likeGpu = (int) numbers[4];
      memoryBytes = numbers[5];
      largestAllocationBytes = numbers[6];
      name = text(texts[0]);
      driver = text(texts[1]);
      platformName = text(texts[2]);
    }
  }

  /** A kernel of the registry. */
  static final class KernelInfo {
    /** 1 if this machine can run it. */
    final int usable;
    /** Its name, as attrSetKernel takes it. */
    final String name;
    /** The operator it computes. */
    final String op;
    /** The instruction set it was compiled for. */
    final String isa;
    /** The memory order it works on without a copy. */
    final String layout;
    /** Element type of its first input. */
    final int src;
    /** Element type of its output. */
    final int dst;

    KernelInfo(long[] numbers, byte[][] texts) {
      usable = (int) numbers[0];
      name = text(texts[0]);
      op = text(texts[1]);
      isa = text(texts[2]);
      layout = text(texts[3]);
      src = (int) numbers[1];
      dst = (int) numbers[2];
    }
  }

  /** Options of a stream. */
  static final class StreamOptions {
    /** Most threads a primitive uses; 0 = the engine's. */
    int threads;
  }

  /** What a memory is. */
  static final class MemoryInfo {
    /** 1 if it is the caller's; 0 if the engine allocated it. */
    final int imported;
    /** Its size. */
    final long bytes;
    /** Its address; null where the engine's memory has none. */
    final long data;

    MemoryInfo(long[] numbers) {
      imported = (int) numbers[0];
      bytes = numbers[1];
      data = numbers[2];
    }
  }

  /** How a file of packed weights is written. */
  static final class SaveOptions {
    /**
     * 1: the file is on the disk when the call returns; 0: the call does not wait for that, and a crash of the
     * machine may lose the file.
     */
    int sync = 1;
  }

  /** A kernel that was considered for a primitive. */
  static final class Candidate {
    /** 1 for the chosen one. */
    final int chosen;
    /** The kernel's name. */
    final String name;
    /** Why it was not chosen; empty for the chosen one. */
    final String refusal;

    Candidate(long[] numbers, byte[][] texts) {
      chosen = (int) numbers[0];
      name = text(texts[0]);
      refusal = text(texts[1]);
    }
  }

  /** An operator of the program's. */
  static final class CustomOperator {
    /** Its rule of shapes. */
    long shapes;
    /** Its kernel. */
    long compute;
    /** Passed to the callbacks. */
    long user;
    /** Called when neither is called any more; or null. */
    long finalizer;
  }

  /** An engine from outside. */
  static final class EngineDefinition {
    /** The version of this struct that the author had in mind. */
    int version = 1;
    /** The kind's name: letters a to z, digits and _, unique among the kinds. */
    byte[] name;
    /** The device's name; with driver it is the key of what is measured on it. */
    byte[] device;
    /** Name and version of what drives it; it changes when results or speed may. */
    byte[] driver;
    /** An array of EngineKernel; it is copied. */
    long kernels;
    /** Their number. */
    long kernelCount;
    /** Buffers begin at multiples of so many bytes in a memory: a power of two. */
    long baseAlignment = 64;
    /** Most bytes of one allocation; 0 if there is no such limit. */
    long largestAllocation;
    /** Makes an engine. */
    long create;
    /** Destroys an engine. */
    long destroy;
    /** Allocates memory, whose bytes may have any value. */
    long allocate;
    /** Frees memory; nothing uses it any more. */
    long free;
    /** Whether a kernel computes a problem. */
    long supports;
    /** Makes a kernel ready for a problem; null: nothing has to be prepared. */
    long prepare;
    /** Destroys what prepare returned; required with it. */
    long release;
    /** Makes a stream. */
    long streamCreate;
    /** Destroys a stream; all of its work is done. */
    long streamDestroy;
    /** Waits until all work of a stream is done; returns the first error among it, once. */
    long streamWait;
    /** Copies from memory of the host, which stays until it is done, to the engine's. */
    long upload;
    /** Copies from the engine's memory to the host's, which stays until it is done. */
    long download;
    /** Copies within the engine's memory; the two parts may overlap. */
    long copy;
    /** Gives an execution of a kernel to a stream. */
    long launch;
    /** Records a point of a stream; null: the library waits for the stream instead. */
    long eventRecord;
    /** Waits for an event; required with event_record. */
    long eventWait;
    /** Makes a stream wait for an event of another one; required with event_record. */
    long eventOrder;
    /** Destroys an event, maybe after its stream; required with event_record. */
    long eventDestroy;
    /** Why the last callback of this thread failed; or null. */
    long lastError;
    /** Passed to the callbacks. */
    long user;
    /** Called once, when nothing of the kind is left; not if it is not registered. Or null. */
    long finalizer;
    /** Says which parts of a graph the engine takes as a whole; null: none. */
    long claim;
    /** Compiles a part; required with claim. */
    long partCompile;
    /** Destroys what part_compile returned; required with claim. */
    long partRelease;
    /** Gives an execution of a part to a stream; required with claim. */
    long partLaunch;
  }

  /** Options of a model. */
  static final class ModelOptions {
    /** Math mode of its layers that have none of their own. Inherit means strict. */
    int math;
    /** Reuse policy of all its operators. */
    int reuse;
    /**
     * Layout, not strided and not follow, in which inputs come fastest; channels last of those of rank 3 and more.
     * Other strides are read too.
     */
    int inputLayout;
    /**
     * Layout, not strided, of outputs that the library places; channels last of those of rank 3 and more. Views say
     * the strides.
     */
    int outputLayout;
    /** Which rewritings the graph gets. */
    int passes;
    /** Memory orders asked for by name, before the two fields above; or null. What is made with them copies them. */
    long layouts;
    /** Path of a file that modelSavePacked wrote; weights that it has are mapped, not packed. Or null. */
    byte[] packedWeights;
    /** Engines that the model may run on, the preferred first; or null. See modelLoadFile. */
    long[] engines;
    /** What is asked of single layers; or null. What is made with them copies them. */
    long layers;
    /** Folder in which a model that is loaded from memory has its external data; or null. A file's is its own. */
    byte[] externalDataFolder;
    /** What inputs that are sequences or optionals are made of, as modelLoadFile says it; or null. */
    byte[] sequences;
    /** Operators of the program's own (customOperatorsAdd); or null. What is made with them keeps them. */
    long operators;
    /** Inputs that may come in chunks, each with its axis: "audio=2;mask=1"; or null. See streamingCreate. */
    byte[] streaming;
    /** Most elements of such a chunk; 0 = any number, and memory without a bound. */
    long streamingChunk;
  }

  /** A model's facts and metadata. */
  static final class ModelInfo {
    /** Number of metadata entries. */
    final int metadata;
    /** Who wrote the file. */
    final String producerName;
    /** Its version. */
    final String producerVersion;
    /** Name of the graph. */
    final String graphName;
    /** The model's domain. */
    final String domain;
    /** The model's own text. */
    final String description;
    /** The model's own version. */
    final long version;
    /** Version of the default operator set. */
    final long opset;
    /** Nodes after all passes. */
    final int nodes;
    /** Nodes in the file. */
    final int fileNodes;
    /** Bytes of packed weights and constants held by the model, mapped ones included. */
    final long weightBytes;
    /** Number of its packed weights, each counted once however many nodes read it. */
    final int packedWeights;
    /** How many of them are mapped from the file in options.packed_weights. */
    final int mappedWeights;
    /** Their bytes. */
    final long mappedBytes;
    /** Number of engines that it runs on. */
    final int engines;

    ModelInfo(long[] numbers, byte[][] texts) {
      metadata = (int) numbers[0];
      producerName = text(texts[0]);
      producerVersion = text(texts[1]);
      graphName = text(texts[2]);
      domain = text(texts[3]);
      description = text(texts[4]);
      version = numbers[1];
      opset = numbers[2];
      nodes = (int) numbers[3];
      fileNodes = (int) numbers[4];
      weightBytes = numbers[5];
      packedWeights = (int) numbers[6];
      mappedWeights = (int) numbers[7];
      mappedBytes = numbers[8];
      engines = (int) numbers[9];
    }
  }

  /** An input or output of a model. */
  static final class ValueInfo {
    /** Element type. */
    final int dtype;
    /** Its name. */
    final String name;
    /** Its dims; -1 where dynamic. */
    final long[] dims;
    /** Smallest value of each dim. */
    final long[] min;
    /** Largest value of each dim; 2^62 where there is no bound. */
    final long[] max;
    /**
     * Memory order as axes, outermost first, that the context asks for or makes. An output that follows has another
     * one in runs whose inputs have.
     */
    final long[] order;
    /** Each dim as text: a number, a symbol (height) or an expression of symbols. */
    final String[] symbols;

    ValueInfo(long[] numbers, byte[][] texts) {
      dtype = (int) numbers[0];
      name = text(texts[0]);
      dims = dims(numbers, 1);
      min = dims(numbers, 10);
      max = dims(numbers, 19);
      order = dims(numbers, 28);
      symbols = texts(texts, 1, 8);
    }
  }

  /** Options of a context. */
  static final class ContextOptions {
    /** Most threads a run uses; 0 = the engine's. */
    int threads;
    /** 1 to measure the time of each node in each run. */
    int profile;
    /** Reuse policy of nodes that were not given one with the model. */
    int reuse;
    /** With the policy specialised: most milliseconds of measuring before creation returns; 0 = 10,000. */
    int tuningMs;
    /**
     * Memory for a context, aligned to 64 bytes, of modelGetBytesNeeded bytes, alive as long as the context; or
     * null. With bounds, and not for sessions.
     */
    long buffer;
    /** Size of the buffer; 0 without one. */
    long bufferBytes;
  }

  /** Options of a run, in a context or a session. */
  static final class RunOptions {
    /**
     * Of a session: most milliseconds to wait for a context; negative: without limit. A run that has begun is not
     * ended.
     */
    int timeoutMs = -1;
    /** What ends the run before its next node, or null. While the run waits it is looked at when the turn comes. */
    long cancellation;
    /** Whether a signal ends the call; null: no signal does. */
    long interrupted;
    /** Passed to interrupted. */
    long user;
    /**
     * To be written: an array of int32_t, one for each output, of contextRun and sessionRun; or null. Where it is
     * there, an output that the library places and that is a view of an input (a reshape, transpose, slice of it, or
     * it itself) may lie in that input's memory: the array gets the input's number, and -1 for outputs that do not.
     * Such an output is good as long as the input's memory, changes with it, and is not given to resultRelease.
     */
    long aliases;
    /** Length of aliases: the number of the model's outputs; 0 without it. */
    int aliasCount;
    /** Length of parts; 0 without it. */
    int partCount;
    /** An array of InputParts, of contextRun, contextExplain and sessionRun: inputs that come in parts; or null. */
    long parts;
  }

  /** How a context's plans are measured. */
  static final class TuneOptions {
    /** Most milliseconds for one node; 0 = 200. */
    int nodeMs;
    /** 1 to store what was found in the persistent cache, too. */
    int record = 1;
    /** 1 to measure nodes again that were measured at these shapes before, in this process or an earlier one. */
    int again;
    /** Called with the progress, or null. */
    long progress;
    /** Passed to progress. */
    long user;
    /** What ends the measuring, between two samples; or null. */
    long cancellation;
  }

  /** A context's counters. */
  static final class ContextInfo {
    /** 1 if it was made with bounds. */
    final int bounded;
    /** Bytes of memory it holds. */
    final long arenaBytes;
    /** How often its memory grew; always 0 with bounds. */
    final long growths;
    /** Runs that completed. */
    final long runs;
    /** Most threads a run uses. */
    final int threads;

    ContextInfo(long[] numbers) {
      bounded = (int) numbers[0];
      arenaBytes = numbers[1];
      growths = numbers[2];
      runs = numbers[3];
      threads = (int) numbers[4];
    }
  }

  /** A node of a model as a context runs it. */
  static final class NodeInfo {
    /** The node's name, after fusion the name of its first part. */
    final String name;
    /** Operator and attributes. */
    final String op;
    /** Name of its kernel. */
    final String kernel;
    /** Tier of its kernel. */
    final String tier;
    /** Post-ops fused into it. */
    final String postOps;
    /** Scratch of the last run. */
    final long scratchBytes;
    /** Bytes of its outputs in the last run. */
    final long outputBytes;
    /** Time in the last run; -1 unless the context measures. */
    final long timeNs;

    NodeInfo(long[] numbers, byte[][] texts) {
      name = text(texts[0]);
      op = text(texts[1]);
      kernel = text(texts[2]);
      tier = text(texts[3]);
      postOps = text(texts[4]);
      scratchBytes = numbers[0];
      outputBytes = numbers[1];
      timeNs = numbers[2];
    }
  }

  /** A session's contexts. */
  static final class SessionInfo {
    /** Contexts that exist. */
    final int contexts;
    /** Most that may exist. */
    final int limit;
    /** Those in which something runs now. */
    final int inUse;
    /** Runs that wait for one now. */
    final int waiting;
    /** How often their memory grew, up to their last runs; always 0 with bounds. */
    final long growths;
    /** Bytes of their memory, after their last runs. */
    final long arenaBytes;

    SessionInfo(long[] numbers) {
      contexts = (int) numbers[0];
      limit = (int) numbers[1];
      inUse = (int) numbers[2];
      waiting = (int) numbers[3];
      growths = numbers[4];
      arenaBytes = numbers[5];
    }
  }

  /** A state's sizes and counters. */
  static final class StateInfo {
    /** Its parts: pairs of an input and an output. */
    final int parts;
    /** How many of them steps append to, or write, where they lie. The others are written beside the old ones. */
    final int inPlace;
    /** Slices along the growing axis of its first part that grows; 0 if none does. */
    final long length;
    /** Most slices of a growing axis; 0 = without limit. */
    final long limit;
    /** Steps that completed since it was made or reset. */
    final long steps;
    /** Bytes of memory that it holds. */
    final long bytes;
    /** Bytes that steps wrote of new slices and of parts that do not grow. */
    final long appendedBytes;
    /** Bytes that steps copied of old slices: 0 for parts in place, but for growths. */
    final long copiedBytes;
    /** How often memory of its parts was made again; with a limit never after the first step. */
    final long growths;
    /** Slices of a page of the first part that lies in pages; 0 if none does. */
    final long page;
    /** Pages that it has, of all parts. */
    final long pages;
    /** Those of them that other states have, too. */
    final long sharedPages;
    /** Bytes of the pages of this state and of all that were forked from it or it from, each page once. */
    final long poolBytes;
    /** Most bytes of these pages; 0 = without limit. */
    final long poolLimit;

    StateInfo(long[] numbers) {
      parts = (int) numbers[0];
      inPlace = (int) numbers[1];
      length = numbers[2];
      limit = numbers[3];
      steps = numbers[4];
      bytes = numbers[5];
      appendedBytes = numbers[6];
      copiedBytes = numbers[7];
      growths = numbers[8];
      page = numbers[9];
      pages = numbers[10];
      sharedPages = numbers[11];
      poolBytes = numbers[12];
      poolLimit = numbers[13];
    }
  }

  /** What a sequence of chunks has come to, and what is known of any. */
  static final class StreamingInfo {
    /** So many elements of the axis have come when all outputs along it have begun; -1: more than 2^31. */
    final int firstAfter;
    /** Elements of the axis that have come. */
    final long received;
    /** Chunks that were computed since it was made or reset. */
    final long chunks;
    /** Bytes that it holds of its own, of what later chunks read again. */
    final long bytes;
    /** Most elements of a chunk; 0 = any number. */
    final long mostChunk;

    StreamingInfo(long[] numbers) {
      firstAfter = (int) numbers[0];
      received = numbers[1];
      chunks = numbers[2];
      bytes = numbers[3];
      mostChunk = numbers[4];
    }
  }

  /** Options of the batching of a session. */
  static final class BatchingOptions {
    /** Most rows of a batch. A request with more runs by itself. */
    int rows = 8;
    /** Longest wait, in microseconds, for requests that may be expected; 0: none. */
    long waitUs = 1000;
    /** Most requests that wait; further ones get queue_full at once. */
    int waiting = 1024;
  }

  /** What the batching of a session did and does. */
  static final class BatchingInfo {
    /** 1 if runs are joined now. */
    final int started;
    /** Requests that wait now. */
    final long waiting;
    /** Batches that run now. */
    final long running;
    /** Requests that ended well. */
    final long requests;
    /** Their rows. */
    final long rows;
    /** Batches that they ran in; a request that ran by itself is one. */
    final long batches;
    /** Rows of the largest. */
    final long largestBatch;
    /** Requests that failed in a run, each with a status of its own. */
    final long failed;
    /** Requests that were cancelled. */
    final long cancelled;
    /** Requests whose time was over before their batch began. */
    final long late;
    /** Requests that found too many waiting. */
    final long refused;
    /** Nanoseconds from a request's call to its end: half of the last 4,096 took no longer. */
    final long p50Ns;
    /** The same of 99 in 100. */
    final long p99Ns;
    /** Rows a second, from the beginning of the same requests to now. */
    final long rowsPerSecond;

    BatchingInfo(long[] numbers) {
      started = (int) numbers[0];
      waiting = numbers[1];
      running = numbers[2];
      requests = numbers[3];
      rows = numbers[4];
      batches = numbers[5];
      largestBatch = numbers[6];
      failed = numbers[7];
      cancelled = numbers[8];
      late = numbers[9];
      refused = numbers[10];
      p50Ns = numbers[11];
      p99Ns = numbers[12];
      rowsPerSecond = numbers[13];
    }
  }

  /** The background worker's counters. */
  static final class WorkerInfo {
    /** 1 if its thread was started. */
    final int running;
    /** 1 if it is paused. */
    final int paused;
    /** 1 if it is off for the rest of the process. */
    final int turnedOff;
    /** Requests that wait or are being served. */
    final long queued;
    /** Requests accepted. */
    final long requested;
    /** Requests dropped because the queue was full or the time budget used up. */
    final long dropped;
    /** Requests for what had been served before. */
    final long repeated;
    /** Requests served. */
    final long served;
    /** Requests that failed; nothing else is affected. */
    final long failed;
    /** Time at work. */
    final long busyNs;

    WorkerInfo(long[] numbers) {
      running = (int) numbers[0];
      paused = (int) numbers[1];
      turnedOff = (int) numbers[2];
      queued = numbers[3];
      requested = numbers[4];
      dropped = numbers[5];
      repeated = numbers[6];
      served = numbers[7];
      failed = numbers[8];
      busyNs = numbers[9];
    }
  }

  /** The primitive cache. */
  static final class PrimitiveCacheInfo {
    /** Misses of one operator that differ in dims only after which its dims count as dynamic. */
    final int churnMisses;
    /** Most bytes it holds; 0 is off. */
    final long limitBytes;
    /** Bytes it holds, keys included. */
    final long bytes;
    /** Entries it holds. */
    final long entries;

    PrimitiveCacheInfo(long[] numbers) {
      churnMisses = (int) numbers[0];
      limitBytes = numbers[1];
      bytes = numbers[2];
      entries = numbers[3];
    }
  }

  /** How a primitive came to be. */
  static final class PrimitiveCreation {
    /** What the primitive cache did. */
    final int hit;
    /** Time that its creation took, the checks of handles aside. */
    final long timeNs;

    PrimitiveCreation(long[] numbers) {
      hit = (int) numbers[0];
      timeNs = numbers[1];
    }
  }

  /** The persistent cache as this process uses it. */
  static final class PersistentCacheInfo {
    /** 1, or 0 where it is off (persistentCacheDescribe says why). */
    final int enabled;
    /** Most bytes of the user's file. */
    final long limitBytes;
    /** Records in memory. */
    final long entries;
    /** About what they take there. */
    final long indexBytes;
    /** Look-ups that found one. */
    final long hits;
    /** Look-ups that did not. */
    final long misses;
    /** Records written to the file. */
    final long stores;
    /** Writes that failed (full or read-only disk, locked file); they harmed nothing. */
    final long storeFailures;
    /** Records that went because the file was at its limit. */
    final long evicted;
    /** Records whose checksum was wrong; they were not used. */
    final long damagedRecords;
    /** Damaged files that were put aside, as *.damaged, and replaced. */
    final long damagedFiles;
    /** Files whose index could not be read. */
    final long loadFailures;
    /** What reading the index took. */
    final long loadNs;

    PersistentCacheInfo(long[] numbers) {
      enabled = (int) numbers[0];
      limitBytes = numbers[1];
      entries = numbers[2];
      indexBytes = numbers[3];
      hits = numbers[4];
      misses = numbers[5];
      stores = numbers[6];
      storeFailures = numbers[7];
      evicted = numbers[8];
      damagedRecords = numbers[9];
      damagedFiles = numbers[10];
      loadFailures = numbers[11];
      loadNs = numbers[12];
    }
  }

  /** A counter of the process. */
  static final class Counter {
    /** 1 if it is a current level; 0 if it only grows. */
    final int level;
    /** Its name. */
    final String name;
    /** What it counts. */
    final String doc;
    /** Its value. */
    final long value;

    Counter(long[] numbers, byte[][] texts) {
      level = (int) numbers[0];
      name = text(texts[0]);
      doc = text(texts[1]);
      value = numbers[1];
    }
  }

  /** The contents of a verbose line, except for its tensors. */
  static final class CallInfo {
    /** Number of its tensors: inputs and weights in the operator's order, then those of post-ops, then outputs. */
    final int tensors;
    /** The node's name; empty for a primitive of a program. */
    final String name;
    /** The operator with its attributes. */
    final String op;
    /** The chain of post-ops; empty for none. */
    final String postOps;
    /** The kernel that ran. */
    final String kernel;
    /** Its tier. */
    final String tier;
    /** The time it took. */
    final long timeNs;
    /** Additions and multiplications of matmul and the convolutions, padding included; -1 for other operators. */
    final long flops;
    /** Most threads it could use. */
    final int threads;

    CallInfo(long[] numbers, byte[][] texts) {
      tensors = (int) numbers[0];
      name = text(texts[0]);
      op = text(texts[1]);
      postOps = text(texts[2]);
      kernel = text(texts[3]);
      tier = text(texts[4]);
      timeNs = numbers[1];
      flops = numbers[2];
      threads = (int) numbers[3];
    }
  }

  /** A tensor of a call. */
  static final class CallTensor {
    /** What it is. */
    final int role;
    /** Its element type. */
    final int dtype;
    /** Which input, post-op tensor or output of the primitive it is, from 0. */
    final int index;
    /** Its dims. */
    final long[] dims;
    /** Its strides, in elements. */
    final long[] strides;
    /** Smallest integer that makes sense as its data (an index, a divisor). */
    final long low;
    /** The largest. */
    final long high;

    CallTensor(long[] numbers) {
      role = (int) numbers[0];
      dtype = (int) numbers[1];
      index = (int) numbers[2];
      dims = dims(numbers, 3);
      strides = dims(numbers, 12);
      low = numbers[21];
      high = numbers[22];
    }
  }

  /** Where the parts of view lie in its image, in longs; of two in one the later is its upper half. */
  static final class View {
    static final int WORDS = 22;
    static final int DATA = 0;
    static final int DTYPE = 1;
    static final int LAYOUT = 1;
    static final int DIMS = 2;
    static final int STRIDES = 11;
    static final int MEMORY = 20;
    static final int OFFSET = 21;

    private View() {}
  }

  /** Where the parts of dims lie in its image, in longs; of two in one the later is its upper half. */
  static final class Dims {
    static final int WORDS = 9;
    static final int RANK = 0;
    static final int VALUES = 1;

    private Dims() {}
  }

  /** Where the parts of dim lie in its image, in longs; of two in one the later is its upper half. */
  static final class Dim {
    static final int WORDS = 5;
    static final int VALUE = 0;
    static final int MIN = 1;
    static final int MAX = 2;
    static final int HINT = 3;
    static final int MULTIPLE_OF = 4;

    private Dim() {}
  }

  /** The numbers of a list whose image begins at a place. */
  static long[] dims(long[] image, int at) {
    return Arrays.copyOfRange(image, at + Dims.VALUES, at + Dims.VALUES + (int) image[at + Dims.RANK]);
  }

  private static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  private static String[] texts(byte[][] utf8, int at, int count) {
    String[] strings = new String[count];
    for (int i = 0; i < count; ++i) {
      strings[i] = text(utf8[at + i]);
    }
    return strings;
  }
}
