#include "inputs.h"

#include <fmt/format.h>

#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "print.h"
#include "signals.h"

namespace kitbag::cli {
namespace {

void warn_of(const Damage& damage) {
  if (damage.count() == 0) return;
  std::string text = damage.problems().front().what();
  if (damage.count() > 1)
    text += fmt::format(" (and {})", counted(damage.count() - 1, "more problem"));
  print_warning(text);
}

}  // namespace

Inputs::Inputs(const std::vector<std::string>& paths, bool is_strict, const Context& context,
               const std::string& gpg_key) {
  ExitOnStop nothing_to_clean_up(context.stop);
  for (const std::string& path : paths) {
    ReadOptions options;
    options.gpg_key = gpg_key;
    Damage* damage = damage_.emplace_back(std::make_unique<Damage>()).get();
    if (!is_strict) options.on_problem = [damage](const Error& found) { damage->add(found); };
    bags_.push_back(open(path, options, context.registry));
  }
}

std::unique_ptr<Source> Inputs::read(const Query& query) const {
  return kitbag::read(bags_, query);
}

void Inputs::warn() const {
  for (const auto& damage : damage_) warn_of(*damage);
}

}  // namespace kitbag::cli
