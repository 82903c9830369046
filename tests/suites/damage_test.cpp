// Every format, cut at each byte and with each byte flipped: no crash, no hang, no allocation out
// of bounds (the asan preset limits one allocation to 256 MB), and no wrong answer without a word.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "kitbag/kitbag.h"
#include "kitbag/session.h"
#include "tests/support/bags.h"
#include "tests/support/thrown_by.h"

namespace kitbag::testing {
namespace {

std::vector<TestMessage> damage_messages() {
  std::vector<TestMessage> messages;
  for (int i = 0; i < 12; ++i) {
    messages.push_back({static_cast<std::uint32_t>(i % 3), 1'000'000'000 + i * 1'000,
                        "payload " + std::to_string(i)});
  }
  return messages;
}

/// What a lenient reader gets out of a file.
struct Outcome {
  bool is_refused = false;  ///< open or read threw
  std::size_t problems = 0;
  std::vector<TestMessage> messages;
  ChannelsPtr channels;

  bool is_silent() const { return !is_refused && problems == 0; }
};

/// `threads` read ahead, where there is more than one; these come and go with each bag, which takes
/// longer than to read it.
Outcome read_leniently(ByteView bytes, const Session& session, const Query& query = {},
                       unsigned threads = 1) {
  Outcome outcome;
  ReadOptions options{.on_problem = [&](const Error&) { ++outcome.problems; }, .threads = threads};
  try {
    auto bag = session.open(input_of(bytes), options);
    outcome.channels = bag->summary().channels;
    outcome.messages = read_messages(*bag, query);
  } catch (const Error&) {
    outcome.is_refused = true;
  }
  return outcome;
}

std::size_t findings(ByteView bytes, const Session& session) {
  std::size_t count = 0;
  try {
    session.check(input_of(bytes), {.on_problem = [&](const Error&) { ++count; }});
  } catch (const Error&) {
    ++count;
  }
  return count;
}

/// Equal but for the bytes of one payload, which no format without checksums can detect.
bool differs_in_one_payload(const std::vector<TestMessage>& a, const std::vector<TestMessage>& b) {
  if (a.size() != b.size()) return false;
  std::size_t payloads = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].channel != b[i].channel || a[i].time_ns != b[i].time_ns) return false;
    if (a[i].payload.size() != b[i].payload.size()) return false;
    if (a[i].payload != b[i].payload) ++payloads;
  }
  return payloads <= 1;
}

bool same_channels(const Channels& a, const Channels& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same_content(*x, *y); });
}

/// Every place of the file. Where that is slow, every `step`-th; and of a long stretch of one byte,
/// as free space and padding are, only the ends and some between.
std::vector<std::size_t> places_to_harm(ByteView bytes, std::size_t step = 1) {
  constexpr std::size_t kFar = 32;
  std::vector<std::size_t> places;
  std::size_t same = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    same = at > 0 && bytes[at] == bytes[at - 1] ? same + 1 : 0;
    bool is_amid = kIsSlow && same > kFar && at + kFar < bytes.size() &&
                   std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                               bytes.begin() + static_cast<std::ptrdiff_t>(at + kFar),
                               [&](std::byte b) { return b == bytes[at]; });
    if (is_amid ? at % 251 == 0 : at % step == 0) places.push_back(at);
  }
  return places;
}

class Damage : public ::testing::TestWithParam<FormatCase> {
 protected:
  Damage()
      : messages_(damage_messages()),
        bytes_(GetParam().bytes(GetParam().options(200, 1), messages_)) {}

  /// Older versions are read by the code of the newest. The step is no multiple of the number of
  /// masks, which take turns.
  static std::size_t step() { return !kIsSlow ? 1 : GetParam().is_newest() ? 4 : 10; }

  Session session_;
  std::vector<TestMessage> messages_;
  std::vector<std::byte> bytes_;
};

TEST_P(Damage, CutAnywhereGivesWhatIsWhole) {
  std::size_t before = 0;
  for (std::size_t size : places_to_harm(bytes_, kIsSlow ? 7 : 1)) {
    ByteView cut = ByteView(bytes_).first(size);
    Outcome outcome = read_leniently(cut, session_);
    ASSERT_FALSE(outcome.is_silent()) << "cut at " << size;
    ASSERT_GE(outcome.messages.size(), before) << "cut at " << size;
    ASSERT_TRUE(std::equal(outcome.messages.begin(), outcome.messages.end(), messages_.begin()))
        << "cut at " << size;
    before = outcome.messages.size();
    auto read_strictly = [&] { read_messages(*session_.open(input_of(cut))); };
    ASSERT_TRUE(is_damage(test::thrown_by(read_strictly).code())) << "cut at " << size;
    ASSERT_GT(findings(cut, session_), 0U) << "cut at " << size;
  }
  EXPECT_EQ(before, messages_.size()) << "all messages are whole before the index is";
}

