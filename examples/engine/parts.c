/* SPDX-License-Identifier: Apache-2.0
 * An engine from outside that has no kernels and takes parts of a model as a whole: chains of additions and multiplications that end in a
 * softmax along the last axis. Each is handed to one foreign function, softmax_of_row(), which stands for the library or compiler that you have.
 *   cc -O2 -ffp-contract=off -fPIC -shared $(pkg-config --cflags anydim) parts.c -lm -o libchains.so
 *   anydim engine-check ./libchains.so
 *   anydim run model.onnx --load-engine ./libchains.so --engine chains
 * Its memory is the host's and its streams work at once: engine.c shows a device with memory and a queue of its own. */
#include <anydim/anydim.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 8 };

/* x = x + other or x * other, for each element of a row. */
typedef struct {
  int function; /* ANYDIM_BINARY_ADD or _MUL */
  int input;    /* of the part, that `other` is; -1: it is a constant */
  anydim_dims_t dims;
  float* elements; /* of a constant, dense */
} step;

/* A part as it was compiled. */
typedef struct {
  int steps, x; /* x: the input that the chain begins with */
  step step[MOST_STEPS];
} chain;

/* -- the foreign function ----------------------------------------------------------------------------------------------------------------- */

/* exp as docs/numerics.md and core/kernels/eltwise/functions.inl.h have it, so that results have the bits of the processor. */
static float exponential(float x) {
  if (x < -0x1.5d589ep+6f) return 0.f;
  if (x > 89.f) x = 89.f;
  const float rounded = fmaf(x, 0x1.715476p+0f, 0x1.8p23f), n = rounded - 0x1.8p23f;
  const float f = fmaf(n, 0x1.05c610p-29f, fmaf(n, -0x1.62e430p-1f, x));
  float p = 0x1.6a495ep-10f;
  p = fmaf(p, f, 0x1.1239a0p-7f);
  p = fmaf(p, f, 0x1.5558b4p-5f);
  p = fmaf(p, f, 0x1.555492p-3f);
  p = fmaf(p, f, 0x1.fffffcp-2f);
  p = fmaf(p, f, 1.f);
  p = fmaf(p, f, 1.f);
  return x != x ? x : ldexpf(p, (int)n);
}

/* In place. The sum is that of docs/numerics.md, section 2: blocks of 4,096, in each 32 lanes that are added as a tree. */
static void softmax_of_row(float* row, int64_t count) {
  float most = -INFINITY, sum = 0.f;
  for (int64_t i = 0; i < count; ++i) most = most != most || row[i] != row[i] ? most + row[i] : row[i] > most ? row[i] : most;
  for (int64_t i = 0; i < count; ++i) row[i] = exponential(row[i] - most);
  for (int64_t begin = 0; begin < count; begin += 4096) {
    float lanes[32] = {0.f};
    for (int64_t i = begin; i < count && i < begin + 4096; ++i) lanes[i % 32] += row[i];
    for (int half = 16; half >= 1; half /= 2)
      for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    sum = begin == 0 ? lanes[0] : sum + lanes[0];
  }
  const float scale = 1.f / sum;
  for (int64_t i = 0; i < count; ++i) row[i] *= scale;
}

/* -- claiming ----------------------------------------------------------------------------------------------------------------------------- */

static const anydim_view_t* value(const anydim_engine_graph_t* g, int v) { return (const anydim_view_t*)g->values + v; }
static const anydim_engine_node_t* node(const anydim_engine_graph_t* g, int64_t n) { return (const anydim_engine_node_t*)g->nodes + n; }
static int input(const anydim_engine_node_t* n, int i) { return ((const int32_t*)n->inputs)[i]; }
static int output(const anydim_engine_node_t* n) { return ((const int32_t*)n->outputs)[0]; }
static int same_dims(const anydim_view_t* a, const anydim_view_t* b) {
  return a->dims.rank == b->dims.rank && memcmp(a->dims.values, b->dims.values, sizeof(int64_t) * (size_t)a->dims.rank) == 0;
}
/* Each dim of `other` is 1 or that of `whole`, from the last on. */
static int stretches_to(const anydim_view_t* other, const anydim_view_t* whole) {
  const int behind = whole->dims.rank - other->dims.rank;
  for (int i = 0; i < other->dims.rank; ++i)
    if (behind < 0 || (other->dims.values[i] != 1 && other->dims.values[i] != whole->dims.values[behind + i])) return 0;
  return behind >= 0;
}

