/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* The primitive cache, within the process, and the persistent cache, between processes. */
#ifndef ANYDIM_CACHES_H
#define ANYDIM_CACHES_H

#include "anydim/base.h"
#include "anydim/primitive.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of records in the persistent cache. */
typedef int32_t anydim_record_kind_t;
enum {
  ANYDIM_RECORD_ALL = 0, /* Every kind. */
  ANYDIM_RECORD_PLAN = 1, /* Tuned plans. */
  ANYDIM_RECORD_BINARY = 2 /* Compiled device programs. */
};

/* How a primitive was come by. */
typedef int32_t anydim_primitive_cache_hit_t;
enum {
  ANYDIM_PRIMITIVE_CACHE_NONE = 0, /* No cache was asked: it is off, or the primitive is a model's. */
  ANYDIM_PRIMITIVE_CACHE_MISS = 1, /* Created by the call. */
  ANYDIM_PRIMITIVE_CACHE_HIT = 2, /* Core and descriptors were in the cache. */
  ANYDIM_PRIMITIVE_CACHE_WAITED = 3, /* Another thread was creating the same and was waited for. */
  ANYDIM_PRIMITIVE_CACHE_CHURN = 4 /* Made over the one core of an operator whose shapes keep changing. */
};

/* The primitive cache. */
typedef struct anydim_primitive_cache_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t churn_misses; /* Misses of one operator that differ in dims only after which its dims count as dynamic. */
  int64_t limit_bytes; /* Most bytes it holds; 0 is off. */
  int64_t bytes; /* Bytes it holds, keys included. */
  int64_t entries; /* Entries it holds. */
} anydim_primitive_cache_info_t;
#define ANYDIM_PRIMITIVE_CACHE_INFO_INIT {sizeof(anydim_primitive_cache_info_t), 0, 0, 0, 0}

/* How a primitive came to be. */
typedef struct anydim_primitive_creation_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  anydim_primitive_cache_hit_t hit; /* What the primitive cache did. */
  int64_t time_ns; /* Time that its creation took, the checks of handles aside. */
} anydim_primitive_creation_t;
#define ANYDIM_PRIMITIVE_CREATION_INIT {sizeof(anydim_primitive_creation_t), 0, 0}

/* The persistent cache as this process uses it. Numbers count from its start. */
typedef struct anydim_persistent_cache_info_t {
  uint32_t size; /* sizeof this struct: from the _INIT value. */
  int32_t enabled; /* 1, or 0 where it is off (anydim_persistent_cache_describe says why). */
  int64_t limit_bytes; /* Most bytes of the user's file. */
  int64_t entries; /* Records in memory. */
  int64_t index_bytes; /* About what they take there. */
  int64_t hits; /* Look-ups that found one. */
  int64_t misses; /* Look-ups that did not. */
  int64_t stores; /* Records written to the file. */
  int64_t store_failures; /* Writes that failed (full or read-only disk, locked file); they harmed nothing. */
  int64_t evicted; /* Records that went because the file was at its limit. */
  int64_t damaged_records; /* Records whose checksum was wrong; they were not used. */
  int64_t damaged_files; /* Damaged files that were put aside, as *.damaged, and replaced. */
  int64_t load_failures; /* Files whose index could not be read. */
  int64_t load_ns; /* What reading the index took. */
} anydim_persistent_cache_info_t;
#define ANYDIM_PERSISTENT_CACHE_INFO_INIT {sizeof(anydim_persistent_cache_info_t), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

