#include "kitbag/open.h"
#include "kitbag/session.h"

#include <gmock/gmock.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/support/memory_writer.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::MemoryWriter;
using test::thrown_by;
using testing::ElementsAre;
using testing::HasSubstr;

/// Files beginning "MEMORY" are bags of the format "memory": one message a byte that follows; a
/// "!" is damage. Directories are bags of the format "folder".
class ByteBag final : public Bag {
 public:
  ByteBag(std::string text, std::string path, OnProblem on_problem)
      : text_(std::move(text)), path_(std::move(path)), on_problem_(std::move(on_problem)) {
    summary_.format = "memory";
  }
  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query&, const Wait&) const override {
    test::Samples samples;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '!') report(on_problem_, Error(ErrorCode::corrupt, "damage", path_, i));
      samples.push_back({"/bytes", static_cast<std::int64_t>(i), text_.substr(i, 1)});
    }
    return test::memory_source(std::move(samples));
  }

 private:
  std::string text_;
  std::string path_;
  OnProblem on_problem_;
  Summary summary_;
};

/// A bag that would have to read its messages to count them.
class UncountedBag final : public Bag {
 public:
  UncountedBag() { summary_.channels = std::make_shared<const Channels>(); }

  const Summary& summary() const override {
    ADD_FAILURE() << "nobody needs the counts";
    return summary_;
  }
  const Summary& outline() const override { return summary_; }
  Promise promise() const override { return {}; }
  std::unique_ptr<Source> read_messages(const Query&, const Wait&) const override {
    return test::memory_source({{"/bytes", 1, "x"}});
  }

 private:
  Summary summary_;
};

class NoChange final : public Stage {
 public:
  ChannelPtr map(const ChannelPtr& channel) override { return channel; }
};

bool begins_with(const Input& input, std::string_view magic) {
  return as_text(input.head).starts_with(magic);
}

BagPtr open_memory(const Input& input, const ReadOptions& options, const Session&) {
  std::string text(static_cast<std::size_t>(input.file->size()), '\0');
  input.file->read(0, std::as_writable_bytes(std::span(text)));
  return std::make_shared<ByteBag>(text.substr(6), input.path, options.on_problem);
}

/// A writer that throws what it was made from, so that a test sees it.
std::unique_ptr<Writer> called(const char* verb, const std::string& path,
                               const WriteOptions& options) {
  throw Error(ErrorCode::cancelled, std::string(verb) + " " + options.compression, path);
}

Format memory_format() {
  Format format{};
  format.name = "memory";
  format.extension = ".mem";
  format.matches = [](const Input& input) { return begins_with(input, "MEMORY") ? 50 : 0; };
  format.open = open_memory;
  format.create = [](const std::string& path, const WriteOptions& options, const Session&) {
    return called("create", path, options);
  };
  format.append = [](const std::string& path, const WriteOptions& options, const Session&) {
    return called("append", path, options);
  };
  format.compressions = {"none", "lz4"};
  return format;
}

/// Surer of some files than "memory" is; read-only, and verifies.
Format strict_format() {
  Format format{};
  format.name = "strict";
  format.extension = ".strict";
  format.matches = [](const Input& input) { return begins_with(input, "MEMORY STRICT") ? 60 : 0; };
  format.open = [](const Input& input, const ReadOptions&, const Session&) -> BagPtr {
    return std::make_shared<ByteBag>("strict", input.path, OnProblem());
  };
  format.check = [](const Input& input, const ReadOptions& options, const Session&) {
    options.on_problem(Error(ErrorCode::corrupt, "found", input.path, 13));
  };
  return format;
}

Format folder_format() {
  Format format{};
  format.name = "folder";
  format.matches = [](const Input& input) { return input.file ? 0 : 100; };
  format.open = [](const Input& input, const ReadOptions&, const Session&) -> BagPtr {
    EXPECT_TRUE(input.head.empty());
    return std::make_shared<ByteBag>("folder", input.path, OnProblem());
  };
  return format;
}

class OpenTest : public testing::Test {
 protected:
  OpenTest() : folder_(testing::TempDir() + "kitbag_open_test") {
    std::filesystem::create_directories(folder_);
  }
  ~OpenTest() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& content) {
    std::string path = folder_ + "/" + name;
    std::ofstream(path) << content;
    return path;
  }
  std::string content_of(const BagPtr& bag) {
    std::string content;
    auto source = bag->read();
    for (const test::Sample& sample : test::collect(*source)) content += sample.data;
    return content;
  }
  Session session() const { return Session(registry_); }
  std::vector<std::string> findings(const std::string& uri) {
    std::vector<std::string> findings;
    session().check(
        uri, {.on_problem = [&](const Error& finding) { findings.push_back(finding.what()); }});
    return findings;
  }

  std::string folder_;
  Registry registry_{{memory_format(), strict_format()}};
};

