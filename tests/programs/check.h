/* SPDX-License-Identifier: Apache-2.0
 * CHECK(call) of the C programs that tests and bench run: a call that fails ends the program with 2 and says why. Programs that
 * users read (examples/) have their own. */
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

#endif
