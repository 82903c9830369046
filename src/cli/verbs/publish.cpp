#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "cli/options/definitions.h"
#include "cli/options/live_system.h"
#include "cli/options/transcoding.h"
#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/transcode_warnings.h"
#include "cli/verbs.h"
#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "kitbag/publish_message.h"
#include "kitbag/transcode.h"

// A message that a person has typed takes the way of a recorded one: it is encoded once, as ROS 1
// or CDR, transcoded to what the system takes, and sent by a Publisher. Mistakes in the value are
// found before the system is asked for anything.

namespace kitbag::cli {
namespace {

/// A publisher would only warn of it, and send nothing.
void require_encoding(const std::string& encoding, const std::string& uri, const Session& session) {
  auto taken = session.encodings_of(uri);
  if (taken.empty() || std::find(taken.begin(), taken.end(), encoding) != taken.end()) return;
  throw Error(
      ErrorCode::invalid,
      fmt::format("--encoding: the system takes {}, not {}", fmt::join(taken, ", "), encoding),
      without_parameters(uri));
}

/// Counts what was sent, also if the next message is waited for when a stop comes.
class CountingSink final : public Sink {
 public:
  explicit CountingSink(Sink& sink) : sink_(sink) {}

  const Totals& totals() const { return totals_; }

  void write(Batch&& batch) override {
    Totals more{std::as_const(batch).messages().size(), batch.payload()};
    sink_.write(std::move(batch));
    totals_.messages += more.messages;
    totals_.bytes += more.bytes;
  }
  SteadyTime due() const override { return sink_.due(); }
  void tick(SteadyTime now) override { sink_.tick(now); }
  void flush() override { sink_.flush(); }
  void close() override { sink_.close(); }

 private:
  Sink& sink_;
  Totals totals_;
};

WrittenMessage message_of(const PublishArguments& arguments, const std::string& encoding,
                          const Definitions& definitions) {
  WrittenMessage message;
  message.topic = arguments.topic;
  message.type = arguments.type;
  message.texts = arguments.texts;
  message.encoding = encoding == "ros1" ? "ros1" : "cdr";
  message.definitions = definitions.paths();
  message.is_latched = arguments.is_latched;
  message.rate_hz = arguments.rate_hz.value_or(1);
  message.count = arguments.count.value_or(arguments.rate_hz ? UINT64_MAX : 1);
  return message;
}

}  // namespace

int publish(const PublishArguments& arguments, const Context& context) {
  std::string uri = arguments.to.complete().front();
  TranscodingOptions transcoding;
  transcoding.encoding = arguments.encoding;
  transcoding = encoded_for(uri, transcoding, context.session);
  if (transcoding.encoding.empty()) transcoding.encoding = "cdr";
  require_encoding(transcoding.encoding, uri, context.session);
  Definitions definitions(arguments.definitions, context.session);
  TranscodeReport report;
  auto source = transcoded(
      written_message(message_of(arguments, transcoding.encoding, definitions), context.session),
      transcoding, OnError::stop, report, context);
  bool is_left_out = false;
  auto warn = [&](const Error& warning) {
    warn_of_system(warning);
    is_left_out |= warning.code() == ErrorCode::unsupported && warning.file() == arguments.topic;
  };
  auto publisher = context.session.publish(uri, {context.stop, warn});
  context.result_stands.emplace();
  CountingSink sink(*publisher);
  try {
    // The publisher tells now whether the system takes this type at all. Then nobody waits for
    // subscribers that cannot come.
    Batch declares;
    declares.channels = source->channels();
    sink.write(std::move(declares));
    if (is_left_out) return kFailed;
    if (arguments.awaits_subscribers) publisher->await_subscribers({context.stop, kNever});
    run(*source, sink, context.clock, context.stop);
    if (arguments.stays) context.clock.sleep({context.stop, kNever});
    sink.close();
  } catch (const Error& error) {
    // Ctrl-C is how it ends; the totals say what was sent until then.
    if (error.code() != ErrorCode::cancelled || !context.stop.stop_requested()) throw;
  }
  if (sink.totals().messages == 0 && context.stop.stop_requested()) {
    throw Error(ErrorCode::cancelled, "interrupted; nothing was sent");
  }
  context.out.line("{}", describe(sink.totals(), source->channels()));
  warn_of(report);
  return is_left_out ? kFailed : kDone;
}

}  // namespace kitbag::cli
