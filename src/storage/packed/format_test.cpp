#include "storage/packed/format.h"

#include <bzlib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>

#include "compress/compression.h"
#include "compress/stream.h"
#include "kitbag/session.h"
#include "storage/packed/unpack.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::packed {
namespace {

using test::thrown_by;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kLine = "a bag of lines\n";

/// A bag of "a message a line", counted and not read.
class LineBag final : public Bag {
 public:
  explicit LineBag(const Input& input) {
    std::string text(static_cast<std::size_t>(input.file->size()), '\0');
    input.file->read(0, std::as_writable_bytes(std::span(text)));
    summary_.format = "lines";
    summary_.channels = std::make_shared<const Channels>();
    summary_.messages = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')) - 1;
    summary_.size_bytes = text.size();
  }
  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query&, const Wait&) const override {
    return nullptr;
  }

 private:
  Summary summary_;
};

Registry registry() {
  Format lines;
  lines.name = "lines";
  lines.matches = [](const Input& input) {
    return as_text(input.head).starts_with(kLine) ? 100 : 0;
  };
  lines.open = [](const Input& input, const ReadOptions&, const Session&) -> BagPtr {
    return std::make_shared<LineBag>(input);
  };
  lines.check = [](const Input& input, const ReadOptions& options, const Session&) {
    bool is_whole = LineBag(input).summary().messages >= 300;
    if (!is_whole) {
      report(options.on_problem, Error(ErrorCode::truncated, "lines lack", input.path));
    }
  };
  return {{lines, packed_format()}};
}

/// 300 messages that do not compress well.
std::string lines() {
  std::string text(kLine);
  std::uint32_t random = 1;
  for (int i = 0; i < 300; ++i) {
    for (int k = 0; k < 200; ++k) {
      random = random * 1664525 + 1013904223;
      text += static_cast<char>('a' + (random >> 27) % 26);
    }
    text += '\n';
  }
  return text;
}

