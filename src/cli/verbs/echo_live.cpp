#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/options/fields_to_come.h"
#include "cli/options/live_system.h"
#include "cli/options/payload_stages.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/printed.h"
#include "cli/verbs.h"
#include "kitbag/error.h"
#include "kitbag/live.h"
#include "kitbag/live_topics.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "kitbag/selector.h"
#include "kitbag/session.h"

namespace kitbag::cli {
namespace {

/// What a system has told by then it had.
constexpr Duration kUntilTold = std::chrono::seconds(2);

std::vector<std::string> names_of(const std::vector<LiveTopic>& topics) {
  std::vector<std::string> names;
  names.reserve(topics.size());
  for (const LiveTopic& each : topics) names.push_back(each.topic);
  return names;
}

/// A live system that says once if nobody sends what is awaited: the name may be wrong.
class AwaitedSource final : public Source {
 public:
  /// `system` must outlive it.
  AwaitedSource(LiveSource& system, const Selection& select, std::string uri, ClockPtr clock)
      : system_(system),
        select_(select),
        selector_(select),
        uri_(std::move(uri)),
        clock_(std::move(clock)),
        due_(clock_->steady() + kUntilTold) {}

  ChannelsPtr channels() const override { return system_.channels(); }
  bool read(Batch& batch, const Wait& wait) override {
    bool has_more = system_.read(batch, {wait.stop, std::min(wait.until, due_)});
    // Something has come, so the names are right.
    if (!batch.empty()) due_ = kNever;
    if (has_more && clock_->steady() >= due_ && !wait.stop.stop_requested()) {
      due_ = kNever;
      tell();
    }
    return has_more;
  }

 private:
  void tell() const {
    auto topics = system_.topics();
    if (!topics) return;
    bool is_any_there = false;
    for (const LiveTopic& each : *topics) {
      if (!selector_.matches(each.topic, each.type)) continue;
      is_any_there = true;
      // Where nobody is known, the system does not tell.
      if (!each.publishers.empty() || each.subscribers.empty()) return;
    }
    print_note(is_any_there ? uri_ + ": nobody sends on the selected topics; waiting"
                            : fmt::format("{}: there is no such topic yet{}; waiting", uri_,
                                          topics_instead(select_, names_of(*topics))));
  }

  LiveSource& system_;
  Selection select_;
  Selector selector_;
  std::string uri_;
  ClockPtr clock_;
  SteadyTime due_;
};

std::uint64_t sum_of_all(const std::vector<std::uint64_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

}  // namespace

int echo_live(const EchoArguments& arguments, const Context& context) {
  if (!arguments.option_of_bags.empty()) {
    throw Error(ErrorCode::invalid,
                arguments.option_of_bags + " applies to bags, not to a live system");
  }
  SystemOptions systems{{arguments.bag}, arguments.parameters};
  std::string uri = systems.complete().front();
  PayloadOptions payload = arguments.payload;
  payload.on_error = arguments.print.on_error;
  PayloadStages stages(payload, context);
  Selector selector(arguments.select);  // expressions that do not compile are reported first
  auto live = context.session.listen(uri, {arguments.select, {}, warn_of_system});
  std::unique_ptr<Source> source = std::make_unique<AwaitedSource>(
      *live, arguments.select, without_parameters(uri), context.session.clock());
  source = stages.add_to(std::move(source), arguments.count);
  if (payload.where.empty()) source = slice(std::move(source), 0, arguments.count);
  FieldsToCome fields(std::move(source), arguments.print.fields, arguments.select, context.session);
  auto prompt = prompt_to(context, arguments.print, stages.report());
  run(fields, *prompt, context.clock, context.stop);
  if (std::uint64_t dropped = sum_of_all(live->dropped())) {
    print_warning(counted(dropped, "message") + " dropped");
  }
  if (std::uint64_t lost = sum_of_all(live->lost())) {
    print_warning(counted(lost, "message") + " lost before they reached kitbag");
  }
  stages.warn();
  fields.require();
  if (!context.stop.stop_requested() && arguments.count > 0 && live->channels()->empty()) {
    std::vector<LiveTopic> topics = live->topics().value_or(std::vector<LiveTopic>());
    throw Error(ErrorCode::not_found,
                "the system has ended, and had no topic that is selected" +
                    topics_instead(arguments.select, names_of(topics)),
                without_parameters(uri));
  }
  return kDone;
}

}  // namespace kitbag::cli
