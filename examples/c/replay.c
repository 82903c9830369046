/* Sends the messages of a bag to a live system, each at its time: replay BAG TO [TOPIC...]. */

#include <kitbag/c.h>
#include <stdio.h>

int main(int count, char** arguments) {
  if (count < 3) {
    fputs("usage: replay BAG TO [TOPIC...]\n", stderr);
    return 2;
  }
  kitbag_error* error = NULL;
  kitbag_bag* bag = NULL;
  kitbag_code code = kitbag_open(arguments[1], KITBAG_READ, NULL, &bag, &error);
  if (code == KITBAG_OK) {
    code = kitbag_replay(bag, arguments[2], (const char* const*)arguments + 3, (size_t)count - 3,
                         &error);
  }
  kitbag_close(bag, NULL);
  if (code != KITBAG_OK) fprintf(stderr, "%s\n", kitbag_error_message(error));
  kitbag_error_free(error);
  return code != KITBAG_OK;
}