/* The operand of a step that the chain goes on with: 0, 1, or -1 if the node is no step. */
static int chain_operand(const anydim_engine_graph_t* g, const anydim_engine_node_t* n) {
  const anydim_op_t* op = n->op;
  if (op == NULL || op->kind != ANYDIM_OP_BINARY || !n->offered) return -1;
  const int function = ((const anydim_binary_t*)n->op)->function;
  if (function != ANYDIM_BINARY_ADD && function != ANYDIM_BINARY_MUL) return -1;
  const anydim_view_t* y = value(g, output(n));
  if (y->dtype != ANYDIM_F32) return -1;
  for (int i = 0; i < 2; ++i) {
    const int is_constant = ((const int32_t*)g->constants)[input(n, i)];
    if (!is_constant && same_dims(value(g, input(n, i)), y) && stretches_to(value(g, input(n, 1 - i)), y)) return i;
  }
  return -1;
}

static int64_t maker(const anydim_engine_graph_t* g, int v) {
  for (int64_t n = 0; n < g->node_count; ++n)
    for (int i = 0; i < node(g, n)->output_count; ++i)
      if (((const int32_t*)node(g, n)->outputs)[i] == v) return n;
  return -1;
}
static int readers(const anydim_engine_graph_t* g, int v) {
  int count = 0;
  for (int64_t n = 0; n < g->node_count; ++n)
    for (int i = 0; i < node(g, n)->input_count; ++i) count += input(node(g, n), i) == v;
  for (int64_t i = 0; i < g->output_count; ++i) count += ((const int32_t*)g->outputs)[i] == v;
  return count;
}

static int32_t claim(void* user, void* engine, const anydim_engine_graph_t* g, void* parts, int64_t count) {
  (void)user, (void)engine;
  int part = 0;
  for (int64_t end = 0; end < count; ++end) {
    const anydim_engine_node_t* n = node(g, end);
    const anydim_op_t* op = n->op;
    if (op == NULL || op->kind != ANYDIM_OP_SOFTMAX || !n->offered) continue;
    const anydim_softmax_t* softmax = n->op;
    const anydim_view_t* x = value(g, input(n, 0));
    if (x->dtype != ANYDIM_F32 || x->dims.rank == 0 || softmax->log || (softmax->axis != -1 && softmax->axis != x->dims.rank - 1)) continue;
    ((int32_t*)parts)[end] = ++part;
    int v = input(n, 0);
    for (int steps = 0; steps < MOST_STEPS && readers(g, v) == 1; ++steps) {
      const int64_t before = maker(g, v);
      const int from = before < 0 ? -1 : chain_operand(g, node(g, before));
      if (from < 0) break;
      ((int32_t*)parts)[before] = part;
      v = input(node(g, before), from);
    }
  }
  return ANYDIM_STATUS_OK;
}

/* -- compiling and running ---------------------------------------------------------------------------------------------------------------- */

static void part_release(void* user, void* part) {
  (void)user;
  chain* const c = part;
  for (int i = 0; i < c->steps; ++i) free(c->step[i].elements);
  free(c);
}

static int input_of(const anydim_engine_graph_t* g, int v) {
  for (int64_t i = 0; i < g->input_count; ++i)
    if (((const int32_t*)g->inputs)[i] == v) return (int)i;
  return -1;
}

/* The nodes of a part are a chain: each but the last makes what the next one reads. */
static void* part_compile(void* user, void* engine, const anydim_engine_graph_t* g) {
  (void)user, (void)engine;
  chain* const c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  int v = g->node_count > 1 ? -1 : input(node(g, 0), 0);
  for (int64_t i = 0; i + 1 < g->node_count; ++i) {
    const anydim_engine_node_t* n = node(g, i);
    const int from = i == 0 ? chain_operand(g, n) : input(n, 1) == output(node(g, i - 1));
    if (i == 0) v = input(n, from);
    const anydim_view_t* other = value(g, input(n, 1 - from));
    step* const s = &c->step[c->steps++];
    s->function = ((const anydim_binary_t*)n->op)->function;
    s->input = input_of(g, input(n, 1 - from));
    s->dims = other->dims;
    if (s->input >= 0) continue;
    int64_t count = 1;
    for (int a = 0; a < other->dims.rank; ++a) count *= other->dims.values[a];
    s->elements = malloc((size_t)(count + 1) * sizeof(float));
    if (s->elements == NULL) return part_release(user, c), NULL;
    memcpy(s->elements, other->data, (size_t)count * sizeof(float));
  }
  c->x = input_of(g, v);
  return c;
}

static const float* elements(const anydim_view_t* v) { return (const float*)((const char*)v->data + v->offset); }

