// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
package org.anydim;

/**
 * The C API, function by function. Handles and addresses are longs, texts are bytes that end with a zero, views and
 * dims are images of C's structs (NativeStructs). A failure is an AnydimException. Nothing here keeps anything alive
 * or counts users: that is for NativeObject.
 */
final class NativeCalls {
  static {
    NativeLibrary.load();
  }

  private NativeCalls() {}

  /** The library's version as text, such as "0.1.0". */
  static native byte[] version();

  /**
   * Describes this build of the library, which may have less or more than the header that a program was compiled
   * with.
   */
  static NativeStructs.BuildInfo buildQuery() {
    long[] numbers = new long[5];
    byte[][] texts = new byte[2][];
    buildQuery(numbers, texts);
    return new NativeStructs.BuildInfo(numbers, texts);
  }

  private static native void buildQuery(long[] numbers, byte[][] texts);

  /** A status as text, such as "invalid argument"; "unknown" for a number that is none. */
  static native byte[] statusName(int status);

  /** Returns the bytes of a text. */
  static native byte[] textGetData(long text);

  /** Destroys a text. */
  static native void textDestroy(long text);

  /** Sets which log lines are made. */
  static native void logSetLevel(int level);

  /** Sets which log lines are made and who gets them: logSetLevel and logSetSink in one. */
  static native void logSet(int level, long callback, long user, long finalizer);

  /** Makes a tensor descriptor. */
  static native long descCreate(int dtype, long[] dims, int layout);

  /** Destroys a descriptor. */
  static native void descDestroy(long desc);

  /** Makes an engine. */
  static long engineCreate(int kind, int device, NativeStructs.EngineOptions options) {
    return engineCreate(
        kind, device, options.threads, options.parallelFor, options.parallelUser, options.parallelFinalizer,
        options.allocate, options.release, options.memoryUser, options.memoryFinalizer, options.flushedDenormals);
  }

  private static native long engineCreate(
      int kind, int device, int optionsThreads, long optionsParallelFor, long optionsParallelUser,
      long optionsParallelFinalizer, long optionsAllocate, long optionsRelease, long optionsMemoryUser,
      long optionsMemoryFinalizer, int optionsFlushedDenormals);

  /** Describes a device that an engine of the kind can be made for, by the number that is passed to engineCreate. */
  static NativeStructs.DeviceInfo engineGetDevice(int kind, int index) {
    long[] numbers = new long[7];
    byte[][] texts = new byte[3][];
    engineGetDevice(kind, index, numbers, texts);
    return new NativeStructs.DeviceInfo(numbers, texts);
  }

  private static native void engineGetDevice(int kind, int index, long[] numbers, byte[][] texts);

  /** Destroys an engine. */
  static native void engineDestroy(long engine);

  /** Describes an engine. */
  static NativeStructs.EngineInfo engineQuery(long engine) {
    long[] numbers = new long[3];
    byte[][] texts = new byte[2][];
    engineQuery(engine, numbers, texts);
    return new NativeStructs.EngineInfo(numbers, texts);
  }

  private static native void engineQuery(long engine, long[] numbers, byte[][] texts);

  /** Describes a kernel of the engine's registry, in order of preference within its operator. */
  static NativeStructs.KernelInfo engineGetKernel(long engine, int index) {
    long[] numbers = new long[3];
    byte[][] texts = new byte[4][];
    engineGetKernel(engine, index, numbers, texts);
    return new NativeStructs.KernelInfo(numbers, texts);
  }

  private static native void engineGetKernel(long engine, int index, long[] numbers, byte[][] texts);

  /** Makes a stream of an engine: where primitives execute, one after the other. */
  static long streamCreate(long engine, NativeStructs.StreamOptions options) {
    return streamCreate(engine, options.threads);
  }

  private static native long streamCreate(long engine, int optionsThreads);

  /** Destroys a stream and its scratch memory; if an execution is running in it, when that ends. */
  static native void streamDestroy(long stream);

  /** Waits until everything given to the stream is done; late errors surface here. */
  static native void streamWait(long stream);

  /** Allocates bytes of an engine, filled with zeros and aligned to 64. */
  static native long memoryAllocate(long engine, long bytes);

  /** Makes a memory of bytes of the caller's, without a copy. */
  static native long memoryImport(long engine, long data, long bytes, long finalizer, long user);

  /** Destroys a memory; work of an engine that still uses it finishes first. */
  static native void memoryDestroy(long memory);

  /** Describes a memory. */
  static NativeStructs.MemoryInfo memoryQuery(long memory) {
    long[] numbers = new long[3];
    memoryQuery(memory, numbers);
    return new NativeStructs.MemoryInfo(numbers);
  }

  private static native void memoryQuery(long memory, long[] numbers);

  /** Returns an address at which the program reads and writes bytes of a memory, until memoryUnmap. */
  static native long memoryMap(long memory, long offset, long bytes);

  /** Ends a mapping: calls see what was written. */
  static native void memoryUnmap(long memory, long offset, long bytes);

  /** Copies bytes from one memory to another, or within one, where the two places may overlap. */
  static native void memoryCopy(
      long stream, long target, long targetOffset, long source, long sourceOffset, long bytes);

