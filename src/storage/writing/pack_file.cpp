#include "storage/writing/pack_file.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compress/stream.h"

namespace kitbag {

void pack_file(const FileSystem& files, const std::string& from, const std::string& to) {
  constexpr std::size_t kStepBytes = 1 << 20;
  auto file = files.open(from);
  auto packed = files.create(to, {});
  StreamCompressor stream;
  std::vector<std::byte> input(kStepBytes);
  std::vector<std::byte> output(kStepBytes);
  StreamStep step;
  for (std::uint64_t at = 0; step.state != StreamStep::State::ended;) {
    ByteView left = ByteView(input).first(file->read(at, input));
    at += left.size();
    bool is_last = left.size() < input.size();
    do {
      step = stream.step(left, output, is_last);
      left = left.subspan(step.taken);
      packed->append(ByteView(output).first(step.given));
    } while (!left.empty() || (is_last && step.state != StreamStep::State::ended));
  }
  packed->commit();
}

}  // namespace kitbag
