#include "cli/options/payload_stages.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "cli/options/select.h"
#include "cli/terminal/print.h"
#include "cli/terminal/transcode_warnings.h"

// The order follows from what each stage must see. Definitions come first, since a condition needs
// them. Whatever selects sees messages as they were recorded, so a condition on a time means the
// recorded time, and a duplicate is one of the recording. A count is of what all of these leave.
// Times are changed only then, and payloads last: what was left out is not encoded.

namespace kitbag::cli {
namespace {

class WithoutExtras final : public Stage {
 public:
  explicit WithoutExtras(const PayloadOptions& options)
      : drops_metadata_(options.drops_metadata), drops_attachments_(options.drops_attachments) {}

  void apply(Batch& batch) override {
    std::erase_if(batch.extras, [this](const Extra& extra) {
      return (drops_metadata_ && std::holds_alternative<Metadata>(extra)) ||
             (drops_attachments_ && std::holds_alternative<Attachment>(extra));
    });
  }

 private:
  bool drops_metadata_;
  bool drops_attachments_;
};

}  // namespace

PayloadStages::PayloadStages(PayloadOptions options, const Context& context)
    : options_(std::move(options)),
      context_(context),
      definitions_(options_.definitions, context.session) {}

std::unique_ptr<Source> PayloadStages::add_to(std::unique_ptr<Source> source, std::uint64_t count) {
  auto add = [&source](std::unique_ptr<Stage> stage) {
    source = through(std::move(source), std::move(stage));
  };
  source = definitions_.supply(std::move(source));
  if (options_.drops_duplicates) add(dedupe(&duplicates_));
  source = only_where(std::move(source), options_.where, options_.on_error, report_, context_);
  if (!options_.every.empty()) add(every(options_.every));
  if (!options_.throttle.empty()) add(throttle(options_.throttle));
  if (options_.selects()) source = slice(std::move(source), 0, count);
  if (options_.aligns_to_header) add(align_to_header(aligned_, context_.session));
  if (options_.shift != Duration::zero()) add(shift(options_.shift));
  if (options_.drops_metadata || options_.drops_attachments) {
    add(std::make_unique<WithoutExtras>(options_));
  }
  if (!options_.videos.empty()) {
    EncodeVideoOptions how{.topics = options_.videos,
                           .may_drop = options_.drops_pictures,
                           .on_error = options_.on_error,
                           .losses = &report_};
    source = encode_video(std::move(source), how, videos_, context_.session);
  }
  return transcoded(std::move(source), options_.transcoding, options_.on_error, report_, context_);
}

void PayloadStages::change_extras(Batch& batch) const {
  if (options_.shift != Duration::zero()) shift(options_.shift)->apply(batch);
  WithoutExtras(options_).apply(batch);
}

void PayloadStages::warn(const std::string& about) const {
  definitions_.warn(about);
  warn_of(report_, about);
  for (const std::string& remark : videos_.remarks) print_note(about + remark);
  if (videos_.held > 0) {
    print_warning(fmt::format("{}{} still waited for the encoder of videos at the end, and {} lost",
                              about, counted(videos_.held, "message"),
                              videos_.held == 1 ? "is" : "are"));
  }
  if (duplicates_ > 0) {
    print_note(fmt::format("{}{} left out", about, counted(duplicates_, "duplicate")));
  }
  if (aligned_.problem) print_warning(about + aligned_.problem->what());
  if (aligned_.without_stamp > 0) {
    print_note(fmt::format("{}{} without header.stamp, log times kept", about,
                           counted(aligned_.without_stamp, "message")));
  }
  if (aligned_.out_of_order > 0) {
    print_note(
        fmt::format("{}{} stored after later ones; kitbag sort stores messages in the "
                    "order of the new times",
                    about, counted(aligned_.out_of_order, "message")));
  }
}

}  // namespace kitbag::cli