std::string packed_by_gz(const std::string& content) {
  std::string packed(content.size() + 1000, '\0');
  std::string input = content;
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<unsigned>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<unsigned>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

class Packed : public ::testing::TestWithParam<std::string> {
 protected:
  std::string pack(const std::string& content) const {
    if (GetParam() == "gz") return packed_by_gz(content);
    Buffer packed;
    make_compressor(GetParam())->compress(as_bytes(content), packed);
    return std::string(as_text(packed.view()));
  }

  static Input input_of(const std::string& file) {
    ByteView bytes = as_bytes(file);
    ByteView head = bytes.first(std::min(bytes.size(), Input::kHeadBytes));
    return {"run.bag", {head.begin(), head.end()}, memory_file(bytes)};
  }
  BagPtr open(const std::string& file) {
    problems_.clear();
    ReadOptions options{.on_problem = [this](const Error& e) { problems_.push_back(e); }};
    return packed_format().open(input_of(file), options, Session(registry()));
  }
  static BagPtr open_strictly(const std::string& file) {
    return packed_format().open(input_of(file), {}, Session(registry()));
  }
  std::vector<std::string> findings(const std::string& file) {
    std::vector<std::string> all;
    ReadOptions options{.on_problem = [&](const Error& e) { all.emplace_back(e.what()); }};
    packed_format().check(input_of(file), options, Session(registry()));
    return all;
  }

  std::vector<Error> problems_;
};

TEST_P(Packed, IsTheBagThatIsInside) {
  std::string file = pack(lines());
  Input input = input_of(file);
  Registry formats = registry();
  EXPECT_EQ(match_format(formats, input)->name, "packed");
  BagPtr bag = open_strictly(file);
  EXPECT_EQ(bag->summary().format, "lines");
  EXPECT_EQ(bag->summary().messages, 300U);
  EXPECT_EQ(bag->summary().whole_file_compression, GetParam());
  EXPECT_EQ(bag->summary().size_bytes, file.size());
  EXPECT_THAT(findings(file), IsEmpty());
}

TEST_P(Packed, WhatIsNoBagIsRefusedBeforeItIsUnpacked) {
  for (const std::string& content : {std::string(10'000, 'x'), std::string()}) {
    Error error = thrown_by([&] { open_strictly(pack(content)); });
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("unrecognized format of the compressed content"));
  }
  thrown_by([&] { open_strictly("BZh9 is no stream"); });
  thrown_by([&] { open_strictly("\x1f\x8b neither"); });
}

TEST_P(Packed, CutOffGivesWhatCameOut) {
  std::string packed = pack(lines());
  // bzip2 gives a block when it is whole, so two streams stand for two blocks.
  std::string two = packed + packed.substr(0, packed.size() / 2);
  EXPECT_GE(open(two)->summary().messages, 300U);
  ASSERT_EQ(problems_.size(), 1U);
  EXPECT_THAT(
      problems_[0].what(),
      AllOf(HasSubstr("the " + GetParam() + " stream is incomplete: the file ends within it"),
            HasSubstr("bytes were decompressed")));
  EXPECT_EQ(findings(two).size(), 1U);
  EXPECT_EQ(thrown_by([&] { open_strictly(two); }).code(), ErrorCode::truncated);
}

TEST_P(Packed, DamagedGivesWhatCameOut) {
  std::string packed = pack(lines());
  std::string damaged = packed + packed;
  for (int i = 0; i < 8; ++i) damaged[packed.size() + static_cast<std::size_t>(i)] ^= 0x55;
  EXPECT_GE(open(damaged)->summary().messages, 300U);
  ASSERT_GE(problems_.size(), 1U);
  EXPECT_EQ(problems_[0].code(), ErrorCode::corrupt);
  EXPECT_GE(problems_[0].offset(), packed.size());
  EXPECT_EQ(problems_[0].loss().value().bytes, damaged.size() - problems_[0].offset());
}

TEST_P(Packed, FollowedBySomethingElseIsTold) {
  EXPECT_EQ(open(pack(lines()) + "what is this")->summary().messages, 300U);
  ASSERT_EQ(problems_.size(), 1U);
  EXPECT_THAT(problems_[0].what(), HasSubstr("other data follows its end"));
}

TEST_P(Packed, DamageInsideItIsToldByThePlaceInTheContent) {
  EXPECT_THAT(findings(pack(lines().substr(0, 3000))),
              ElementsAre(HasSubstr("run.bag (unpacked): lines lack")));
}

TEST_P(Packed, BeyondTheLimitIsRefused) {
  std::string file = pack(lines());
  auto unpack_within = [&](std::uint64_t limit) { unpack(input_of(file), GetParam(), {}, limit); };
  unpack_within(std::uint64_t{1} << 30);
  Error error = thrown_by([&] { unpack_within(1000); });
  EXPECT_EQ(error.code(), ErrorCode::limit);
  EXPECT_THAT(error.what(), HasSubstr("decompress to more than 1000 B"));
}

TEST_P(Packed, WithoutRoomIsAnError) {
  std::string file = pack(lines());
  TemporaryFolder folder;
  const char* before = std::getenv("TMPDIR");
  std::string place = before ? before : "";
  ::setenv("TMPDIR", folder.path("absent").c_str(), 1);
  Error error = thrown_by([&] { open_strictly(file); });
  if (place.empty()) ::unsetenv("TMPDIR");
  if (!place.empty()) ::setenv("TMPDIR", place.c_str(), 1);
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("cannot decompress the bag to a temporary file"),
                                  HasSubstr("TMPDIR")));
}

TEST_P(Packed, CannotBeAppendedTo) {
  TemporaryFolder folder;
  std::string path = folder.write("run.bag", pack(lines()));
  EXPECT_THAT(thrown_by([&] { packed_format().append(path, {}, Session(Registry())); }).what(),
              HasSubstr("compressed as a whole"));
}

INSTANTIATE_TEST_SUITE_P(Compressions, Packed, ::testing::Values("gz", "bz2", "zstd"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace kitbag::packed
