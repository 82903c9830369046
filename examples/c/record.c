/* Records a live system until Enter is pressed: record FROM TARGET [TOPIC...]. */

#include <kitbag/c.h>
#include <stdio.h>
#include <threads.h>

static int wait_for_enter(void* bag) {
  while (getchar() != '\n' && !feof(stdin)) {
  }
  kitbag_stop(bag);
  return 0;
}

int main(int count, char** arguments) {
  if (count < 3) {
    fputs("usage: record FROM TARGET [TOPIC...]\n", stderr);
    return 2;
  }
  kitbag_error* error = NULL;
  kitbag_bag* bag = NULL;
  const kitbag_bag_info* info = NULL;
  thrd_t waiting;
  kitbag_code code = kitbag_open(arguments[2], KITBAG_WRITE, NULL, &bag, &error);
  if (code == KITBAG_OK && thrd_create(&waiting, wait_for_enter, bag) == thrd_success) {
    code = kitbag_record(bag, arguments[1], (const char* const*)arguments + 3, (size_t)count - 3,
                         &error);
    if (code == KITBAG_OK) code = kitbag_info(bag, &info, &error);
    if (code == KITBAG_OK) printf("%llu messages\n", (unsigned long long)info->message_count);
    thrd_join(waiting, NULL);
  }
  kitbag_close(bag, NULL);
  if (code != KITBAG_OK) fprintf(stderr, "%s\n", kitbag_error_message(error));
  kitbag_error_free(error);
  return code != KITBAG_OK;
}
