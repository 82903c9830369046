// kitbag's side of the sqlite3 benchmark, through the public headers only; see format_bench.h.

#include "bench/format_bench.h"

int main(int count, char** arguments) {
  return bench::run_format("sqlite3", count, arguments);
}
