#include "ros1_messages.h"

#include <optional>
#include <string_view>
#include <utility>

#include "kitbag/transcode.h"
#include "messages.h"

// A decoder passes the values of a payload to Ros1Maker, which sets them as the slots of message
// objects. Which value belongs to which slot is found out once for each channel: a Ros1Shape says
// it for each structure in the type of the channel. So a message costs little more than its
// objects.

namespace kitbag::python {

struct Ros1Slot {
  enum class Form { one, time, duration, message, bytes, booleans, numbers, objects };

  py::object name;  ///< interned
  Form form = Form::one;
  bool is_list = false;              ///< of `form`, if that is no list itself
  const Ros1Shape* shape = nullptr;  ///< of a message
};

struct Ros1Shape {
  struct Default {
    py::object name;
    py::object field;  ///< a _Field, which makes it
  };

  py::object message_class;
  std::vector<std::optional<Ros1Slot>> slots;  ///< by the index of the field in the payload's type
  std::vector<Default> defaults;               ///< of fields that the payload's type lacks
  std::vector<Default> all;                    ///< of all fields of the class, in their order
};

namespace {

using Form = Ros1Slot::Form;

/// Each reading of a bag has channels of its own; those of earlier ones are not needed any more.
constexpr std::size_t kMostDecodings = 8;

const Type& element_of(const Type& type) {
  return is_list(type.kind) ? *type.element : type;
}

Form form_of(const Type& ros1) {
  const Type& element = element_of(ros1);
  if (element.role == Role::time) return Form::time;
  if (element.role == Role::duration) return Form::duration;
  if (element.kind == Kind::structure) return Form::message;
  if (!is_list(ros1.kind)) return Form::one;
  if (element.kind == Kind::uint8) return Form::bytes;
  if (element.kind == Kind::boolean) return Form::booleans;
  return is_text(element.kind) ? Form::objects : Form::numbers;
}

py::object taken(PyObject* object) {
  if (!object) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(object);
}

void set(const py::object& object, const py::object& name, const py::object& value) {
  if (PyObject_SetAttr(object.ptr(), name.ptr(), value.ptr()) != 0) throw py::error_already_set();
}

/// An object of the class whose __init__ is not called.
py::object new_object(const py::object& of_class) {
  static py::object& arguments = *new py::object(py::tuple());
  auto* type = reinterpret_cast<PyTypeObject*>(of_class.ptr());
  return taken(type->tp_new(type, arguments.ptr(), nullptr));
}

py::object interned(const char* text) {
  return taken(PyUnicode_InternFromString(text));
}

class Ros1Maker final : public Visitor {
 public:
  Ros1Maker(const Ros1Shape& shape, const py::object& time, const py::object& duration)
      : shape_(shape), time_(time), duration_(duration) {}

  py::object take() { return std::move(made_); }

  void begin_struct(const Type& type) override {
    if (left_out_ > 0 || (!open_.empty() && !top().slot)) {
      ++left_out_;
      return;
    }
    Open opened;
    if (open_.empty()) {
      opened.shape = &shape_;
    } else if (top().slot->form == Form::message) {
      opened.shape = top().slot->shape;
    } else if (top().slot->form == Form::time || top().slot->form == Form::duration) {
      opened.is_stamp = true;
    } else {
      throw Error(ErrorCode::unsupported,
                  "a structure, \"" + type.name + "\", is where its type in ROS 1 has none");
    }
    if (opened.shape) {
      opened.object = new_object(opened.shape->message_class);
      for (const auto& each : opened.shape->defaults) set_default(opened.object, each);
    }
    open_.push_back(std::move(opened));
  }

  void field(const Field& field) override {
    if (left_out_ > 0 || top().is_stamp) return;
    const auto& slot = top().shape->slots[field.index];
    top().slot = slot ? &*slot : nullptr;
  }

  void end_struct() override {
    if (left_out_ > 0) {
      --left_out_;
      return;
    }
    Open ended = std::move(open_.back());
    open_.pop_back();
    if (open_.empty()) {
      made_ = std::move(ended.object);
    } else if (ended.is_stamp) {
      put(stamp(ended, top().slot->form == Form::time ? time_ : duration_));
    } else {
      put(ended.object);
    }
  }