  /** Makes a tensor with memory of its own, filled with zeros, freed with the tensor. */
  static native long tensorAllocate(long engine, int dtype, long[] dims, int layout);

  /** Destroys a tensor, and its memory if that was allocated with it. */
  static native void tensorDestroy(long tensor);

  /** Returns the view of a tensor. */
  static native void tensorGetView(long tensor, long[] numbers);

  /** Releases memory that a call allocated for an output: the view's data, once. */
  static native void resultRelease(long data);

  /** Makes attributes with all defaults. */
  static native long attrCreate();

  /** Destroys attributes. */
  static native void attrDestroy(long attr);

  /** Sets the reuse policy of the primitives to come. */
  static native void attrSetReuse(long attr, int policy);

  /** Sets the math mode. */
  static native void attrSetMath(long attr, int mode);

  /**
   * Appends a post-op that takes a function of each output element, after the operator's bias and the post-ops
   * before.
   */
  static native void attrAppendEltwise(long attr, int function, float alpha, float beta);

  /**
   * Appends a post-op y = function(y, t), with a tensor t that is given at execution after the operator's inputs and
   * broadcasts to the output.
   */
  static native void attrAppendBinary(long attr, int function, int reversed);

  /** Sets the dtype of the result of a matmul, convolution or conv_transpose: f32, f16, bf16, i8, u8 or i32. */
  static native void attrSetDtype(long attr, int dtype);

  /** Says which real numbers those of an 8-bit operand (i8, u8) stand for: scale * (number - zero point). */
  static native void attrSetScales(long attr, int operand, int axis, float[] values);

  /** Sets the number of an 8-bit operand that stands for zero, as attrSetScales does scales. */
  static native void attrSetZeroPoints(long attr, int operand, int axis, int[] values);

  /** Forces a kernel by its name, for tests and reports; "" lets the library choose again. */
  static native void attrSetKernel(long attr, byte[] kernel);

  /** Sets whose memory the primitive computes in. */
  static native void attrSetScratchpad(long attr, int mode);

  /**
   * Packs constant inputs of an operator, once for all shapes, primitives and contexts; their memory may be freed
   * afterwards.
   */
  static long weightsCreate(
      long engine, OperatorImage op, long attr, long[] inputs, long[] constants, int[] operands) {
    return weightsCreate(engine, op.words(), op.list(), op.listAt(), attr, inputs, constants, operands);
  }

  private static native long weightsCreate(
      long engine, long[] op, long[] opList, int opListAt, long attr, long[] inputs, long[] constants,
      int[] operands);

  /** Destroys weights; primitives that use them keep them alive. */
  static native void weightsDestroy(long weights);

  /** Returns how many bytes the packed form takes. */
  static native long weightsGetBytes(long weights);

  /** Replaces the values: packs these, once for all primitives over these weights, and makes them the next version. */
  static native void weightsUpdate(long weights, long[] constants);

  /** Returns how often the values were set: 1 after creation or loading, one more after each update. */
  static native long weightsGetVersion(long weights);

  /**
   * Writes the packed form to a file for weightsLoad: under another name first, flushed to the disk, then renamed,
   * so that the path always holds a whole file and processes that have an older one mapped keep it.
   */
  static void weightsSave(long weights, byte[] path, NativeStructs.SaveOptions options) {
    weightsSave(weights, path, options.sync);
  }

  private static native void weightsSave(long weights, byte[] path, int optionsSync);

  /**
   * Maps weights that weightsSave wrote: nothing is packed or copied, and processes that map one file share its
   * memory.
   */
  static long weightsLoad(long engine, OperatorImage op, long attr, long[] inputs, byte[] path) {
    return weightsLoad(engine, op.words(), op.list(), op.listAt(), attr, inputs, path);
  }

  private static native long weightsLoad(
      long engine, long[] op, long[] opList, int opListAt, long attr, long[] inputs, byte[] path);

  /** Makes a primitive, in microseconds (with the reuse policy specialised it measures first, which takes seconds). */
  static long primitiveCreate(long engine, OperatorImage op, long attr, long[] inputs, long weights) {
    return primitiveCreate(engine, op.words(), op.list(), op.listAt(), attr, inputs, weights);
  }

  private static native long primitiveCreate(
      long engine, long[] op, long[] opList, int opListAt, long attr, long[] inputs, long weights);

  /** Makes a primitive and packs its constants: weightsCreate and primitiveCreate in one. */
  static long primitiveCreateWithConstants(
      long engine, OperatorImage op, long attr, long[] inputs, long[] constants, int[] operands) {
    return primitiveCreateWithConstants(
        engine, op.words(), op.list(), op.listAt(), attr, inputs, constants, operands);
  }

  private static native long primitiveCreateWithConstants(
      long engine, long[] op, long[] opList, int opListAt, long attr, long[] inputs, long[] constants,
      int[] operands);

  /** Returns the weights that a primitive holds. */
  static native long primitiveAcquireWeights(long primitive);

  /** Destroys a primitive; running executions finish. */
  static native void primitiveDestroy(long primitive);

