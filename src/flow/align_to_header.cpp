#include <algorithm>

#include "kitbag/pipeline.h"
#include "payload/header_stamps.h"

namespace kitbag {
namespace {

class AlignToHeader final : public Stage {
 public:
  AlignToHeader(AlignReport& report, const Session& session)
      : report_(report),
        stamps_(session, [&report](const Error& error) { report.problem.emplace(error); }) {}

  void apply(Batch& batch) override {
    for (Message& message : batch.messages()) {
      if (auto stamp = stamps_.of(message)) {
        // A format with one time says it twice.
        if (message.publish_time == message.log_time) message.publish_time = *stamp;
        message.log_time = *stamp;
      } else {
        ++report_.without_stamp;
      }
      if (message.log_time < latest_) ++report_.out_of_order;
      latest_ = std::max(latest_, message.log_time);
    }
  }

 private:
  AlignReport& report_;
  HeaderStamps stamps_;
  Time latest_ = Time::min();
};

}  // namespace

std::unique_ptr<Stage> align_to_header(AlignReport& report, const Session& session) {
  return std::make_unique<AlignToHeader>(report, session);
}

}  // namespace kitbag
