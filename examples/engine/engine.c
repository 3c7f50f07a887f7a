/* SPDX-License-Identifier: Apache-2.0
 * An engine from outside in plain C: convolutions and matmuls of f32 over memory and in a queue of its own. It links nothing of Anydim.
 *   cc -O2 -ffp-contract=off -fPIC -shared -pthread $(pkg-config --cflags anydim) engine.c -lm -o libtally.so
 *   anydim engine-check ./libtally.so
 *   anydim run model.onnx --load-engine ./libtally.so --engine tally
 * Its device is pretended: memory is a number that the host cannot read (a slot of a table), and a thread does the work of all queues
 * later, one after the other. Its sums are those that docs/numerics.md prescribes, so that results have the bits of the processor. */
#include <anydim/anydim.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 128, SLOTS = 1 << 16 };

/* -- the device's memory: handles are numbers of slots ----------------------------------------------------------------------------------- */

static struct {
  pthread_mutex_t lock;
  char* bytes[SLOTS];
  size_t next;
} memories = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local const char* last_error_text;

static void* allocate(void* user, void* engine, int64_t bytes) {
  (void)user, (void)engine;
  char* const data = malloc((size_t)bytes);
  size_t slot = 0;
  pthread_mutex_lock(&memories.lock);
  for (size_t i = 0; data != NULL && slot == 0 && i < SLOTS; ++i) {
    memories.next = (memories.next + 1) % SLOTS;
    if (memories.next != 0 && memories.bytes[memories.next] == NULL) slot = memories.next;
  }
  if (slot != 0) memories.bytes[slot] = data;
  pthread_mutex_unlock(&memories.lock);
  if (slot == 0) {
    free(data);
    last_error_text = data == NULL ? "the device's memory is full" : "the device has no slot left";
  }
  return (void*)slot;
}

static void free_memory(void* user, void* memory) {
  (void)user;
  pthread_mutex_lock(&memories.lock);
  free(memories.bytes[(size_t)memory]);
  memories.bytes[(size_t)memory] = NULL;
  pthread_mutex_unlock(&memories.lock);
}

static char* at(const void* memory, int64_t offset) {
  pthread_mutex_lock(&memories.lock);
  char* const data = memories.bytes[(size_t)memory] + offset;
  pthread_mutex_unlock(&memories.lock);
  return data;
}

/* -- kernels ------------------------------------------------------------------------------------------------------------------------------ */

enum { CONVOLUTION, MATMUL };
static const anydim_engine_kernel_t kernels[] = {{"tally.convolution", ANYDIM_OP_CONVOLUTION, 0}, {"tally.matmul", ANYDIM_OP_MATMUL, 0}};

/* An execution, copied: the call ends before the device begins. */
typedef struct {
  int kernel;
  anydim_convolution_t convolution;
  anydim_matmul_t matmul;
  anydim_view_t in[3], out;
} execution;

static const float* element(const anydim_view_t* v) { return (const float*)at(v->data, v->offset); }
static int is_there(const anydim_view_t* v) { return v->dtype != 0; }

/* A sum of products as docs/numerics.md, section 1, says: blocks of 128 of k, each a chain of fma from +0, then added in order. */
typedef struct {
  float total, block;
  int64_t open; /* the block that products go to; -1: there was none yet */
  int first;
} sum;
static void add_product(sum* s, int64_t k, float a, float w) {
  if (k / BLOCK != s->open) {
    if (s->open >= 0) s->total = s->first ? s->block : s->total + s->block, s->first = 0;
    s->open = k / BLOCK;
    s->block = 0.f;
  }
  s->block = fmaf(a, w, s->block);
}
static float finished(const sum* s) { return s->open < 0 ? 0.f : s->first ? s->block : s->total + s->block; }

