/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* The library itself - version, statuses, the last error, strings and texts. */
#ifndef ANYDIM_BASE_H
#define ANYDIM_BASE_H

#include <stdint.h>

#define ANYDIM_VERSION_MAJOR 0
#define ANYDIM_VERSION_MINOR 1
#define ANYDIM_VERSION_PATCH 0
/* 1 if this header is of that version or of a newer one: #if ANYDIM_VERSION_AT_LEAST(0, 2, 0). */
#define ANYDIM_VERSION_AT_LEAST(x, y, z) \
  (ANYDIM_VERSION_MAJOR > (x) || (ANYDIM_VERSION_MAJOR == (x) && (ANYDIM_VERSION_MINOR > (y) || \
  (ANYDIM_VERSION_MINOR == (y) && ANYDIM_VERSION_PATCH >= (z)))))

#if defined(__GNUC__)
#define ANYDIM_API __attribute__((visibility("default")))
#else
#define ANYDIM_API
#endif
/* Before a function that another one replaces. A program that defines ANYDIM_NO_DEPRECATION gets no warnings. */
#if defined(__GNUC__) && !defined(ANYDIM_NO_DEPRECATION)
#define ANYDIM_DEPRECATED __attribute__((deprecated))
#else
#define ANYDIM_DEPRECATED
#endif
/*
 * Before a function whose status must be looked at: compilers warn of a call that drops it. A program that defines
 * ANYDIM_NO_MUST_USE gets no warnings. A cast to void says that a status is dropped on purpose; GCC takes it from C++17 and C23 on.
 */
#if defined(ANYDIM_NO_MUST_USE)
#define ANYDIM_MUST_USE
#elif (defined(__cplusplus) && __cplusplus >= 201703L) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define ANYDIM_MUST_USE [[nodiscard]]
#elif defined(__GNUC__)
#define ANYDIM_MUST_USE __attribute__((warn_unused_result))
#else
#define ANYDIM_MUST_USE
#endif
/* The null pointer of the _INIT values, in C and in C++. */
#if defined(__cplusplus) && __cplusplus >= 201103L
#define ANYDIM_NULL nullptr
#else
#define ANYDIM_NULL 0
#endif
#if defined(__cplusplus) && __cplusplus >= 201103L
#define ANYDIM_NOTHROW noexcept
#elif defined(__cplusplus)
#define ANYDIM_NOTHROW throw()
#else
#define ANYDIM_NOTHROW
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A text made for the caller (an explanation). Read it with anydim_text_get_data, free it with anydim_text_destroy.
 * Many threads may use it at once.
 */
typedef const struct anydim_text_s* anydim_text_t;

/* What a call returns. Zero is success. */
typedef int32_t anydim_status_t;
enum {
  ANYDIM_STATUS_OK = 0, /* Success. */
  ANYDIM_STATUS_INVALID_ARGUMENT = 1, /* An argument is wrong by itself. */
  ANYDIM_STATUS_INVALID_HANDLE = 2, /* A null, stale, destroyed, foreign or wrong kind of handle. */
  ANYDIM_STATUS_UNIMPLEMENTED = 3, /* Meaningful, but not supported by this build. */
  ANYDIM_STATUS_OUT_OF_MEMORY = 4, /* Memory could not be allocated. */
  ANYDIM_STATUS_BUSY = 5, /* Another thread is using a one-user object. */
  ANYDIM_STATUS_CLOSED = 6, /* The object was destroyed while in use. */
  ANYDIM_STATUS_NOT_FOUND = 7, /* A name that does not exist (kernel, input, output). */
  ANYDIM_STATUS_IO_ERROR = 8, /* Reading or writing failed. */
  ANYDIM_STATUS_INVALID_MODEL = 9, /* A model that is damaged or breaks its format's rules. */
  ANYDIM_STATUS_OUT_OF_BOUNDS = 10, /* A dim outside what its descriptor or bounds promise. */
  ANYDIM_STATUS_INVALID_DATA = 11, /* Values found wrong while running; outputs may be partly written. */
  ANYDIM_STATUS_INTERNAL = 12, /* A defect of the library. */
  /*
   * In a forked child: another thread of the parent was using the object when it forked, or the object is of a
   * device.
   */
  ANYDIM_STATUS_FORKED = 13,
  /* The run was ended from outside: by a cancellation, or by what anydim_run_options_t.interrupted said. */
  ANYDIM_STATUS_CANCELLED = 14,
  /*
   * The engine's device is gone, with all that lay in its memory. Nothing more can be done with what was made from
   * it.
   */
  ANYDIM_STATUS_DEVICE_LOST = 15,
  /*
   * What was waited for did not come within the time that the caller allowed: a context, a batch, the background
   * worker.
   */
  ANYDIM_STATUS_TIMED_OUT = 16,
  ANYDIM_STATUS_QUEUE_FULL = 17, /* As many requests wait for a batch as may wait. */
  ANYDIM_STATUS_FILE_NOT_FOUND = 18 /* A file or folder that does not exist. */
};

