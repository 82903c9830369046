#include "kitbag/plugin.h"

#include "database/postgres/postgres.h"

namespace {

void add_to(kitbag::Registry& registry) {
  registry.databases.push_back(
      {.schemes = {"postgresql", "postgres"}, .connect = kitbag::connect_postgres});
}

}  // namespace

KITBAG_PLUGIN(add_to);
