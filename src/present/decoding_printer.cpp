#include "present/decoding_printer.h"

#include <fmt/format.h>

#include <array>

#include "definitions/fingerprint.h"
#include "kitbag/error.h"
#include "kitbag/fields.h"
#include "present/elider.h"
#include "present/int64_quoter.h"

// Text is gathered for a batch and handed over in large pieces, not line by line. A message is
// printed into the text at once; if it fails in the middle, the text is cut back to where it began,
// so half a message never leaves.
//
// If the error ends everything, what was printed before is handed over first: the last line that a
// person sees then stands just before the damage.
//
// Decoders are made once for each channel. A definition that cannot be read leaves a lane without
// decoder, whose messages are skipped or printed as bytes, as the caller has asked.

namespace kitbag {
namespace {

/// A batch of large messages is passed on in pieces of about this size.
constexpr std::size_t kMostText = 1 << 20;

bool is_json(PrintFormat format) {
  return format == PrintFormat::json || format == PrintFormat::flat_json ||
         format == PrintFormat::flat_json_lines;
}

}  // namespace

void DecodingPrinter::write(Batch&& batch) {
  try {
    for (const Message& message : std::as_const(batch).messages()) {
      take(message);
      if (text_.size() >= kMostText) hand_on();
    }
  } catch (...) {
    hand_on();  // what came before it
    throw;
  }
  hand_on();
}

void DecodingPrinter::hand_on() {
  if (!text_.empty()) out_.write(text_);
  text_.clear();
}

DecodingPrinter::Lane& DecodingPrinter::lane_of(const Channel& channel) {
  if (lanes_.size() <= channel.slot) lanes_.resize(channel.slot + 1);
  Lane& lane = lanes_[channel.slot];
  if (lane.is_ready) return lane;
  lane.is_ready = true;
  lane.is_decodable = is_decodable(channel, session());
  if (!lane.is_decodable && options_.on_error != OnError::stop) {
    report_undefined(channel);
    return lane;
  }
  try {
    lane.type = type_of(channel, session());
    lane.decoder = decoder_of(channel, session());
    for (const std::string& path : options_.fields) {
      if (lane.type) require_field(*lane.type, path);
    }
  } catch (const Error& error) {
    // A field that makes no sense is a mistake in the request, and not one of the bag.
    bool is_asked_wrongly = error.code() == ErrorCode::invalid;
    if (is_asked_wrongly || is_final(error.code()) || options_.on_error == OnError::stop) throw;
    lane.decoder = nullptr;
    report_.topics[channel.topic].first_error = error.message();
  }
  return lane;
}

/// Tells why a channel whose encoding is known is printed as bytes.
void DecodingPrinter::report_undefined(const Channel& channel) {
  if (!find_codec(session().registry(), channel.encoding) || !has_known_type(channel)) return;
  try {
    type_of(channel, session());
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    report_.topics[channel.topic].first_error = error.message();
  }
}

void DecodingPrinter::take(const Message& message) {
  Lane& lane = lane_of(*message.channel);
  if (!lane.is_decodable) return print_raw(message);
  if (!lane.decoder) return pass_over(message);
  std::size_t replaced = replaced_bytes_;
  std::size_t before = text_.size();
  try {
    print(message, *lane.decoder, lane.type);
    if (replaced_bytes_ > replaced) ++report_.topics[message.channel->topic].replaced_texts;
  } catch (const Error& error) {
    text_.resize(before);
    if (is_final(error.code())) throw;
    take_error(message, located(error, message, *lane.decoder));
  }
}

void DecodingPrinter::take_error(const Message& message, const Error& error) {
  if (options_.on_error == OnError::stop) throw error;
  TranscodeReport::Topic& topic = report_.topics[message.channel->topic];
  if (topic.first_error.empty()) topic.first_error = error.message();
  pass_over(message);
}

void DecodingPrinter::pass_over(const Message& message) {
  TranscodeReport::Topic& topic = report_.topics[message.channel->topic];
  if (options_.on_error == OnError::raw) {
    ++topic.raw;
    print_raw(message);
  } else {
    ++topic.skipped;
  }
}

std::string DecodingPrinter::in_color(std::string_view text, std::string_view topic) const {
  if (!options_.has_colors) return std::string(text);
  // Red is left for errors; the sum is the same in each run.
  constexpr std::array kColors = {32, 33, 34, 35, 36, 92, 93, 94, 95, 96};
  std::size_t sum = 0;
  for (char c : topic) sum = sum * 31 + static_cast<unsigned char>(c);
  return fmt::format("\x1b[{}m{}\x1b[0m", kColors[sum % kColors.size()], text);
}

void DecodingPrinter::decode(const Message& message, Decoder& decoder, Visitor& visitor) const {
  // The decoder calls the last visitor that is made here: fields are selected first, then long
  // lists are cut, and at last numbers are quoted.
  Int64Quoter quoter(visitor);
  Visitor& whole = options_.quotes_int64 && is_json(options_.format) ? quoter : visitor;
  Elider elider(options_.most_elements, options_.codec.bytes, whole);
  Visitor& target = options_.most_elements > 0 ? elider : whole;
  if (options_.fields.empty()) return decoder.decode(message.data, target);
  auto selector = select_fields(options_.fields, target);
  decoder.decode(message.data, *selector);
}

}  // namespace kitbag