/*
 * Says that callbacks that came with an environment are never called again: what the environment holds may go.
 * Thread rule: Any thread: the one that destroyed the last object that used them. It must not call Anydim.
 * - user: The environment that was given with it.
 */
typedef void (*anydim_finalizer_callback_t)(void* user);

/* UTF-8 text that an object owns. It lives as long as the object that it was asked from. */
typedef struct anydim_string_t {
  const char* data; /* The bytes; a zero follows them. */
  int64_t length; /* Their number, without the zero. */
} anydim_string_t;

/* What a call failed with. Its strings are good until the next call of the thread that fails. */
typedef struct anydim_error_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_status_t status; /* The status that it returned; ok if no call of the thread has failed. */
  anydim_string_t message; /* The text of anydim_last_error. */
  anydim_string_t function; /* The function, such as anydim_context_run. */
  /*
   * The argument as the function's text calls it, with the field or index that is meant: options.threads, inputs[1].
   * Empty where the failure is of none.
   */
  anydim_string_t argument;
  anydim_string_t node; /* Name of the model's node at which it happened; empty where it was at none. */
} anydim_error_info_t;
#define ANYDIM_ERROR_INFO_INIT {sizeof(anydim_error_info_t), 0, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}}

/* What this build of the library is and has. */
typedef struct anydim_build_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t major; /* The first number of its version. */
  int32_t minor; /* The next part of it. */
  int32_t patch; /* The last part of it. */
  int32_t persistent_cache; /* 1 if it can keep tuned plans in a file, 0 if it was built without. */
  int32_t opencl; /* 1 if it has the OpenCL engine; whether there is a device, only its creation shows. */
  anydim_string_t architecture; /* The processors that it was built for, such as x86-64. */
  /* The instruction sets that it has kernels for, separated by blanks; anydim_engine_query returns the one in use. */
  anydim_string_t kernel_isas;
} anydim_build_info_t;
#define ANYDIM_BUILD_INFO_INIT {sizeof(anydim_build_info_t), 0, 0, 0, 0, 0, {ANYDIM_NULL, 0}, {ANYDIM_NULL, 0}}

/*
 * The library's version as text, such as "0.1.0". Never fails.
 *
 * Stable since 0.1; slot 1.
 */
ANYDIM_API const char* anydim_version(void) ANYDIM_NOTHROW;

/*
 * Describes this build of the library, which may have less or more than the header that a program was compiled with.
 * Its strings live as long as the process.
 * Example:
 *     anydim_build_info_t build = ANYDIM_BUILD_INFO_INIT;
 *     anydim_build_query(&build);
 *     printf("%d.%d for %s\n", (int)build.major, (int)build.minor, build.architecture.data);
 * - info (out): Filled in; set its size before.
 *
 * Stable since 0.1; slot 230; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_build_query(anydim_build_info_t* info) ANYDIM_NOTHROW;

/*
 * A status as text, such as "invalid argument"; "unknown" for a number that is none. Never fails.
 * - status: The status.
 *
 * Stable since 0.1; slot 2.
 */
ANYDIM_API const char* anydim_status_name(anydim_status_t status) ANYDIM_NOTHROW;

/*
 * The message of the last call of this thread that failed, or "" if none has. It names the function, the argument,
 * the value found and what was expected. Valid until the next call of this thread that fails. Never fails.
 *
 * Stable since 0.1; slot 3.
 */
ANYDIM_API const char* anydim_last_error(void) ANYDIM_NOTHROW;

/*
 * Returns the last failure of this thread, part by part. It leaves the last error as it is.
 * Example:
 *     anydim_error_info_t failure = ANYDIM_ERROR_INFO_INIT;
 *     anydim_last_error_query(&failure);
 *     printf("%s is wrong: %s\n", failure.argument.data, failure.message.data);
 * - info (out): Filled in; set its size before.
 *
 * Stable since 0.1; slot 5; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_last_error_query(anydim_error_info_t* info) ANYDIM_NOTHROW;

/*
 * Returns the bytes of a text.
 * Example:
 *     anydim_string_t json;
 *     anydim_model_describe(model, &text);
 *     anydim_text_get_data(text, &json);
 *     printf("%s\n", json.data);
 *     anydim_text_destroy(text);
 * - text: The text.
 * - string (out): The bytes.
 *
 * Stable since 0.1; slot 297.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_text_get_data(anydim_text_t text, anydim_string_t* string)
    ANYDIM_NOTHROW;

/*
 * Destroys a text.
 * - text: The handle, or null.
 *
 * Stable since 0.1; slot 65.
 */
ANYDIM_API void anydim_text_destroy(anydim_text_t text) ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_BASE_H */
