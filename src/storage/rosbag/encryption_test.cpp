#include "storage/rosbag/encryption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/session.h"
#include "storage/chunked/bag.h"
#include "storage/rosbag/check.h"
#include "storage/rosbag/store.h"
#include "storage/rosbag/test_bag.h"
#include "storage/rosbag/writer.h"
#include "tests/support/flips.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag {
namespace {

using test::thrown_by;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Lock lock_with(unsigned char first_byte_of_key) {
  Cipher::Key key{};
  key[0] = static_cast<std::byte>(first_byte_of_key);
  return {{std::string(kAesCbcEncryptor), "Jane Doe", "a sealed key"},
          std::make_shared<const Cipher>(key)};
}

ChannelPtr encrypted_channel(std::uint32_t slot, std::string topic) {
  auto channel = std::make_shared<Channel>();
  channel->slot = slot;
  channel->topic = std::move(topic);
  channel->encoding = "ros1";
  channel->schema = std::make_shared<Schema>(Schema{"std_msgs/String", "ros1msg", "string data\n"});
  channel->metadata["md5sum"] = "992ce8a1687cec8c8bd883ec73ca41d1";
  return channel;
}

constexpr int kMessages = 8;

std::vector<std::string> all_lines() {
  std::vector<std::string> lines;
  for (int i = 0; i < kMessages; ++i) {
    lines.push_back((i % 2 == 0 ? "/a " : "/b ") + std::to_string(i + 1) + " payload " +
                    std::to_string(i));
  }
  return lines;
}

/// A bag of eight messages in several chunks.
std::string encrypted_bag(const Lock& lock, const std::string& compression) {
  TemporaryFolder folder;
  std::string path = folder.path("secret.bag");
  BagWriter writer(local_file_system()->create(path, {}), path,
                   {.compression = compression, .chunk_bytes = 200, .threads = 2}, lock);
  auto channels =
      std::make_shared<Channels>(Channels{encrypted_channel(0, "/a"), encrypted_channel(1, "/b")});
  for (int i = 0; i < kMessages; ++i) {
    std::string payload = "payload " + std::to_string(i);
    Time time = from_ns((i + 1) * 1'000'000'000LL);
    Batch batch;
    batch.channels = channels;
    batch.add(
        {(*channels)[static_cast<std::size_t>(i % 2)].get(), 0, 0, time, time, as_bytes(payload)});
    writer.write(std::move(batch));
  }
  writer.close();
  return folder.read("secret.bag");
}

std::shared_ptr<const ChunkFile> file_of(ByteView bytes, const Lock& lock) {
  return std::make_shared<const ChunkFile>(memory_file(bytes), "secret.bag", lock.cipher);
}

/// As format.cpp opens it, once the key is there.
BagPtr open_encrypted(ByteView bytes, const Lock& lock, const OnProblem& on_problem = {}) {
  auto file = file_of(bytes, lock);
  ReadOptions options{.on_problem = on_problem};
  BagIndex index = open_index(*file, options);
  Summary summary;
  summary.indexed = !index.is_scanned;
  return std::make_shared<ChunkedBag>(std::make_shared<Store>(file, std::move(index), options),
                                      std::move(summary), memory_file(bytes));
}

std::vector<std::string> findings_in(ByteView bytes, const Lock& lock) {
  std::vector<std::string> all;
  check(*file_of(bytes, lock), [&](const Error& finding) { all.push_back(finding.what()); });
  return all;
}

class EncryptedBag : public ::testing::TestWithParam<std::string> {
 protected:
  Lock lock_ = lock_with(1);
  std::string text_ = encrypted_bag(lock_, GetParam());
  ByteView bytes_ = as_bytes(text_);
};

TEST_P(EncryptedBag, GivesBackWhatWasWritten) {
  BagPtr bag = open_encrypted(bytes_, lock_);
  EXPECT_EQ(lines_of(*bag), all_lines());
  EXPECT_TRUE(bag->summary().indexed);
  EXPECT_GT(bag->chunks().size(), 2U);
  EXPECT_EQ(bag->chunks().front().compression, GetParam());
  EXPECT_EQ((*bag->summary().channels)[0]->schema->text, "string data\n");
  EXPECT_THAT(findings_in(bytes_, lock_), IsEmpty());
}

TEST_P(EncryptedBag, FindsTheNthMessage) {
  Query query;
  query.nth = 5;
  query.count = 1;
  EXPECT_THAT(lines_of(*open_encrypted(bytes_, lock_), query), ElementsAre(all_lines()[5]));
}

TEST_P(EncryptedBag, HidesTopicsTypesAndPayloads) {
  for (const char* secret : {"std_msgs", "payload", "string data"}) {
    EXPECT_THAT(text_, Not(HasSubstr(secret)));
  }
  EXPECT_THAT(text_, HasSubstr("encryptor=rosbag/AesCbcEncryptor"));
  EXPECT_THAT(text_, HasSubstr("gpg_user=Jane Doe"));
  EXPECT_THAT(text_, HasSubstr("encrypted_key=a sealed key"));
}

TEST_P(EncryptedBag, WithoutAnIndexIsScanned) {
  // What a recorder leaves that dies before it closes the bag: no index section.
  auto index_pos = read_file_header(*file_of(bytes_, lock_)).index_pos;
  std::size_t problems = 0;
  auto bag = open_encrypted(bytes_.first(index_pos), lock_, [&](const Error&) { ++problems; });
  EXPECT_EQ(lines_of(*bag), all_lines());
  EXPECT_FALSE(bag->summary().indexed);
  EXPECT_EQ(problems, 1U);
}

TEST_P(EncryptedBag, ADamagedLengthOfAChunkLosesNothing) {
  std::uint64_t index_pos = read_file_header(*file_of(bytes_, lock_)).index_pos;
  ChunkHead head = *file_of(bytes_, lock_)->head(open_encrypted(bytes_, lock_)->chunks()[1].offset);
  for (std::byte mask : {std::byte{0x10}, std::byte{0xff}}) {
    std::vector<std::byte> damaged(bytes_.begin(), bytes_.end());
    damaged[head.data_offset - sizeof(std::uint32_t)] ^= mask;
    std::size_t problems = 0;
    auto note = [&](const Error&) { ++problems; };
    EXPECT_EQ(lines_of(*open_encrypted(ByteView(damaged).first(index_pos), lock_, note)),
              all_lines());
    EXPECT_EQ(lines_of(*open_encrypted(damaged, lock_, note)), all_lines());
    EXPECT_GT(problems, 1U);
  }
}

TEST_P(EncryptedBag, CutAnywhereGivesWhatIsWhole) {
  std::vector<std::string> whole = all_lines();
  std::size_t before = 0;
  // The others differ inside of chunks only.
  std::size_t step = GetParam() == "none" && !test::kIsSlow ? 1 : 5;
  for (std::size_t size = kVersionLine.size() + 8 + kFileHeaderBytes; size < bytes_.size();
       size += step) {
    std::size_t problems = 0;
    auto lines =
        lines_of(*open_encrypted(bytes_.first(size), lock_, [&](const Error&) { ++problems; }));
    ASSERT_GT(problems, 0U) << "cut at " << size;
    ASSERT_LE(lines.size(), whole.size()) << "cut at " << size;
    ASSERT_TRUE(std::equal(lines.begin(), lines.end(), whole.begin())) << "cut at " << size;
    ASSERT_GE(lines.size(), before) << "cut at " << size;
    before = lines.size();
    ASSERT_THAT(findings_in(bytes_.first(size), lock_), Not(IsEmpty())) << "cut at " << size;
  }
  EXPECT_EQ(before, whole.size());
}

/// How many messages of the same time and topic have another payload; a very large number where
/// there are other messages.
std::size_t changed_payloads(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  if (a.size() != b.size()) return SIZE_MAX;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto head = [](const std::string& line) { return line.substr(0, line.find(' ', 3)); };
    if (head(a[i]) != head(b[i])) return SIZE_MAX;
    if (a[i] != b[i]) ++changed;
  }
  return changed;
}

TEST_P(EncryptedBag, FlippedBytesAreNeverReadInSilence) {
  std::vector<std::string> whole = all_lines();
  constexpr std::size_t kFields = 300;  // then comes padding, up to the first chunk
  constexpr std::size_t kChunks = kVersionLine.size() + 8 + kFileHeaderBytes;
  for (std::byte mask : {std::byte{0x01}, std::byte{0xff}}) {
    for (std::size_t at = kVersionLine.size(); at < bytes_.size(); ++at) {
      if (at == kFields) at = kChunks;
      if (test::kIsSlow && at % 8 != (mask == std::byte{0x01} ? 0 : 5)) continue;
      std::vector<std::byte> flipped(bytes_.begin(), bytes_.end());
      flipped[at] ^= mask;
      std::size_t problems = 0;
      std::vector<std::string> lines;
      try {
        lines = lines_of(*open_encrypted(flipped, lock_, [&](const Error&) { ++problems; }));
      } catch (const Error&) {
        ++problems;
      }
      if (problems == 0) {
        ASSERT_LE(changed_payloads(lines, whole), 1U) << "flipped at " << at;
      }
      findings_in(flipped, lock_);
    }
  }
}

TEST_P(EncryptedBag, AnotherKeyGivesNothingAndIsTold) {
  for (unsigned char other = 2; other < 40; ++other) {
    std::vector<std::string> problems;
    auto bag = open_encrypted(bytes_, lock_with(other),
                              [&](const Error& e) { problems.push_back(e.what()); });
    EXPECT_THAT(lines_of(*bag), IsEmpty());
    EXPECT_THAT(problems, ::testing::Contains(HasSubstr("secret.bag at byte")));
    EXPECT_THAT(findings_in(bytes_, lock_with(other)), Not(IsEmpty()));
    EXPECT_ERROR(corrupt, open_encrypted(bytes_, lock_with(other)));
  }
}

TEST_P(EncryptedBag, WithoutAKeyIsLocked) {
  ByteView head = bytes_.first(Input::kHeadBytes);
  Input input{"secret.bag", {head.begin(), head.end()}, memory_file(bytes_)};
  std::size_t problems = 0;
  auto note = [&](const Error&) { ++problems; };
  for (const Error& error :
       {thrown_by([&] { rosbag_format().open(input, {.on_problem = note}, Session(Registry())); }),
        thrown_by([&] { rosbag_format().check(input, {.on_problem = note}, Session(Registry())); }),
        thrown_by([&] { open_encrypted(bytes_, {}, note); })}) {
    EXPECT_EQ(error.code(), ErrorCode::locked);
    EXPECT_THAT(error.what(), HasSubstr("rosbag/AesCbcEncryptor for Jane Doe"));
    EXPECT_THAT(error.what(), HasSubstr("requires that user's secret GnuPG key"));
  }
  EXPECT_EQ(problems, 0U);
}

TEST_P(EncryptedBag, IsNotAppendedTo) {
  TemporaryFolder folder;
  std::string path = folder.write("secret.bag", text_);
  Error error = thrown_by([&] { rosbag_format().append(path, {}, Session(Registry())); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("decrypt it first"));
  EXPECT_EQ(folder.read("secret.bag"), text_);
}

INSTANTIATE_TEST_SUITE_P(Compressions, EncryptedBag, ::testing::Values("none", "lz4", "bz2"));

/// A bag whose only chunk has `stored` as its data.
std::vector<std::string> problems_of_chunk(ByteView stored, const std::string& compression) {
  Lock lock = lock_with(1);
  TestBag bag;
  std::uint64_t offset = bag.bytes.size();
  RecordWriter(bag.bytes, Op::chunk)
      .field("compression", compression)
      .field("size", std::uint32_t{100})
      .data(stored);
  std::uint64_t index_pos = bag.bytes.size();
  bag.append(TestBag::connection(0, "/a"));
  bag.chunk_info(offset, 1, 1, {{0, 1}});
  bag.close(index_pos, 1, 1);
  std::vector<std::string> problems;
  auto opened =
      open_encrypted(bag.bytes.view(), lock, [&](const Error& e) { problems.push_back(e.what()); });
  EXPECT_THAT(lines_of(*opened), IsEmpty());
  EXPECT_THAT(findings_in(bag.bytes.view(), lock), Not(IsEmpty()));
  return problems;
}

TEST(EncryptedChunk, OfAnyLengthIsSurvived) {
  for (const char* compression : {"none", "lz4", "bz2"}) {
    for (std::size_t size = 1; size < 70; ++size) {
      std::vector<std::byte> stored(size, std::byte{0x5a});
      EXPECT_THAT(problems_of_chunk(stored, compression),
                  ::testing::Contains(HasSubstr("encrypted data is damaged")))
          << size;
    }
  }
}

TEST(EncryptedChunk, WithNothingInItIsShort) {
  Buffer stored;
  lock_with(1).cipher->encrypt({}, stored);
  EXPECT_THAT(problems_of_chunk(stored.view(), "none"),
              ::testing::Contains(HasSubstr("size differs from the length of its data")));
}

TEST(Unlock, OtherEncryptorsAreNotKnown) {
  Error error = thrown_by([] { unlock({"acme/Enigma", "", ""}, "*", "x.bag"); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("acme/Enigma"));
}

TEST(Unlock, ABagMayKeepItsUserToItself) {
  // Real rosbag encrypt stores an empty gpg_user for a key without a name, and cannot read it.
  Error error = thrown_by([] { unlock({std::string(kAesCbcEncryptor), "", "x"}, "", "x.bag"); });
  EXPECT_EQ(error.code(), ErrorCode::locked);
  EXPECT_THAT(error.what(), HasSubstr("an unnamed user"));
}

TEST(AppendingToAPlainBag, DoesNotEncryptIt) {
  TemporaryFolder folder;
  std::string path = folder.path("plain.bag");
  rosbag_format().create(path, {}, Session(Registry()))->close();
  Error error =
      thrown_by([&] { rosbag_format().append(path, {.gpg_key = "*"}, Session(Registry())); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
}

}  // namespace
}  // namespace kitbag::rosbag