  void begin_array(const Type& /*type*/, std::size_t /*count*/) override {
    if (left_out_ > 0 || !top().slot) {
      ++left_out_;
      return;
    }
    Open list;
    list.slot = top().slot;
    list.is_list = true;
    open_.push_back(std::move(list));
  }

  void end_array() override {
    if (left_out_ > 0) {
      --left_out_;
      return;
    }
    Open ended = std::move(open_.back());
    open_.pop_back();
    if (!ended.object) ended.object = py::list();
    Form form = ended.slot->form;
    bool is_list = PyList_Check(ended.object.ptr());
    if (form == Form::bytes && is_list)
      ended.object = taken(PyBytes_FromObject(ended.object.ptr()));
    if (form == Form::numbers && is_list) ended.object = taken(PyList_AsTuple(ended.object.ptr()));
    put(ended.object);
  }

  void boolean(const Type& /*type*/, bool value) override { put_one(py::bool_(value)); }
  void integer(const Type& /*type*/, std::int64_t value) override { put_number(value); }
  void unsigned_integer(const Type& /*type*/, std::uint64_t value) override { put_number(value); }
  void real(const Type& /*type*/, double value) override {
    if (is_wanted()) put(taken(PyFloat_FromDouble(value)));
  }
  void text(const Type& /*type*/, std::string_view value) override {
    if (is_wanted()) put(str(value));
  }
  void nothing(const Type& /*type*/) override {
    if (is_wanted() && top().shape) set_default(top().object, top().shape->all, top().slot->name);
  }

  void packed(const Type& type, ByteView bytes) override {
    if (left_out_ > 0) return;
    Form form = !open_.empty() && top().is_list ? top().slot->form : Form::one;
    if (form == Form::bytes && scalar_bytes(type.kind, type.base) == 1) {
      top().object = py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return;
    }
    if (form == Form::numbers) {
      auto count = static_cast<Py_ssize_t>(bytes.size() / type.flat_bytes);
      top().object = taken(PyTuple_New(count));
    }
    unpack(type, bytes, *this);
  }

 private:
  /// A structure, time or list that has begun.
  struct Open {
    py::object object;
    const Ros1Shape* shape = nullptr;
    const Ros1Slot* slot = nullptr;  ///< of the value that comes next; null: nobody has it
    bool is_list = false;
    bool is_stamp = false;
    Py_ssize_t parts = 0;  ///< of a stamp, or a tuple of known length, so far
    std::int64_t secs = 0;
    std::int64_t nsecs = 0;
  };

  Open& top() { return open_.back(); }

  bool is_wanted() { return left_out_ == 0 && !open_.empty() && (top().slot || top().is_stamp); }

  static void set_default(const py::object& object, const Ros1Shape::Default& of) {
    set(object, of.name, of.field.attr("default")());
  }
  static void set_default(const py::object& object, const std::vector<Ros1Shape::Default>& all,
                          const py::object& name) {
    for (const auto& each : all) {
      if (each.name.is(name)) set_default(object, each);
    }
  }

  template <class Number>
  void put_number(Number value) {
    if (!is_wanted()) return;
    if (top().is_stamp) {
      (top().parts++ == 0 ? top().secs : top().nsecs) = static_cast<std::int64_t>(value);
    } else {
      put(py::int_(value));
    }
  }

  void put_one(const py::object& value) {
    if (is_wanted()) put(value);
  }

  void put(const py::object& value) {
    Open& open = top();
    if (!open.is_list) {
      set(open.object, open.slot->name, value);
      return;
    }
    if (!open.object) open.object = py::list();
    if (PyTuple_Check(open.object.ptr())) {
      PyTuple_SET_ITEM(open.object.ptr(), open.parts++, value.inc_ref().ptr());
      return;
    }
    if (PyList_Append(open.object.ptr(), value.ptr()) != 0) throw py::error_already_set();
  }

  /// What ROS 1 has in its messages needs no check by the class.
  static py::object stamp(const Open& parts, const py::object& stamp_class) {
    static py::object& secs = *new py::object(interned("secs"));
    static py::object& nsecs = *new py::object(interned("nsecs"));
    py::int_ first(parts.secs);
    py::int_ second(parts.nsecs);
    if (parts.secs < 0 || parts.nsecs < 0 || parts.nsecs >= 1'000'000'000) {
      return stamp_class(first, second);
    }
    py::object made = new_object(stamp_class);
    set(made, secs, first);
    set(made, nsecs, second);
    return made;
  }

