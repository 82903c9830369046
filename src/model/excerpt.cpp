#include "kitbag/excerpt.h"

#include "kitbag/registry.h"
#include "kitbag/session.h"

namespace kitbag {

std::optional<Excerpt> excerpt(const Input& input, std::string_view format, const Query& query,
                               const ReadOptions& options, const Session& session) {
  const Format* found = match_format(session.registry(), input);
  bool is_it = found && found->name == format && found->excerpt;
  bool is_plain = query.nth == 0 && query.count == UINT64_MAX && !query.latched_before &&
                  query.by == TimeField::log_time;
  if (!is_it || !is_plain) return std::nullopt;
  return found->excerpt(input, query, options, session);
}

}  // namespace kitbag
