/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Operators that a program brings itself, for nodes of models that it loads. */
#ifndef ANYDIM_CUSTOM_H
#define ANYDIM_CUSTOM_H

#include "anydim/base.h"
#include "anydim/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Operators of the program's own, by domain and name. They go into anydim_model_options_t. One user at a time. */
typedef struct anydim_custom_operators_s* anydim_custom_operators_t;

/* What an attribute of a node is, and what its data points to. */
typedef int32_t anydim_custom_attribute_type_t;
enum {
  ANYDIM_CUSTOM_ATTRIBUTE_INTEGERS = 1, /* One int64_t or a list of them, as many as count. */
  ANYDIM_CUSTOM_ATTRIBUTE_REALS = 2, /* One float or a list of them. */
  ANYDIM_CUSTOM_ATTRIBUTE_TEXTS = 3, /* One anydim_string_t or a list of them. */
  ANYDIM_CUSTOM_ATTRIBUTE_TENSOR = 4 /* One tensor as a view, dense and row-major. */
};

/* A node of a model whose operator is the program's. It stays as it is as long as the model. */
typedef struct anydim_custom_node_t {
  anydim_string_t name; /* Its name in the model. */
  anydim_string_t domain; /* The domain of its operator. */
  anydim_string_t op_type; /* The operator's name. */
  int64_t version; /* Version of the domain that the model imports. */
  int64_t attributes; /* Number of its attributes (anydim_custom_node_get_attribute). */
  void* facts; /* The library's own. */
} anydim_custom_node_t;

/*
 * The rule of shapes of an operator: writes dtype and dims of each output. It returns a status, 0 for success;
 * anydim_custom_operator_fail says why it is another. It is called when a model is loaded, with a negative number
 * for each dim that is not known then: the same number stands for the same dim, and an output that has this dim has
 * the number, too. -1 as a dim of an output says that only a run finds it. Then the rule is called in each run, too,
 * with all dims and all data, and answers with numbers; and with bounds once when a context is made, with the
 * largest inputs, whose answer no run may exceed. Data of an input is null where it is not known. Inputs are dense
 * and row-major; one that is absent has dtype 0.
 * Thread rule: Any thread, several at once: the one that loads the model, makes a context, or runs.
 * - user: The environment that was given with it.
 * - node: The node.
 * - inputs: Its inputs.
 * - input_count: Their number.
 * - outputs: Its outputs: dtype and dims are written.
 * - output_count: Their number.
 */
typedef int32_t (*anydim_custom_shapes_callback_t)(void* user, const anydim_custom_node_t* node, const anydim_view_t* inputs, int64_t input_count, anydim_view_t* outputs, int64_t output_count);

/*
 * The kernel of an operator: writes the elements of all outputs, whose memory is there, dense and row-major as that
 * of the inputs. It returns a status, 0 for success; anydim_custom_operator_fail says why it is another, and the run
 * fails with it. It may use the library, but not the context or session that runs it.
 * Thread rule: Any thread, several at once: the one that runs the model, a thread of the library's for runs that
 * were submitted.
 * - user: The environment that was given with it.
 * - node: The node.
 * - inputs: Its inputs.
 * - input_count: Their number.
 * - outputs: Its outputs: data is where the elements are written.
 * - output_count: Their number.
 */
typedef int32_t (*anydim_custom_compute_callback_t)(void* user, const anydim_custom_node_t* node, const anydim_view_t* inputs, int64_t input_count, anydim_view_t* outputs, int64_t output_count);

/* An attribute of a node. */
typedef struct anydim_custom_attribute_t {
  anydim_string_t name; /* Its name. */
  anydim_custom_attribute_type_t type; /* What it is. */
  int32_t is_list; /* 1 if the model has a list, which may have one entry. */
  int64_t count; /* Number of entries. */
  void* data; /* The entries, to be read; as the type says. */
} anydim_custom_attribute_t;

/*
 * An operator of the program's. One operator serves all nodes of its domain and name, and all models that are loaded
 * with it. The finalizer is called once, when neither models nor anydim_custom_operators_t use it any more; not if
 * anydim_custom_operators_add fails.
 */