static void convolution(const execution* e) {
  const anydim_convolution_t* c = &e->convolution;
  const anydim_view_t *x = &e->in[0], *w = &e->in[1], *y = &e->out;
  const float *src = element(x), *weights = element(w), *bias = is_there(&e->in[2]) ? element(&e->in[2]) : NULL;
  float* const dst = (float*)at(y->data, y->offset);
  const int64_t *xs = x->strides.values, *ws = w->strides.values, *ys = y->strides.values, *n = y->dims.values;
  const int64_t channels = w->dims.values[1], outputs = n[1] / c->group, kh = w->dims.values[2], kw = w->dims.values[3];
  for (int64_t b = 0; b < n[0]; ++b)
    for (int64_t m = 0; m < n[1]; ++m)
      for (int64_t i = 0; i < n[2]; ++i)
        for (int64_t j = 0; j < n[3]; ++j) {
          sum s = {0.f, 0.f, -1, 1};
          for (int64_t p = 0; p < kh * kw; ++p) {
            const int64_t row = i * c->strides[0] - c->pads_begin[0] + p / kw * c->dilations[0];
            const int64_t column = j * c->strides[1] - c->pads_begin[1] + p % kw * c->dilations[1];
            if (row < 0 || row >= x->dims.values[2] || column < 0 || column >= x->dims.values[3]) continue; /* skipped, not 0 times w */
            const float* from = src + b * xs[0] + m / outputs * channels * xs[1] + row * xs[2] + column * xs[3];
            const float* with = weights + m * ws[0] + p / kw * ws[2] + p % kw * ws[3];
            for (int64_t k = 0; k < channels; ++k) add_product(&s, p * channels + k, from[k * xs[1]], with[k * ws[1]]);
          }
          float total = finished(&s);
          if (bias != NULL) total += bias[m * e->in[2].strides.values[0]];
          dst[b * ys[0] + m * ys[1] + i * ys[2] + j * ys[3]] = total;
        }
}

/* Elements from the first to that of a batch: axes of a that y broadcasts have dim 1. */
static int64_t of_batch(const anydim_view_t* a, int own, const anydim_view_t* y, int batch, const int64_t* index) {
  int64_t offset = 0;
  (void)y;
  for (int i = 0; i < own; ++i)
    if (a->dims.values[i] != 1) offset += index[batch - own + i] * a->strides.values[i];
  return offset;
}

static void matmul(const execution* e) {
  const anydim_matmul_t* op = &e->matmul;
  const anydim_view_t *a = &e->in[0], *b = &e->in[1], *c = &e->in[2], *y = &e->out;
  const int ra = a->dims.rank, rb = b->dims.rank, rank = y->dims.rank, batch = rank - 2;
  const int a_row = op->transpose_a ? ra - 1 : ra - 2, a_k = op->transpose_a ? ra - 2 : ra - 1;
  const int b_k = op->transpose_b ? rb - 1 : rb - 2, b_column = op->transpose_b ? rb - 2 : rb - 1;
  const int64_t steps = a->dims.values[a_k];
  int64_t count = 1, index[8] = {0};
  for (int i = 0; i < rank; ++i) count *= y->dims.values[i];
  for (int64_t done = 0; done < count; ++done) {
    const float* left = element(a) + of_batch(a, ra - 2, y, batch, index) + index[batch] * a->strides.values[a_row];
    const float* right = element(b) + of_batch(b, rb - 2, y, batch, index) + index[batch + 1] * b->strides.values[b_column];
    sum s = {0.f, 0.f, -1, 1};
    for (int64_t k = 0; k < steps; ++k) add_product(&s, k, left[k * a->strides.values[a_k]], right[k * b->strides.values[b_k]]);
    float total = finished(&s);
    if (op->alpha != 1.f) total = op->alpha * total;
    if (is_there(c)) {
      float with = element(c)[of_batch(c, c->dims.rank, y, rank, index)];
      if (op->beta != 1.f) with = op->beta * with;
      total += with;
    }
    int64_t to = 0;
    for (int i = 0; i < rank; ++i) to += index[i] * y->strides.values[i];
    ((float*)at(y->data, y->offset))[to] = total;
    for (int i = rank - 1; i >= 0 && ++index[i] == y->dims.values[i]; --i) index[i] = 0;
  }
}

/* Asked when primitives are made and models are split over engines; dims that are not known yet are -1. */
static void* supports(void* user, const anydim_engine_call_t* p) {
  (void)user;
  const anydim_view_t* in = p->inputs;
  for (int i = 0; i < p->input_count; ++i)
    if (is_there(&in[i]) && in[i].dtype != ANYDIM_F32) return "its tensors are of f32";
  if (p->kernel == MATMUL) return in[0].dims.rank < 2 || in[1].dims.rank < 2 ? "vectors are not its matrices" : NULL;
  const anydim_convolution_t* c = p->op;
  if (c->spatial != 2) return "it has two spatial dims";
  return c->auto_pad != ANYDIM_AUTO_PAD_EXPLICIT ? "its padding is in numbers" : NULL;
}

