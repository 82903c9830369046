#pragma once

#include <stdint.h>  // NOLINT(modernize-deprecated-headers): also read by C

// The Arrow C data interface and the Arrow C stream interface: three plain structs by which
// libraries hand each other tables without copying them. They are the whole contract: no library
// is needed on either side. Source: https://arrow.apache.org/docs/format/CDataInterface.html and
// CStreamInterface.html. The guards are those of the specification, so that several libraries can
// declare the same structs.

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

/// The name and type of a column, and of the columns that it consists of.
struct ArrowSchema {
  const char* format;             ///< the type: "g" is float64, "+s" a struct
  const char* name;               ///< UTF-8; may be null
  const char* metadata;           ///< pairs of names and values, with their lengths; may be null
  int64_t flags;                  ///< ARROW_FLAG_...
  int64_t n_children;             ///< number of `children`
  struct ArrowSchema** children;  ///< of a struct its fields, of a list its element
  /// The type of the values that the column has indexes of, or null.
  struct ArrowSchema* dictionary;
  /// Frees what this struct points at, and sets this to null. Null: it has been released.
  void (*release)(struct ArrowSchema*);
  void* private_data;  ///< of whoever made it
};

/// The values of a column.
struct ArrowArray {
  int64_t length;                 ///< number of values, from `offset` on
  int64_t null_count;             ///< -1: not known
  int64_t offset;                 ///< the first element of the buffers that counts
  int64_t n_buffers;              ///< number of `buffers`
  int64_t n_children;             ///< number of `children`
  const void** buffers;           ///< validity, offsets, values: as the type has them
  struct ArrowArray** children;   ///< as in ArrowSchema
  struct ArrowArray* dictionary;  ///< the values that are indexed, or null
  /// Frees what this struct points at, and sets this to null. Null: it has been released.
  void (*release)(struct ArrowArray*);
  void* private_data;  ///< of whoever made it
};

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

/// Tables of one type, one after the other.
struct ArrowArrayStream {
  /// Each returns 0, or an errno value; then get_last_error() says why.
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  /// At the end, `out->release` is null.
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  /// Valid until the next call. May return null.
  const char* (*get_last_error)(struct ArrowArrayStream*);
  /// Frees the stream, and sets this to null. Null: it has been released.
  void (*release)(struct ArrowArrayStream*);
  void* private_data;  ///< of whoever made it
};

#endif  // ARROW_C_STREAM_INTERFACE

#ifdef __cplusplus
}  // extern "C"
#endif
