#ifndef KITBAG_C_H
#define KITBAG_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kitbag/arrow.h"
#include "kitbag/export.h"

/// @file
/// The C interface of kitbag: for C, and for every language that can call C. docs/c.md is a guide
/// to it, with the calls of the rosbag API of ROS 2's design that they answer to.
///
///   kitbag_error* error = NULL;
///   kitbag_bag* bag = NULL;
///   if (kitbag_open("drive.bag", KITBAG_READ, NULL, &bag, &error) != KITBAG_OK) {
///     fprintf(stderr, "%s\n", kitbag_error_message(error));
///     kitbag_error_free(error);
///   }
///
/// Errors. A call that can fail returns a kitbag_code; KITBAG_OK is 0. Its last argument takes an
/// error object, which the caller frees, and may be NULL. Nothing is thrown, and no call ends the
/// process. After a call that failed, its results are unchanged, if nothing else is said.
///
/// Memory. What a function returns in a handle is freed with the function that is named there.
/// Texts are UTF-8 that ends with a zero byte. Pointers that are passed in must be valid during the
/// call.
///
/// Versions. A struct that the caller fills begins with its size, which the macro KITBAG_..._INIT
/// sets: members that later versions append have their defaults for programs that do not know them.
/// A struct that the library gives by a pointer may grow at its end too. kitbag_serialized_data and
/// kitbag_pair stand in arrays and in memory of the caller: they never change.
///
/// Times are in nanoseconds since 1970-01-01 UTC, durations in nanoseconds, sizes in bytes.
///
/// Threads. A handle is used by one thread at a time; different handles of the same bag are
/// independent once it is open for reading. What any thread may call says so.

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the version of the library, such as "0.1.0". Valid forever. Any thread.
KITBAG_API const char* kitbag_version(void);

// --- errors ---

/// What kind of failure it was.
typedef enum kitbag_code {
  KITBAG_OK = 0,
  KITBAG_IO = 1,           ///< the operating system refused a read, write, sync or rename
  KITBAG_CORRUPT = 2,      ///< bytes that contradict the format
  KITBAG_TRUNCATED = 3,    ///< the file ends before its content is complete
  KITBAG_UNSUPPORTED = 4,  ///< valid, but kitbag or the format cannot handle it
  KITBAG_INVALID = 5,      ///< the caller's request makes no sense
  KITBAG_NOT_FOUND = 6,    ///< a file, topic, field or message does not exist
  KITBAG_CANCELLED = 7,    ///< stopped on request
  KITBAG_LOCKED = 8,       ///< encrypted, and the key is not available
  KITBAG_BUSY = 9,         ///< another program is writing the file
  KITBAG_LIMIT = 10,       ///< takes more memory, elements or time than allowed
  KITBAG_EXISTS = 11,      ///< the target exists and may not be replaced
  KITBAG_REMARK = 12,      ///< nothing is wrong, but worth knowing; only passed to on_problem
  KITBAG_NO_MEMORY = 13,   ///< the system has no more memory
  KITBAG_END = 14,         ///< no failure: there are no more messages; there is no error object
} kitbag_code;

/// Returns the code for people: "not found". Valid forever. Any thread.
KITBAG_API const char* kitbag_code_name(kitbag_code code);

/// A failure. Any thread may look at it.
typedef struct kitbag_error kitbag_error;

/// Returns what kind of failure it was; KITBAG_OK for NULL. Any thread.
KITBAG_API kitbag_code kitbag_error_code(const kitbag_error* error);
/// Returns one line: file, offset, and a sentence that says what is wrong and what to do. Valid as
/// long as the error.
KITBAG_API const char* kitbag_error_message(const kitbag_error* error);
/// Returns the path of the file, or "". Valid as long as the error.
KITBAG_API const char* kitbag_error_file(const kitbag_error* error);
/// Returns the offset in that file, or UINT64_MAX if it is not known.
KITBAG_API uint64_t kitbag_error_offset(const kitbag_error* error);
/// Frees an error; NULL is ignored.
KITBAG_API void kitbag_error_free(kitbag_error* error);

// --- bags ---

/// A bag that is open for reading or for writing (BagHandle).
typedef struct kitbag_bag kitbag_bag;

/// What kitbag_open() is to do.
typedef enum kitbag_mode {
  KITBAG_READ = 0,    ///< an existing bag, of any format
  KITBAG_WRITE = 1,   ///< a new bag, which appears under its name when it is closed
  KITBAG_APPEND = 2,  ///< an existing bag; readers see it as it was until it is closed
  /// A directory to which others write at the same time, each with this mode and files of its own.
  /// It may exist. What is written is visible at once, and stays after kitbag_abandon().
  KITBAG_JOIN = 3,
} kitbag_mode;

