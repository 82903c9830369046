#include <fmt/format.h>

#include "database/sqlite.h"
#include "kitbag/database.h"
#include "kitbag/session.h"
#include "model/scheme.h"

namespace kitbag {

std::unique_ptr<Database> connect(const std::string& address, const ConnectOptions& options,
                                  const Session& session) {
  std::string_view scheme = scheme_of(address);
  if (scheme.empty() || scheme == "file") return connect_sqlite(session.path_of(address), options);
  if (const DatabaseEngine* engine = session.find_database(scheme)) {
    return engine->connect(address, options);
  }
  throw Error(ErrorCode::invalid,
              fmt::format("there is no kind of database \"{}\"; a file, or postgresql://", scheme),
              without_password(address));
}

/// The password may be in front of the host, or among the parameters. In front of the host, it may
/// have characters that should be encoded, so all up to the last @ is taken for it: rather is a
/// host left out than a part of a password shown.
std::string without_password(const std::string& address) {
  std::size_t begin = address.find("://");
  if (begin == std::string::npos) return address;
  begin += 3;
  std::string shown = address;
  constexpr std::string_view kPassword = "password=";
  for (std::size_t from = shown.find('?'); from != std::string::npos;) {
    from = shown.find(kPassword, from);
    if (from == std::string::npos) break;
    from += kPassword.size();
    std::size_t end = shown.find('&', from);
    shown.replace(from, end == std::string::npos ? end : end - from, "...");
  }
  std::size_t colon = address.find_first_of(":/?", begin);
  bool has_colon = colon != std::string::npos && address[colon] == ':';
  if (!has_colon || address.find('@', colon) == std::string::npos) return shown;
  std::size_t at = shown.find('@', colon) == std::string::npos ? shown.size() : shown.rfind('@');
  return shown.replace(colon + 1, at - colon - 1, "...");
}

}  // namespace kitbag
