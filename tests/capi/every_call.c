/* Every function of kitbag/c.h, as a program in C11 would call it: every_call FOLDER. */

#include <kitbag/c.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

static int failures = 0;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%d: %s is false\n", __LINE__, #condition);     \
      ++failures;                                                     \
    }                                                                 \
  } while (0)

/* The call succeeds. */
#define OK(call)                                                      \
  do {                                                                \
    kitbag_error* error = NULL;                                       \
    if ((call) != KITBAG_OK) {                                        \
      fprintf(stderr, "%d: %s\n", __LINE__, kitbag_error_message(error)); \
      ++failures;                                                     \
      kitbag_error_free(error);                                       \
    }                                                                 \
  } while (0)

/* The call fails with this code, and its sentence contains this text. */
#define FAILS(wanted, text, call)                                     \
  do {                                                                \
    kitbag_error* error = NULL;                                       \
    kitbag_code got = (call);                                         \
    if (got != (wanted) || kitbag_error_code(error) != (wanted) ||    \
        !strstr(kitbag_error_message(error), text)) {                 \
      fprintf(stderr, "%d: %s: %s\n", __LINE__, kitbag_code_name(got), \
              kitbag_error_message(error));                           \
      ++failures;                                                     \
    }                                                                 \
    kitbag_error_free(error);                                         \
  } while (0)

static char paths[8][512];

