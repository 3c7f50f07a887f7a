/* SPDX-License-Identifier: Apache-2.0
 * The engine of examples/engine with a launch that crashes, never returns, or writes another bit, as BAD says: what
 * `anydim engine-check` makes of it (tests/CMakeLists.txt). */
#define anydim_engine_plugin sound_engine
#include "examples/engine/engine.c"
#undef anydim_engine_plugin

#include <unistd.h>

enum { CRASHES, HANGS, WRONG };

static int32_t bad_launch(void* user, void* stream, void* executable, const anydim_engine_call_t* call) {
  static const float wrong = 0.125f;
  if (BAD == CRASHES) *(volatile int*)NULL = 1;
  while (BAD == HANGS) pause();
  const int32_t status = launch(user, stream, executable, call);
  const anydim_view_t* y = call->outputs;
  return status != ANYDIM_STATUS_OK ? status : upload(user, stream, y->data, y->offset, (void*)&wrong, 0, sizeof wrong);
}

const anydim_engine_definition_t* anydim_engine_plugin(void);
const anydim_engine_definition_t* anydim_engine_plugin(void) {
  static anydim_engine_definition_t d;
  d = *sound_engine();
  d.launch = bad_launch;
  return &d;
}
