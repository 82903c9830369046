// The entry point of the extension: SELECT kitbag_open('drive.bag') creates the tables of bags in
// the temporary schema of the connection.

#ifdef KITBAG_SQLITE_EXTENSION

#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/definitions.h"
#include "kitbag/error.h"
#include "kitbag/export.h"
#include "sql/bag_set.h"
#include "sql/tables/tables.h"

namespace {

using namespace kitbag;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

DefinitionEnvironment environment() {
  return {.kitbag_definitions = variable("KITBAG_DEFINITIONS"),
          .ros_package_path = variable("ROS_PACKAGE_PATH"),
          .ament_prefix_path = variable("AMENT_PREFIX_PATH")};
}

/// kitbag_open(BAG, ...): opens bags, and all in folders, and creates their tables. Returns the
/// number of tables. Once for each connection: the names of tables would meet.
void open_bags(sqlite3_context* context, int count, sqlite3_value** values) {
  try {
    auto set = std::make_shared<sql::BagSet>();
    const DefinitionPaths definitions = definition_paths({}, environment());
    for (int i = 0; i < count; ++i) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[i]));
      for (const std::string& path : sql::bags_at(text ? text : "", set->session)) {
        BagPtr bag = defined(set->session.open(path), definitions, set->session);
        set->bags.push_back({path, std::move(bag)});
      }
    }
    if (set->bags.empty()) throw Error(ErrorCode::invalid, "kitbag_open() needs a bag");
    sql::sort_bags(*set);
    sqlite3_result_int64(context, sql::create_tables(sqlite3_context_db_handle(context), set));
  } catch (const std::exception& error) {
    sqlite3_result_error(context, error.what(), -1);
  }
}

}  // namespace

extern "C" KITBAG_API int sqlite3_kitbag_init(sqlite3* database, char** error,
                                              const sqlite3_api_routines* api) {
  SQLITE_EXTENSION_INIT2(api)
  (void)error;
  return sqlite3_create_function_v2(database, "kitbag_open", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                    nullptr, open_bags, nullptr, nullptr, nullptr);
}

#endif