/// How a bag is stored and read: the `impl_data` of kitbag_open(). docs/c.md lists which member has
/// a meaning for which format. NULL and 0 are defaults.
typedef struct kitbag_storage {
  size_t struct_size;          ///< sizeof this struct
  const char* format;          ///< "rosbag", "mcap", "sqlite3", "directory"; NULL: by extension
  const char* format_version;  ///< such as "1.2" of a rosbag
  const char* compression;     ///< writing: "none", "lz4", "zstd", "bz2", as the format has them
  const char* preset;          ///< writing: a named group of settings, as of rosbag2's storages
  uint64_t chunk_bytes;        ///< writing: size of chunks before compression
  unsigned threads;            ///< that read ahead, or compress; 0: the number of processors
  bool may_replace;            ///< writing: an existing file is replaced
  /// Reading: called with each damage, and reading goes on with what is intact. NULL: the first
  /// damage is an error. Writing: called with what the format cannot hold and is left out. Runs on
  /// the thread of the call that reads or writes; the error is valid during the call.
  void (*on_problem)(void* context, const kitbag_error* problem);
  void* context;  ///< of on_problem
  /// Reading: folders with definitions that the bag lacks, separated by ':'. They are searched
  /// before /usr/share and the standard messages of ROS; a folder that does not exist is an error.
  const char* definitions;
} kitbag_storage;
/// Begins a kitbag_storage with its size and the defaults of all members.
#define KITBAG_STORAGE_INIT \
  { sizeof(kitbag_storage), 0, 0, 0, 0, 0, 0, false, 0, 0, 0 }

/// Opens the bag at `path`, which may also be a URI such as "demo://?seconds=5". `impl_data` is a
/// kitbag_storage, or NULL. The handle is freed by kitbag_close().
KITBAG_API kitbag_code kitbag_open(const char* path, kitbag_mode mode, const void* impl_data,
                                   kitbag_bag** bag, kitbag_error** error);

/// Closes a bag and frees its handle and its topics, also if it fails; NULL is ignored. A bag that
/// was written is complete and on the disk after KITBAG_OK; otherwise its target is unchanged.
/// Close iterators and values that come from the bag in any order, before or after it.
KITBAG_API kitbag_code kitbag_close(kitbag_bag* bag, kitbag_error** error);

/// Frees a bag that was being written without making it appear; NULL is ignored.
KITBAG_API void kitbag_abandon(kitbag_bag* bag);

/// What a bag says about itself (BagInfo).
typedef struct kitbag_bag_info {
  const char* path;                ///< as it was opened
  const char* format;              ///< "mcap"
  uint64_t file_size;              ///< of all its files
  int64_t duration;                ///< from the first message to the last one
  int64_t start;                   ///< log time of the first message; 0 without messages
  int64_t end;                     ///< log time of the last message
  uint64_t message_count;          ///< number of messages
  size_t topic_count;              ///< the length of the following five
  const char* const* topics;       ///< sorted; a topic with two types is in the list twice
  const char* const* types;        ///< as their own system writes them
  const char* const* encodings;    ///< "ros1", "cdr", ...
  const uint64_t* message_counts;  ///< by topic
  const bool* latched;             ///< whether a publisher latches
  size_t key_value_count;          ///< the length of the following two
  const char* const* keys;         ///< metadata of the bag, as "name/key"
  const char* const* values;       ///< of the keys
} kitbag_bag_info;

/// Gives what is known about a bag that is open for reading. Valid until the next call of this
/// function with the bag, or until it is closed.
KITBAG_API kitbag_code kitbag_info(kitbag_bag* bag, const kitbag_bag_info** info,
                                   kitbag_error** error);

/// Completes the index of the bag and writes its metadata beside the data: `metadata.yaml` of a
/// directory, `NAME.metadata.yaml` beside a file, in the form of rosbag2. A bag that is being
/// written is closed first and is open for reading afterwards; its topics stay valid. A bag without
/// an index gets one: it is rewritten in place, as by `kitbag repair`.
KITBAG_API kitbag_code kitbag_index(kitbag_bag* bag, kitbag_error** error);

// --- topics ---

/// A topic of a bag (TopicHandle). Valid until the bag is closed.
typedef struct kitbag_topic kitbag_topic;

/// What a publisher says about its topic (ConnectionHeader). Members that are NULL are not known.
typedef struct kitbag_connection_header {
  size_t struct_size;              ///< sizeof this struct
  const char* topic_name;          ///< required
  const char* topic_type;          ///< as its own system writes it: "std_msgs/msg/String"
  const char* message_definition;  ///< with the definitions of nested types, if it is text
  const char* message_md5_sum;     ///< ROS 1; computed if it is NULL and the definition is known
  const char* quality_of_service;  ///< YAML list of QoS profiles, as rosbag2 stores them
  /// The language of the definition: "ros1msg", "ros2msg", "ros2idl", "jsonschema". NULL: that
  /// which is usual for the encoding.
  const char* schema_language;
  bool is_latched;  ///< ROS 1: late subscribers get the last message again
} kitbag_connection_header;
/// Begins a kitbag_connection_header with its size and the defaults of all members.
#define KITBAG_CONNECTION_HEADER_INIT \
  { sizeof(kitbag_connection_header), 0, 0, 0, 0, 0, 0, false }

