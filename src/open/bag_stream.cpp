#include "kitbag/bag_stream.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "kitbag/registry.h"

// Formats write to files and know nothing else. So the stream is one: the only file of a file
// system that exists for this bag alone, and takes no byte back.

namespace kitbag {
namespace {

using WriteBytes = std::function<void(ByteView bytes)>;

class StreamFile final : public WriteFile {
 public:
  explicit StreamFile(WriteBytes write) : write_(std::move(write)) {}

  std::uint64_t size() const override { return size_; }
  void append(std::span<const ByteView> pieces) override {
    for (ByteView piece : pieces) {
      write_(piece);
      size_ += piece.size();
    }
  }
  void rewrite(std::uint64_t, ByteView) override {
    throw Error(ErrorCode::unsupported, "a stream cannot be rewritten");
  }
  std::uint64_t rewritable_bytes() const override { return 0; }
  void flush() override {}
  void sync() override {}
  void commit() override {}

 private:
  WriteBytes write_;
  std::uint64_t size_ = 0;
};

class StreamSystem final : public FileSystem {
 public:
  explicit StreamSystem(WriteBytes write) : write_(std::move(write)) {}

  std::string_view scheme() const override { return "stream"; }
  std::optional<FileStatus> status(const std::string&) const override { return std::nullopt; }
  std::vector<std::string> list(const std::string&) const override { return {}; }
  std::shared_ptr<const ReadFile> open(const std::string& path) const override {
    throw Error(ErrorCode::not_found, "a stream cannot be read", path);
  }
  std::unique_ptr<WriteFile> create(const std::string&, const WriteFileOptions&) const override {
    return std::make_unique<StreamFile>(write_);
  }

 private:
  WriteBytes write_;
};

}  // namespace

std::unique_ptr<Writer> create_bag_stream(WriteBytes write, const WriteOptions& options,
                                          const Session& session) {
  const Format* format = find_format(session.registry(), options.format);
  if (!format) {
    throw Error(ErrorCode::invalid, fmt::format("unknown format \"{}\"", options.format));
  }
  if (!format->can_stream || !format->create) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} cannot be streamed; write to a file", format->name));
  }
  Registry registry = session.registry();
  registry.file_systems.push_back(std::make_shared<const StreamSystem>(std::move(write)));
  return Session(std::move(registry), session.clock()).create("stream://bag", options);
}

}  // namespace kitbag
