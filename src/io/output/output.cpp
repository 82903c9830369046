#include "io/output/output.h"

#include <utility>

#include "io/output/automatic_output.h"
#include "io/output/buffered_output.h"
#include "io/output/direct_probe.h"

namespace kitbag {

std::unique_ptr<Output> make_output(Descriptor file, std::string path, std::uint64_t size,
                                    const OutputOptions& options) {
  switch (options.io) {
    case Io::direct:
      return make_direct_output(std::move(file), std::move(path), size, options.direct);
    case Io::automatic:
      return std::make_unique<AutomaticOutput>(std::move(file), std::move(path), size, options);
    case Io::buffered:
      break;
  }
  return std::make_unique<BufferedOutput>(std::move(file), std::move(path), size);
}

void check_rewrite(std::uint64_t offset, std::uint64_t count, std::uint64_t size,
                   const std::string& path) {
  if (offset <= size && count <= size - offset) return;
  throw Error(ErrorCode::invalid, "cannot rewrite bytes that have not been written", path, offset);
}

}  // namespace kitbag
