#include "io/output/automatic_output.h"

#include <utility>

#include "io/output/direct_probe.h"

// The speed is measured over stretches of the file, each by itself. A recorder that was slow for an
// hour and becomes fast is recognised after one stretch. The change is made once and never back.
// Where direct writing is not possible, it leads to buffered writing again, and that is final, too.

namespace kitbag {

AutomaticOutput::AutomaticOutput(Descriptor file, std::string path, std::uint64_t size,
                                 const OutputOptions& options)
    : path_(path),
      options_(options),
      buffered_(std::make_unique<BufferedOutput>(std::move(file), std::move(path), size)),
      stretch_begin_(size),
      stretch_start_(options.automatic.now()) {}

void AutomaticOutput::append(std::span<const ByteView> pieces) {
  current().append(pieces);
  if (!changed_ && size() - stretch_begin_ >= options_.automatic.stretch_bytes) consider();
}

void AutomaticOutput::consider() {
  SteadyTime now = options_.automatic.now();
  std::chrono::duration<double> taken = now - stretch_start_;
  auto bytes = static_cast<double>(size() - stretch_begin_);
  stretch_begin_ = size();
  stretch_start_ = now;
  if (bytes > options_.automatic.bytes_per_s * taken.count()) change();
}

void AutomaticOutput::change() {
  buffered_->flush();
  std::uint64_t size = buffered_->size();
  changed_ = make_direct_output(buffered_->release(), path_, size, options_.direct);
}

}  // namespace kitbag