  /**
   * Executes a primitive: inputs in the operator's order without those in weights, then the tensors of post-ops in
   * their order.
   */
  static native void primitiveExecute(long primitive, long stream, long[] inputs, long[] outputs);

  /** As primitiveExecute, in scratch memory of the caller (scratchpad mode caller): nothing is allocated. */
  static native void primitiveExecuteIn(
      long primitive, long stream, long[] inputs, long[] outputs, long scratch, long scratchBytes);

  /** Returns the dims of an output for actual inputs, and checks these. */
  static native void primitiveGetOutputDims(long primitive, long[] inputs, int index, long[] numbers);

  /** Returns how many bytes of scratch an execution with these tensors needs: what primitiveExecuteIn is given. */
  static native long primitiveGetScratchBytes(long primitive, long stream, long[] inputs, long[] outputs);

  /**
   * Returns the memory order in which the primitive's kernel reads an input or writes an output without a copy, as
   * axes, outermost first ({0, 2, 3, 1} is channels last); rank 0: any.
   */
  static native void primitiveGetOrder(long primitive, int output, int index, long[] numbers);

  /**
   * Returns the primitive's kernel: its name, and a number that is equal for two primitives of a process exactly if
   * they hold the same kernel object.
   */
  static native void primitiveGetKernel(long primitive, long[] numbers, byte[][] texts);

  /** Returns how many kernels were considered for the primitive. */
  static native int primitiveGetCandidateCount(long primitive);

  /** Describes a considered kernel, in order of preference. */
  static NativeStructs.Candidate primitiveGetCandidate(long primitive, int index) {
    long[] numbers = new long[1];
    byte[][] texts = new byte[2][];
    primitiveGetCandidate(primitive, index, numbers, texts);
    return new NativeStructs.Candidate(numbers, texts);
  }

  private static native void primitiveGetCandidate(long primitive, int index, long[] numbers, byte[][] texts);

  /**
   * Explains a primitive as JSON: operator, descriptors, attributes, kernel, tier, reuse policy, preferred orders,
   * and why each other kernel was refused; with input tensors also output dims and scratch.
   */
  static native long primitiveExplain(long primitive, long[] inputs);

  /** Returns the element type of an output. */
  static native int primitiveGetOutputDtype(long primitive, int index);

  /**
   * Lists as JSON, in the registry's order of preference, every kernel for the primitive's problem at these tensors:
   * kernel, chosen, refusal (of those that cannot), expected_nanoseconds (of a simple model; it orders choices and
   * is no promise) and scratch_bytes.
   */
  static native long primitiveCompareKernels(long primitive, long stream, long[] inputs, long[] outputs, int repeats);

  /**
   * Limits the scratch of a primitive to come: a kernel that could need more, at the largest dims that the
   * descriptors allow and with all of the engine's threads, is refused, and the next one in order of preference is
   * taken.
   */
  static native void attrSetScratchLimit(long attr, long bytes);

  /**
   * Writes the execute line that a run with these tensors would log, without running, for reports and for `anydim
   * replay`.
   */
  static native long primitiveFormatLine(long primitive, long stream, long[] inputs, long[] outputs);

  /** Makes a set of operators of the program's, without any. */
  static native long customOperatorsCreate();

  /** Destroys a set; models that were loaded with it keep its operators. */
  static native void customOperatorsDestroy(long customOperators);

  /** Adds an operator. */
  static void customOperatorsAdd(
      long operators, byte[] domain, byte[] opType, NativeStructs.CustomOperator definition) {
    customOperatorsAdd(
        operators, domain, opType, definition.shapes, definition.compute, definition.user, definition.finalizer);
  }

  private static native void customOperatorsAdd(
      long operators, byte[] domain, byte[] opType, long definitionShapes, long definitionCompute,
      long definitionUser, long definitionFinalizer);

  /** Loads an ONNX model from a file (external data beside it too), optimises it and packs its weights. */
  static long modelLoadFile(long engine, byte[] path, NativeStructs.ModelOptions options) {
    return modelLoadFile(
        engine, path, options.math, options.reuse, options.inputLayout, options.outputLayout, options.passes,
        options.layouts, options.packedWeights, options.engines, options.layers, options.externalDataFolder,
        options.sequences, options.operators, options.streaming, options.streamingChunk);
  }

  private static native long modelLoadFile(
      long engine, byte[] path, int optionsMath, int optionsReuse, int optionsInputLayout, int optionsOutputLayout,
      int optionsPasses, long optionsLayouts, byte[] optionsPackedWeights, long[] optionsEngines, long optionsLayers,
      byte[] optionsExternalDataFolder, byte[] optionsSequences, long optionsOperators, byte[] optionsStreaming,
      long optionsStreamingChunk);

  /** As modelLoadFile, from memory that may be freed afterwards. */
  static long modelLoadMemory(long engine, long data, long size, NativeStructs.ModelOptions options) {
    return modelLoadMemory(
        engine, data, size, options.math, options.reuse, options.inputLayout, options.outputLayout, options.passes,
        options.layouts, options.packedWeights, options.engines, options.layers, options.externalDataFolder,
        options.sequences, options.operators, options.streaming, options.streamingChunk);
  }

