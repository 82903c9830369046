#include "kitbag/database.h"

namespace kitbag {

std::vector<SqlRow> Database::run(const std::string& statement,
                                  const std::vector<SqlValue>& parameters) {
  std::vector<SqlRow> rows;
  run(statement, std::span(parameters), [&](SqlRow& row) { rows.push_back(std::move(row)); });
  return rows;
}

SqlTransaction::SqlTransaction(Database& database) : database_(database) {
  database_.begin_writing();
}

SqlTransaction::~SqlTransaction() {
  if (!is_open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const Error&) {
    return;  // the connection is lost, and the transaction with it
  }
}

void SqlTransaction::commit() {
  database_.run("COMMIT");
  is_open_ = false;
}

}  // namespace kitbag
