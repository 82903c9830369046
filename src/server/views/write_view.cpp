#include "server/views/write_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "kitbag/damage.h"
#include "kitbag/pipeline.h"
#include "kitbag/transcode.h"
#include "kitbag/video.h"

// Written by time, since viewers play by time and seek by the index. zstd, because they all read it
// and it is fast enough for a request that waits. The damage goes into the file: whoever keeps it
// should know, and an answer in the middle of a download cannot warn any more.

namespace kitbag::server {
namespace {

/// Viewers read zstd, and it is fast enough to be made while they wait.
constexpr const char* kCompression = "zstd";
constexpr std::size_t kMostListed = 100;  ///< places of damage

/// Tells after each batch how large the bag has become.
class Watched final : public Sink {
 public:
  Watched(Writer& writer, const std::function<void(std::uint64_t)>& grown)
      : writer_(writer), grown_(grown) {}

  void write(Batch&& batch) override {
    writer_.write(std::move(batch));
    grown_(writer_.size_bytes());
  }
  void close() override { writer_.close(); }

 private:
  Writer& writer_;
  const std::function<void(std::uint64_t)>& grown_;
};

Metadata describe(const Damage& damage) {
  Metadata record{"kitbag_damage", {}};
  record.values["places"] = std::to_string(damage.count());
  record.values["lost_messages"] = damage.is_exact()
                                       ? std::to_string(damage.lost_messages())
                                       : fmt::format("at least {}", damage.lost_messages());
  std::size_t listed = std::min(damage.problems().size(), kMostListed);
  for (std::size_t i = 0; i < listed; ++i) {
    const Error& problem = damage.problems()[i];
    record.values[fmt::format("{:03}", i + 1)] =
        problem.offset() == Error::kNoOffset
            ? problem.message()
            : fmt::format("at byte {}: {}", problem.offset(), problem.message());
  }
  return record;
}

Metadata describe(const TranscodeReport& report, const KeyFrameReport& key_frames) {
  Metadata record{"kitbag_left_out", {}};
  for (const auto& [topic, lost] : report.topics) {
    if (!lost.left_out.empty()) record.values[topic] = "fields " + lost.left_out;
  }
  for (const auto& [topic, why] : key_frames.missing) {
    std::string& value = record.values[topic];
    value += (value.empty() ? "" : "; ") + ("the key frame of its first frames: " + why);
  }
  return record;
}

}  // namespace

void write_view(const std::string& bag, const ViewRequest& request, const std::string& path,
                const std::function<void(std::uint64_t bytes)>& grown, const std::stop_token& stop,
                const Session& session) {
  Damage damage;
  ReadOptions reading;
  reading.on_problem = [&](const Error& problem) {
    if (problem.code() != ErrorCode::remark) damage.add(problem);
  };
  BagPtr opened = defined(session.open(bag, reading), request.definitions, session);
  KeyFrameReport key_frames;
  std::unique_ptr<Source> source =
      request.has_key_frames
          ? read_from_key_frames({opened}, request.query, &key_frames, session, {stop})
          : opened->read(request.query, {stop});
  TranscodeReport report;
  if (!request.encoding.empty()) {
    TranscodeOptions options;
    options.encoding = request.encoding;
    options.report = &report;
    source = through(std::move(source), transcode(options, session));
  }
  WriteOptions writing;
  writing.format = "mcap";
  writing.compression = kCompression;
  auto writer = session.create(path, writing);
  Watched sink(*writer, grown);
  run(*source, sink, *session.clock(), stop);
  if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the clients have gone");
  Batch more;
  more.channels = source->channels();
  if (damage.count() > 0) more.extras.emplace_back(describe(damage));
  Metadata left_out = describe(report, key_frames);
  if (!left_out.values.empty()) more.extras.emplace_back(std::move(left_out));
  if (!more.extras.empty()) writer->write(std::move(more));
  writer->close();
}

}  // namespace kitbag::server
