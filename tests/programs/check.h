/* SPDX-License-Identifier: Apache-2.0
 * What the C programs that tests and bench run share: CHECK(call) ends the program with 2 and says why if the call fails, and
 * the view of dense f32 data. Programs that users read (examples/) have their own. */
#ifndef ANYDIM_TESTS_CHECK_H
#define ANYDIM_TESTS_CHECK_H

#include <anydim/anydim.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                     \
  do {                                                                                  \
    anydim_status_t status_ = (call);                                                   \
    if (status_ != ANYDIM_STATUS_OK) {                                                  \
      fprintf(stderr, "%s: status %d: %s\n", #call, (int)status_, anydim_last_error()); \
      exit(2);                                                                          \
    }                                                                                   \
  } while (0)

/* Row-major. */
static inline anydim_view_t f32_view(int rank, const int64_t* dims, float* data) {
  anydim_view_t view = {.data = data, .dtype = ANYDIM_F32, .dims = {.rank = rank}};
  for (int i = 0; i < rank; ++i) view.dims.values[i] = dims[i];
  return view;
}

#endif
