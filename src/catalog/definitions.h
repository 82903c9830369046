#pragma once

#include <string>

#include "kitbag/database.h"
#include "kitbag/message.h"

// Message definitions, each once however many bags have it, so that queries know the fields of a
// topic and their types without opening a bag.

namespace kitbag::catalog {

/// Stores a definition, unless it is there. In a transaction. Throws as Database::run() does.
void store_definition(Database& database, const std::string& hash, const Schema& schema);

/// Returns the definition with that hash, under the name of `type`; null: there is none. Throws as
/// Database::run() does, and Error (corrupt).
SchemaPtr definition_with(Database& database, const std::string& hash, const std::string& type);

}  // namespace kitbag::catalog