  private static native long modelLoadMemory(
      long engine, long data, long size, int optionsMath, int optionsReuse, int optionsInputLayout,
      int optionsOutputLayout, int optionsPasses, long optionsLayouts, byte[] optionsPackedWeights,
      long[] optionsEngines, long optionsLayers, byte[] optionsExternalDataFolder, byte[] optionsSequences,
      long optionsOperators, byte[] optionsStreaming, long optionsStreamingChunk);

  /**
   * Writes a model's packed weights to a file for options.packed_weights of later loads: under another name first,
   * flushed to the disk, then renamed, so that the path always holds a whole file.
   */
  static void modelSavePacked(long model, byte[] path, NativeStructs.SaveOptions options) {
    modelSavePacked(model, path, options.sync);
  }

  private static native void modelSavePacked(long model, byte[] path, int optionsSync);

  /**
   * Writes a model as a program file: its steps, as compiled for this machine's kind of processor, with its packed
   * weights.
   */
  static void modelSaveProgram(long model, byte[] path, NativeStructs.SaveOptions options) {
    modelSaveProgram(model, path, options.sync);
  }

  private static native void modelSaveProgram(long model, byte[] path, int optionsSync);

  /** Destroys a model; its contexts keep it alive. */
  static native void modelDestroy(long model);

  /** Describes a model. */
  static NativeStructs.ModelInfo modelQuery(long model) {
    long[] numbers = new long[10];
    byte[][] texts = new byte[5][];
    modelQuery(model, numbers, texts);
    return new NativeStructs.ModelInfo(numbers, texts);
  }

  private static native void modelQuery(long model, long[] numbers, byte[][] texts);

  /**
   * Describes an engine that the model runs on: 0 is the one that it was loaded for, then come those of
   * options.engines that got nodes.
   */
  static NativeStructs.EngineInfo modelGetEngine(long model, int index) {
    long[] numbers = new long[3];
    byte[][] texts = new byte[2][];
    modelGetEngine(model, index, numbers, texts);
    return new NativeStructs.EngineInfo(numbers, texts);
  }

  private static native void modelGetEngine(long model, int index, long[] numbers, byte[][] texts);

  /** Returns an entry of the model's metadata. */
  static native void modelGetMetadata(long model, int index, byte[][] texts);

  /** Returns how many inputs and outputs a model has. */
  static native void modelGetCounts(long model, long[] numbers);

  /** Describes an input. */
  static NativeStructs.ValueInfo modelGetInput(long model, int index) {
    long[] numbers = new long[37];
    byte[][] texts = new byte[9][];
    modelGetInput(model, index, numbers, texts);
    return new NativeStructs.ValueInfo(numbers, texts);
  }

  private static native void modelGetInput(long model, int index, long[] numbers, byte[][] texts);

  /** Describes an output. */
  static NativeStructs.ValueInfo modelGetOutput(long model, int index) {
    long[] numbers = new long[37];
    byte[][] texts = new byte[9][];
    modelGetOutput(model, index, numbers, texts);
    return new NativeStructs.ValueInfo(numbers, texts);
  }

  private static native void modelGetOutput(long model, int index, long[] numbers, byte[][] texts);

  /** Finds an input by its name: its place among the inputs. */
  static native int modelFindInput(long model, byte[] name);

  /** Finds an output by its name: its place among the outputs. */
  static native int modelFindOutput(long model, byte[] name);

  /**
   * Describes a model as JSON: facts, inputs, outputs, metadata, how often each operator occurs, weights, and the
   * nodes after all passes.
   */
  static native long modelDescribe(long model);

  /** Makes empty bounds. */
  static native long boundsCreate();

  /** Destroys bounds; what was made with them has copied them. */
  static native void boundsDestroy(long bounds);

  /** Sets the bounds of one input by its name; the input is looked for when the bounds are used. */
  static native void boundsSet(long bounds, byte[] input, long[] dims);

  /** Makes layouts that ask for nothing. */
  static native long layoutsCreate();

  /** Destroys layouts; what was made with them has copied them. */
  static native void layoutsDestroy(long layouts);

  /**
   * Asks for the memory order of one input or output by its name (of both, if an input is an output as it is); the
   * name is looked for when a model is loaded.
   */
  static native void layoutsSet(long layouts, byte[] name, int rule, long[] axes);

  /** Makes layers of which nothing is asked. */
  static native long layersCreate();

  /** Destroys layers; what was made with them has copied them. */
  static native void layersDestroy(long layers);

  /**
   * Sets the math mode of one layer, before the model's own: of a node of the model's file by its name, or of all
   * nodes inside a branch or loop by the branch's or loop's, and of one of them by both ("loop_2/conv_3").
   */
  static native void layersSetMath(long layers, byte[] layer, int mode);

  /** Makes an empty graph. */
  static native long modelBuilderCreate();

  /** Destroys a graph. */
  static native void modelBuilderDestroy(long modelBuilder);

