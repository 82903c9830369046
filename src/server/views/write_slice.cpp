#include "server/views/write_slice.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/pipeline.h"
#include "kitbag/transcode.h"

// The head of a rosbag says where its index is, so it cannot leave before the end is known, as the
// other forms of a slice do: it is written to a file first. Programs for ROS 1 are whom the format
// is for, and they read no other encoding.

namespace kitbag::server {
namespace {

constexpr const char* kEncoding = "ros1";
/// Metadata go into the head of a rosbag, where there are 4 kB.
constexpr std::size_t kMostDamageBytes = 2000;

/// A slice as a source, within the limits of a request. Only reading it counts, not the wait for
/// others.
class Limited final : public Source {
 public:
  Limited(SliceReader& reader, const WorkLimits& limits, const ClockPtr& clock)
      : reader_(reader), limits_(limits), clock_(clock), begin_(clock->steady()) {}

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait& wait) override {
    bool more = reader_.read(batch, wait.stop);
    if (more) channels_ = batch.channels;
    bytes_ += batch.payload();
    if (bytes_ <= limits_.slice_bytes && clock_->steady() - begin_ <= limits_.work) return more;
    throw Error(ErrorCode::limit, "the slice is too large; ask for a shorter one or fewer topics");
  }

 private:
  SliceReader& reader_;
  const WorkLimits& limits_;
  ClockPtr clock_;
  SteadyTime begin_;
  ChannelsPtr channels_ = std::make_shared<const Channels>();
  std::uint64_t bytes_ = 0;  ///< of payload so far
};

Metadata describe_damage(const std::vector<std::string>& sentences) {
  Metadata record{"damage", {}};
  std::size_t bytes = 0;
  for (const std::string& each : sentences) {
    bytes += each.size();
    if (bytes > kMostDamageBytes) {
      std::size_t left = sentences.size() - record.values.size();
      record.values.emplace("more", std::to_string(left));
      break;
    }
    record.values.emplace(std::to_string(record.values.size() + 1), each);
  }
  return record;
}

}  // namespace

void require_ros1(const std::vector<ChannelPtr>& channels, const Session& session) {
  TranscodeOptions options;
  options.encoding = kEncoding;
  auto stage = transcode(options, session);
  for (const ChannelPtr& channel : channels) {
    try {
      stage->map(channel);
    } catch (const Error& error) {
      throw Error(ErrorCode::invalid,
                  fmt::format("a .bag holds messages of ROS 1: {}; select other topics, or "
                              "format=mcap",
                              error.message()));
    }
  }
}

void write_slice(SliceReader& reader, const std::string& path,
                 const std::function<void(std::uint64_t bytes)>& grown, const std::stop_token& stop,
                 const WorkLimits& limits, const Session& session) {
  TranscodeReport report;
  TranscodeOptions options;
  options.encoding = kEncoding;
  options.on_error = OnError::skip;
  options.report = &report;
  auto source = through(std::make_unique<Limited>(reader, limits, session.clock()),
                        transcode(options, session));
  WriteOptions writing;
  writing.format = "rosbag";
  auto writer = session.create(path, writing);
  for (Batch batch; source->read(batch, {stop}); batch = Batch()) {
    if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "the clients have gone");
    writer->write(std::move(batch));
    grown(writer->size_bytes());
  }
  // Channels that were dropped are those that nobody has asked for: require_ros1().
  std::erase_if(report.topics, [](const auto& each) { return each.second.is_dropped; });
  std::vector<std::string> damage = reader.damage();
  for (std::string& each : left_out(report)) damage.push_back(std::move(each));
  if (!damage.empty()) {
    Batch last;
    last.channels = source->channels();
    last.extras.emplace_back(describe_damage(damage));
    writer->write(std::move(last));
  }
  writer->close();
}

}  // namespace kitbag::server
