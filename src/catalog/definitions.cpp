#include "catalog/definitions.h"

#include <memory>
#include <utility>
#include <vector>

#include "catalog/bag_rows.h"
#include "catalog/packed_bytes.h"
#include "kitbag/bytes.h"
#include "kitbag/error.h"

namespace kitbag::catalog {

void store_definition(Database& database, const std::string& hash, const Schema& schema) {
  std::vector<SqlValue> values{hash, schema.language};
  values.emplace_back(compressed(as_bytes(schema.text)));
  database.run(
      "INSERT INTO definitions (schema_hash, language, text) VALUES ($1, $2, $3) "
      "ON CONFLICT (schema_hash) DO NOTHING",
      values);
}

SchemaPtr definition_with(Database& database, const std::string& hash, const std::string& type) {
  auto rows = database.run("SELECT language, text FROM definitions WHERE schema_hash = $1", {hash});
  if (rows.empty()) return nullptr;
  const auto* packed = std::get_if<std::vector<std::byte>>(&rows[0].at(1));
  auto text = packed ? decompressed(*packed) : std::nullopt;
  if (!text) throw Error(ErrorCode::corrupt, "a message definition of the catalog is damaged");
  return std::make_shared<Schema>(
      Schema{type, text_in(rows[0], 0), std::string(as_text({text->data(), text->size()}))});
}

}  // namespace kitbag::catalog
