#include "codec/ros1/row_reader.h"

#include <utility>

#include "codec/positional/row_program.h"

// The rules of ROS 1 are those that a RowProgram has if nothing else is said: no alignment, no
// sizes in front of structures, no NUL behind texts. One program serves all payloads of a type.

namespace kitbag::ros1 {

namespace {

class RowReader final : public arrow::RowReader {
 public:
  explicit RowReader(positional::RowProgram program) : program_(std::move(program)) {}

  bool read(ByteView payload) override { return program_.run(payload, false); }

 private:
  positional::RowProgram program_;
};

}  // namespace

std::unique_ptr<arrow::RowReader> make_row_reader(const TypePtr& type,
                                                  const arrow::Target& target) {
  auto program = positional::RowProgram::compile(*type, target, {});
  if (!program) return nullptr;
  return std::make_unique<RowReader>(std::move(*program));
}

}  // namespace kitbag::ros1