typedef struct anydim_custom_operator_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t reserved; /* Zero. */
  anydim_custom_shapes_callback_t shapes; /* Its rule of shapes. */
  anydim_custom_compute_callback_t compute; /* Its kernel. */
  void* user; /* Passed to the callbacks. */
  anydim_finalizer_callback_t finalizer; /* Called when neither is called any more; or null. */
} anydim_custom_operator_t;
#define ANYDIM_CUSTOM_OPERATOR_INIT {sizeof(anydim_custom_operator_t), 0, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL, ANYDIM_NULL}

/*
 * Makes a set of operators of the program's, without any.
 * - operators (out, the caller destroys it): The set.
 *
 * Experimental; slot 306.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_custom_operators_create(anydim_custom_operators_t* operators)
    ANYDIM_NOTHROW;

/*
 * Destroys a set; models that were loaded with it keep its operators.
 * - custom_operators: The handle, or null.
 *
 * Experimental; slot 307.
 */
ANYDIM_API void anydim_custom_operators_destroy(anydim_custom_operators_t custom_operators) ANYDIM_NOTHROW;

/*
 * Adds an operator. Models that are loaded with the set have their nodes of this domain and name computed by it,
 * before a function of the model's or an operator of the library's; on the CPU, as they are: nothing is fused with
 * them. Errors: invalid_argument for a callback that is missing, for an operator that the set has already, and for
 * If, Loop, Scan and SequenceMap of ONNX.
 * Example:
 *     anydim_custom_operator_t twice = ANYDIM_CUSTOM_OPERATOR_INIT;
 *     twice.shapes = twice_shapes;
 *     twice.compute = twice_compute;
 *     anydim_custom_operators_t operators;
 *     anydim_custom_operators_create(&operators);
 *     anydim_custom_operators_add(operators, "my.domain", "Twice", &twice);
 *     anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
 *     options.operators = operators;
 *     anydim_model_load_file(engine, "model.onnx", &options, &model);
 *     anydim_custom_operators_destroy(operators);
 * - operators: The set.
 * - domain: The operator's domain, as the model has it; empty for ONNX's own.
 * - op_type: The operator's name.
 * - definition: The operator.
 *
 * Experimental; slot 308; fails with invalid_argument, busy.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_custom_operators_add(anydim_custom_operators_t operators, const
    char* domain, const char* op_type, const anydim_custom_operator_t* definition) ANYDIM_NOTHROW;

/*
 * For a callback of an operator: says why it fails. The text stands behind the node's name in the message of the
 * call that fails, and holds for the failure that this thread's callback returns next.
 * Example:
 *     anydim_custom_operator_fail("the factor is 0");
 * - message: The reason; it is copied.
 *
 * Experimental; slot 309.
 */
ANYDIM_API void anydim_custom_operator_fail(const char* message) ANYDIM_NOTHROW;

/*
 * Returns an attribute of a node. Errors: not_found past the last.
 * - node: The node.
 * - index: Which, from 0.
 * - attribute (out): The attribute.
 *
 * Experimental; slot 310; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_custom_node_get_attribute(const anydim_custom_node_t* node, int64_t
    index, anydim_custom_attribute_t* attribute) ANYDIM_NOTHROW;

/*
 * Finds an attribute of a node by its name. Errors: not_found for one that the model does not set: use the
 * operator's default.
 * Example:
 *     float factor = 2.f;
 *     anydim_custom_attribute_t found;
 *     if (anydim_custom_node_find_attribute(node, "factor", &found) == ANYDIM_STATUS_OK) factor = *(const float*)found.data;
 *     printf("times %f\n", factor);
 * - node: The node.
 * - name: Its name.
 * - attribute (out): The attribute.
 *
 * Experimental; slot 311; fails with invalid_argument, not_found.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_custom_node_find_attribute(const anydim_custom_node_t* node, const
    char* name, anydim_custom_attribute_t* attribute) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_CUSTOM_H */
