#include "codec/positional/row_program.h"

#include <algorithm>
#include <utility>

#include "codec/positional/step_list.h"

// Reads some fields without visiting the others. A message type is compiled into a list of steps.
// Most of them are loads at fixed offsets: fields of fixed size form a block, whose size is checked
// once, and only texts and lists end it. Where alignment is not known when the steps are compiled,
// after a text for example, a step aligns. Steps behind the last wanted field are dropped, so a
// pose at the beginning of a message costs the same in a message of any size.
//
// A visitor would get each value by a virtual call, wanted or not: 20 times as long for three
// fields of an Odometry.
//
// The steps know no errors and no exceptions to the rule. If a payload is not as expected, run()
// says so, and the caller decodes it, which finds the reason, or the values.
//
// For example, of a message of ROS 1 only x is wanted:
//
//     uint32 seq, time stamp    block of 12 bytes
//     string frame_id           read_text
//     float64 x                 block of 8 bytes; load_8 at 0, into the column
//     string note               none: it is behind the last wanted field

namespace kitbag::positional {

using arrow::Column;
using arrow::Layout;
using arrow::Target;

class Compiler {
 public:
  using Op = StepList::Op;
  using Step = StepList::Step;

  explicit Compiler(const Rules& rules) : rules_(rules), steps_(rules.most_alignment) {
    program_.rules_ = rules;
  }

  RowProgram compile(const Type& type, const Target& target) {
    value(type, &target);
    program_.steps_ = steps_.take();
    return std::move(program_);
  }

 private:
  static bool is_wanted(const Target* target) {
    return target && !(target->columns.empty() && target->absent.empty() &&
                       target->fields.empty() && !target->each && target->elements.empty());
  }

  bool is_delimited(const Type& type) const {
    return rules_.has_delimiters && rules_.is_delimited &&
           type.extensibility == Extensibility::appendable;
  }

  void value(const Type& type, const Target* target) {
    if (++depth_ > kMostDepth) throw NotSupported();
    if (!is_wanted(target)) target = nullptr;
    switch (type.kind) {
      case Kind::structure:
        structure(type, target);
        break;
      case Kind::text:
        text(target);
        break;
      case Kind::wide_text:
        if (rules_.has_wide_text) throw NotSupported();
        text(target);
        break;
      case Kind::array:
      case Kind::sequence:
        list(type, target);
        break;
      case Kind::tagged_union:
      case Kind::any:
        throw NotSupported();
      default:
        scalar(type, target);
    }
    --depth_;
  }

  void scalar(const Type& type, const Target* target) {
    std::size_t bytes = scalar_bytes(type.kind, type.base);
    std::uint32_t offset = steps_.room(bytes, bytes);
    if (target) load(type, *target, offset);
  }

  /// A size stands in front of what follows, up to leave(). What is not wanted is skipped by it.
  void enter(const Target* target) {
    steps_.align(sizeof(std::uint32_t));
    steps_.emit({target ? Op::enter : Op::skip_delimited});
    // Behind the size comes a multiple of 4; behind what was skipped by it, anything.
    steps_.forget_position(target ? sizeof(std::uint32_t) : 1);
  }

  void leave() {
    steps_.emit({Op::leave});
    steps_.forget_position();
  }

  static Op load_of(const Type& type) {
    if (type.kind == Kind::boolean) return Op::load_bit;
    switch (scalar_bytes(type.kind, type.base)) {
      case 1:
        return Op::load_1;
      case 2:
        return Op::load_2;
      case 4:
        return Op::load_4;
      default:
        return Op::load_8;
    }
  }

  void load(const Type& type, const Target& target, std::uint32_t offset) {
    for (const Column* column : target.columns) {
      if (!is_stored_alike(type, column->type())) throw NotSupported();
    }
    // CDR's decoder refuses a value that the type does not have. Rows must not depend on who fills
    // them.
    if (type.kind == Kind::enumeration) {
      std::vector<std::int64_t> values;
      for (const Enumerator& each : type.enumerators) values.push_back(each.value);
      std::sort(values.begin(), values.end());
      bool is_signed = type.base == Kind::int8 || type.base == Kind::int16 ||
                       type.base == Kind::int32 || type.base == Kind::int64;
      Step check{Op::check_value, offset};
      check.b = static_cast<std::uint32_t>(scalar_bytes(type.kind, type.base)) |
                (is_signed ? kSigned : 0);
      check.index = static_cast<std::uint32_t>(program_.values_.size());
      program_.values_.push_back(std::move(values));
      steps_.emit(check);
    }
    for (Column* column : target.columns) steps_.emit({load_of(type), offset, 0, 0, column});
  }