static const char* at(const char* folder, const char* name) {
  static int next = 0;
  char* path = paths[next++ % 8];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static const char* const definition =
    "float64 x\nuint8[] data\nfloat32[3] fixed\nstring name\nbool is_on\nint32[] few\n"
    "uint64 large\nbuiltin_interfaces/Time stamp\n";

static void write_bag(const char* path) {
  kitbag_storage storage = KITBAG_STORAGE_INIT;
  storage.compression = "zstd";
  storage.may_replace = true;
  kitbag_bag* bag = NULL;
  OK(kitbag_open(path, KITBAG_WRITE, &storage, &bag, &error));

  kitbag_connection_header header = KITBAG_CONNECTION_HEADER_INIT;
  header.topic_name = "/state";
  header.topic_type = "my_msgs/msg/State";
  header.message_definition = definition;
  kitbag_pair pairs[] = {{"callerid", "/node"}, {NULL, NULL}};
  kitbag_topic* state = NULL;
  OK(kitbag_create_topic(bag, &header, "cdr", 1 << 16, pairs, &state, &error));
  FAILS(KITBAG_INVALID, "a topic has one encoding",
        kitbag_create_topic(bag, &header, "json", 0, NULL, &state, &error));

  kitbag_connection_header plain = KITBAG_CONNECTION_HEADER_INIT;
  plain.topic_name = "/bytes";
  kitbag_topic* bytes = NULL;
  OK(kitbag_create_topic(bag, &plain, "pcap", 0, NULL, &bytes, &error));
  plain.topic_name = "/silent";
  kitbag_topic* silent = NULL;
  OK(kitbag_create_topic(bag, &plain, "pcap", 0, NULL, &silent, &error));

  kitbag_value* message = NULL;
  OK(kitbag_create_message(state, &message, &error));
  for (int64_t i = 0; i < 10; ++i) {
    float fixed[3] = {1, 2, 3};
    OK(kitbag_set_double(message, "x", (double)i / 2, &error));
    OK(kitbag_set_numbers(message, "fixed", KITBAG_FLOAT32, fixed, 3, &error));
    OK(kitbag_set_text(message, "data", "\0\1\2", 3, &error));
    OK(kitbag_set_text(message, "name", "robot", 5, &error));
    OK(kitbag_set_bool(message, "is_on", i % 2 == 1, &error));
    OK(kitbag_resize(message, "few", 2, &error));
    OK(kitbag_set_int64(message, "few[1]", -i, &error));
    OK(kitbag_set_uint64(message, "large", UINT64_MAX, &error));
    OK(kitbag_set_int64(message, "stamp", 1700000000000000001, &error));
    kitbag_stamp stamp = KITBAG_STAMP_INIT;
    stamp.time_published = 1000 * i;
    stamp.sequence = (uint32_t)i;
    OK(kitbag_write(bag, state, 1000 * i + 1, message, &stamp, &error));
  }
  FAILS(KITBAG_LIMIT, "more elements", kitbag_resize(message, "few", UINT64_MAX, &error));
  FAILS(KITBAG_INVALID, "few: expected int32[], got 1.5",
        kitbag_set_double(message, "few", 1.5, &error));
  FAILS(KITBAG_NOT_FOUND, "similar: name", kitbag_set_text(message, "nam", "", 0, &error));
  kitbag_value_free(message);

  const uint8_t payload[] = {7, 8, 9};
  kitbag_serialized_data data = {.payload = payload, .size = 3};
  OK(kitbag_write_serialized(bag, bytes, 5000, &data, NULL, &error));
  FAILS(KITBAG_INVALID, "open for writing", kitbag_open_topic(bag, "/state", &state, &error));
  OK(kitbag_index(bag, &error)); /* the bag is complete, and open for reading */
  FAILS(KITBAG_INVALID, "open for reading",
        kitbag_write_serialized(bag, bytes, 6000, &data, NULL, &error));
  OK(kitbag_close(bag, &error));
}

static void look_at(const char* path) {
  kitbag_bag* bag = NULL;
  OK(kitbag_open(path, KITBAG_READ, NULL, &bag, &error));
  const kitbag_bag_info* info = NULL;
  OK(kitbag_info(bag, &info, &error));
  CHECK(strcmp(info->path, path) == 0);
  CHECK(strcmp(info->format, "mcap") == 0);
  CHECK(info->file_size > 100);
  CHECK(info->message_count == 11);
  CHECK(info->start == 1 && info->end == 9001 && info->duration == 9000);
  CHECK(info->topic_count == 3);
  CHECK(strcmp(info->topics[2], "/state") == 0);
  CHECK(strcmp(info->types[2], "my_msgs/msg/State") == 0);
  CHECK(strcmp(info->encodings[0], "pcap") == 0);
  CHECK(info->message_counts[0] == 1 && info->message_counts[1] == 0);
  CHECK(!info->latched[0]);
  CHECK(info->key_value_count == 0 || strchr(info->keys[0], '/'));

  kitbag_topic* state = NULL;
  OK(kitbag_open_topic(bag, "/state", &state, &error));
  CHECK(strcmp(kitbag_topic_name(state), "/state") == 0);
  CHECK(strcmp(kitbag_topic_type(state), "my_msgs/msg/State") == 0);
  CHECK(strcmp(kitbag_topic_encoding(state), "cdr") == 0);
  CHECK(strcmp(kitbag_topic_header(state)->message_definition, definition) == 0);
  CHECK(strcmp(kitbag_topic_header(state)->schema_language, "ros2msg") == 0);
  FAILS(KITBAG_NOT_FOUND, "similar: /state", kitbag_open_topic(bag, "/stat", &state, &error));
  OK(kitbag_close(bag, &error));
}

struct seen {
  int structures;
  int fields;
  int lists;
  int numbers;
  double sum;
};

static bool begin_structure(void* context, const char* type) {
  (void)type;
  return ++((struct seen*)context)->structures < 100;
}
static bool end_structure(void* context) { return context != NULL; }
static bool field(void* context, const char* name) {
  return ++((struct seen*)context)->fields > 0 && name[0] != '\0';
}
static bool begin_list(void* context, uint64_t count) {
  (void)count;
  return ++((struct seen*)context)->lists > 0;
}
static bool end_list(void* context) { return context != NULL; }
static bool nothing(void* context) { return context != NULL; }
static bool boolean(void* context, bool value) { return context != NULL && value; }
static bool integer(void* context, int64_t value) {
  ((struct seen*)context)->sum += (double)value;
  return true;
}
static bool unsigned_integer(void* context, uint64_t value) {
  ((struct seen*)context)->sum += (double)value;
  return true;
}
static bool refuse(void* context, double value) {
  (void)context;
  return value < 0;
}
static bool real(void* context, double value) {
  ((struct seen*)context)->sum += value;
  return true;
}
static bool text(void* context, const char* characters, uint64_t size) {
  return context != NULL && strlen(characters) == size;
}
static bool numbers(void* context, kitbag_kind kind, const void* data, uint64_t count) {
  (void)data;
  ((struct seen*)context)->numbers += (int)count;
  return kind != KITBAG_NOTHING;
}

static void look_at_value(const kitbag_value* message) {
  double x = 0;
  OK(kitbag_get_double(message, "x", &x, &error));
  CHECK(x == 4.5);
  bool is_on = false;
  OK(kitbag_get_bool(message, "is_on", &is_on, &error));
  CHECK(is_on);
  int64_t few = 0;
  OK(kitbag_get_int64(message, "few[1]", &few, &error));
  CHECK(few == -9);
  uint64_t large = 0;
  OK(kitbag_get_uint64(message, "large", &large, &error));
  CHECK(large == UINT64_MAX);
  FAILS(KITBAG_INVALID, "large: ", kitbag_get_int64(message, "large", &few, &error));
  int64_t stamp = 0;
  OK(kitbag_get_time(message, "stamp", &stamp, &error));
  CHECK(stamp == 1700000000000000001);
  const char* name = NULL;
  uint64_t size = 0;
  OK(kitbag_get_text(message, "name", &name, &size, &error));
  CHECK(size == 5 && strcmp(name, "robot") == 0);
  OK(kitbag_get_size(message, "fixed", &size, &error));
  CHECK(size == 3);
  OK(kitbag_get_size(message, "", &size, &error));
  CHECK(size == 8);
  OK(kitbag_get_name(message, "", 1, &name, &error));
  CHECK(strcmp(name, "data") == 0);
  kitbag_kind kind = KITBAG_NOTHING;
  OK(kitbag_get_kind(message, "stamp", &kind, &error));
  CHECK(kind == KITBAG_STRUCTURE);
  const void* elements = NULL;
  uint64_t count = 0;
  OK(kitbag_get_numbers(message, "fixed", &kind, &elements, &count, &error));
  float third = 0;
  memcpy(&third, (const char*)elements + 2 * sizeof third, sizeof third);
  CHECK(kind == KITBAG_FLOAT32 && count == 3 && third == 3);

  struct seen seen = {0};
  kitbag_visitor visitor = KITBAG_VISITOR_INIT;
  visitor.context = &seen;
  visitor.begin_structure = begin_structure;
  visitor.field = field;
  visitor.end_structure = end_structure;
  visitor.begin_list = begin_list;
  visitor.end_list = end_list;
  visitor.nothing = nothing;
  visitor.boolean = boolean;
  visitor.integer = integer;
  visitor.unsigned_integer = unsigned_integer;
  visitor.real = real;
  visitor.text = text;
  OK(kitbag_visit(message, "", &visitor, &error));
  CHECK(seen.structures == 2 && seen.fields == 10 && seen.lists == 3);
  visitor.numbers = numbers;
  seen = (struct seen){0};
  visitor.real = refuse;
  FAILS(KITBAG_CANCELLED, "ended", kitbag_visit(message, "x", &visitor, &error));
  OK(kitbag_visit(message, "data", &visitor, &error));
  CHECK(seen.numbers == 3 && seen.lists == 0);

  kitbag_value* copy = NULL;
  OK(kitbag_value_copy(message, &copy, &error));
  OK(kitbag_set_double(copy, "x", -1, &error));
  OK(kitbag_get_double(message, "x", &x, &error));
  CHECK(x == 4.5);
  kitbag_value_free(copy);
}

static bool count_messages(void* context, const kitbag_serialized_data* messages,
                           const kitbag_value* const* values, size_t count, kitbag_code end,
                           const kitbag_error* error) {
  uint64_t* total = context;
  for (size_t i = 0; i < count; ++i) *total += messages[i].size > 0 && (!values || values[i]);
  if (count == 0) *total += end == KITBAG_END && !error ? 1000 : 100000;
  return true;
}

static void read_bag(const char* path) {
  kitbag_bag* bag = NULL;
  OK(kitbag_open(path, KITBAG_READ, NULL, &bag, &error));
  kitbag_topic* state = NULL;
  OK(kitbag_open_topic(bag, "/state", &state, &error));

  kitbag_iterator* iterator = NULL;
  OK(kitbag_create_iterator(bag, NULL, KITBAG_BY_TIME, &iterator, &error));
  kitbag_serialized_data data;
  int of_state = 0;
  int64_t last = 0;
  while (kitbag_read_next_serialized(iterator, state, NULL, &data, NULL) == KITBAG_OK) {
    CHECK(data.topic == state && data.time_received > last);
    CHECK(data.time_published == data.time_received - 1 && data.sequence == (uint32_t)of_state);
    last = data.time_received;
    ++of_state;
  }
  CHECK(of_state == 10);
  kitbag_close_iterator(iterator);

  const char* topics[] = {"/state"};
  kitbag_query query = KITBAG_QUERY_INIT;
  query.topics = topics;
  query.topic_count = 1;
  query.where = "x > 2";
  query.count = 1;
  OK(kitbag_create_iterator(bag, &query, KITBAG_BY_TIME_REVERSE, &iterator, &error));
  const kitbag_value* message = NULL;
  OK(kitbag_read_next(iterator, NULL, NULL, &message, &data, &error));
  look_at_value(message);
  CHECK(kitbag_read_next(iterator, NULL, NULL, &message, NULL, NULL) == KITBAG_END);
  kitbag_close_iterator(iterator);

  query = (kitbag_query)KITBAG_QUERY_INIT;
  query.start = 5000;
  query.end = 7001;
  kitbag_messages* messages = NULL;
  OK(kitbag_read_serialized(bag, &query, KITBAG_BY_FILE, NULL, &messages, &error));
  CHECK(kitbag_messages_count(messages) == 3);
  CHECK(kitbag_messages_data(messages, 0)->payload[2] == 9 ||
        kitbag_messages_data(messages, 2)->payload[2] == 9);
  CHECK(kitbag_messages_data(messages, 3) == NULL && kitbag_messages_value(messages, 0) == NULL);
  kitbag_messages_free(messages);
  FAILS(KITBAG_NOT_FOUND, "/bytes", kitbag_read(bag, &query, KITBAG_BY_TIME, NULL, &messages, &error));
  query.topics = topics;
  query.topic_count = 1;
  OK(kitbag_read(bag, &query, KITBAG_BY_TIME, NULL, &messages, &error));
  CHECK(kitbag_messages_count(messages) == 2);
  double x = 0;
  OK(kitbag_get_double(kitbag_messages_value(messages, 1), "x", &x, &error));
  CHECK(x == 3);
  kitbag_messages_free(messages);
  query.max_bytes = 10;
  FAILS(KITBAG_LIMIT, "iterator", kitbag_read(bag, &query, KITBAG_BY_TIME, NULL, &messages, &error));

  uint64_t total = 0;
  kitbag_async* async = NULL;
  OK(kitbag_read_async_serialized(bag, NULL, KITBAG_BY_TIME, count_messages, &total, &async, &error));
  CHECK(kitbag_async_wait(async) == KITBAG_END && total == 1011);
  kitbag_async_cancel(async);
  kitbag_async_free(async);
  total = 0;
  query = (kitbag_query)KITBAG_QUERY_INIT;
  query.topics = topics;
  query.topic_count = 1;
  OK(kitbag_read_async(bag, &query, KITBAG_BY_TIME, count_messages, &total, &async, &error));
  OK(kitbag_close(bag, &error)); /* the reading goes on */
  CHECK(kitbag_async_wait(async) == KITBAG_END && total == 1010);
  kitbag_async_free(async);

  OK(kitbag_open(path, KITBAG_READ, NULL, &bag, &error));
  const char* fields[] = {"x", "stamp"};
  struct ArrowArrayStream stream;
  OK(kitbag_arrow_stream(bag, &query, fields, 2, &stream, &error));
  OK(kitbag_close(bag, &error));
  struct ArrowSchema schema;
  struct ArrowArray batch;
  CHECK(stream.get_schema(&stream, &schema) == 0 && schema.n_children == 4);
  CHECK(stream.get_next(&stream, &batch) == 0 && batch.length == 10);
  batch.release(&batch);
  schema.release(&schema);
  stream.release(&stream);
}

static void append_to(const char* path) {
  kitbag_bag* bag = NULL;
  OK(kitbag_open(path, KITBAG_APPEND, NULL, &bag, &error));
  kitbag_connection_header header = KITBAG_CONNECTION_HEADER_INIT;
  header.topic_name = "/more";
  kitbag_topic* more = NULL;
  OK(kitbag_create_topic(bag, &header, "text", 0, NULL, &more, &error));
  kitbag_serialized_data data = {.payload = (const uint8_t*)"hello", .size = 5};
  OK(kitbag_write_serialized(bag, more, 20000, &data, NULL, &error));
  OK(kitbag_close(bag, &error));
  OK(kitbag_open(path, KITBAG_APPEND, NULL, &bag, &error));
  OK(kitbag_create_topic(bag, &header, "text", 0, NULL, &more, &error));
  OK(kitbag_write_serialized(bag, more, 30000, &data, NULL, &error));
  kitbag_abandon(bag); /* the bag is as it was */
  OK(kitbag_open(path, KITBAG_READ, NULL, &bag, &error));
  const kitbag_bag_info* info = NULL;
  OK(kitbag_info(bag, &info, &error));
  CHECK(info->message_count == 12);
  OK(kitbag_close(bag, &error));
}

static int stop_later(void* bag) {
  thrd_sleep(&(struct timespec){.tv_nsec = 300 * 1000 * 1000}, NULL);
  kitbag_stop(bag);
  return 0;
}

static void record_and_replay(const char* recorded, const char* address) {
  kitbag_bag* bag = NULL;
  const kitbag_bag_info* info = NULL;
  OK(kitbag_open(at(".", "stopped.mcap"), KITBAG_WRITE, NULL, &bag, &error));
  thrd_t stopper;
  CHECK(thrd_create(&stopper, stop_later, bag) == thrd_success);
  OK(kitbag_record_all(bag, "demo://", &error)); /* until it is stopped */
  thrd_join(stopper, NULL);
  OK(kitbag_close(bag, &error));

  const char* topics[] = {"/odom", "/imu"};
  OK(kitbag_open(recorded, KITBAG_WRITE, NULL, &bag, &error));
  OK(kitbag_record(bag, "demo://?seconds=0.3", topics, 2, &error));
  OK(kitbag_info(bag, &info, &error));
  CHECK(info->topic_count == 2 && info->message_count > 3);
  kitbag_stop(bag); /* a stop that comes first counts */
  OK(kitbag_replay_all(bag, address, &error));
  OK(kitbag_replay(bag, address, topics, 1, &error));
  OK(kitbag_close(bag, &error));

  const char* whole = at(".", "whole.mcap");
  OK(kitbag_open(whole, KITBAG_WRITE, NULL, &bag, &error));
  OK(kitbag_record_all(bag, "demo://?seconds=0.2", &error));
  OK(kitbag_info(bag, &info, &error));
  CHECK(info->topic_count > 5);
  OK(kitbag_close(bag, &error));
}

/* Two write to one directory: one message by message, one by recording. */
static void join_others(const char* directory) {
  kitbag_bag* writer = NULL;
  kitbag_bag* recorder = NULL;
  OK(kitbag_open(directory, KITBAG_JOIN, NULL, &writer, &error));
  OK(kitbag_open(directory, KITBAG_JOIN, NULL, &recorder, &error));
  kitbag_connection_header header = KITBAG_CONNECTION_HEADER_INIT;
  header.topic_name = "/note";
  kitbag_topic* note = NULL;
  OK(kitbag_create_topic(writer, &header, "text", 0, NULL, &note, &error));
  kitbag_serialized_data data = {.payload = (const uint8_t*)"hello", .size = 5};
  OK(kitbag_write_serialized(writer, note, 20000, &data, NULL, &error));
  OK(kitbag_record_all(recorder, "demo://?seconds=0.2", &error));
  OK(kitbag_close(writer, &error));
  OK(kitbag_close(recorder, &error));
  kitbag_bag* both = NULL;
  const kitbag_bag_info* info = NULL;
  OK(kitbag_open(directory, KITBAG_READ, NULL, &both, &error));
  OK(kitbag_info(both, &info, &error));
  CHECK(info->topic_count > 5 && info->message_count > 20);
  CHECK(info->start == 20000);
  OK(kitbag_close(both, &error));
  FAILS(KITBAG_INVALID, "file", kitbag_open("written.mcap", KITBAG_JOIN, NULL, &both, &error));
}

static void print_problem(void* context, const kitbag_error* problem) {
  CHECK(kitbag_error_offset(problem) != 0);
  ++*(int*)context;
}

static bool count_bag(void* context, const kitbag_catalog_bag* bag) {
  CHECK(strstr(bag->path, "written.mcap") != NULL);
  CHECK(strcmp(bag->format, "mcap") == 0 && strcmp(bag->damage, "") == 0);
  CHECK(strlen(bag->fingerprint) > 10 && bag->number > 0 && bag->file_size > 100);
  uint64_t messages = 0;
  bool has_state = false;
  for (size_t i = 0; i < bag->topic_count; ++i) {
    messages += bag->topic_counts[i];
    has_state = has_state || (strcmp(bag->topics[i], "/state") == 0 &&
                              strcmp(bag->types[i], "my_msgs/msg/State") == 0 &&
                              strcmp(bag->encodings[i], "cdr") == 0 && bag->topic_counts[i] > 0);
  }
  CHECK(has_state && bag->message_count == messages);
  CHECK(bag->start <= bag->end);
  ++*(int*)context;
  return false;
}

static bool look_at_notes(void* context, const kitbag_catalog_bag* bag) {
  CHECK(strcmp(bag->note, "the wheel slips") == 0);
  CHECK(strcmp(bag->tags[0].name, "robot") == 0 && strcmp(bag->tags[0].value, "r7") == 0);
  CHECK(bag->tags[1].name == NULL);
  CHECK(bag->event_count == 1 && strcmp(bag->events[0].name, "slip") == 0);
  CHECK(bag->events[0].start == 5 && bag->events[0].end == 7);
  *(int64_t*)context = bag->events[0].number;
  return true;
}

static bool count_moment(void* context, const kitbag_moment* moment) {
  CHECK(strstr(moment->path, "written.mcap") != NULL);
  CHECK(strcmp(moment->topic, "/state") == 0 && moment->bag > 0);
  CHECK(moment->message_count >= 1 && moment->start <= moment->end);
  CHECK(strstr(moment->value, "\"x\":") != NULL);
  ++*(int*)context;
  return true;
}

static bool end_scan(void* context, const char* path, kitbag_change change,
                     const kitbag_error* problem) {
  CHECK(strlen(path) > 5);
  CHECK(problem != NULL || change <= KITBAG_REPLACED);
  ++*(int*)context;
  return false;
}

static void keep_a_catalog(const char* bag, const char* folder) {
  const char* address = at(folder, "fleet.db");
  kitbag_catalog* catalog = NULL;
  FAILS(KITBAG_NOT_FOUND, "fleet.db", kitbag_catalog_open(address, false, &catalog, &error));
  OK(kitbag_catalog_open(address, true, &catalog, &error));
  kitbag_pair tags[] = {{"robot", "r7"}, {NULL, NULL}};
  kitbag_adding how = KITBAG_ADDING_INIT;
  how.tags = tags;
  kitbag_change change = KITBAG_MOVED;
  OK(kitbag_catalog_add(catalog, bag, &how, &change, &error));
  CHECK(change == KITBAG_ADDED);
  OK(kitbag_catalog_add(catalog, bag, NULL, &change, &error));
  CHECK(change == KITBAG_UNCHANGED);

  kitbag_catalog_query query = KITBAG_CATALOG_QUERY_INIT;
  const char* const topics[] = {"/sta*"};
  query.topics = topics;
  query.topic_count = 1;
  query.tags = tags;
  int bags = 0;
  OK(kitbag_catalog_find(catalog, &query, count_bag, &bags, &error));
  CHECK(bags == 1);
  query.longer_than = INT64_MAX;
  OK(kitbag_catalog_find(catalog, &query, count_bag, &bags, &error));
  CHECK(bags == 1);
  query.longer_than = 0;

  query.where = "x > -1e9";
  int moments = 0;
  kitbag_search search = KITBAG_SEARCH_INIT;
  OK(kitbag_catalog_moments(catalog, &query, count_moment, &moments, &search, &error));
  CHECK(moments >= 1 && search.bags == 1 && search.opened == 1 && search.failed == 0);
  query.where = "x > 1e9";
  OK(kitbag_catalog_moments(catalog, &query, count_moment, &moments, &search, &error));
  CHECK(search.ruled_out == 1 && search.opened == 0);
  query.where = "x >";
  FAILS(KITBAG_INVALID, "x >",
        kitbag_catalog_moments(catalog, &query, count_moment, &moments, NULL, &error));
  query.where = NULL;
  FAILS(KITBAG_INVALID, "no condition",
        kitbag_catalog_moments(catalog, &query, count_moment, &moments, NULL, &error));

  OK(kitbag_catalog_set_note(catalog, bag, "the wheel slips", &error));
  OK(kitbag_catalog_set_tag(catalog, bag, "site", "hall", &error));
  OK(kitbag_catalog_set_tag(catalog, bag, "site", NULL, &error));
  OK(kitbag_catalog_add_event(catalog, bag, 5, 7, "slip", &error));
  int64_t event = 0;
  OK(kitbag_catalog_find(catalog, NULL, look_at_notes, &event, &error));
  OK(kitbag_catalog_remove_event(catalog, event, &error));
  FAILS(KITBAG_NOT_FOUND, "number", kitbag_catalog_remove_event(catalog, event, &error));

  OK(kitbag_catalog_remove(catalog, bag, &error));
  FAILS(KITBAG_NOT_FOUND, "does not know", kitbag_catalog_remove(catalog, bag, &error));
  int scanned = 0;
  FAILS(KITBAG_CANCELLED, "ended",
        kitbag_catalog_scan(catalog, folder, NULL, end_scan, &scanned, &error));
  CHECK(scanned == 1);
  OK(kitbag_catalog_scan(catalog, folder, NULL, NULL, NULL, &error));
  kitbag_catalog_close(catalog);
  kitbag_catalog_close(NULL);
}

static void be_refused(const char* folder) {
  kitbag_bag* bag = NULL;
  FAILS(KITBAG_NOT_FOUND, "none.bag",
        kitbag_open(at(folder, "none.bag"), KITBAG_READ, NULL, &bag, &error));
  FAILS(KITBAG_INVALID, "NULL", kitbag_open(NULL, KITBAG_READ, NULL, &bag, &error));
  kitbag_storage storage = {0}; /* without its size */
  FAILS(KITBAG_INVALID, "size", kitbag_open(at(folder, "x.bag"), KITBAG_WRITE, &storage, &bag, &error));
  CHECK(bag == NULL);
  CHECK(kitbag_open(at(folder, "none.bag"), KITBAG_READ, NULL, &bag, NULL) == KITBAG_NOT_FOUND);

  const char* damaged = at(folder, "damaged.mcap");
  FILE* file = fopen(damaged, "wb");
  fwrite("\x89MCAP0\r\n\x01", 1, 9, file);
  fclose(file);
  int problems = 0;
  storage = (kitbag_storage)KITBAG_STORAGE_INIT;
  storage.on_problem = print_problem;
  storage.context = &problems;
  kitbag_error* why = NULL;
  CHECK(kitbag_open(damaged, KITBAG_READ, NULL, &bag, &why) == KITBAG_TRUNCATED);
  CHECK(strcmp(kitbag_error_file(why), damaged) == 0);
  kitbag_error_free(why);
  OK(kitbag_open(damaged, KITBAG_READ, &storage, &bag, &error));
  CHECK(problems > 0);
  OK(kitbag_close(bag, &error));
  CHECK(kitbag_close(NULL, NULL) == KITBAG_OK);
  CHECK(strcmp(kitbag_code_name(KITBAG_NOT_FOUND), "not found") == 0);
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const char* bag = at(arguments[1], "written.mcap");
  CHECK(strlen(kitbag_version()) >= 5);
  write_bag(bag);
  look_at(bag);
  read_bag(bag);
  append_to(bag);
  keep_a_catalog(bag, arguments[1]);
  record_and_replay(at(arguments[1], "recorded.mcap"), arguments[2]);
  join_others(at(arguments[1], "today"));
  be_refused(arguments[1]);
  if (failures == 0) puts("every call did what it says");
  return failures > 0;
}