/* Where a row of a tensor that is stretched to `whole` begins, and the step from element to element of it. */
static const float* row_of(const float* data, const anydim_dims_t* dims, const int64_t* strides, const anydim_dims_t* whole,
                           const int64_t* index, int64_t* stride) {
  const int behind = whole->rank - dims->rank;
  for (int i = 0; i + 1 < dims->rank; ++i)
    if (dims->values[i] != 1) data += index[behind + i] * strides[i];
  *stride = dims->rank > 0 && dims->values[dims->rank - 1] != 1 ? strides[dims->rank - 1] : 0;
  return data;
}

static int32_t part_launch(void* user, void* stream, void* part, const anydim_engine_call_t* call) {
  (void)user, (void)stream;
  const chain* const c = part;
  const anydim_view_t *in = call->inputs, *y = call->outputs, *x = &in[c->x];
  const anydim_dims_t* const whole = &y->dims;
  const int last = whole->rank - 1;
  const int64_t length = whole->values[last];
  int64_t rows = 1, index[ANYDIM_MAX_RANK] = {0};
  for (int i = 0; i < last; ++i) rows *= whole->values[i];
  float* const row = malloc((size_t)(length + 1) * sizeof(float));
  if (row == NULL) return ANYDIM_STATUS_OUT_OF_MEMORY;
  for (int64_t r = 0; length > 0 && r < rows; ++r) {
    int64_t stride;
    const float* from = row_of(elements(x), &x->dims, x->strides.values, whole, index, &stride);
    for (int64_t i = 0; i < length; ++i) row[i] = from[i * stride];
    for (const step* s = c->step; s < c->step + c->steps; ++s) {
      int64_t dense[ANYDIM_MAX_RANK], count = 1;
      const anydim_dims_t* const dims = s->input < 0 ? &s->dims : &in[s->input].dims;
      for (int i = dims->rank - 1; i >= 0; --i) dense[i] = count, count *= dims->values[i];
      from = row_of(s->input < 0 ? s->elements : elements(&in[s->input]), dims, s->input < 0 ? dense : in[s->input].strides.values, whole,
                    index, &stride);
      for (int64_t i = 0; i < length; ++i)
        row[i] = s->function == ANYDIM_BINARY_ADD ? row[i] + from[i * stride] : row[i] * from[i * stride];
    }
    softmax_of_row(row, length);
    int64_t to = 0;
    for (int i = 0; i < last; ++i) to += index[i] * y->strides.values[i];
    float* const result = (float*)((char*)y->data + y->offset) + to;
    for (int64_t i = 0; i < length; ++i) result[i * y->strides.values[last]] = row[i];
    for (int i = last - 1; i >= 0 && ++index[i] == whole->values[i]; --i) index[i] = 0;
  }
  free(row);
  return ANYDIM_STATUS_OK;
}

/* -- the definition ----------------------------------------------------------------------------------------------------------------------- */

static int device;
static void* create(void* user) { return (void)user, &device; }
static void* stream_create(void* user, void* engine) { return (void)user, (void)engine, &device; }
static void nothing(void* user, void* object) { (void)user, (void)object; }
static int32_t stream_wait(void* user, void* stream) { return (void)user, (void)stream, ANYDIM_STATUS_OK; }
static void* allocate(void* user, void* engine, int64_t bytes) {
  (void)user, (void)engine;
  return bytes <= (int64_t)1 << 40 ? aligned_alloc(64, ((size_t)bytes + 63) / 64 * 64) : NULL;
}
static void free_memory(void* user, void* memory) { (void)user, free(memory); }
static int32_t copy(void* user, void* stream, void* to, int64_t to_offset, void* from, int64_t from_offset, int64_t bytes) {
  (void)user, (void)stream;
  memmove((char*)to + to_offset, (char*)from + from_offset, (size_t)bytes);
  return ANYDIM_STATUS_OK;
}

const anydim_engine_definition_t* anydim_engine_plugin(void) {
  static anydim_engine_definition_t d = ANYDIM_ENGINE_DEFINITION_INIT;
  d.name = "chains";
  d.device = "the host, through a function of examples/engine";
  d.driver = "chains 1.0";
  d.create = create;
  d.destroy = nothing;
  d.allocate = allocate;
  d.free = free_memory;
  d.stream_create = stream_create;
  d.stream_destroy = nothing;
  d.stream_wait = stream_wait;
  d.upload = copy;
  d.download = copy;
  d.copy = copy;
  d.claim = claim;
  d.part_compile = part_compile;
  d.part_release = part_release;
  d.part_launch = part_launch;
  return &d;
}