  void structure(const Type& type, const Target* target) {
    if (type.extensibility == Extensibility::by_id) throw NotSupported();
    bool is_framed = is_delimited(type);
    if (is_framed) enter(target);
    if (is_framed && !target) return;
    if (target) nulls_of_absent(*target);
    bool is_time = target && type.role != Role::none && takes_time(*target);
    if (is_time) {
      time(type, *target);
    } else {
      if (target) parents(*target, Layout::structure);
      if (type.fields.empty() && rules_.has_empty_byte && !is_framed) steps_.room(1, 1);
      for (const Field& field : type.fields) this->field(field, target);
    }
    if (is_framed) leave();
  }

  void nulls_of_absent(const Target& target) {
    for (Column* column : target.absent) steps_.emit({Op::add_null, 0, 0, 0, column});
  }

  static bool takes_time(const Target& target) {
    return std::any_of(target.columns.begin(), target.columns.end(), [](const Column* column) {
      return column->type().number == arrow::Number::time ||
             column->type().number == arrow::Number::duration;
    });
  }

  void parents(const Target& target, Layout layout) {
    for (Column* column : target.columns) {
      if (column->layout() != layout) throw NotSupported();
      steps_.emit({Op::add_parent, 0, 0, 0, column});
    }
  }

  void time(const Type& type, const Target& target) {
    const Type& seconds = *type.fields[0].type;
    const Type& nanoseconds = *type.fields[1].type;
    auto has_four = [](const Type& each) {
      return each.kind == Kind::int32 || each.kind == Kind::uint32;
    };
    if (!has_four(seconds) || !has_four(nanoseconds)) throw NotSupported();
    std::uint32_t offset = steps_.room(8, 4);
    for (Column* column : target.columns) {
      if (column->layout() != Layout::fixed) throw NotSupported();
      Step step{Op::load_time, offset};
      step.b = (seconds.kind == Kind::int32 ? kSecondsSigned : 0U) |
               (nanoseconds.kind == Kind::int32 ? kNanosecondsSigned : 0U);
      step.column = column;
      steps_.emit(step);
    }
    for (const auto& [index, part] : target.fields) {
      load(*type.fields[index].type, part, offset + 4 * index);
    }
  }

  void field(const Field& field, const Target* structure) {
    const Target* target = nullptr;
    if (structure) {
      auto found = structure->fields.find(field.index);
      if (found != structure->fields.end()) target = &found->second;
    }
    if (!field.is_optional) return value(*field.type, target);
    // An optional field has a byte in front of it in XCDR2, and a header with an id in XCDR1.
    if (!rules_.has_delimiters) throw NotSupported();
    std::size_t optional = steps_.emit({Op::optional});
    steps_.forget_position();
    value(*field.type, target);
    end_choice(optional, target);
  }

  /// The step `choice` has jumped here if there is no value.
  void end_choice(std::size_t choice, const Target* target) {
    std::size_t jump = steps_.emit({Op::jump});
    steps_.jump_here(choice);
    if (target) emit_nulls(*target);
    steps_.jump_here(jump);
  }

  void emit_nulls(const Target& target) {
    Step step{Op::add_nulls};
    step.target = &target;
    steps_.emit(step);
  }

  void text(const Target* target) {
    steps_.align(sizeof(std::uint32_t));
    steps_.emit({Op::read_text});
    steps_.forget_position();
    if (!target) return;
    for (Column* column : target->columns) {
      if (column->layout() != Layout::text) throw NotSupported();
      steps_.emit({Op::put_text, 0, 0, 0, column});
    }
  }

  void list(const Type& type, const Target* target) {
    const Type& element = *type.element;
    bool is_plain = is_scalar(element.kind) && element.kind != Kind::enumeration;
    bool is_framed = rules_.has_delimiters && !is_plain;
    if (is_framed) enter(target);
    if (is_framed && !target) return;
    if (is_plain) {
      plain_list(type, target);
    } else {
      other_list(type, target);
    }
    if (is_framed) leave();
  }