  /** Says which version of a domain's operators the nodes mean, those in bodies too; a second call changes it. */
  static native void modelBuilderSetOpset(long builder, byte[] domain, long version);

  /** Adds an input. */
  static native void modelBuilderAddInput(long builder, byte[] name, int dtype, long[] dims);

  /** Names a dynamic dim of an input: dims of one name are equal in every run, which is checked. */
  static native void modelBuilderSetSymbol(long builder, byte[] input, int axis, byte[] symbol);

  /**
   * Makes a value an output; of which node it comes, or that it is an input or constant, is looked for when the
   * model is made.
   */
  static native void modelBuilderAddOutput(long builder, byte[] name);

  /** Adds a constant, whose elements are read where they lie: row-major and dense, at any address. */
  static native void modelBuilderAddConstant(
      long builder, byte[] name, int dtype, long[] dims, long data, long finalizer, long user);

  /** Adds a node, to which the functions model_builder_node_... */
  static native void modelBuilderAddNode(long builder, byte[] opType, byte[] domain, byte[] name);

  /**
   * Adds an input to the node: the name of a graph's input, of a constant, of an output of a node that is there or
   * comes later, or, in a body, of a value around it.
   */
  static native void modelBuilderAddNodeInput(long builder, byte[] value);

  /** Adds an output to the node. */
  static native void modelBuilderAddNodeOutput(long builder, byte[] value);

  /** Sets an attribute of the node to an integer. */
  static native void modelBuilderSetNodeInteger(long builder, byte[] attribute, long value);

  /** Sets an attribute of the node to a list of integers. */
  static native void modelBuilderSetNodeIntegers(long builder, byte[] attribute, long[] values);

  /** Sets an attribute of the node to a number of binary32. */
  static native void modelBuilderSetNodeReal(long builder, byte[] attribute, float value);

  /** Sets an attribute of the node to a list of numbers of binary32. */
  static native void modelBuilderSetNodeReals(long builder, byte[] attribute, float[] values);

  /** Sets an attribute of the node to a text. */
  static native void modelBuilderSetNodeText(long builder, byte[] attribute, byte[] value);

  /** Adds a text to an attribute that is a list of texts; the first call makes the list. */
  static native void modelBuilderAppendNodeText(long builder, byte[] attribute, byte[] value);

  /** Sets an attribute of the node to a tensor, row-major and dense, whose elements are copied. */
  static native void modelBuilderSetNodeTensor(long builder, byte[] attribute, int dtype, long[] dims, long data);

  /** Sets an attribute of the node to a graph as it is now: a branch of an If, the body of a Loop or Scan. */
  static native void modelBuilderSetNodeBody(long builder, byte[] attribute, long body);

  /**
   * Says what a value between nodes is, for modelBuilderGetRefusal alone, which goes on with it behind a node that
   * is refused.
   */
  static native void modelBuilderAddValueType(long builder, byte[] name, int dtype, long[] dims);

  /** Asks whether a model can have a node, and why not: for programs that pass parts of a graph. */
  static native byte[] modelBuilderGetRefusal(long builder, int node);

  /** Makes a model of the graph: as modelLoadFile does of a file, from the same point on. */
  static long modelBuilderCreateModel(long builder, long engine, NativeStructs.ModelOptions options) {
    return modelBuilderCreateModel(
        builder, engine, options.math, options.reuse, options.inputLayout, options.outputLayout, options.passes,
        options.layouts, options.packedWeights, options.engines, options.layers, options.externalDataFolder,
        options.sequences, options.operators, options.streaming, options.streamingChunk);
  }

  private static native long modelBuilderCreateModel(
      long builder, long engine, int optionsMath, int optionsReuse, int optionsInputLayout, int optionsOutputLayout,
      int optionsPasses, long optionsLayouts, byte[] optionsPackedWeights, long[] optionsEngines, long optionsLayers,
      byte[] optionsExternalDataFolder, byte[] optionsSequences, long optionsOperators, byte[] optionsStreaming,
      long optionsStreamingChunk);

  /**
   * Returns how many bytes of an engine's memory a context with these bounds and options needs for any shape within
   * the bounds.
   */
  static long modelGetBytesNeeded(long model, long bounds, NativeStructs.ContextOptions options, int engine) {
    return modelGetBytesNeeded(
        model, bounds, options.threads, options.profile, options.reuse, options.tuningMs, options.buffer,
        options.bufferBytes, engine);
  }

  private static native long modelGetBytesNeeded(
      long model, long bounds, int optionsThreads, int optionsProfile, int optionsReuse, int optionsTuningMs,
      long optionsBuffer, long optionsBufferBytes, int engine);

  /** Makes a context. */
  static long contextCreate(long model, long bounds, NativeStructs.ContextOptions options) {
    return contextCreate(
        model, bounds, options.threads, options.profile, options.reuse, options.tuningMs, options.buffer,
        options.bufferBytes);
  }

  private static native long contextCreate(
      long model, long bounds, int optionsThreads, int optionsProfile, int optionsReuse, int optionsTuningMs,
      long optionsBuffer, long optionsBufferBytes);

  /** Destroys a context; if it is running, it is closed now and freed when the run ends. */
  static native void contextDestroy(long context);