/// A name and a value.
typedef struct kitbag_pair {
  const char* name;   ///< "" is one; NULL ends an array
  const char* value;  ///< UTF-8
} kitbag_pair;

/// Declares a topic of a bag that is being written. `encoding_id` is the encoding of its payloads:
/// "ros1", "cdr", "protobuf", "json", or any other text. `chunk_size` is that of the topic's own
/// chunks, before the first message is written; 0: it shares the chunks of the bag. `impl_data` is
/// an array of kitbag_pair that ends with a name that is NULL, which the format stores with the
/// topic, or NULL.
KITBAG_API kitbag_code kitbag_create_topic(kitbag_bag* bag, const kitbag_connection_header* header,
                                           const char* encoding_id, uint64_t chunk_size,
                                           const void* impl_data, kitbag_topic** topic,
                                           kitbag_error** error);

/// Gives a topic of a bag that is open for reading. Connections of several publishers are one
/// topic. Fails with KITBAG_NOT_FOUND, which names similar topics.
KITBAG_API kitbag_code kitbag_open_topic(kitbag_bag* bag, const char* topic_name,
                                         kitbag_topic** topic, kitbag_error** error);

/// Returns the name of the topic. Valid as long as the topic; "" for NULL. Any thread.
KITBAG_API const char* kitbag_topic_name(const kitbag_topic* topic);
/// Returns the name of its type, as its own system writes it; "" if it is not known. Valid as long
/// as the topic. Any thread.
KITBAG_API const char* kitbag_topic_type(const kitbag_topic* topic);
/// Returns the encoding of its payloads, the `encoding_id` of kitbag_create_topic(). Valid as long
/// as the topic. Any thread.
KITBAG_API const char* kitbag_topic_encoding(const kitbag_topic* topic);
/// Returns all that is known of the topic, or NULL for NULL. Valid as long as the topic. Any
/// thread.
KITBAG_API const kitbag_connection_header* kitbag_topic_header(const kitbag_topic* topic);

// --- messages ---

/// A message as it is stored (SerializedData).
typedef struct kitbag_serialized_data {
  const uint8_t* payload;  ///< not aligned
  uint64_t size;           ///< of the payload
  // What follows is set by reading, and ignored by writing.
  const kitbag_topic* topic;  ///< valid as long as the bag
  int64_t time_received;      ///< log time
  int64_t time_published;     ///< equal to time_received if the format has only one time
  uint32_t sequence;          ///< as the publisher counts; 0 if the format has none
  bool is_state;              ///< it is from before the range (kitbag_query::latched_before)
} kitbag_serialized_data;

/// What a message has besides: the `impl_data` of the functions that write one.
typedef struct kitbag_stamp {
  size_t struct_size;      ///< sizeof this struct
  int64_t time_published;  ///< nanoseconds
  uint32_t sequence;       ///< as the publisher counts
} kitbag_stamp;
/// Begins a kitbag_stamp with its size and the defaults of all members.
#define KITBAG_STAMP_INIT \
  { sizeof(kitbag_stamp), 0, 0 }

/// A decoded message, or a part of one (below).
typedef struct kitbag_value kitbag_value;

/// Appends a message. `data` may be reused when the call returns. `impl_data` is a kitbag_stamp, or
/// NULL: it was published when it was received.
KITBAG_API kitbag_code kitbag_write_serialized(kitbag_bag* bag, const kitbag_topic* topic,
                                               int64_t time_received,
                                               const kitbag_serialized_data* data,
                                               const void* impl_data, kitbag_error** error);

/// Encodes a message and appends it. Fails with KITBAG_INVALID if it does not fit the type of the
/// topic.
KITBAG_API kitbag_code kitbag_write(kitbag_bag* bag, const kitbag_topic* topic,
                                    int64_t time_received, const kitbag_value* message,
                                    const void* impl_data, kitbag_error** error);

