#include "batch/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/path.h"
#include "kitbag/batch.h"
#include "kitbag/error.h"
#include "kitbag/paths.h"

// A batch takes verbs that make one target of a bag, since a target is what is compared when nobody
// knows what a killed run has left. `check` and `find` print instead; what they print as JSON is
// their target. The names of targets follow from those of bags alone, so they are known before a
// bag is opened.

namespace kitbag::batch {
namespace {

struct VerbKind {
  std::string_view name;
  TargetKind kind;
  std::string_view suffix;  ///< of the target, behind the name of the bag
};

constexpr VerbKind kVerbs[] = {{"convert", TargetKind::bag, ""},
                               {"repair", TargetKind::bag, ""},
                               {"export", TargetKind::folder, ""},
                               {"check", TargetKind::text, ".check.json"},
                               {"find", TargetKind::text, ".found.jsonl"}};

const VerbKind& kind_of(const std::string& verb) {
  const auto* found = std::ranges::find(kVerbs, verb, &VerbKind::name);
  if (found != std::end(kVerbs)) return *found;
  throw Error(ErrorCode::invalid,
              fmt::format("\"{}\" cannot be done in a batch; convert, repair, export, check and "
                          "find can",
                          verb));
}

}  // namespace

TargetKind target_kind(const std::string& verb) {
  return kind_of(verb).kind;
}

std::string target_name(const BatchRequest& request, const std::string& name, bool is_folder,
                        const Session& session) {
  const VerbKind& verb = kind_of(request.verb);
  switch (verb.kind) {
    case TargetKind::bag: {
      const std::string& format = request.format;
      if (!format.empty()) {  // is it known?
        static_cast<void>(session.format_for(name_in_format(name, format, false, session), format));
      }
      return name_in_format(name, format, is_folder, session);
    }
    case TargetKind::folder: {
      std::string_view folder = parent_folder(name);
      return join(folder, is_folder ? file_name(name) : stem(name)) + "/";
    }
    case TargetKind::text:
      break;
  }
  return fmt::format("{}{}", name, verb.suffix);
}

}  // namespace kitbag::batch

namespace kitbag {

std::vector<std::string> batch_verbs() {
  std::vector<std::string> names;
  for (const batch::VerbKind& each : batch::kVerbs) names.emplace_back(each.name);
  return names;
}

}  // namespace kitbag