  /** Runs the model. */
  static void contextRun(long context, long[] inputs, long[] outputs, NativeStructs.RunOptions options) {
    contextRun(
        context, inputs, outputs, options.timeoutMs, options.cancellation, options.interrupted, options.user,
        options.aliases, options.aliasCount, options.partCount, options.parts);
  }

  private static native void contextRun(
      long context, long[] inputs, long[] outputs, int optionsTimeoutMs, long optionsCancellation,
      long optionsInterrupted, long optionsUser, long optionsAliases, int optionsAliasCount, int optionsPartCount,
      long optionsParts);

  /**
   * As contextRun, in a stream of the model's engine: after what was submitted to the stream before, and before what
   * is submitted next.
   */
  static void contextSubmit(
      long context, long stream, long[] inputs, long[] outputs, NativeStructs.RunOptions options) {
    contextSubmit(
        context, stream, inputs, outputs, options.timeoutMs, options.cancellation, options.interrupted, options.user,
        options.aliases, options.aliasCount, options.partCount, options.parts);
  }

  private static native void contextSubmit(
      long context, long stream, long[] inputs, long[] outputs, int optionsTimeoutMs, long optionsCancellation,
      long optionsInterrupted, long optionsUser, long optionsAliases, int optionsAliasCount, int optionsPartCount,
      long optionsParts);

  /** Makes a cancellation that is off. */
  static native long cancellationCreate();

  /** Destroys a cancellation; runs that have it end as they would have. */
  static native void cancellationDestroy(long cancellation);

  /** Turns a cancellation on, which ends the runs that have it in their options and those to come, or off. */
  static native void cancellationSet(long cancellation, int cancelled);

  /** Returns the dims of an output for actual inputs, and checks these. */
  static native void contextGetOutputDims(long context, long[] inputs, int index, long[] numbers);

  /** Returns a context's memory and counters. */
  static NativeStructs.ContextInfo contextQuery(long context) {
    long[] numbers = new long[5];
    contextQuery(context, numbers);
    return new NativeStructs.ContextInfo(numbers);
  }

  private static native void contextQuery(long context, long[] numbers);

  /**
   * Explains as JSON how the model runs at the shapes of these inputs: for each node its operator, kernel, tier,
   * layout, fused post-ops, dims, bytes, scratch, why other kernels were refused, and its time in the last run if
   * the context measures.
   */
  static long contextExplain(long context, long[] inputs, NativeStructs.RunOptions options) {
    return contextExplain(
        context, inputs, options.timeoutMs, options.cancellation, options.interrupted, options.user, options.aliases,
        options.aliasCount, options.partCount, options.parts);
  }

  private static native long contextExplain(
      long context, long[] inputs, int optionsTimeoutMs, long optionsCancellation, long optionsInterrupted,
      long optionsUser, long optionsAliases, int optionsAliasCount, int optionsPartCount, long optionsParts);

  /**
   * Measures the plans of every node at the shapes of these inputs, on the context's memory and threads, and keeps
   * those that are faster with confidence: for all contexts of the model that run these shapes with as many threads,
   * and with options.record in the persistent cache for later processes.
   */
  static long contextTune(long context, long[] inputs, NativeStructs.TuneOptions options) {
    return contextTune(
        context, inputs, options.nodeMs, options.record, options.again, options.progress, options.user,
        options.cancellation);
  }

  private static native long contextTune(
      long context, long[] inputs, int optionsNodeMs, int optionsRecord, int optionsAgain, long optionsProgress,
      long optionsUser, long optionsCancellation);

  /** Returns how many nodes a run goes through. */
  static native int contextGetNodeCount(long context);

  /** Describes a node as it ran last. */
  static NativeStructs.NodeInfo contextGetNode(long context, int index) {
    long[] numbers = new long[3];
    byte[][] texts = new byte[5][];
    contextGetNode(context, index, numbers, texts);
    return new NativeStructs.NodeInfo(numbers, texts);
  }

  private static native void contextGetNode(long context, int index, long[] numbers, byte[][] texts);

  /** Makes a session and its first context. */
  static long sessionCreate(long model, long bounds, NativeStructs.ContextOptions options, int contexts) {
    return sessionCreate(
        model, bounds, options.threads, options.profile, options.reuse, options.tuningMs, options.buffer,
        options.bufferBytes, contexts);
  }

  private static native long sessionCreate(
      long model, long bounds, int optionsThreads, int optionsProfile, int optionsReuse, int optionsTuningMs,
      long optionsBuffer, long optionsBufferBytes, int contexts);

  /** Destroys a session; runs that are active or waiting finish. */
  static native void sessionDestroy(long session);

  /** Runs the model in a context of the session, on this thread or on one of the session's own. */
  static void sessionRun(long session, long[] inputs, long[] outputs, NativeStructs.RunOptions options) {
    sessionRun(
        session, inputs, outputs, options.timeoutMs, options.cancellation, options.interrupted, options.user,
        options.aliases, options.aliasCount, options.partCount, options.parts);
  }