/// Which messages are read.
typedef struct kitbag_query {
  size_t struct_size;  ///< sizeof this struct
  /// Names and globs ("/camera/*"); NULL: all. Reading fails with KITBAG_NOT_FOUND for a name that
  /// the bag does not have; a glob may match nothing.
  const char* const* topics;
  size_t topic_count;  ///< of `topics`
  int64_t start;       ///< messages with start <= time_received < end
  int64_t end;         ///< INT64_MAX: to the end of the bag
  uint64_t nth;        ///< this many of them are passed over
  uint64_t count;      ///< at most this many of the others
  /// A condition on fields (docs/expressions.md); NULL: none. Reading fails with KITBAG_NOT_FOUND
  /// if no message has such fields.
  const char* where;
  bool latched_before;  ///< first the last message before `start` of each latched connection
  /// kitbag_read() and kitbag_read_serialized() fail with KITBAG_LIMIT when payloads take more.
  uint64_t max_bytes;
} kitbag_query;
/// Begins a kitbag_query with its size and the defaults of all members.
#define KITBAG_QUERY_INIT \
  { sizeof(kitbag_query), 0, 0, INT64_MIN, INT64_MAX, 0, UINT64_MAX, 0, false, (uint64_t)1 << 30 }

/// The order in which messages are given.
typedef enum kitbag_order {
  KITBAG_BY_TIME = 0,          ///< by log time; equal times as in the file
  KITBAG_BY_TIME_REVERSE = 1,  ///< the exact reverse
  KITBAG_BY_FILE = 2,          ///< as they are stored
} kitbag_order;

/// Messages one after the other (IteratorHandle). One thread; any number for one bag.
typedef struct kitbag_iterator kitbag_iterator;

/// Begins to read what `query` selects; NULL selects everything. It is freed by
/// kitbag_close_iterator().
KITBAG_API kitbag_code kitbag_create_iterator(kitbag_bag* bag, const kitbag_query* query,
                                              kitbag_order order, kitbag_iterator** iterator,
                                              kitbag_error** error);
/// Frees an iterator; NULL is ignored.
KITBAG_API void kitbag_close_iterator(kitbag_iterator* iterator);

/// Gives the next message; if `topic` is not NULL, the next one of that topic, passing over others.
/// Returns KITBAG_END behind the last one. What `data` points at is valid until the next call with
/// the iterator. `impl_data` is reserved: NULL.
KITBAG_API kitbag_code kitbag_read_next_serialized(kitbag_iterator* iterator,
                                                   const kitbag_topic* topic, const void* impl_data,
                                                   kitbag_serialized_data* data,
                                                   kitbag_error** error);
/// The same, decoded. `message` is valid until the next call with the iterator; `data` may be NULL.
/// A message that cannot be decoded is an error, and the next call goes on behind it.
KITBAG_API kitbag_code kitbag_read_next(kitbag_iterator* iterator, const kitbag_topic* topic,
                                        const void* impl_data, const kitbag_value** message,
                                        kitbag_serialized_data* data, kitbag_error** error);

/// Messages that were read at once. Freed by kitbag_messages_free(); may outlive the bag, except
/// for `topic`.
typedef struct kitbag_messages kitbag_messages;

/// Reads all messages that `query` selects into memory. `impl_data` is reserved: NULL.
KITBAG_API kitbag_code kitbag_read_serialized(kitbag_bag* bag, const kitbag_query* query,
                                              kitbag_order order, const void* impl_data,
                                              kitbag_messages** messages, kitbag_error** error);
/// The same, decoded.
KITBAG_API kitbag_code kitbag_read(kitbag_bag* bag, const kitbag_query* query, kitbag_order order,
                                   const void* impl_data, kitbag_messages** messages,
                                   kitbag_error** error);
/// Returns how many there are.
KITBAG_API size_t kitbag_messages_count(const kitbag_messages* messages);
/// Returns the message with that index, or NULL behind the last one. Valid as long as `messages`.
KITBAG_API const kitbag_serialized_data* kitbag_messages_data(const kitbag_messages* messages,
                                                              size_t index);
/// Returns the decoded message with that index; NULL if they were not decoded. Valid as long as
/// `messages`.
KITBAG_API const kitbag_value* kitbag_messages_value(const kitbag_messages* messages, size_t index);
/// Frees the messages, their payloads and values; NULL is ignored.
KITBAG_API void kitbag_messages_free(kitbag_messages* messages);

/// Reading on a thread of its own.
typedef struct kitbag_async kitbag_async;

/// Called with messages as they are read, a few hundred or about a megabyte at a time, on the
/// thread that reads: the next ones are read after it has returned. `values` is NULL if they were
/// not to be decoded. `messages` and `values` are valid during the call. The last call has `count`
/// 0 and says how it ended: `end` is KITBAG_END, KITBAG_CANCELLED, or the code of `error`.
/// Returning false cancels the reading.
typedef bool (*kitbag_on_messages)(void* context, const kitbag_serialized_data* messages,
                                   const kitbag_value* const* values, size_t count, kitbag_code end,
                                   const kitbag_error* error);

/// Begins to read. The handle is freed by kitbag_async_free(). The bag may be closed meanwhile.
KITBAG_API kitbag_code kitbag_read_async_serialized(kitbag_bag* bag, const kitbag_query* query,
                                                    kitbag_order order, kitbag_on_messages callback,
                                                    void* context, kitbag_async** async,
                                                    kitbag_error** error);
