#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <string>

#include "cli/context.h"
#include "kitbag/catalog.h"
#include "kitbag/error.h"
#include "kitbag/system_error.h"

namespace kitbag::cli {

/// Opens the catalog at `address`, as a Catalog or CatalogJobs. Throws Error as they do; of a file
/// that is not there, it says how a catalog is made.
template <class Opened = Catalog>
Opened open_catalog(const std::string& address, const Context& context) {
  try {
    return Opened(address, context.session, {context.stop, kNever});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::not_found || errno_of(error) != ENOENT) throw;
    throw_as(Error(error.code(),
                   fmt::format("{}; to make a new catalog: kitbag catalog init {}", error.message(),
                               address),
                   error.file()),
             error);
  }
}

}  // namespace kitbag::cli
