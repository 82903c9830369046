/* Prints what a bag holds, and the first messages as text: read BAG. */

#include <kitbag/c.h>
#include <stdio.h>

static bool begin_structure(void* context, const char* type) {
  (void)context, (void)type;
  return printf("{") > 0;
}
static bool field(void* context, const char* name) {
  (void)context;
  return printf(" %s:", name) > 0;
}
static bool end_structure(void* context) {
  (void)context;
  return printf(" }") > 0;
}
static bool integer(void* context, int64_t value) {
  (void)context;
  return printf(" %lld", (long long)value) > 0;
}
static bool unsigned_integer(void* context, uint64_t value) {
  (void)context;
  return printf(" %llu", (unsigned long long)value) > 0;
}
static bool real(void* context, double value) {
  (void)context;
  return printf(" %g", value) > 0;
}
static bool text(void* context, const char* value, uint64_t size) {
  (void)context;
  return printf(" \"%.*s\"", (int)(size < 40 ? size : 40), value) > 0;
}
static bool numbers(void* context, kitbag_kind kind, const void* data, uint64_t count) {
  (void)context, (void)kind, (void)data;
  return printf(" [%llu numbers]", (unsigned long long)count) > 0;
}

static int fail(kitbag_error* error) {
  fprintf(stderr, "%s\n", kitbag_error_message(error));
  kitbag_error_free(error);
  return 1;
}

int main(int count, char** arguments) {
  if (count != 2) {
    fputs("usage: read BAG\n", stderr);
    return 2;
  }
  kitbag_error* error = NULL;
  kitbag_bag* bag = NULL;
  const kitbag_bag_info* info = NULL;
  if (kitbag_open(arguments[1], KITBAG_READ, NULL, &bag, &error)) return fail(error);
  if (kitbag_info(bag, &info, &error)) {
    kitbag_close(bag, NULL);
    return fail(error);
  }
  printf("%llu messages in %.3f s\n", (unsigned long long)info->message_count,
         (double)info->duration / 1e9);
  for (size_t i = 0; i < info->topic_count; ++i) {
    printf("  %s %s %llu\n", info->topics[i], info->types[i],
           (unsigned long long)info->message_counts[i]);
  }

  kitbag_visitor visitor = KITBAG_VISITOR_INIT;
  visitor.begin_structure = begin_structure;
  visitor.field = field;
  visitor.end_structure = end_structure;
  visitor.integer = integer;
  visitor.unsigned_integer = unsigned_integer;
  visitor.real = real;
  visitor.text = text;
  visitor.numbers = numbers;
  kitbag_query query = KITBAG_QUERY_INIT;
  query.count = 3;
  kitbag_iterator* iterator = NULL;
  kitbag_code code = kitbag_create_iterator(bag, &query, KITBAG_BY_TIME, &iterator, &error);
  const kitbag_value* message = NULL;
  kitbag_serialized_data data;
  while (code == KITBAG_OK) {
    code = kitbag_read_next(iterator, NULL, NULL, &message, &data, &error);
    if (code == KITBAG_OK) {
      printf("%lld %s", (long long)data.time_received, kitbag_topic_name(data.topic));
      code = kitbag_visit(message, "", &visitor, &error);
      printf("\n");
    }
  }
  kitbag_close_iterator(iterator);
  kitbag_close(bag, NULL);
  return code == KITBAG_END ? 0 : fail(error);
}