/// Does the same, decoded. A message that cannot be decoded ends the reading.
KITBAG_API kitbag_code kitbag_read_async(kitbag_bag* bag, const kitbag_query* query,
                                         kitbag_order order, kitbag_on_messages callback,
                                         void* context, kitbag_async** async, kitbag_error** error);
/// Asks the reading to end, and returns at once. Any thread, also from the callback.
KITBAG_API void kitbag_async_cancel(kitbag_async* async);
/// Waits until the last call of the callback has returned, and returns how the reading ended. Not
/// from the callback.
KITBAG_API kitbag_code kitbag_async_wait(kitbag_async* async);
/// Cancels the reading, waits for it and frees the handle; NULL is ignored. Not from the callback.
KITBAG_API void kitbag_async_free(kitbag_async* async);

/// Gives the messages that `query` selects as a table in Arrow record batches: a row for each
/// message, with the columns `time`, `topic` and the fields at `fields`, or all fields if it is
/// NULL (docs/columns.md). The caller releases `out`, which may outlive the bag.
KITBAG_API kitbag_code kitbag_arrow_stream(kitbag_bag* bag, const kitbag_query* query,
                                           const char* const* fields, size_t field_count,
                                           struct ArrowArrayStream* out, kitbag_error** error);

// --- values ---

// A path names a field or an element: "pose.position.x", "ranges[3]"; "" is the value itself.

/// What a value is.
typedef enum kitbag_kind {
  KITBAG_NOTHING = 0,
  KITBAG_BOOL = 1,
  KITBAG_INT8 = 2,
  KITBAG_UINT8 = 3,
  KITBAG_INT16 = 4,
  KITBAG_UINT16 = 5,
  KITBAG_INT32 = 6,
  KITBAG_UINT32 = 7,
  KITBAG_INT64 = 8,
  KITBAG_UINT64 = 9,
  KITBAG_FLOAT32 = 10,
  KITBAG_FLOAT64 = 11,
  KITBAG_TEXT = 12,
  KITBAG_STRUCTURE = 13,
  KITBAG_LIST = 14,
} kitbag_kind;

/// Makes a message for a topic of a bag that is being written, with all fields at their defaults.
/// Freed by kitbag_value_free(), before the bag is closed or after it.
KITBAG_API kitbag_code kitbag_create_message(const kitbag_topic* topic, kitbag_value** message,
                                             kitbag_error** error);
/// Frees a message that kitbag_create_message() or kitbag_value_copy() made; NULL is ignored.
KITBAG_API void kitbag_value_free(kitbag_value* value);
/// Copies a value, to keep it for longer or to change it.
KITBAG_API kitbag_code kitbag_value_copy(const kitbag_value* value, kitbag_value** copy,
                                         kitbag_error** error);

// Each of these gives what is at `path` in `*out`, or fails and leaves that unchanged:
// KITBAG_NOT_FOUND if nothing is there, which names similar fields; KITBAG_INVALID if it is
// something else or out of range. They may be called by one thread at a time for one message.

/// Gives what kind of value it is; KITBAG_NOTHING for an optional field without a value.
KITBAG_API kitbag_code kitbag_get_kind(const kitbag_value* value, const char* path,
                                       kitbag_kind* kind, kitbag_error** error);
/// Gives a boolean; numbers are none.
KITBAG_API kitbag_code kitbag_get_bool(const kitbag_value* value, const char* path, bool* out,
                                       kitbag_error** error);
/// Gives an integer or the number of an enumerator; booleans and real numbers are none.
KITBAG_API kitbag_code kitbag_get_int64(const kitbag_value* value, const char* path, int64_t* out,
                                        kitbag_error** error);
/// Gives an integer that is not negative; otherwise as kitbag_get_int64().
KITBAG_API kitbag_code kitbag_get_uint64(const kitbag_value* value, const char* path, uint64_t* out,
                                         kitbag_error** error);
/// Gives a number of any kind; integers of 64 bits are rounded to the nearest double.
KITBAG_API kitbag_code kitbag_get_double(const kitbag_value* value, const char* path, double* out,
                                         kitbag_error** error);
/// Gives a time or a duration in nanoseconds; an integer as it is.
KITBAG_API kitbag_code kitbag_get_time(const kitbag_value* value, const char* path, int64_t* out,
                                       kitbag_error** error);
/// Gives a text of `size` bytes, which a zero byte follows; `size` may be NULL. Valid until the
/// next call with the value.
KITBAG_API kitbag_code kitbag_get_text(const kitbag_value* value, const char* path,
                                       const char** text, uint64_t* size, kitbag_error** error);
/// Gives the number of fields of a structure, or of elements of a list.
KITBAG_API kitbag_code kitbag_get_size(const kitbag_value* value, const char* path, uint64_t* size,
                                       kitbag_error** error);
