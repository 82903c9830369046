// Ten hours of continuous recording, by a clock that a test moves: files are split, deleted by a
// size limit, and leased as by a server.

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "kitbag/error.h"
#include "kitbag/open.h"
#include "kitbag/record.h"
#include "kitbag/text.h"
#include "tests/support/manual_clock.h"
#include "tests/support/memory_source.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::Samples;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

constexpr Duration kPeriod = 10s;

/// A latched /map, then a message on /tick every ten seconds, numbered.
class Ticker final : public Subscriber {
 public:
  Ticker(Feed& feed, ClockPtr clock) : feed_(feed), clock_(std::move(clock)) {
    thread_ = std::jthread([this](const std::stop_token& stop) {
      try {
        tick(stop);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::cancelled);  // the recorder has gone
      }
    });
  }
  void stop() override { thread_.request_stop(); }

 private:
  void tick(const std::stop_token& stop) {
    Channel channel;
    channel.encoding = "ros1";
    channel.topic = "/map";
    channel.metadata["latching"] = "1";
    auto map = feed_.add(channel);
    channel.topic = "/tick";
    channel.metadata.clear();
    auto tick = feed_.add(channel);
    push(map, "map");
    SteadyTime next = clock_->steady();
    for (int number = 0; !stop.stop_requested(); ++number) {
      std::string text = std::to_string(number);
      push(tick, text + std::string(1000 - text.size(), ' '));
      next += kPeriod;
      clock_->sleep({stop, next});
    }
    feed_.close();
  }

  void push(const ChannelPtr& channel, std::string_view text) {
    Time now = clock_->wall();
    feed_.push({channel.get(), 0, 0, now, now, as_bytes(text)});
  }

  Feed& feed_;
  ClockPtr clock_;
  std::jthread thread_;
};

class TimedLeases final : public FileLeases {
 public:
  explicit TimedLeases(const Clock& clock) : clock_(clock) {}

  bool is_leased(const FileId& file) override {
    auto found = until_.find(file.number);
    return found != until_.end() && clock_.wall() < found->second;
  }
  void revoke(const FileId&) override { ADD_FAILURE() << "the disk is not full"; }
  void take(const FileId& file, Duration length) { until_[file.number] = clock_.wall() + length; }

 private:
  const Clock& clock_;
  std::map<std::uint64_t, Time> until_;
};

class ContinuousTest : public ::testing::Test {
 protected:
  ContinuousTest() {
    Transport transport;
    transport.scheme = "tick";
    transport.subscribe = [](const Location&, const Subscription&, Feed& feed,
                             const Session& session) {
      return std::unique_ptr<Subscriber>(std::make_unique<Ticker>(feed, session.clock()));
    };
    Registry registry = standard_registry();
    registry.transports.push_back(transport);
    session_ = Session(std::move(registry)).with_clock(clock_);
    options_.from = {"tick://"};
    options_.target.folder = folder_.path();
    options_.target.split.duration = 10min;
    options_.target.repairs_leftovers = true;
    options_.on_warning = [this](const Error& warning) { warnings_.push_back(warning.message()); };
    options_.on_deleted = [this](const DeletedFile& file) { deleted_.push_back(file); };
  }

  /// Records until `is_over`, which is called with each status. `between` is called after each
  /// period, on a thread of its own.
  RecordStatus record(
      const std::function<bool(const RecordStatus&)>& is_over,
      const std::function<void(Recorder&)>& between = [](Recorder&) {}) {
    Recorder recorder(options_, session_);
    std::stop_source stop;
    std::atomic<bool> is_to_stop = false;
    std::atomic<bool> is_done = false;
    std::thread time([&] {
      while (true) {
        clock_->await_waiters(2);  // recorder and ticker
        if (is_to_stop) break;
        between(recorder);
        clock_->advance(kPeriod);
      }
      stop.request_stop();
      while (!is_done) {
        if (!clock_->advance_to_deadline()) std::this_thread::yield();
      }
    });
    RecordStatus status = recorder.run(stop.get_token(), [&](const RecordStatus& now) {
      is_to_stop = is_to_stop || is_over(now);
    });
    is_done = true;
    time.join();
    return status;
  }

