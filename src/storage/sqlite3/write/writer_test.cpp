#include "storage/sqlite3/write/writer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/session.h"
#include "storage/sqlite3/format.h"
#include "storage/sqlite3/reader.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::sqlite3 {
namespace {

struct Written {
  std::int64_t log_ns = 0;
  std::int64_t publish_ns = 0;
  std::size_t bytes = 0;

  bool operator==(const Written&) const = default;
};

class FullDisk : public testing::Test {
 protected:
  FullDisk() {
    Channel channel;
    channel.topic = "/a";
    channel.encoding = "cdr";
    channels_ = std::make_shared<const Channels>(
        Channels{std::make_shared<const Channel>(std::move(channel))});
  }

  void write(Writer& writer, const std::vector<Written>& messages) {
    Batch batch;
    batch.channels = channels_;
    std::string data(1 << 20, 'x');
    for (const Written& each : messages) {
      batch.add({(*channels_)[0].get(), 0, 0, from_ns(each.log_ns), from_ns(each.publish_ns),
                 as_bytes(data).first(each.bytes)});
    }
    writer.write(std::move(batch));
  }
  /// A recording that stores two messages, and cannot store these.
  void record(const std::vector<Written>& beyond) {
    test::FileSizeLimit limit(200'000);
    auto writer = sqlite3_format().create(path_, {.is_visible = true}, session_);
    write(*writer, stored_);
    writer->flush();
    EXPECT_ERROR(io, write(*writer, beyond));
  }
  void append(const std::vector<Written>& messages) {
    auto writer = sqlite3_format().append(path_, {}, session_);
    write(*writer, messages);
    writer->close();
    stored_.insert(stored_.end(), messages.begin(), messages.end());
  }
  std::vector<Written> read() {
    std::vector<Written> all;
    Input input{path_, {}, open_file(path_), local_file_system()};
    auto source = open_bag(input, {.on_problem = throw_unless_unclosed})->read();
    for (Batch batch; source->read(batch, {}); batch.clear()) {
      for (const Message& message : batch.messages()) {
        all.push_back({to_ns(message.log_time), to_ns(message.publish_time), message.data.size()});
      }
    }
    return all;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("bag.db3");
  Session session_{Registry()};
  ChannelsPtr channels_;
  std::vector<Written> stored_ = {{1000, 1000, 10}, {2000, 2000, 10}};
};

// A statement that finds the disk full takes back itself, or where it inserts one row, the whole
// transaction. Publish times of messages that are gone must not become those of others.

TEST_F(FullDisk, OneMessageTooMuchLeavesTheOthersAsTheyAre) {
  record({{3000, 2500, 1 << 20}});
  EXPECT_EQ(read(), stored_);
}

TEST_F(FullDisk, ManyMessagesTooMuchLeaveTheOthersAsTheyAre) {
  record(std::vector<Written>(64, {3000, 2500, 10'000}));
  EXPECT_EQ(read(), stored_);
}

TEST_F(FullDisk, MessagesThatWereTakenBackLeaveNothingBehind) {
  std::vector<Written> beyond(64, {3000, 2500, 10});
  beyond.push_back({4000, 3500, 1 << 20});
  record(beyond);
  EXPECT_EQ(read(), stored_);
  append({{5000, 5000, 10}, {6000, 5900, 10}});
  EXPECT_EQ(read(), stored_);
}

}  // namespace
}  // namespace kitbag::sqlite3