/* -- queues ------------------------------------------------------------------------------------------------------------------------------- */

typedef enum { COPY, EXECUTE, MARK, WAIT_FOR } command_kind;
typedef struct event {
  pthread_mutex_t lock;
  pthread_cond_t passed;
  int done, users; /* of the program and of queues */
} event;
typedef struct command {
  struct command* next;
  command_kind kind;
  void *to, *from;
  int64_t to_offset, from_offset, bytes;
  int to_host, from_host;
  execution run;
  event* mark;
} command;
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  pthread_t thread;
  command *first, **last;
  int64_t queued, done;
  int ends;
} queue;

static void leave(event* e) {
  pthread_mutex_lock(&e->lock);
  const int left = --e->users;
  pthread_mutex_unlock(&e->lock);
  if (left == 0) free(e);
}

static void perform(command* c) {
  if (c->kind == COPY)
    memmove(c->to_host ? (char*)c->to : at(c->to, c->to_offset), c->from_host ? (char*)c->from : at(c->from, c->from_offset),
            (size_t)c->bytes);
  else if (c->kind == EXECUTE) (c->run.kernel == MATMUL ? matmul : convolution)(&c->run);
  if (c->mark == NULL) return;
  pthread_mutex_lock(&c->mark->lock);
  if (c->kind == MARK) c->mark->done = 1, pthread_cond_broadcast(&c->mark->passed);
  while (!c->mark->done) pthread_cond_wait(&c->mark->passed, &c->mark->lock);
  pthread_mutex_unlock(&c->mark->lock);
  leave(c->mark);
}

static void* work(void* argument) {
  queue* const q = argument;
  pthread_mutex_lock(&q->lock);
  for (;;) {
    while (q->first == NULL && !q->ends) pthread_cond_wait(&q->changed, &q->lock);
    command* const c = q->first;
    if (c == NULL) break;
    q->first = c->next;
    if (q->first == NULL) q->last = &q->first;
    pthread_mutex_unlock(&q->lock);
    perform(c);
    free(c);
    pthread_mutex_lock(&q->lock);
    ++q->done;
    pthread_cond_broadcast(&q->changed);
  }
  pthread_mutex_unlock(&q->lock);
  return NULL;
}

static void* stream_create(void* user, void* engine) {
  (void)user, (void)engine;
  queue* const q = calloc(1, sizeof *q);
  if (q == NULL) return NULL;
  pthread_mutex_init(&q->lock, NULL);
  pthread_cond_init(&q->changed, NULL);
  q->last = &q->first;
  if (pthread_create(&q->thread, NULL, work, q) == 0) return q;
  last_error_text = "the device starts no queue";
  free(q);
  return NULL;
}

static void stream_destroy(void* user, void* stream) {
  (void)user;
  queue* const q = stream;
  pthread_mutex_lock(&q->lock);
  q->ends = 1;
  pthread_cond_broadcast(&q->changed);
  pthread_mutex_unlock(&q->lock);
  pthread_join(q->thread, NULL);
  free(q);
}

static int32_t give(void* stream, const command* from) {
  queue* const q = stream;
  command* const c = malloc(sizeof *c);
  if (c == NULL) return last_error_text = "the queue is full", ANYDIM_STATUS_OUT_OF_MEMORY;
  *c = *from;
  c->next = NULL;
  pthread_mutex_lock(&q->lock);
  *q->last = c;
  q->last = &c->next;
  ++q->queued;
  pthread_cond_broadcast(&q->changed);
  pthread_mutex_unlock(&q->lock);
  return ANYDIM_STATUS_OK;
}

static int32_t stream_wait(void* user, void* stream) {
  (void)user;
  queue* const q = stream;
  pthread_mutex_lock(&q->lock);
  const int64_t until = q->queued;
  while (q->done < until) pthread_cond_wait(&q->changed, &q->lock);
  pthread_mutex_unlock(&q->lock);
  return ANYDIM_STATUS_OK; /* nothing here fails late */
}

