#include "codec/cdr/row_reader.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "codec/cdr/encapsulation.h"
#include "codec/positional/row_program.h"
#include "kitbag/error.h"

// Most fields of a plain payload are at fixed offsets, so fields are read by a RowProgram
// (positional/row_compiler.cpp). What the offsets depend on is in the header of each payload:
// numbers are aligned to 8 bytes at most in XCDR1 and to 4 in XCDR2, where sizes stand in front of
// some values. So there is a program for each of these forms. The byte order makes no difference to
// offsets: a program runs in either. Where there is no program, and for types whose members have
// ids there is none, the caller decodes.
//
// Alignment counts from behind the header, so the program gets the bytes from there on.

namespace kitbag::cdr {

namespace {

using positional::RowProgram;
using positional::Rules;

Rules rules_of(const Encapsulation& encapsulation, const Type& outermost) {
  Rules rules;
  rules.most_alignment = encapsulation.is_version_2 ? 4 : 8;
  rules.has_nul = rules.has_wide_text = rules.has_empty_byte = true;
  rules.has_delimiters = encapsulation.is_version_2;
  rules.is_delimited = outermost.extensibility != Extensibility::appendable ||
                       encapsulation.is_delimited || encapsulation.is_list;
  return rules;
}

/// Payloads say in their first bytes which form of CDR they have. There is a program for each form
/// that has come up: all messages of a channel have the same one.
class RowReader final : public arrow::RowReader {
 public:
  RowReader(TypePtr type, const arrow::Target& target) : type_(std::move(type)), target_(target) {}

  bool read(ByteView payload) override {
    if (payload.size() < Encapsulation::kBytes) return false;
    std::byte options = payload[1];
    // All forms of CDR begin with 0, so the second byte alone tells them apart.
    if (payload[0] != std::byte{0}) return false;
    if ((!current_ || options != options_) && !choose(payload)) return false;
    if (!current_->program) return false;
    return current_->program->run(payload.subspan(Encapsulation::kBytes), is_big_endian_);
  }

  /// Plain XCDR1 can be read so. If not even that, nobody needs to try payload after payload.
  bool has_usual_form() { return program_for(rules_of({}, *type_)).program.has_value(); }

 private:
  struct Form {
    Rules rules;
    std::optional<RowProgram> program;
  };

  /// False: it is no CDR.
  bool choose(ByteView payload) {
    Encapsulation encapsulation;
    try {
      encapsulation = parse_encapsulation(payload);
    } catch (const Error&) {
      return false;
    }
    current_ = &program_for(rules_of(encapsulation, *type_));
    is_big_endian_ = encapsulation.is_big_endian;
    options_ = payload[1];
    return true;
  }

  Form& program_for(const Rules& rules) {
    auto has_rules = [&](const auto& form) { return form->rules == rules; };
    auto found = std::find_if(forms_.begin(), forms_.end(), has_rules);
    if (found != forms_.end()) return **found;
    forms_.push_back(
        std::make_unique<Form>(Form{rules, RowProgram::compile(*type_, target_, rules)}));
    return *forms_.back();
  }

  TypePtr type_;
  const arrow::Target& target_;
  std::vector<std::unique_ptr<Form>> forms_;
  Form* current_ = nullptr;
  std::byte options_{};
  bool is_big_endian_ = false;
};

}  // namespace

std::unique_ptr<arrow::RowReader> make_row_reader(const TypePtr& type,
                                                  const arrow::Target& target) {
  auto reader = std::make_unique<RowReader>(type, target);
  if (!reader->has_usual_form()) return nullptr;
  return reader;
}

}  // namespace kitbag::cdr
