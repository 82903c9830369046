#include "cli/program.h"

int main(int argc, char** argv) {
  return kitbag::cli::run_program(argc, argv);
}
