#include "inputs.h"

#include <fmt/format.h>

#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "print.h"
#include "signals.h"

namespace kitbag::cli {

void warn_of(const Damage& damage) {
  if (damage.count() == 0) return;
  std::string text = damage.problems().front().what();
  if (damage.count() > 1)
    text += fmt::format(" (and {})", counted(damage.count() - 1, "more problem"));
  print_warning(text);
}

ReadOptions ReadingOptions::with(OnProblem on_problem) const {
  ReadOptions options;
  options.on_problem = std::move(on_problem);
  options.check_crc = check_crc;
  options.format = format;
  options.gpg_key = gpg_key;
  options.threads = threads;
  return options;
}

Inputs::Inputs(const std::vector<std::string>& paths, const ReadingOptions& reading,
               const Context& context) {
  ExitOnStop nothing_to_clean_up(context.stop);
  for (const std::string& path : paths) {
    Damage* damage = damage_.emplace_back(std::make_unique<Damage>()).get();
    OnProblem on_problem;
    if (!reading.is_strict) on_problem = [damage](const Error& found) { damage->add(found); };
    bags_.push_back(open(path, reading.with(std::move(on_problem)), context.registry));
  }
}

std::unique_ptr<Source> Inputs::read(const Query& query) const {
  return kitbag::read(bags_, query);
}

void Inputs::warn() const {
  for (const auto& damage : damage_) warn_of(*damage);
}

}  // namespace kitbag::cli
