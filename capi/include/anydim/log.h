/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Log lines, and who gets them. */
#ifndef ANYDIM_LOG_H
#define ANYDIM_LOG_H

#include "anydim/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Levels of log lines; a level includes those before it. */
typedef int32_t anydim_log_level_t;
enum {
  ANYDIM_LOG_NONE = 0, /* Nothing. */
  ANYDIM_LOG_ERROR = 1, /* Defects. */
  ANYDIM_LOG_WARNING = 2, /* What is probably a mistake, such as a second destroy. The default. */
  ANYDIM_LOG_INFO = 3, /* Loads, growth events. */
  ANYDIM_LOG_DEBUG = 4 /* Every call that failed. */
};

/*
 * Gets a log line.
 * Thread rule: Any thread, several at once. It must not call Anydim.
 * - user: The environment that was given with it.
 * - level: How serious it is.
 * - text: The line; it lives during the call only.
 */
typedef void (*anydim_log_callback_t)(void* user, anydim_log_level_t level, const char* text);

/*
 * Sets which log lines are made and who gets them. The first level comes from the variable ANYDIM_LOG (none, error,
 * warning, info, debug; warning if it is not set).
 * Errors: invalid_argument for a level that is none; then the finalizer is not called.
 * Example:
 *     anydim_log_set(ANYDIM_LOG_INFO, print_line, stderr, NULL);
 * - level: The level.
 * - callback (may be null): Gets each line; null writes to stderr.
 * - user (may be null): Handed to the callback.
 * - finalizer (may be null): Called when another call of this function replaced the callback and no line is being
 *   written any more; or null.
 *
 * Stable since 0.1; slot 4; fails with invalid_argument.
 */
ANYDIM_API anydim_status_t anydim_log_set(anydim_log_level_t level, anydim_log_callback_t callback, void* user,
    anydim_finalizer_callback_t finalizer) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_LOG_H */
