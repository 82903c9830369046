#include "printer.h"

#include "json.h"

namespace kitbag::cli {
namespace {

class JsonPrinter final : public Sink {
 public:
  explicit JsonPrinter(Output& out) : out_(out) {}

  void write(Batch&& batch) override {
    for (const Message& message : batch.messages()) {
      out_.write(message_json(message));
      out_.write("\n");
    }
  }
  void flush() override { out_.flush(); }
  void close() override { out_.flush(); }

 private:
  Output& out_;
};

class RawPrinter final : public Sink {
 public:
  explicit RawPrinter(Output& out) : out_(out) {}

  void write(Batch&& batch) override {
    for (const Message& message : batch.messages()) out_.write(message.data);
  }
  void flush() override { out_.flush(); }
  void close() override { out_.flush(); }

 private:
  Output& out_;
};

}  // namespace

std::unique_ptr<Sink> printer(MessageFormat format, Output& out) {
  if (format == MessageFormat::raw) return std::make_unique<RawPrinter>(out);
  return std::make_unique<JsonPrinter>(out);
}

}  // namespace kitbag::cli