TEST_P(Damage, FlippedBytesAreNeverReadInSilence) {
  Outcome whole = read_leniently(bytes_, session_);
  ASSERT_TRUE(whole.is_silent());
  ASSERT_EQ(whole.messages, messages_);
  std::size_t noticed = 0;
  for (std::byte mask : kMasks) {
    for (std::size_t at : places_to_harm(bytes_, step())) {
      if (!flips_at(at, mask)) continue;
      std::vector<std::byte> flipped = bytes_;
      flipped[at] ^= mask;
      Outcome outcome = read_leniently(flipped, session_, {}, mask == kMasks[0] ? 2 : 1);
      if (outcome.is_silent() && !GetParam().version.is_redundant) {
        ASSERT_EQ(outcome.messages.size(), messages_.size()) << "flipped at " << at;
      } else if (outcome.is_silent()) {
        ASSERT_TRUE(differs_in_one_payload(outcome.messages, messages_)) << "flipped at " << at;
        ASSERT_TRUE(same_channels(*outcome.channels, *whole.channels)) << "flipped at " << at;
      } else {
        ++noticed;
        ASSERT_GT(findings(flipped, session_), 0U)
            << "reading notices what check does not, flipped at " << at;
      }
    }
  }
  EXPECT_GT(noticed, (GetParam().version.is_redundant ? 1000U : 100U) / step());
}

/// What a reader of its own meets of the damage.
std::size_t damage_met(const Bag& bag) {
  std::size_t met = 0;
  Query query;
  query.on_problem = [&](const Error&) { ++met; };
  read_messages(bag, query);
  return met;
}

TEST_P(Damage, EachReaderIsToldWhatItMeets) {
  std::size_t met_at_opening = 0;
  std::size_t readers_met = 0;
  for (std::size_t at : places_to_harm(bytes_, 7)) {
    std::vector<std::byte> flipped = bytes_;
    flipped[at] ^= std::byte{0xff};
    std::size_t reported_of_the_bag = 0;
    ReadOptions options;
    options.on_problem = [&](const Error&) { ++reported_of_the_bag; };
    BagPtr bag;
    try {
      bag = session_.open(input_of(flipped), options);
      bag->summary();
    } catch (const Error&) {
      continue;
    }
    std::size_t at_opening = reported_of_the_bag;
    std::size_t first = damage_met(*bag);
    ASSERT_EQ(damage_met(*bag), first) << "the second reader, flipped at " << at;
    ASSERT_EQ(reported_of_the_bag, at_opening)
        << "by readers that listen themselves, flipped at " << at;
    if (at_opening > 0) ++met_at_opening;
    if (first > 0) ++readers_met;
  }
  std::size_t expected = GetParam().version.is_redundant ? 50 : 5;
  if (GetParam().has_chunks()) {
    EXPECT_GT(readers_met, expected) << "damage inside of chunks";
  } else {
    EXPECT_GT(std::max(met_at_opening, readers_met), expected)
        << "a format without an index may read the whole bag to open it";
  }
}

