#include "cli/options/payload_stages.h"

#include <utility>
#include "cli/terminal/transcode_warnings.h"

#include "cli/options/select.h"

namespace kitbag::cli {

PayloadStages::PayloadStages(PayloadOptions options, const Context& context)
    : options_(std::move(options)),
      context_(context),
      definitions_(options_.definitions, context.session) {}

std::unique_ptr<Source> PayloadStages::add_to(std::unique_ptr<Source> source, std::uint64_t count) {
  source = definitions_.supply(std::move(source));
  source =
      only_where(std::move(source), options_.where, options_.on_error, count, report_, context_);
  return transcoded(std::move(source), options_.transcoding, options_.on_error, report_, context_);
}

void PayloadStages::warn(const std::string& about) const {
  definitions_.warn(about);
  warn_of(report_, about);
}

}  // namespace kitbag::cli
