#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "cli/terminal/output.h"
#include "cli/terminal/printer.h"
#include "kitbag/session.h"

namespace kitbag::cli {

/// What printers of decoded messages share: decoders by channel, and what becomes of a message that
/// cannot be decoded.
class DecodingPrinter : public Sink {
 public:
  DecodingPrinter(PrintOptions options, const Context& context, TranscodeReport& report)
      : options_(std::move(options)), context_(context), report_(report) {}

  void write(Batch&& batch) final;
  void flush() final { context_.out.flush(); }
  void close() final { context_.out.flush(); }

 protected:
  /// Prints `message`, or throws Error before anything of it is printed. `type` is null for
  /// payloads without a schema.
  virtual void print(const Message& message, Decoder& decoder, const TypePtr& type) = 0;
  /// Prints `message` with its payload as it is.
  virtual void print_raw(const Message& message) = 0;

  const PrintOptions& options() const { return options_; }
  Output& out() { return context_.out; }
  /// Decodes `message` for `visitor`, but for fields that are not asked for.
  void decode(const Message& message, Decoder& decoder, Visitor& visitor) const;
  const Session& session() const { return context_.session; }
  /// Of bytes that are not UTF-8 and became U+FFFD: added to by whoever replaces them.
  std::size_t& replaced_bytes() { return replaced_bytes_; }

 private:
  struct Lane {
    bool is_ready = false;
    bool is_decodable = false;  ///< false: its payloads are opaque by nature
    TypePtr type;
    std::unique_ptr<Decoder> decoder;  ///< null: its definition is damaged
  };

  Lane& lane_of(const Channel& channel);
  void take(const Message& message);
  void take_error(const Message& message, const Error& error);
  /// Leaves `message` out, or prints its bytes; counted.
  void pass_over(const Message& message);

  PrintOptions options_;
  const Context& context_;
  TranscodeReport& report_;
  std::vector<Lane> lanes_;  ///< by slot
  std::size_t replaced_bytes_ = 0;
};

std::unique_ptr<Sink> json_printer(PrintOptions options, const Context& context,
                                   TranscodeReport& report);
std::unique_ptr<Sink> yaml_printer(PrintOptions options, const Context& context,
                                   TranscodeReport& report);
std::unique_ptr<Sink> csv_printer(PrintOptions options, const Context& context,
                                  TranscodeReport& report);

}  // namespace kitbag::cli