static int32_t upload(void* user, void* stream, void* to, int64_t to_offset, void* from, int64_t from_offset, int64_t bytes) {
  (void)user;
  return give(
      stream,
      &(command){.kind = COPY, .to = to, .to_offset = to_offset, .from = (char*)from + from_offset, .from_host = 1, .bytes = bytes});
}
static int32_t download(void* user, void* stream, void* to, int64_t to_offset, void* from, int64_t from_offset, int64_t bytes) {
  (void)user;
  return give(
      stream,
      &(command){.kind = COPY, .to = (char*)to + to_offset, .to_host = 1, .from = from, .from_offset = from_offset, .bytes = bytes});
}
static int32_t copy(void* user, void* stream, void* to, int64_t to_offset, void* from, int64_t from_offset, int64_t bytes) {
  (void)user;
  return give(stream, &(command){.kind = COPY, .to = to, .to_offset = to_offset, .from = from, .from_offset = from_offset, .bytes = bytes});
}

static int32_t launch(void* user, void* stream, void* executable, const anydim_engine_call_t* call) {
  (void)user, (void)executable;
  command c = {.kind = EXECUTE};
  c.run.kernel = call->kernel;
  if (call->kernel == MATMUL) c.run.matmul = *(const anydim_matmul_t*)call->op;
  else c.run.convolution = *(const anydim_convolution_t*)call->op;
  memcpy(c.run.in, call->inputs, (size_t)call->input_count * sizeof(anydim_view_t));
  memcpy(&c.run.out, call->outputs, sizeof(anydim_view_t));
  return give(stream, &c);
}

/* -- events ------------------------------------------------------------------------------------------------------------------------------- */

static void* event_record(void* user, void* stream) {
  (void)user;
  event* const e = calloc(1, sizeof *e);
  if (e == NULL) return NULL;
  pthread_mutex_init(&e->lock, NULL);
  pthread_cond_init(&e->passed, NULL);
  e->users = 2;
  if (give(stream, &(command){.kind = MARK, .mark = e}) == ANYDIM_STATUS_OK) return e;
  free(e);
  return NULL;
}
static int32_t event_wait(void* user, void* object) {
  (void)user;
  event* const e = object;
  pthread_mutex_lock(&e->lock);
  while (!e->done) pthread_cond_wait(&e->passed, &e->lock);
  pthread_mutex_unlock(&e->lock);
  return ANYDIM_STATUS_OK;
}
static int32_t event_order(void* user, void* stream, void* object) {
  (void)user;
  event* const e = object;
  pthread_mutex_lock(&e->lock);
  ++e->users;
  pthread_mutex_unlock(&e->lock);
  const int32_t status = give(stream, &(command){.kind = WAIT_FOR, .mark = e});
  if (status != ANYDIM_STATUS_OK) leave(e);
  return status;
}
static void event_destroy(void* user, void* object) {
  (void)user;
  leave(object);
}

/* -- the definition ----------------------------------------------------------------------------------------------------------------------- */

static void* create(void* user) {
  static int device;
  (void)user;
  return &device;
}
static void destroy(void* user, void* engine) { (void)user, (void)engine; }
static void* last_error(void* user) {
  (void)user;
  return (void*)last_error_text;
}

const anydim_engine_definition_t* anydim_engine_plugin(void) {
  static anydim_engine_definition_t d = ANYDIM_ENGINE_DEFINITION_INIT;
  d.name = "tally";
  d.device = "pretended device of examples/engine";
  d.driver = "tally 1.0";
  d.kernels = (void*)kernels;
  d.kernel_count = sizeof kernels / sizeof *kernels;
  d.base_alignment = 64;
  d.largest_allocation = (int64_t)1 << 32;
  d.create = create;
  d.destroy = destroy;
  d.allocate = allocate;
  d.free = free_memory;
  d.supports = supports;
  d.stream_create = stream_create;
  d.stream_destroy = stream_destroy;
  d.stream_wait = stream_wait;
  d.upload = upload;
  d.download = download;
  d.copy = copy;
  d.launch = launch;
  d.event_record = event_record;
  d.event_wait = event_wait;
  d.event_order = event_order;
  d.event_destroy = event_destroy;
  d.last_error = last_error;
  return &d;
}