TEST_F(OpenTest, OpensAPathOrAUri) {
  std::string path = file("a run.mem", "MEMORYxyz");
  EXPECT_EQ(content_of(session().open(path)), "xyz");
  std::string uri = "file://" + folder_ + "/a%20run.mem";
  EXPECT_EQ(content_of(session().open(uri)), "xyz");
}

TEST_F(OpenTest, TheSurestFormatWins) {
  std::string path = file("any", "MEMORY STRICT");
  EXPECT_EQ(content_of(session().open(path)), "strict");
  std::swap(registry_.formats[0], registry_.formats[1]);
  EXPECT_EQ(content_of(session().open(path)), "strict");
}

TEST_F(OpenTest, GivesTheHeadOnly) {
  std::string path = file("long", "MEMORY" + std::string(10'000, 'x'));
  registry_.formats[0].matches = [](const Input& input) {
    return input.head.size() == Input::kHeadBytes ? 1 : 0;
  };
  EXPECT_EQ(content_of(session().open(path)).size(), 10'000U);
}

TEST_F(OpenTest, PassesTheOptionsOn) {
  std::string path = file("damaged", "MEMORYab!c");
  BagPtr strict = session().open(path);
  EXPECT_EQ(thrown_by([&] { strict->read(); }).offset(), 2U);
  int problems = 0;
  BagPtr lenient = session().open(path, {[&](const Error&) { ++problems; }});
  EXPECT_EQ(content_of(lenient), "ab!c");
  EXPECT_EQ(problems, 1);
}

TEST_F(OpenTest, OpensBytesInMemory) {
  Input input{"upload", {}, memory_file(as_bytes("MEMORYdata"))};
  EXPECT_EQ(content_of(session().open(input)), "data");
}

TEST_F(OpenTest, TellsWhatIsNoBagAndWhatWouldBe) {
  std::string path = file("notes.txt", "some text");
  Error error = thrown_by([&] { session().open(path); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_EQ(error.file(), path);
  EXPECT_EQ(error.message(),
            "unrecognized format; supported formats: memory (.mem), strict (.strict)");
}

TEST_F(OpenTest, TellsThatAFileIsEmpty) {
  std::string path = file("empty.txt", "");
  Error error = thrown_by([&] { session().open(path); });
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
  EXPECT_EQ(error.what(), path + ": the file is empty");
}

TEST_F(OpenTest, AnEmptyFileOfAFormatIsAnEmptyBagAndThatIsTold) {
  for (const char* name : {"empty.mem", "recorded.mem.active"}) {
    std::string path = file(name, "");
    EXPECT_EQ(thrown_by([&] { session().open(path); }).code(), ErrorCode::truncated);
    std::vector<std::string> reported;
    ReadOptions lenient;
    lenient.on_problem = [&](const Error& problem) { reported.push_back(problem.file()); };
    BagPtr bag = session().open(path, lenient);
    EXPECT_EQ(reported, std::vector{path});
    EXPECT_EQ(bag->summary().format, "memory");
    EXPECT_EQ(bag->summary().messages, 0U);
    Batch batch;
    EXPECT_FALSE(bag->read()->read(batch, {}));
    EXPECT_EQ(bag->growth(), Growth::unchanged);
  }
}

TEST_F(OpenTest, OpeningAndReadingDoNotAskForTheCounts) {
  Format format = memory_format();
  format.open = [](const Input&, const ReadOptions&, const Session&) {
    return std::make_shared<UncountedBag>();
  };
  Registry registry;
  registry.formats = {format};
  BagPtr bag = Session(registry).open(file("a.mem", "MEMORYx"));
  EXPECT_EQ(content_of(bag), "x");
  BagPtr staged = through(bag, [] { return std::make_unique<NoChange>(); });
  EXPECT_EQ(content_of(staged), "x");
  EXPECT_TRUE(staged->channels()->empty());
}

TEST_F(OpenTest, WhatIsNotThereIsNotFound) {
  Error error = thrown_by([&] { session().open(folder_ + "/none.mem"); });
  EXPECT_EQ(error.code(), ErrorCode::not_found);
}

TEST_F(OpenTest, ADirectoryIsForTheFormatsToKnow) {
  EXPECT_EQ(thrown_by([&] { session().open(folder_); }).code(), ErrorCode::unsupported);
  registry_.formats.push_back(folder_format());
  EXPECT_EQ(content_of(session().open(folder_)), "folder");
}

TEST_F(OpenTest, OtherSchemesAreRefused) {
  auto refused = [](auto action) { return thrown_by(action).code() == ErrorCode::unsupported; };
  EXPECT_TRUE(refused([&] { session().open("s3://b/x.mem"); }));
  EXPECT_TRUE(refused([&] { session().create("s3://b/x.mem"); }));
  EXPECT_TRUE(refused([&] { session().append("s3://b/x.mem"); }));
  EXPECT_TRUE(refused([&] { session().check("s3://b/x.mem", {}); }));
}

TEST_F(OpenTest, CreatesByNameOrByExtension) {
  WriteOptions options;
  options.compression = "lz4";
  options.format = "memory";
  Error by_name = thrown_by([&] { session().create("x.strict", options); });
  options.format = {};
  EXPECT_STREQ(by_name.what(), "x.strict: create lz4");
  Error by_extension = thrown_by([&] { session().create("file:///d.d/x.mem", options); });
  EXPECT_STREQ(by_extension.what(), "/d.d/x.mem: create lz4");
}

TEST_F(OpenTest, AnExtensionThatTellsNothingListsWhatThereIs) {
  registry_.formats.push_back(folder_format());
  for (std::string path : {"x.txt", "x", "dir.mem/x"}) {
    Error error = thrown_by([&] { session().create(path); });
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    EXPECT_THAT(error.message(), HasSubstr("memory (.mem), strict (.strict), folder"));
  }
  Error error = thrown_by([&] { session().create("x.mem", {.format = "mcap"}); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  EXPECT_THAT(error.message(),
              HasSubstr("unknown format \"mcap\"; supported formats: memory (.mem)"));
}

TEST_F(OpenTest, RefusesACompressionThatTheFormatDoesNotHave) {
  WriteOptions options;
  options.compression = "zip";
  Error error = thrown_by([&] { session().create("x.mem", options); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  EXPECT_EQ(error.message(),
            "memory does not support the compression \"zip\"; supported: none, lz4");
  std::string path = file("x.mem", "MEMORY");
  EXPECT_EQ(thrown_by([&] { session().append(path, options); }).code(), ErrorCode::invalid);
}

TEST_F(OpenTest, NeverWritesPlainlyWhatWasToBeSecret) {
  WriteOptions options;
  options.gpg_key = "jane@example.com";
  std::string path = file("x.mem", "MEMORY");
  for (const Error& error : {thrown_by([&] { session().create("y.mem", options); }),
                             thrown_by([&] { session().append(path, options); })}) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_EQ(error.message(), "memory cannot be encrypted");
  }
}

TEST_F(OpenTest, AppendsByWhatTheFileIs) {
  std::string path = file("x.strict", "MEMORY");
  EXPECT_EQ(thrown_by([&] { session().append(path); }).what(), path + ": append none");
  EXPECT_EQ(thrown_by([&] { session().append(folder_ + "/none"); }).code(), ErrorCode::not_found);
}

TEST_F(OpenTest, AFormatMayBeReadOnly) {
  std::string path = file("x", "MEMORY STRICT");
  auto unsupported = [](auto action) { return thrown_by(action).code() == ErrorCode::unsupported; };
  EXPECT_TRUE(unsupported([&] { session().create("x.strict"); }));
  EXPECT_TRUE(unsupported([&] { session().append(path); }));
}

TEST_F(OpenTest, ChecksWithWhatTheFormatHas) {
  std::string path = file("x", "MEMORY STRICT");
  EXPECT_THAT(findings(path), ElementsAre(path + " at byte 13: found"));
}

TEST_F(OpenTest, ChecksByReadingWhereTheFormatHasNothing) {
  std::string path = file("x.mem", "MEMORYab!c!");
  EXPECT_THAT(findings(path),
              ElementsAre(path + " at byte 2: damage", path + " at byte 4: damage"));
  EXPECT_THAT(findings(file("y.mem", "MEMORYabc")), ElementsAre());
}

TEST_F(OpenTest, ChecksNothingThatIsNoBag) {
  EXPECT_EQ(thrown_by([&] { findings(file("x", "")); }).code(), ErrorCode::corrupt);
}

}  // namespace
}  // namespace kitbag
