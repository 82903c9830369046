#include "inputs.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "print.h"
#include "signals.h"

namespace kitbag::cli {
namespace {

/// Enough to tell old problems from new ones, not enough to fill the memory.
constexpr std::size_t kProblemsRemembered = 10'000;

}  // namespace

/// Damage of one bag. The same place may be met twice, by the scan and by the reading after it.
class Problems {
 public:
  void add(const Error& problem) {
    if (!first_) first_ = problem;
    if (seen_.size() >= kProblemsRemembered) {
      ++unremembered_;
    } else {
      seen_.emplace(problem.offset(), problem.message());
    }
  }

  void warn() const {
    if (!first_) return;
    std::string text = first_->what();
    std::uint64_t more = seen_.size() + unremembered_ - 1;
    if (more > 0) text += fmt::format(" (and {})", counted(more, "more problem"));
    print_warning(text);
  }

 private:
  std::optional<Error> first_;
  std::set<std::pair<std::uint64_t, std::string>> seen_;
  std::uint64_t unremembered_ = 0;
};

Inputs::Inputs(const std::vector<std::string>& paths, bool is_strict, const Context& context,
               const std::string& gpg_key) {
  ExitOnStop nothing_to_clean_up(context.stop);
  for (const std::string& path : paths) {
    ReadOptions options;
    options.gpg_key = gpg_key;
    Problems* problems = problems_.emplace_back(std::make_unique<Problems>()).get();
    if (!is_strict) options.on_problem = [problems](const Error& found) { problems->add(found); };
    bags_.push_back(open(path, options, context.registry));
  }
}

Inputs::~Inputs() = default;

std::unique_ptr<Source> Inputs::read(const Query& query) const {
  return kitbag::read(bags_, query);
}

void Inputs::warn() const {
  for (const auto& problems : problems_) problems->warn();
}

}  // namespace kitbag::cli