  private static native void sessionRun(
      long session, long[] inputs, long[] outputs, int optionsTimeoutMs, long optionsCancellation,
      long optionsInterrupted, long optionsUser, long optionsAliases, int optionsAliasCount, int optionsPartCount,
      long optionsParts);

  /** Returns the numbers of a session's contexts, of running ones, and of waiting runs. */
  static NativeStructs.SessionInfo sessionQuery(long session) {
    long[] numbers = new long[6];
    sessionQuery(session, numbers);
    return new NativeStructs.SessionInfo(numbers);
  }

  private static native void sessionQuery(long session, long[] numbers);

  /**
   * Returns the model of a session, as a handle of the caller's: names, dtypes and dims of inputs and outputs need
   * no second variable.
   */
  static native long sessionAcquireModel(long session);

  /**
   * Explains how the model runs at the dims of these inputs, as JSON: kernels, layouts, memory, and why other
   * kernels were refused (contextExplain has the details).
   */
  static native long sessionExplain(long session, long[] inputs);

  /** Makes a state without parts. */
  static native long stateCreate(long session, long limit);

  /** Destroys a state and its memory. */
  static native void stateDestroy(long state);

  /** Adds a part: what a step writes to an output is what the next one reads in an input. */
  static native void stateAdd(long state, byte[] input, byte[] output, int axis);

  /** Keeps parts that grow where they lie in pages, from the first step on. */
  static native void stateUsePages(long state, long page, long poolLimit);

  /** Runs the model on the state and on inputs, and keeps what the next step reads. */
  static void stateStep(long state, long[] inputs, long[] outputs, NativeStructs.RunOptions options) {
    stateStep(
        state, inputs, outputs, options.timeoutMs, options.cancellation, options.interrupted, options.user,
        options.aliases, options.aliasCount, options.partCount, options.parts);
  }

  private static native void stateStep(
      long state, long[] inputs, long[] outputs, int optionsTimeoutMs, long optionsCancellation,
      long optionsInterrupted, long optionsUser, long optionsAliases, int optionsAliasCount, int optionsPartCount,
      long optionsParts);

  /** Begins a new sequence, with the memory and the parts that there are. */
  static native void stateReset(long state);

  /** Forgets what parts that grow hold behind their first slices: a sequence goes on from an earlier token. */
  static native void stateTruncate(long state, long length);

  /**
   * Makes another state of the same session that has the same parts, with a copy of what they hold, or with the same
   * pages (stateUsePages): a sequence goes on in two ways.
   */
  static native long stateFork(long state);

  /**
   * Shows what the next step reads of a part: a view into the state's memory, with strides, good until the state is
   * used for anything else.
   */
  static native void stateRead(long state, int part, long[] numbers);

  /** Copies tensors into the parts, in place of what they held: a prefix that was computed before, a recurrent state. */
  static native void stateWrite(long state, long[] values);

  /** Returns a state's sizes and counters. */
  static NativeStructs.StateInfo stateQuery(long state) {
    long[] numbers = new long[14];
    stateQuery(state, numbers);
    return new NativeStructs.StateInfo(numbers);
  }

  private static native void stateQuery(long state, long[] numbers);

  /** Begins a sequence that comes in chunks. */
  static native long streamingCreate(long session);

  /** Ends a sequence, wherever it is, and frees its memory. */
  static native void streamingDestroy(long streaming);

  /** Computes what a chunk makes computable. */
  static void streamingPush(
      long streaming, long[] inputs, int last, long[] outputs, NativeStructs.RunOptions options) {
    streamingPush(
        streaming, inputs, last, outputs, options.timeoutMs, options.cancellation, options.interrupted, options.user,
        options.aliases, options.aliasCount, options.partCount, options.parts);
  }

  private static native void streamingPush(
      long streaming, long[] inputs, int last, long[] outputs, int optionsTimeoutMs, long optionsCancellation,
      long optionsInterrupted, long optionsUser, long optionsAliases, int optionsAliasCount, int optionsPartCount,
      long optionsParts);

  /** Begins a new sequence, with the memory that there is. */
  static native void streamingReset(long streaming);

  /** Returns counters of a sequence, and what is known of any. */
  static NativeStructs.StreamingInfo streamingQuery(long streaming) {
    long[] numbers = new long[5];
    streamingQuery(streaming, numbers);
    return new NativeStructs.StreamingInfo(numbers);
  }

  private static native void streamingQuery(long streaming, long[] numbers);

  /** Returns the axis along which an output comes, chunk by chunk. */
  static native int streamingGetAxis(long streaming, int output);

  /**
   * Returns how many bytes one sequence and the contexts that compute one chunk need at most, whatever comes within
   * options.streaming_chunk and the bounds.
   */
  static native long streamingGetBytesNeeded(long streaming);

  /**
   * From now on runs of the session are joined: those whose inputs agree in all dims but the rows become one batch,
   * and each gets the rows of the result that are its own, with the same bits as alone.
   */
  static void sessionStartBatching(long session, NativeStructs.BatchingOptions options) {
    sessionStartBatching(session, options.rows, options.waitUs, options.waiting);
  }

  private static native void sessionStartBatching(
      long session, int optionsRows, long optionsWaitUs, int optionsWaiting);