  const Ros1Shape& shape_;
  const py::object& time_;
  const py::object& duration_;
  std::vector<Open> open_;
  int left_out_ = 0;  ///< how many structures and lists are open that nobody has
  py::object made_;
};

const Field* field_of(const Type& given, const Field& wanted) {
  for (const Field& each : given.fields) {
    if (each.name == wanted.name || each.name == wanted.alias.name) return &each;
  }
  return nullptr;
}

}  // namespace

Ros1Messages::Ros1Messages(ChannelPtr channel, TypePtr type, py::dict classes, py::object time,
                           py::object duration)
    : channel_(std::move(channel)),
      type_(std::move(type)),
      classes_(std::move(classes)),
      time_(std::move(time)),
      duration_(std::move(duration)) {}

Ros1Messages::~Ros1Messages() = default;

py::object Ros1Messages::of_payload(const py::buffer& payload) {
  py::buffer_info given = payload.request();
  Message message{};
  message.channel = channel_.get();
  message.data = ByteView(static_cast<const std::byte*>(given.ptr),
                          static_cast<std::size_t>(given.size * given.itemsize));
  return made(decoding_of(channel_), message);
}

py::object Ros1Messages::of_message(py::handle object) {
  const Message* message = message_of(object);
  if (!message) throw py::type_error("a message of kitbag is needed");
  ChannelPtr channel = channel_of_message(object);
  if (!is_decodable(*channel, session())) return py::none();
  Decoding& decoding = decoding_of(channel);
  py::object all = made(decoding, *message);
  if (decoding.header) {
    static py::object& seq = *new py::object(interned("seq"));
    set(all.attr(decoding.header->name), seq, py::int_(message->sequence));
  }
  return all;
}

py::object Ros1Messages::made(Decoding& decoding, const Message& message) {
  Ros1Maker maker(*decoding.shape, time_, duration_);
  try {
    decoding.decoder->decode(message.data, maker);
  } catch (const Error& error) {
    throw located(error, message, *decoding.decoder);
  }
  return maker.take();
}

Ros1Messages::Decoding& Ros1Messages::decoding_of(const ChannelPtr& channel) {
  auto known = decodings_.find(channel.get());
  if (known != decodings_.end()) return *known->second;
  if (decodings_.size() >= kMostDecodings) {
    decodings_.clear();
    shapes_.clear();
  }
  auto made = std::make_unique<Decoding>();
  Decoding& decoding = *made;
  decoding.channel = channel;
  decoding.type = type_of(*channel, session());
  if (!decoding.type) throw Error(ErrorCode::not_found, channel->topic + ": no definition found");
  decoding.decoder = decoder_of(*channel, decoding.type, session());
  decoding.shape = &shape_of(*type_, *decoding.type);
  for (const auto& slot : decoding.shape->slots) {
    if (!slot || slot->is_list || !slot->shape || !slot->name.equal(py::str("header"))) continue;
    for (const auto& each : slot->shape->defaults) {
      if (each.name.equal(py::str("seq"))) decoding.header = &*slot;
    }
  }
  decodings_.emplace(channel.get(), std::move(made));
  return decoding;
}

const Ros1Shape& Ros1Messages::shape_of(const Type& ros1, const Type& given) {
  auto shape = std::make_unique<Ros1Shape>();
  shape->message_class = classes_[str(ros1.name)];
  shape->slots.resize(given.fields.size());
  py::list fields = shape->message_class.attr("_fields");
  for (const Field& wanted : ros1.fields) {
    py::object name = interned(wanted.name.c_str());
    Ros1Shape::Default missing{name, fields[wanted.index]};
    shape->all.push_back(missing);
    const Field* found = field_of(given, wanted);
    if (!found) {
      shape->defaults.push_back(missing);
      continue;
    }
    Ros1Slot slot;
    slot.name = name;
    slot.form = form_of(*wanted.type);
    slot.is_list = is_list(wanted.type->kind);
    if (slot.form == Form::message) {
      slot.shape = &shape_of(element_of(*wanted.type), element_of(*found->type));
    }
    shape->slots[found->index] = std::move(slot);
  }
  return *shapes_.emplace_back(std::move(shape));
}

}  // namespace kitbag::python