/// Gives the name of a field of the structure at `path`. Valid until the next call with the value.
KITBAG_API kitbag_code kitbag_get_name(const kitbag_value* value, const char* path, uint64_t index,
                                       const char** name, kitbag_error** error);
/// Gives the elements of a list of numbers or booleans: `count` numbers of `kind`, little-endian,
/// not aligned. Valid until the next call with the value.
KITBAG_API kitbag_code kitbag_get_numbers(const kitbag_value* value, const char* path,
                                          kitbag_kind* kind, const void** data, uint64_t* count,
                                          kitbag_error** error);

// Each of these sets what is at `path` in a message of kitbag_create_message() or
// kitbag_value_copy(), or fails and leaves it unchanged: KITBAG_NOT_FOUND if there is no such
// field, which names similar ones; KITBAG_INVALID if the value does not fit its type.

/// Sets a boolean.
KITBAG_API kitbag_code kitbag_set_bool(kitbag_value* value, const char* path, bool to,
                                       kitbag_error** error);
/// Sets a number, the number of an enumerator, or a time or duration in nanoseconds.
KITBAG_API kitbag_code kitbag_set_int64(kitbag_value* value, const char* path, int64_t to,
                                        kitbag_error** error);
/// Sets the same, to numbers that int64_t does not have.
KITBAG_API kitbag_code kitbag_set_uint64(kitbag_value* value, const char* path, uint64_t to,
                                         kitbag_error** error);
/// Sets a floating-point number.
KITBAG_API kitbag_code kitbag_set_double(kitbag_value* value, const char* path, double to,
                                         kitbag_error** error);
/// Sets a text of `size` bytes, the elements of a list of bytes, or an enumeration by the name of
/// an enumerator. The bytes are copied.
KITBAG_API kitbag_code kitbag_set_text(kitbag_value* value, const char* path, const char* text,
                                       uint64_t size, kitbag_error** error);
/// Sets a list of numbers or booleans: `data` holds `count` of that kind, which are copied. `kind`
/// is one of those of numbers, or KITBAG_BOOL, and may differ from that of the list if they fit it.
KITBAG_API kitbag_code kitbag_set_numbers(kitbag_value* value, const char* path, kitbag_kind kind,
                                          const void* data, uint64_t count, kitbag_error** error);
/// Makes a list have `size` elements; new ones have their defaults.
KITBAG_API kitbag_code kitbag_resize(kitbag_value* value, const char* path, uint64_t size,
                                     kitbag_error** error);

