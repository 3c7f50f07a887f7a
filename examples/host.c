/* SPDX-License-Identifier: Apache-2.0
 * A program that has a thread pool and an allocator of its own, and a place for log lines: Anydim uses them instead of its own.
 *   cc host.c $(pkg-config --cflags --libs anydim) -lpthread -o host && ./host */
#define _POSIX_C_SOURCE 200112L
#include <anydim/anydim.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                    \
  do {                                                                 \
    if ((call) != ANYDIM_STATUS_OK) {                                  \
      fprintf(stderr, "line %d: %s\n", __LINE__, anydim_last_error()); \
      exit(1);                                                         \
    }                                                                  \
  } while (0)

/* The loop. Real programs hand the parts to a pool that they have already; here each has a thread. Part 0 runs on this one, and a
 * part without a thread is left out: Anydim does it. */
struct part {
  anydim_part_callback_t call;
  void* context;
  int64_t index;
};
static void* run_part(void* argument) {
  const struct part* part = argument;
  part->call(part->context, part->index);
  return NULL;
}
static int32_t parallel_for(void* user, int64_t parts, anydim_part_callback_t call, void* context) {
  enum { MOST = 8 };
  struct part part[MOST];
  pthread_t thread[MOST];
  int64_t count = 0;
  for (int64_t i = 1; i < parts && i < MOST; ++i) {
    part[count] = (struct part){call, context, i};
    if (pthread_create(&thread[count], NULL, run_part, &part[count]) != 0) break;
    ++count;
  }
  call(context, 0);
  for (int64_t i = 0; i < count; ++i) pthread_join(thread[i], NULL);
  ++*(int*)user; /* loops come one at a time here: one stream, one thread */
  return 0;
}

/* The allocator: it counts. Several threads may call. */
struct memory {
  pthread_mutex_t mutex;
  int64_t bytes, most;
};
static void* allocate(void* user, int64_t bytes, int64_t alignment) {
  struct memory* memory = user;
  void* p = NULL;
  if (posix_memalign(&p, (size_t)alignment, (size_t)bytes) != 0) return NULL;
  pthread_mutex_lock(&memory->mutex);
  memory->bytes += bytes;
  if (memory->bytes > memory->most) memory->most = memory->bytes;
  pthread_mutex_unlock(&memory->mutex);
  return p;
}
static void release(void* user, void* p, int64_t bytes) {
  struct memory* memory = user;
  pthread_mutex_lock(&memory->mutex);
  memory->bytes -= bytes;
  pthread_mutex_unlock(&memory->mutex);
  free(p);
}

/* Log lines, and what is called when no more come. */
static void print_line(void* user, anydim_log_level_t level, const char* text) { fprintf(user, "[anydim %d] %s\n", (int)level, text); }
static void log_ends(void* user) { fprintf(user, "[log ends]\n"); }
static void memory_ends(void* user) {
  const struct memory* memory = user;
  printf("the engine has gone: %d bytes are left\n", (int)memory->bytes);
}

int main(void) {
  struct memory memory = {PTHREAD_MUTEX_INITIALIZER, 0, 0};
  int loops = 0;
  CHECK(anydim_log_set(ANYDIM_LOG_INFO, print_line, stdout, log_ends));

  anydim_engine_options_t options = ANYDIM_ENGINE_OPTIONS_INIT;
  options.threads = 4;
  options.parallel_for = parallel_for;
  options.parallel_user = &loops;
  options.allocate = allocate;
  options.release = release;
  options.memory_user = &memory;
  options.memory_finalizer = memory_ends;
  anydim_engine_t engine;
  anydim_stream_t stream;
  CHECK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &options, &engine));
  CHECK(anydim_stream_create(engine, NULL, &stream));

  /* A product whose number of rows comes with the call. */
  const anydim_dim_t a_dims[2] = {anydim_dim_dynamic(1, 4096), anydim_dim_fixed(512)};
  const anydim_dim_t b_dims[2] = {anydim_dim_fixed(512), anydim_dim_fixed(512)};
  anydim_desc_t desc[2];
  CHECK(anydim_desc_create(ANYDIM_F32, 2, a_dims, ANYDIM_LAYOUT_ROW_MAJOR, &desc[0]));
  CHECK(anydim_desc_create(ANYDIM_F32, 2, b_dims, ANYDIM_LAYOUT_ROW_MAJOR, &desc[1]));
  const anydim_matmul_t op = ANYDIM_MATMUL_INIT;
  anydim_primitive_t product;
  CHECK(anydim_primitive_create(engine, &op.op, NULL, desc, 2, NULL, &product));

  /* Its operands lie in one memory of the engine: 700 rows of a, then b. */
  const int64_t a_bytes = 700 * 512 * sizeof(float), b_bytes = 512 * 512 * sizeof(float);
  anydim_memory_t operands;
  void* data;
  CHECK(anydim_memory_allocate(engine, a_bytes + b_bytes, &operands));
  CHECK(anydim_memory_map(operands, 0, a_bytes + b_bytes, &data));
  for (int64_t i = 0; i < (a_bytes + b_bytes) / 4; ++i) ((float*)data)[i] = (float)(i % 5 - 2);
  CHECK(anydim_memory_unmap(operands, 0, a_bytes + b_bytes));
  for (int64_t rows = 100; rows <= 700; rows += 300) {
    anydim_view_t in[2] = {{.dtype = ANYDIM_F32, .dims = {2, 0, {0, 512}}}, {.dtype = ANYDIM_F32, .dims = {2, 0, {512, 512}}}};
    anydim_view_t out = {.dtype = ANYDIM_F32};
    in[0].dims.values[0] = rows;
    in[0].memory = in[1].memory = operands;
    in[1].offset = a_bytes;
    CHECK(anydim_primitive_execute(product, stream, in, 2, &out, 1));
    printf("%d rows, the last number is %.0f\n", (int)out.dims.values[0], ((const float*)out.data)[rows * 512 - 1]);
    anydim_result_release(out.data);
  }
  anydim_memory_destroy(operands);
  anydim_primitive_destroy(product);
  anydim_desc_destroy(desc[1]);
  anydim_desc_destroy(desc[0]);
  anydim_stream_destroy(stream);
  anydim_engine_destroy(engine);
  printf("%s in the program's own loop, at most %s 1 MB of its memory\n", loops > 0 ? "ran" : "did not run",
         memory.most > 1000000 ? "more than" : "less than");
  CHECK(anydim_log_set(ANYDIM_LOG_WARNING, NULL, NULL, NULL));
  return 0;
}
