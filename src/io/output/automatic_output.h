#pragma once

#include "io/output/buffered_output.h"

namespace kitbag {

/// Begins buffered, so that a small file stays in the page cache, where its next reader finds it.
/// Goes on directly when a stretch of the file has come fast enough: what is large would only push
/// other things out of the cache, at the price of a copy and of fresh memory for every page.
class AutomaticOutput final : public Output {
 public:
  AutomaticOutput(Descriptor file, std::string path, std::uint64_t size,
                  const OutputOptions& options);

  std::uint64_t size() const override { return current().size(); }
  void append(std::span<const ByteView> pieces) override;
  void rewrite(std::uint64_t offset, ByteView bytes) override { current().rewrite(offset, bytes); }
  void flush() override { current().flush(); }
  void sync() override { current().sync(); }
  void settle() override { current().settle(); }
  void close() override { current().close(); }
  void abandon() noexcept override { current().abandon(); }
  int descriptor() const override { return current().descriptor(); }
  std::string_view kind() const override { return current().kind(); }

 private:
  Output& current() const { return changed_ ? *changed_ : *buffered_; }
  void consider();
  void change();

  std::string path_;
  OutputOptions options_;
  std::unique_ptr<BufferedOutput> buffered_;
  std::unique_ptr<Output> changed_;  ///< null: still at the beginning
  std::uint64_t stretch_begin_;
  SteadyTime stretch_start_;
};

}  // namespace kitbag