  void begin_count(const Type& type, std::uint64_t least) {
    if (type.kind == Kind::array) {
      if (type.length > kMostBlockBytes) throw NotSupported();
      steps_.emit({Op::set_count, static_cast<std::uint32_t>(type.length)});
      return;
    }
    if (least == 0 || least > kMostBlockBytes) throw NotSupported();
    steps_.align(sizeof(std::uint32_t));
    steps_.emit({Op::read_count, static_cast<std::uint32_t>(least)});
    steps_.forget_position(std::min(sizeof(std::uint32_t), rules_.most_alignment));
  }

  void plain_list(const Type& type, const Target* target) {
    const Type& element = *type.element;
    auto bytes = static_cast<std::uint32_t>(scalar_bytes(element.kind));
    bool has_columns = target && !(target->columns.empty() && !target->each);
    if (type.kind == Kind::array && !has_columns) return plain_array(type, target, bytes);
    begin_count(type, bytes);
    steps_.emit({Op::take_elements,
                 static_cast<std::uint32_t>(std::min<std::size_t>(bytes, rules_.most_alignment)),
                 bytes});
    steps_.forget_position();
    if (!target) return;
    begin_lists(*target);
    for (Column* column : target->columns) {
      bool is_bytes =
          column->layout() == Layout::binary || column->layout() == Layout::fixed_binary;
      if (is_bytes) steps_.emit({Op::put_bytes, 0, 0, 0, column});
    }
    if (target->each) {
      for (Column* column : target->each->columns) {
        if (!is_stored_alike(element, column->type())) throw NotSupported();
        steps_.emit({Op::put_packed, bytes, 0, 0, column});
      }
    }
    for (const auto& [index, part] : target->elements) single_element(element, part, index, bytes);
  }

  /// Of which single elements are wanted, or nothing.
  void plain_array(const Type& type, const Target* target, std::uint32_t bytes) {
    if (type.length > kMostBlockBytes / bytes) throw NotSupported();
    std::uint32_t offset = steps_.room(type.length * bytes, bytes);
    if (!target) return;
    for (const auto& [index, part] : target->elements) {
      if (index >= type.length) {
        emit_nulls(part);
      } else {
        load(*type.element, part, offset + static_cast<std::uint32_t>(index) * bytes);
      }
    }
  }

  void single_element(const Type& element, const Target& target, std::uint64_t index,
                      std::uint32_t bytes) {
    if (index > kMostBlockBytes) throw NotSupported();
    std::size_t step = steps_.emit({Op::element, static_cast<std::uint32_t>(index), bytes});
    load(element, target, 0);
    end_choice(step, &target);
  }

  void begin_lists(const Target& target) {
    nulls_of_absent(target);
    for (Column* column : target.columns) {
      switch (column->layout()) {
        case Layout::list:
          steps_.emit({Op::begin_list, 0, 0, 0, column});
          break;
        case Layout::fixed_list:
          steps_.emit({Op::add_parent, 0, 0, 0, column});
          break;
        case Layout::binary:
        case Layout::fixed_binary:
          break;
        default:
          throw NotSupported();
      }
    }
  }

  /// Elements of which several can be passed over at once.
  bool is_contiguous(const Type& element) const {
    if (element.flat_bytes == 0 || is_delimited(element)) return false;
    return rules_.most_alignment == 1;
  }

  void other_list(const Type& type, const Target* target) {
    const Type& element = *type.element;
    // Nothing limits the number of such elements here; decoders have a budget for them.
    if (element.least_bytes == 0) throw NotSupported();
    if (target && !target->elements.empty()) throw NotSupported();
    begin_count(type, element.least_bytes);
    if (!target && is_contiguous(element)) {
      steps_.emit({Op::take_elements, 1, element.flat_bytes});
      return steps_.forget_position();
    }
    if (target) begin_lists(*target);
    std::size_t loop = steps_.emit({Op::loop});
    steps_.forget_position();
    std::uint32_t body = steps_.here();
    value(element, target ? target->each.get() : nullptr);
    steps_.emit({Op::next, 0, 0, body});
    steps_.end_loop(body);
    steps_.jump_here(loop);
  }

  const Rules& rules_;
  StepList steps_;
  RowProgram program_;
  std::size_t depth_ = 0;
};

std::optional<RowProgram> RowProgram::compile(const Type& type, const Target& target,
                                              const Rules& rules) {
  try {
    return Compiler(rules).compile(type, target);
  } catch (const NotSupported&) {
    return std::nullopt;
  }
}

}  // namespace kitbag::positional