/*
 * Sets how many bytes the process's primitive cache may hold; what is too much is dropped at once. 0 turns it off.
 * The first limit comes from the variable ANYDIM_PRIMITIVE_CACHE_BYTES (4 MiB if it is not set). The cache holds
 * what was found out about operators and descriptors, never weights. Errors: invalid_argument for a negative number.
 * Example:
 *     anydim_primitive_cache_set_limit(16 << 20);
 * - bytes: Most bytes.
 *
 * Experimental; slot 122; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_cache_set_limit(int64_t bytes) ANYDIM_NOTHROW;

/*
 * Drops all that the primitive cache holds. Primitives that exist go on as they are.
 *
 * Experimental; slot 123.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_cache_clear(void) ANYDIM_NOTHROW;

/*
 * Returns the primitive cache's limit and contents. Hits and misses are among the counters.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 124; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_cache_query(anydim_primitive_cache_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Returns how a primitive was created and how long that took.
 * - primitive: The primitive.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 130; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_primitive_query_creation(anydim_primitive_t primitive,
    anydim_primitive_creation_t* info) ANYDIM_NOTHROW;

/*
 * Returns the counters of this process's persistent cache. It keeps tuned plans and compiled device programs in a
 * file between processes; losing it costs time and nothing else. Where it is and how it is turned off:
 * docs/persistent-cache.md. Touches no file, but for reading the index if no engine was made yet. Thread-safe, as
 * all functions of the persistent cache are.
 * - info (out): Filled in; set its size before.
 *
 * Experimental; slot 100; fails with invalid_argument.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_persistent_cache_query(anydim_persistent_cache_info_t* info)
    ANYDIM_NOTHROW;

/*
 * Returns the path of the user's file, which need not exist. The variable ANYDIM_CACHE_DIR names its folder, else it
 * is $XDG_CACHE_HOME/anydim, else ~/.cache/anydim. Deleting it is always safe. Errors: unimplemented where the cache
 * is off.
 * - text (out, the caller destroys it): The path.
 *
 * Experimental; slot 101; fails with unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_persistent_cache_get_path(anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Describes the persistent cache as JSON: enabled (or off_because), path, system_path, file_bytes, limit_bytes, the
 * counters of anydim_persistent_cache_query, last_failure, and the records of both files: kind, key, bytes, origin
 * (who made it), created and used (seconds since 1970; used counts in hours), system (in the read-only file), good
 * (its checksum is right). Reads the files, waiting at most seconds for another process. Where the cache is off the
 * list is empty. Errors: busy for a file that stays locked, invalid_data for a damaged one, unimplemented for
 * another program's, io_error.
 * Example:
 *     anydim_persistent_cache_describe(&text);
 *     anydim_string_t json;
 *     anydim_text_get_data(text, &json);
 *     puts(json.data);
 *     anydim_text_destroy(text);
 * - text (out, the caller destroys it): The description.
 *
 * Experimental; slot 102; may block; fails with busy, invalid_data, unimplemented, io_error.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_persistent_cache_describe(anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Checks every record of both files and the structure of the files, and returns the result as JSON: ok, records,
 * damaged (records with a wrong checksum), structure and system_structure ("ok", "no file", or what is wrong). A
 * damaged file is a result, not an error; nothing is changed. What is damaged is never used, and goes with the next
 * write.
 * Errors: unimplemented where the cache is off, busy for a file that stays locked.
 * - text (out, the caller destroys it): The result.
 *
 * Experimental; slot 103; may block; fails with unimplemented, busy.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_persistent_cache_verify(anydim_text_t* text) ANYDIM_NOTHROW;

/*
 * Writes the sound records of the user's file into a new file, replacing what is at `path`. Other machines read it
 * with anydim_persistent_cache_import; as cache-1.sqlite in /usr/share/anydim/cache (or ANYDIM_CACHE_SYSTEM_DIR) it
 * serves every user.
 * Example:
 *     anydim_persistent_cache_export("tuned.sqlite", &records);
 * Errors: not_found if there is nothing to export, invalid_argument if `path` is the cache itself or no file (a
 * folder, a device, a pipe), busy, invalid_data, io_error, unimplemented where the cache is off.
 * - path: Path of the file to write.
 * - records (out): How many records it has.
 *
 * Experimental; slot 104; may block; fails with invalid_argument, not_found, busy, invalid_data, io_error,
 * unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_persistent_cache_export(const char* path, int64_t* records)
    ANYDIM_NOTHROW;

/*
 * Adds the records of an exported file (or of a copied cache) to the user's file and uses them; those of the same
 * key are replaced, damaged ones are left out and counted. Errors: file_not_found if there is no such file,
 * not_found if it is empty, invalid_argument if it is the cache itself, invalid_data if it is damaged as a whole,
 * busy, io_error, unimplemented for a file of another kind and where the cache is off.
 * Example:
 *     int64_t damaged;
 *     anydim_persistent_cache_import("tuned.sqlite", &records, &damaged);
 * - path: Path of the file to read.
 * - records (out): How many records were added.
 * - damaged (out): How many were left out.
 *
 * Experimental; slot 105; may block; fails with invalid_argument, not_found, file_not_found, busy, invalid_data,
 * io_error, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_persistent_cache_import(const char* path, int64_t* records, int64_t*
    damaged) ANYDIM_NOTHROW;

/*
 * Removes records from the user's file and from memory. The system's file is left as it is. A damaged file is put
 * aside.
 * Errors: invalid_argument for a kind that is none, busy, io_error (read-only), unimplemented for another program's
 * file and where the cache is off.
 * Example:
 *     anydim_persistent_cache_clear(ANYDIM_RECORD_ALL, &records);
 * - kind: Which; ANYDIM_RECORD_ALL for all.
 * - removed (out): How many records the file had of them.
 *
 * Experimental; slot 106; may block; fails with invalid_argument, busy, io_error, unimplemented.
 */
ANYDIM_MUST_USE ANYDIM_API anydim_status_t anydim_persistent_cache_clear(anydim_record_kind_t kind, int64_t* removed)
    ANYDIM_NOTHROW;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* ANYDIM_CACHES_H */