  Samples read(const std::string& name) const {
    Samples samples;
    auto source = session_.open(folder_.path(name))->read();  // throws on any damage
    for (Batch batch; source->read(batch, {}); batch.clear()) {
      for (auto& sample : test::samples_of(batch)) samples.push_back(std::move(sample));
    }
    return samples;
  }

  FileId id_of(const std::string& path) const { return local_file_system()->status(path)->id; }

  /// A bag that a killed recorder leaves.
  void leave_incomplete(const std::string& name) {
    options_.target.path = folder_.path("whole.mcap");
    options_.target.split = {};
    record([](const RecordStatus& now) { return now.elapsed >= 5min; });
    options_.target.path.clear();
    options_.target.split.duration = 10min;
    std::string whole = folder_.read("whole.mcap");
    std::filesystem::remove(folder_.path("whole.mcap"));
    folder_.write(name, whole.substr(0, whole.size() * 3 / 4));
  }

  TemporaryFolder folder_;
  std::shared_ptr<ManualClock> clock_ =
      std::make_shared<ManualClock>(parse_time("2023-10-31T14:30:00Z").resolve({}, {}));
  Session session_;
  RecordOptions options_;
  std::vector<std::string> warnings_;
  std::vector<DeletedFile> deleted_;
};

TEST_F(ContinuousTest, TenHoursStayWithinTheLimitAndNoLeasedFileGoes) {
  constexpr std::uint64_t kLimit = 1'000'000;
  auto leases = std::make_shared<TimedLeases>(*clock_);
  options_.target.keep.bytes = kLimit;
  options_.target.leases = leases;
  std::set<std::string> gone;
  options_.on_deleted = [&](const DeletedFile& file) {
    gone.insert(file.path);
    EXPECT_FALSE(leases->is_leased(file.id)) << file.path;
  };
  std::mt19937 random(7);
  std::uint64_t most = 0;
  std::uint64_t largest = 0;
  auto look = [&](const RecordStatus& status) {
    bool is_over = status.elapsed >= 10h;
    std::uint64_t total = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      std::string path = entry.path().string();
      if (gone.contains(path)) continue;  // it goes on another thread
      std::error_code error;
      std::uint64_t size = entry.file_size(error);
      if (error) continue;  // it has just been renamed
      total += size;
      largest = std::max(largest, size);
    }
    most = std::max(most, total);
    if (random() % 40 != 0 || status.files.size() < 4) return is_over;
    // Somebody reads one of the older files for a while.
    const std::string& file = status.files[random() % (status.files.size() / 2)];
    leases->take(id_of(file), std::chrono::minutes(random() % 60));
    return is_over;
  };
  RecordStatus status = record(look);

  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_GE(status.deleted_files, 40U);
  EXPECT_EQ(status.deleted_files, gone.size());
  EXPECT_GT(status.deleted_bytes, 2 * kLimit);
  EXPECT_GT(most, kLimit / 2);
  EXPECT_LE(most, kLimit + largest);
  EXPECT_EQ(status.messages, 3602U);
  int next = -1;
  for (const std::string& name : folder_.names()) {
    ASSERT_THAT(name, ::testing::MatchesRegex("2023-(10-31|11-01)_..-..-..\\.mcap"));
    Samples samples = read(name);
    ASSERT_GE(samples.size(), 2U) << name;
    EXPECT_EQ(samples[0].data, "map") << name;  // complete in itself
    int first = std::stoi(samples[1].data);
    EXPECT_GE(first, next);  // those between them were deleted
    next = std::stoi(samples.back().data) + 1;
  }
  EXPECT_EQ(next, 3601);
}

