// Every format in every file system: this machine's, memory, and one like an object store. And what
// becomes of a bag when any call of a file system fails.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"
#include "tests/support/file_systems.h"
#include "tests/support/thrown_by.h"

namespace kitbag::testing {
namespace {

Session session_with(FileSystemPtr files) {
  Registry registry = standard_registry();
  registry.file_systems.push_back(std::move(files));
  return Session(std::move(registry));
}

std::vector<TestMessage> some_messages(std::uint32_t count, std::size_t most_bytes) {
  std::mt19937 random(11);
  std::vector<TestMessage> messages;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string payload(random() % most_bytes, static_cast<char>('a' + i % 26));
    messages.push_back({i % 3, 1'000'000 + std::int64_t{i} * 10, std::move(payload)});
  }
  return messages;
}

/// Writes a bag, and a directory as two files of one set.
void write_bag(const FormatCase& format, const std::string& path, WriteOptions options,
               const std::vector<TestMessage>& messages, const Session& session) {
  options.format = format.format.name;
  if (!format.is_directory) {
    auto writer = session.create(path, options);
    write_messages(*writer, format.channels(), messages);
    writer->close();
    return;
  }
  SplitFiles files = split_to(path, options, session);
  auto half = messages.begin() + static_cast<std::ptrdiff_t>(messages.size() / 2);
  for (std::size_t i = 0; i < 2; ++i) {
    auto writer = files.next(i);
    write_messages(
        *writer, format.channels(),
        i == 0 ? std::vector(messages.begin(), half) : std::vector(half, messages.end()));
    writer->close();
  }
  files.publish();
}

std::string bag_name(const FormatCase& format) {
  return "bag" + (format.is_directory ? "/" : std::string(format.format.extension));
}

struct PlaceCase {
  FormatCase format;
  std::string place;
};

class FileSystems : public ::testing::TestWithParam<PlaceCase> {
 protected:
  std::string path() const {
    const std::string& place = GetParam().place;
    std::string name = bag_name(GetParam().format);
    return place == "local" ? folder_ / name : place + "://runs/" + name;
  }
  WriteOptions options() const {
    WriteOptions options = GetParam().format.options(2'000, 1);
    options.format.clear();
    return options;
  }

  TempFolder folder_;
  std::shared_ptr<const FarFiles> far_ = std::make_shared<FarFiles>();
  Session session_ = session_with(far_);
};

TEST_P(FileSystems, KeepEveryMessage) {
  auto messages = some_messages(300, 200);
  write_bag(GetParam().format, path(), options(), messages, session_);
  BagPtr bag = session_.open(path());
  EXPECT_EQ(read_messages(*bag), messages);
  Query late;
  late.begin = from_ns(messages[200].time_ns);
  late.order = Order::reverse_time;
  EXPECT_EQ(read_messages(*bag, late).size(), 100U);
  EXPECT_EQ(bag->last_before(late.begin).messages().size(), 3U);
  ReadOptions strict;
  EXPECT_NO_THROW(session_.check(path(), strict, {.decoded_messages = 0}));
}

TEST_P(FileSystems, ReplaceAFileOnlyIfTheyMay) {
  auto messages = some_messages(3, 10);
  write_bag(GetParam().format, path(), options(), messages, session_);
  WriteOptions careful = options();
  careful.may_replace = false;
  Error error = test::thrown_by(
      [&] { write_bag(GetParam().format, path(), careful, some_messages(6, 10), session_); });
  EXPECT_EQ(error.code(), GetParam().format.is_directory ? ErrorCode::invalid : ErrorCode::exists);
  EXPECT_EQ(read_messages(*session_.open(path())), messages);
  if (GetParam().format.is_directory) return;
  write_bag(GetParam().format, path(), options(), some_messages(6, 10), session_);
  EXPECT_EQ(read_messages(*session_.open(path())).size(), 6U);
}

TEST_P(FileSystems, ShowNothingOfABagThatIsGivenUp) {
  {
    WriteOptions with_format = options();
    with_format.format = GetParam().format.format.name;
    auto writer = session_.create(path(), with_format);
    write_messages(*writer, GetParam().format.channels(), some_messages(50, 100));
  }
  EXPECT_EQ(session_.file_system(path())->status(path()), std::nullopt);
}

TEST_P(FileSystems, ContinueABagOrRefuse) {
  auto messages = some_messages(30, 100);
  std::vector<TestMessage> first(messages.begin(), messages.begin() + 15);
  std::vector<TestMessage> second(messages.begin() + 15, messages.end());
  write_bag(GetParam().format, path(), options(), first, session_);
  WriteOptions again = GetParam().format.is_directory ? WriteOptions() : options();
  auto continue_it = [&] {
    auto writer = session_.append(path(), again);
    write_messages(*writer, GetParam().format.channels(), second);
    writer->close();
  };
  const FormatCase& format = GetParam().format;
  bool is_local = GetParam().place == "local";
  bool is_refused = false;
  try {
    continue_it();
  } catch (const Error& error) {
    is_refused = true;
    EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();
  }
  // A directory is continued by one more file, which needs nothing of its file system.
  if (format.is_directory || (is_local && format.can_append())) {
    EXPECT_FALSE(is_refused);
  } else if (GetParam().place == "far" || (format.format.needs_local_file && !is_local)) {
    EXPECT_TRUE(is_refused);
  }
  EXPECT_EQ(read_messages(*session_.open(path())), is_refused ? first : messages);
}

std::vector<PlaceCase> all_places() {
  std::vector<PlaceCase> cases;
  for (const FormatCase& format : formats_and_directories()) {
    for (const char* place : {"local", "memory", "far"}) cases.push_back({format, place});
  }
  return cases;
}

std::string place_name(const ::testing::TestParamInfo<PlaceCase>& info) {
  return case_name({info.param.format, info.index}) + "_" + info.param.place;
}

INSTANTIATE_TEST_SUITE_P(Places, FileSystems, ::testing::ValuesIn(all_places()), place_name);

class FailingCalls : public ::testing::TestWithParam<FormatCase> {
 protected:
  std::string path() const { return "failing://runs/" + bag_name(GetParam()); }
  WriteOptions options() const {
    WriteOptions options = GetParam().options(2'000, 1);
    options.format.clear();
    return options;
  }

  std::shared_ptr<FailingFiles> files_ = std::make_shared<FailingFiles>();
  Session session_ = session_with(files_);
  std::vector<TestMessage> messages_ = some_messages(60, 200);
};

// No call fails in silence: the Error comes out, and nothing that is incomplete has the name.
TEST_P(FailingCalls, OfAWriterAreErrorsAndLeaveNothing) {
  bool is_failing = true;
  for (std::uint64_t call = 1; is_failing; ++call) {
    ASSERT_LT(call, 10'000U);
    files_->fail_at(call);
    is_failing = false;
    try {
      write_bag(GetParam(), path(), options(), messages_, session_);
    } catch (const Error& error) {
      is_failing = true;
      EXPECT_EQ(error.code(), ErrorCode::io) << call;
    }
    files_->fail_at(0);
    if (is_failing) {
      EXPECT_THAT(files_->all(), ::testing::IsEmpty()) << call;
    }
  }
  EXPECT_EQ(read_messages(*session_.open(path())), messages_);
}

TEST_P(FailingCalls, OfAReaderAreErrorsAndNoDamage) {
  write_bag(GetParam(), path(), options(), messages_, session_);
  bool is_failing = true;
  for (std::uint64_t call = 1; is_failing; ++call) {
    ASSERT_LT(call, 10'000U);
    files_->fail_at(call);
    is_failing = false;
    ReadOptions lenient;
    lenient.on_problem = [&](const Error& problem) {
      ADD_FAILURE() << "call " << call << " was reported as damage: " << problem.what();
    };
    std::vector<TestMessage> found;
    try {
      found = read_messages(*session_.open(path(), lenient));
    } catch (const Error& error) {
      is_failing = true;
      EXPECT_EQ(error.code(), ErrorCode::io) << call;
    }
    if (!is_failing) {
      EXPECT_EQ(found, messages_) << call;
    }
    is_failing |= files_->calls() >= call;  // what the reader could do without
    files_->fail_at(0);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FailingCalls, ::testing::ValuesIn(formats_and_directories()),
                         case_name);

TEST(FarFilesTest, TheFirstMessageOfALargeBagTakesFewReads) {
  for (const char* name : {"far://a.mcap", "far://a.bag", "far://a.db3"}) {
    auto files = std::make_shared<FarFiles>();
    Session session = session_with(files);
    auto writer = session.create(name, {.chunk_bytes = 10'000});
    write_messages(*writer, test_channels(), some_messages(5'000, 500));
    writer->close();
    Query first;
    first.count = 1;
    EXPECT_EQ(read_messages(*session.open(name), first).size(), 1U);
    EXPECT_LE(files->reads(), 40U) << name;
  }
}

}  // namespace
}  // namespace kitbag::testing