  /** From now on runs of the session are not joined. */
  static native void sessionStopBatching(long session, int cancel);

  /** Describes what the batching of a session did. */
  static NativeStructs.BatchingInfo sessionQueryBatching(long session) {
    long[] numbers = new long[14];
    sessionQueryBatching(session, numbers);
    return new NativeStructs.BatchingInfo(numbers);
  }

  private static native void sessionQueryBatching(long session, long[] numbers);

  /** Commands the background worker to pause, to go on, or to end. */
  static native void workerControl(int action);

  /** Waits until everything that was requested before is done. */
  static native void workerDrain(long timeoutMs);

  /** Returns the background worker's counters. */
  static NativeStructs.WorkerInfo workerQuery() {
    long[] numbers = new long[10];
    workerQuery(numbers);
    return new NativeStructs.WorkerInfo(numbers);
  }

  private static native void workerQuery(long[] numbers);

  /** Sets how many bytes the process's primitive cache may hold; what is too much is dropped at once. */
  static native void primitiveCacheSetLimit(long bytes);

  /** Drops all that the primitive cache holds. */
  static native void primitiveCacheClear();

  /** Returns the primitive cache's limit and contents. */
  static NativeStructs.PrimitiveCacheInfo primitiveCacheQuery() {
    long[] numbers = new long[4];
    primitiveCacheQuery(numbers);
    return new NativeStructs.PrimitiveCacheInfo(numbers);
  }

  private static native void primitiveCacheQuery(long[] numbers);

  /** Returns how a primitive was created and how long that took. */
  static NativeStructs.PrimitiveCreation primitiveQueryCreation(long primitive) {
    long[] numbers = new long[2];
    primitiveQueryCreation(primitive, numbers);
    return new NativeStructs.PrimitiveCreation(numbers);
  }

  private static native void primitiveQueryCreation(long primitive, long[] numbers);

  /** Returns the counters of this process's persistent cache. */
  static NativeStructs.PersistentCacheInfo persistentCacheQuery() {
    long[] numbers = new long[13];
    persistentCacheQuery(numbers);
    return new NativeStructs.PersistentCacheInfo(numbers);
  }

  private static native void persistentCacheQuery(long[] numbers);

  /** Returns the path of the user's file, which need not exist. */
  static native long persistentCacheGetPath();

  /**
   * Describes the persistent cache as JSON: enabled (or off_because), path, system_path, file_bytes, limit_bytes,
   * the counters of persistentCacheQuery, last_failure, and the records of both files: kind, key, bytes, origin (who
   * made it), created and used (seconds since 1970; used counts in hours), system (in the read-only file), good (its
   * checksum is right).
   */
  static native long persistentCacheDescribe();

  /**
   * Checks every record of both files and the structure of the files, and returns the result as JSON: ok, records,
   * damaged (records with a wrong checksum), structure and system_structure ("ok", "no file", or what is wrong).
   */
  static native long persistentCacheVerify();

  /** Writes the sound records of the user's file into a new file, replacing what is at `path`. */
  static native long persistentCacheExport(byte[] path);

  /**
   * Adds the records of an exported file (or of a copied cache) to the user's file and uses them; those of the same
   * key are replaced, damaged ones are left out and counted.
   */
  static native void persistentCacheImport(byte[] path, long[] numbers);

  /** Removes records from the user's file and from memory. */
  static native long persistentCacheClear(int kind);

  /** Returns how many counters there are. */
  static native int counterGetCount();

  /** Returns a counter of this process, from the time when the library was loaded. */
  static NativeStructs.Counter counterGet(int index) {
    long[] numbers = new long[2];
    byte[][] texts = new byte[2][];
    counterGet(index, numbers, texts);
    return new NativeStructs.Counter(numbers, texts);
  }

  private static native void counterGet(int index, long[] numbers, byte[][] texts);

  /**
   * Sets which verbose lines are written (docs/verbose.md): 0 none, 1 one per execution of a primitive or node, 2
   * also one per creation.
   */
  static native void verboseSet(int level);

  /** Reads an execute line. */
  static native long callParse(byte[] line);

  /** Destroys a call. */
  static native void callDestroy(long call);

  /** Describes a call. */
  static NativeStructs.CallInfo callQuery(long call) {
    long[] numbers = new long[4];
    byte[][] texts = new byte[5][];
    callQuery(call, numbers, texts);
    return new NativeStructs.CallInfo(numbers, texts);
  }

  private static native void callQuery(long call, long[] numbers, byte[][] texts);

  /** Describes a tensor of a call. */
  static NativeStructs.CallTensor callGetTensor(long call, int index) {
    long[] numbers = new long[23];
    callGetTensor(call, index, numbers);
    return new NativeStructs.CallTensor(numbers);
  }

  private static native void callGetTensor(long call, int index, long[] numbers);

  /**
   * Makes the primitive of a call: its operator, the descriptors it had (dynamic dims with their promises), post-
   * ops, math mode and reuse policy.
   */
  static native long callCreatePrimitive(long call, long engine, byte[] kernel, long[] weights);
}
