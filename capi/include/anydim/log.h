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

/* Which log lines are made, and who gets them. */
typedef struct anydim_log_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_log_level_t level; /* The level. */
  anydim_log_callback_t callback; /* Gets each line; null: they go to stderr. */
  void* user; /* What the callback is called with. */
} anydim_log_info_t;
#define ANYDIM_LOG_INFO_INIT {sizeof(anydim_log_info_t), 0, ANYDIM_NULL, ANYDIM_NULL}

/*
 * Sets which log lines are made. Who gets them stays. The first level comes from the variable ANYDIM_LOG (none,
 * error, warning, info, debug; warning if it is not set). Errors: invalid_argument for a level that is none. Thread
 * rule: any thread.
 * Example:
 *     anydim_log_set_level(ANYDIM_LOG_INFO);
 * - level: The level.
 *
 * Experimental; slot 302; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_log_set_level(anydim_log_level_t level) ANYDIM_NOTHROW;

/*
 * Sets who gets log lines. Their level stays. Thread rule: any thread; lines of other threads may still go to the
 * sink before.
 * Example:
 *     anydim_log_set_sink(print_line, stderr, NULL);
 * - callback (may be null): Gets each line; null writes to stderr.
 * - user (may be null): Passed to the callback.
 * - finalizer (may be null): Called when another sink replaced this one and no line is being written any more; or
 *   null.
 *
 * Experimental; slot 303.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_log_set_sink(anydim_log_callback_t callback, void* user,
    anydim_finalizer_callback_t finalizer) ANYDIM_NOTHROW;

/*
 * Returns the level and the sink of log lines. A sink with a finalizer may be replaced, and finalized, by another
 * thread at any time.
 * Example:
 *     anydim_log_info_t before = ANYDIM_LOG_INFO_INIT;
 *     anydim_log_query(&before);
 *     if (before.level < ANYDIM_LOG_INFO) anydim_log_set_level(ANYDIM_LOG_INFO);
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 304; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_log_query(anydim_log_info_t* info) ANYDIM_NOTHROW;

/*
 * Sets which log lines are made and who gets them: anydim_log_set_level and anydim_log_set_sink in one.
 * Errors: invalid_argument for a level that is none; then the finalizer is not called.
 * Example:
 *     anydim_log_set(ANYDIM_LOG_INFO, print_line, stderr, NULL);
 * - level: The level.
 * - callback (may be null): Gets each line; null writes to stderr.
 * - user (may be null): Passed to the callback.
 * - finalizer (may be null): Called when another call of this function replaced the callback and no line is being
 *   written any more; or null.
 *
 * Stable since 0.1; slot 4; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_log_set(anydim_log_level_t level, anydim_log_callback_t callback,
    void* user, anydim_finalizer_callback_t finalizer) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_LOG_H */