/// Functions that are called with a value, part after part, in the order of its type. Those that
/// are NULL are not called. Each returns whether to go on.
typedef struct kitbag_visitor {
  size_t struct_size;                                             ///< sizeof this struct
  void* context;                                                  ///< passed to each function
  bool (*begin_structure)(void* context, const char* type_name);  ///< fields follow
  bool (*field)(void* context, const char* name);                 ///< its value follows
  bool (*end_structure)(void* context);                           ///< of the last one that began
  bool (*begin_list)(void* context, uint64_t count);              ///< `count` elements follow
  bool (*end_list)(void* context);                                ///< of the last one that began
  bool (*nothing)(void* context);                           ///< an optional field without a value
  bool (*boolean)(void* context, bool value);               ///< a boolean
  bool (*integer)(void* context, int64_t value);            ///< a signed integer or an enumeration
  bool (*unsigned_integer)(void* context, uint64_t value);  ///< an unsigned integer
  bool (*real)(void* context, double value);                ///< a floating-point number
  /// A text of `size` bytes, which a zero byte follows; valid during the call.
  bool (*text)(void* context, const char* text, uint64_t size);
  /// All elements of a list of numbers, instead of begin_list() to end_list(); NULL: these.
  bool (*numbers)(void* context, kitbag_kind kind, const void* data, uint64_t count);
} kitbag_visitor;
/// Begins a kitbag_visitor with its size and the defaults of all members.
#define KITBAG_VISITOR_INIT \
  { sizeof(kitbag_visitor), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/// Calls the functions of `visitor` with what is at `path`. Fails with KITBAG_CANCELLED if one of
/// them returned false.
KITBAG_API kitbag_code kitbag_visit(const kitbag_value* value, const char* path,
                                    const kitbag_visitor* visitor, kitbag_error** error);

// --- live systems ---

/// Records topics (names and globs) of the live system at `from`, such as "ros2://", into a bag
/// that is open for writing and has no messages yet. Blocks until kitbag_stop(), or until the
/// system ends. The bag is complete afterwards, and is open for reading. If it fails after messages
/// were written, they stay in the file, and all that is left to do with `bag` is kitbag_close().
KITBAG_API kitbag_code kitbag_record(kitbag_bag* bag, const char* from, const char* const* topics,
                                     size_t topic_count, kitbag_error** error);
/// Records all topics.
KITBAG_API kitbag_code kitbag_record_all(kitbag_bag* bag, const char* from, kitbag_error** error);

/// Sends topics of a bag that is open for reading to the live system at `to`, each message at its
/// time. Blocks until the last one was sent, or until kitbag_stop().
KITBAG_API kitbag_code kitbag_replay(kitbag_bag* bag, const char* to, const char* const* topics,
                                     size_t topic_count, kitbag_error** error);
/// Sends all topics.
KITBAG_API kitbag_code kitbag_replay_all(kitbag_bag* bag, const char* to, kitbag_error** error);

/// Ends the recording or the replay of the bag that another thread waits for; if none has begun,
/// the next one ends at once. Any thread; not from a signal handler.
KITBAG_API void kitbag_stop(kitbag_bag* bag);

// --- catalogs ---

/// A catalog of many bags, which are found without being opened (docs/catalog.md). One thread at a
/// time; not from the functions that its calls call.
typedef struct kitbag_catalog kitbag_catalog;

/// Opens the catalog at `address`: a path, or "postgresql://...". If `may_create` is true and there
/// is none, an empty one is made. The handle is freed by kitbag_catalog_close().
KITBAG_API kitbag_code kitbag_catalog_open(const char* address, bool may_create,
                                           kitbag_catalog** catalog, kitbag_error** error);
/// Frees a catalog; NULL is ignored.
KITBAG_API void kitbag_catalog_close(kitbag_catalog* catalog);

/// What became of a bag that was added.
typedef enum kitbag_change {
  KITBAG_ADDED = 0,      ///< it is new
  KITBAG_UNCHANGED = 1,  ///< it was there
  KITBAG_MOVED = 2,      ///< it was there; at its old path is nothing any more
  KITBAG_COPIED = 3,     ///< it was there, and still is at its other paths
  KITBAG_REPLACED = 4,   ///< at its path was another bag
  KITBAG_UPDATED = 5,    ///< it was there, and what was not known of it was added
} kitbag_change;

/// How bags are added.
typedef struct kitbag_adding {
  size_t struct_size;       ///< sizeof this struct
  bool index_only;          ///< messages are not read; bags are then opened to find moments
  const kitbag_pair* tags;  ///< that the bags get; ends with a name that is NULL; NULL: none
} kitbag_adding;
/// Begins a kitbag_adding with its size and the defaults of all members.
#define KITBAG_ADDING_INIT \
  { sizeof(kitbag_adding), false, 0 }

/// Adds the bag at `path`; if nothing has changed there, it is not opened. `how` and `change` may
/// be NULL.
KITBAG_API kitbag_code kitbag_catalog_add(kitbag_catalog* catalog, const char* path,
                                          const kitbag_adding* how, kitbag_change* change,
                                          kitbag_error** error);

/// Is told what was done of a bag, or why it could not be added (`error` is not NULL then, and
/// valid during the call). Returns whether to go on.
typedef bool (*kitbag_on_scanned)(void* context, const char* path, kitbag_change change,
                                  const kitbag_error* error);
/// Adds all bags in `folder` and below it. Fails with KITBAG_CANCELLED if `on_scanned` returns
/// false. `how` and `on_scanned` may be NULL.
KITBAG_API kitbag_code kitbag_catalog_scan(kitbag_catalog* catalog, const char* folder,
                                           const kitbag_adding* how, kitbag_on_scanned on_scanned,
                                           void* context, kitbag_error** error);
/// Forgets a path, and the bag if that was its only one; KITBAG_NOT_FOUND if it is not known.
KITBAG_API kitbag_code kitbag_catalog_remove(kitbag_catalog* catalog, const char* path,
                                             kitbag_error** error);

/// Which bags of a catalog are meant.
typedef struct kitbag_catalog_query {
  size_t struct_size;         ///< sizeof this struct
  const char* const* topics;  ///< names and globs; the bag must have all of them
  size_t topic_count;         ///< of `topics`
  const char* const* types;   ///< likewise, of types
  size_t type_count;          ///< of `types`
  int64_t start;              ///< it must have messages with start <= time < end
  int64_t end;                ///< INT64_MAX: any later time
  int64_t longer_than;        ///< nanoseconds; 0: any duration
  const kitbag_pair* tags;    ///< the bag must have all of them; ends with a name that is NULL
  const char* text;           ///< part of a path, a tag, a note or an event; NULL: any bag
  const char* where;          ///< a condition, for kitbag_catalog_moments() alone
  bool newest_first;          ///< false: the oldest first
  uint64_t most;              ///< at most so many bags are given
} kitbag_catalog_query;
/// Begins a kitbag_catalog_query with its size and the defaults of all members.
#define KITBAG_CATALOG_QUERY_INIT \
  { sizeof(kitbag_catalog_query), 0, 0, 0, 0, INT64_MIN, INT64_MAX, 0, 0, 0, 0, false, UINT64_MAX }

/// An event that somebody has noted.
typedef struct kitbag_event {
  int64_t number;    ///< of the event, in the catalog
  int64_t start;     ///< log time
  int64_t end;       ///< not before `start`
  const char* name;  ///< one line
} kitbag_event;

/// A bag, as a catalog knows it. Valid during the call that gives it.
typedef struct kitbag_catalog_bag {
  int64_t number;                ///< of the bag, in the catalog
  const char* path;              ///< one at which it was seen; "": it is nowhere any more
  const char* fingerprint;       ///< identifies the content
  const char* format;            ///< "mcap"
  const char* damage;            ///< the first that was found; "": none was
  const char* note;              ///< what somebody has noted
  uint64_t file_size;            ///< of all its files
  uint64_t message_count;        ///< number of messages
  int64_t start;                 ///< log time of the first message; 0 without messages
  int64_t end;                   ///< log time of the last message
  size_t topic_count;            ///< the length of the following four
  const char* const* topics;     ///< sorted; a topic with two types is in the list twice
  const char* const* types;      ///< as their own system writes them
  const char* const* encodings;  ///< "ros1", "cdr", ...
  const uint64_t* topic_counts;  ///< messages
  const kitbag_pair* tags;       ///< ends with a name that is NULL
  const kitbag_event* events;    ///< by time
  size_t event_count;            ///< of `events`
} kitbag_catalog_bag;

/// Is given a bag. Returns whether to go on.
typedef bool (*kitbag_on_bag)(void* context, const kitbag_catalog_bag* bag);
/// Gives the bags that `query` selects; NULL selects all. KITBAG_OK also if `on_bag` has ended it.
KITBAG_API kitbag_code kitbag_catalog_find(kitbag_catalog* catalog,
                                           const kitbag_catalog_query* query, kitbag_on_bag on_bag,
                                           void* context, kitbag_error** error);

/// Messages of a topic, one after the other, that meet a condition. Valid during the call that
/// gives it.
typedef struct kitbag_moment {
  int64_t bag;             ///< number of the bag, in the catalog
  const char* path;        ///< where the bag was read
  const char* topic;       ///< their topic
  int64_t start;           ///< log time of the first of them
  int64_t end;             ///< and of the last
  uint64_t message_count;  ///< how many they are
  const char* value;       ///< the fields of the condition in the first of them, as JSON
} kitbag_moment;

/// How moments were found.
typedef struct kitbag_search {
  size_t struct_size;  ///< sizeof this struct; set by the caller
  uint64_t bags;       ///< that the other parts of the query select
  uint64_t ruled_out;  ///< that the catalog alone decided
  uint64_t opened;     ///< whose messages were read
  uint64_t changed;    ///< of these, bags that have changed since they were added
  uint64_t failed;     ///< bags that could not be read: moments in them are missing
} kitbag_search;
/// Begins a kitbag_search with its size.
#define KITBAG_SEARCH_INIT \
  { sizeof(kitbag_search), 0, 0, 0, 0, 0 }

/// Is given a moment. Returns whether to go on.
typedef bool (*kitbag_on_moment)(void* context, const kitbag_moment* moment);
/// Gives the moments that meet `query->where`, in the bags that `query` selects. Only bags are
/// opened that the catalog cannot rule out. `search` may be NULL. KITBAG_OK also if `on_moment` has
/// ended it, and if bags could not be read: `search` counts them.
KITBAG_API kitbag_code kitbag_catalog_moments(kitbag_catalog* catalog,
                                              const kitbag_catalog_query* query,
                                              kitbag_on_moment on_moment, void* context,
                                              kitbag_search* search, kitbag_error** error);

/// Gives the bag at `path` a tag; a value that is NULL or "" removes it. KITBAG_NOT_FOUND if the
/// path is not known, here and below.
KITBAG_API kitbag_code kitbag_catalog_set_tag(kitbag_catalog* catalog, const char* path,
                                              const char* name, const char* value,
                                              kitbag_error** error);
/// Notes a text of the bag at `path`, in place of what was noted.
KITBAG_API kitbag_code kitbag_catalog_set_note(kitbag_catalog* catalog, const char* path,
                                               const char* note, kitbag_error** error);
/// Notes an event of the bag at `path`.
KITBAG_API kitbag_code kitbag_catalog_add_event(kitbag_catalog* catalog, const char* path,
                                                int64_t start, int64_t end, const char* name,
                                                kitbag_error** error);
/// Removes an event by its number; KITBAG_NOT_FOUND if there is none.
KITBAG_API kitbag_code kitbag_catalog_remove_event(kitbag_catalog* catalog, int64_t number,
                                                   kitbag_error** error);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // KITBAG_C_H