TEST_P(Damage, FlippedBytesHarmNoQuery) {
  for (std::size_t at : places_to_harm(bytes_, kIsSlow ? 11 : 1)) {
    std::vector<std::byte> flipped = bytes_;
    flipped[at] ^= std::byte{0xff};
    BagPtr bag;
    try {
      bag = session_.open(input_of(flipped), {.on_problem = [](const Error&) {}});
    } catch (const Error&) {
      continue;
    }
    for (Order order : {Order::time, Order::reverse_time, Order::file}) {
      Query query;
      query.order = order;
      query.nth = 5;
      query.count = 2;
      query.begin = from_ns(1'000'002'000);
      try {
        ASSERT_LE(read_messages(*bag, query).size(), 2U) << "flipped at " << at;
      } catch (const Error&) {
      }
    }
  }
}

/// Where each payload stands in the file, and the bytes around it that belong to its message.
struct Extent {
  std::size_t begin;
  std::size_t end;

  bool touches(std::size_t hole, std::size_t size) const {
    return begin < hole + size && hole < end;
  }
};

std::vector<Extent> message_extents(ByteView bytes, const std::vector<TestMessage>& messages,
                                    std::size_t frame) {
  std::vector<Extent> extents;
  std::size_t at = 0;
  for (const TestMessage& message : messages) {
    at = as_text(bytes).find(message.payload, at);
    if (at == std::string_view::npos) throw std::logic_error("a payload is not in the file");
    extents.push_back({at - frame, at + message.payload.size()});
    at += message.payload.size();
  }
  return extents;
}

/// The records that describe the channels, in the order of the channels.
std::vector<Extent> channel_extents(ByteView bytes, const std::vector<Extent>& messages,
                                    std::size_t channels) {
  constexpr std::string_view kConnection("op=\x07", 4);
  std::vector<Extent> extents;
  std::size_t at = 0;
  for (std::size_t i = 0; i < channels; ++i) {
    at = as_text(bytes).find(kConnection, at + 1);
    extents.push_back({at - 8, messages[i].begin});  // message i is the first of channel i
  }
  return extents;
}

/// The messages with the slots that their channels have in `channels`.
std::vector<TestMessage> with_slots_of(const Channels& channels, const Outcome& outcome) {
  std::vector<TestMessage> messages = outcome.messages;
  for (TestMessage& message : messages) {
    const Channel& found = *(*outcome.channels)[message.channel];
    auto same = std::find_if(channels.begin(), channels.end(), [&](const ChannelPtr& channel) {
      return same_content(*channel, found);
    });
    message.channel = static_cast<std::uint32_t>(same - channels.begin());
  }
  return messages;
}

/// How many messages of `part` are not in `whole`.
std::size_t strangers(const std::vector<TestMessage>& part, const std::vector<TestMessage>& whole) {
  return static_cast<std::size_t>(std::count_if(part.begin(), part.end(), [&](const auto& m) {
    return std::find(whole.begin(), whole.end(), m) == whole.end();
  }));
}

/// `bytes` with `size` of them at `at` overwritten by `filling`.
std::vector<std::byte> with_hole(const std::vector<std::byte>& bytes, std::size_t at,
                                 std::size_t size, std::byte filling) {
  std::vector<std::byte> holed = bytes;
  std::fill_n(holed.begin() + static_cast<std::ptrdiff_t>(at), size, filling);
  return holed;
}

/// Behind the damage inside a compressed chunk nothing can be found.
class DamageOfARosbag : public Damage {};
class DamageOfAnUncompressedRosbag : public DamageOfARosbag {};
class DamageOfACompressedRosbag : public DamageOfARosbag {};

TEST_P(DamageOfAnUncompressedRosbag, HolesLoseOnlyWhatTheyTouch) {
  constexpr std::size_t kFrame = 46;
  constexpr std::size_t kHead = 13 + 8 + 4096;
  Query query;
  query.order = Order::file;
  auto extents = message_extents(bytes_, messages_, kFrame);
  std::vector<std::byte> cut(bytes_.begin(),
                             bytes_.begin() + static_cast<std::ptrdiff_t>(extents.back().end));
  auto channels = channel_extents(bytes_, extents, test_channels()->size());
  auto expect_rest = [&](ByteView holed, std::size_t at, std::size_t size) {
    bool has_index = holed.size() == bytes_.size();
    Outcome outcome = read_leniently(holed, session_, query);
    ASSERT_FALSE(outcome.is_refused);
    if (at >= extents.back().end) {  // the index may name other channels now
      ASSERT_EQ(outcome.messages.size(), messages_.size());
      return;
    }
    std::size_t touched = 0;
    auto found = with_slots_of(*test_channels(), outcome);
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      bool is_touched = extents[i].touches(at, size);
      // Without the index, nothing else says which channel its messages belong to.
      is_touched |= !has_index && channels[messages_[i].channel].touches(at, size);
      touched += is_touched ? 1 : 0;
      if (is_touched) continue;
      ASSERT_NE(std::find(found.begin(), found.end(), messages_[i]), found.end())
          << "message " << i << " is lost";
    }
    ASSERT_LE(strangers(found, messages_), touched);
    ASSERT_LE(found.size(), messages_.size());
  };
  for (const auto& whole : {bytes_, cut}) {
    for (std::size_t size : {1U, 3U, 8U, 40U, 150U, 500U, 1500U}) {
      for (std::size_t at = kHead; at + size <= whole.size(); at += kHoleStep) {
        for (std::byte filling : {std::byte{}, std::byte{0xa5}}) {
          SCOPED_TRACE(::testing::Message()
                       << size << " bytes at " << at << " of " << whole.size());
          expect_rest(with_hole(whole, at, size, filling), at, size);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(DamageOfACompressedRosbag, HolesInAChunkLoseNoOther) {
  auto chunks = session_.open(input_of(bytes_))->chunks();
  ASSERT_GT(chunks.size(), 2U);
  Query query;
  query.order = Order::file;
  auto first = messages_.begin();
  for (const ChunkSummary& chunk : chunks) {
    auto behind = first + static_cast<std::ptrdiff_t>(chunk.messages);
    for (std::uint64_t size = 1; size <= 600; size *= 4) {
      std::uint64_t end = chunk.offset + chunk.stored_bytes;
      for (std::uint64_t at = chunk.offset; at + size <= end; at += kHoleStep) {
        auto holed = with_hole(bytes_, at, size, std::byte{});
        Outcome outcome = read_leniently(holed, session_, query);
        auto found = with_slots_of(*test_channels(), outcome);
        auto is_found = [&](const TestMessage& message) {
          return std::find(found.begin(), found.end(), message) != found.end();
        };
        ASSERT_TRUE(std::all_of(messages_.begin(), first, is_found)) << size << " at " << at;
        ASSERT_TRUE(std::all_of(behind, messages_.end(), is_found)) << size << " at " << at;
      }
    }
    first = behind;
  }
}

/// The file header alone contains nothing that a scan could not find.
TEST_P(DamageOfARosbag, AFlippedByteInTheHeaderOfAnUnclosedBagLosesNothing) {
  constexpr std::size_t kLine = 13;
  constexpr std::size_t kHead = kLine + 8 + 4096;
  constexpr std::string_view kIndexPos = "index_pos=";
  std::byte* index_pos = bytes_.data() + as_text(bytes_).find(kIndexPos) + kIndexPos.size();
  std::uint64_t size = 0;
  std::memcpy(&size, index_pos, sizeof size);
  std::memset(index_pos, 0, sizeof size);
  ByteView unclosed = ByteView(bytes_).first(size);
  for (std::byte mask : kMasks) {
    for (std::size_t at : places_to_harm(unclosed.first(kHead))) {
      if (at < kLine) continue;
      std::vector<std::byte> flipped(unclosed.begin(), unclosed.end());
      flipped[at] ^= mask;
      ASSERT_EQ(read_leniently(flipped, session_).messages, messages_) << "flipped at " << at;
    }
  }
}

TEST_P(Damage, ZerosAndForeignBytesAreNoBag) {
  for (std::size_t size : {1U, 13U, 100U, 5000U}) {
    std::vector<std::byte> zeros(size);
    EXPECT_TRUE(read_leniently(zeros, session_).is_refused) << size;
  }
  EXPECT_TRUE(read_leniently({}, session_).is_refused);
}

/// Those that say most things twice; for others see run_damage_test.cpp.
std::vector<FormatCase> redundant_formats() {
  return cases_that(writable_formats(),
                    [](const FormatCase& one) { return one.version.holds_metadata; });
}

std::vector<FormatCase> rosbags() {
  return cases_that(redundant_formats(),
                    [](const FormatCase& one) { return one.format.name == "rosbag"; });
}

bool is_compressed(const FormatCase& one) {
  return one.compression != "none";
}

INSTANTIATE_TEST_SUITE_P(Formats, Damage, ::testing::ValuesIn(redundant_formats()), case_name);
INSTANTIATE_TEST_SUITE_P(Formats, DamageOfARosbag, ::testing::ValuesIn(rosbags()), case_name);
INSTANTIATE_TEST_SUITE_P(Formats, DamageOfAnUncompressedRosbag,
                         ::testing::ValuesIn(cases_that(rosbags(), std::not_fn(is_compressed))),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Formats, DamageOfACompressedRosbag,
                         ::testing::ValuesIn(cases_that(rosbags(), is_compressed)), case_name);

}  // namespace
}  // namespace kitbag::testing