TEST_F(ContinuousTest, AFileIsNamedByItsStartAndSplitOnRequest) {
  options_.target.split = {};
  options_.target.write.format = "rosbag";
  auto is_over = [](const RecordStatus& now) { return now.files.size() == 4; };
  RecordStatus status = record(is_over, [](Recorder& recorder) {
    recorder.split();
    recorder.split();  // at once: the file is split once
  });
  EXPECT_THAT(status.files, SizeIs(::testing::Ge(4)));
  EXPECT_EQ(status.open_file, "");
  std::uint64_t repeats = 0;
  std::uint64_t stored = 0;
  for (const std::string& name : folder_.names()) {
    EXPECT_THAT(name, ::testing::MatchesRegex("2023-10-31_14-3.-..(_1)?\\.bag"));
    Samples samples = read(name);
    ASSERT_FALSE(samples.empty()) << name;
    EXPECT_EQ(samples.front().data, "map") << name;
    stored += samples.size();
    ++repeats;
  }
  EXPECT_EQ(stored, status.messages + repeats - 1);
}

TEST_F(ContinuousTest, WhatIsASingleFileIsNotSplit) {
  options_.target.path = folder_.path("x.mcap");
  options_.target.split = {};
  Recorder recorder(options_, session_);
  EXPECT_ERROR(unsupported, recorder.split());
}

TEST_F(ContinuousTest, WhatAKilledRecorderHasLeftIsRepaired) {
  leave_incomplete("2023-10-31_10-00-00.mcap.active");
  folder_.write("2023-10-31_11-00-00.mcap.active", "");
  folder_.write("2023-10-31_12-00-00.mcap.active", "no bag at all");
  folder_.write("mine.mcap.active", "not of this kind");
  RecordStatus status = record([&](const RecordStatus&) { return warnings_.size() == 3; });
  EXPECT_EQ(status.repaired_files, 1U);
  EXPECT_GT(read("2023-10-31_10-00-00.mcap").size(), 15U);
  EXPECT_FALSE(folder_.names().contains("2023-10-31_10-00-00.mcap.active"));
  EXPECT_FALSE(folder_.names().contains("2023-10-31_11-00-00.mcap.active"));
  EXPECT_EQ(folder_.read("2023-10-31_12-00-00.mcap.active"), "no bag at all");
  EXPECT_EQ(folder_.read("mine.mcap.active"), "not of this kind");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("repaired, with"), HasSubstr("removed"),
                                     HasSubstr("cannot be repaired")));
}

TEST_F(ContinuousTest, WhatALivingRecorderWritesIsLeftAlone) {
  leave_incomplete("2023-10-31_10-00-00.mcap.active");
  std::string path = folder_.path("2023-10-31_10-00-00.mcap.active");
  auto lock = local_file_system()->lock(path, LockKind::exclusive, {});
  std::string before = folder_.read("2023-10-31_10-00-00.mcap.active");
  RecordStatus status = record([](const RecordStatus& now) { return now.elapsed >= 1h; });
  EXPECT_EQ(status.repaired_files, 0U);
  EXPECT_EQ(folder_.read("2023-10-31_10-00-00.mcap.active"), before);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(ContinuousTest, ARepairedFileCountsAndGoesFirst) {
  leave_incomplete("2023-10-31_10-00-00.mcap.active");
  std::filesystem::last_write_time(folder_.path("2023-10-31_10-00-00.mcap.active"),
                                   std::filesystem::file_time_type::clock::now() - 24h * 3650);
  options_.target.keep.files = 3;
  RecordStatus status =
      record([](const RecordStatus& now) { return now.repaired_files == 1 && now.elapsed >= 1h; });
  ASSERT_FALSE(deleted_.empty());
  EXPECT_EQ(status.repaired_files, 1U);
  EXPECT_EQ(deleted_.size(), status.deleted_files);
  EXPECT_THAT(folder_.names(), SizeIs(3));
  EXPECT_FALSE(folder_.names().contains("2023-10-31_10-00-00.mcap"));
}

}  // namespace
}  // namespace kitbag
