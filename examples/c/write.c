/* Writes a bag with a message of its own type: write TARGET. */

#include <kitbag/c.h>
#include <math.h>
#include <stdio.h>

static int fail(kitbag_error* error) {
  fprintf(stderr, "%s\n", kitbag_error_message(error));
  kitbag_error_free(error);
  return 1;
}

int main(int count, char** arguments) {
  if (count != 2) {
    fputs("usage: write TARGET\n", stderr);
    return 2;
  }
  kitbag_error* error = NULL;
  kitbag_bag* bag = NULL;
  if (kitbag_open(arguments[1], KITBAG_WRITE, NULL, &bag, &error)) return fail(error);

  kitbag_connection_header header = KITBAG_CONNECTION_HEADER_INIT;
  header.topic_name = "/wave";
  header.topic_type = "example_msgs/msg/Wave";
  header.message_definition = "float64 phase\nfloat64[] samples\nstring unit\n";
  kitbag_topic* wave = NULL;
  kitbag_value* message = NULL;
  if (kitbag_create_topic(bag, &header, "cdr", 0, NULL, &wave, &error) ||
      kitbag_create_message(wave, &message, &error)) {
    kitbag_abandon(bag);
    return fail(error);
  }
  int code = kitbag_set_text(message, "unit", "V", 1, &error);
  for (int i = 0; i < 100 && !code; ++i) {
    double samples[8];
    for (int k = 0; k < 8; ++k) samples[k] = sin(0.1 * (i + k / 8.0));
    int64_t time = 1700000000000000000 + i * INT64_C(10000000);
    (void)((code = (int)kitbag_set_double(message, "phase", 0.1 * i, &error)) ||
           (code = (int)kitbag_set_numbers(message, "samples", KITBAG_FLOAT64, samples, 8,
                                           &error)) ||
           (code = (int)kitbag_write(bag, wave, time, message, NULL, &error)));
  }
  kitbag_value_free(message);
  if (code) {
    kitbag_abandon(bag);
    return fail(error);
  }
  if (kitbag_close(bag, &error)) return fail(error);
  puts("100 messages");
  return 0;
}
