#include "ros1_types.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/registry.h"
#include "kitbag/transcode.h"
#include "kitbag/value.h"
#include "ros1_messages.h"
#include "structures.h"
#include "values.h"

// What kitbag.rosbag knows of a type: the fields and constants of each structure in it as ROS 1
// writes them, definitions, MD5 sums, and payloads in the encoding of ROS 1. A type of ROS 2 is
// adapted, as in a conversion. What makes messages of payloads is Ros1Messages.

namespace kitbag::python {

namespace {

const Type& listed_type(const Type& type) {
  return is_list(type.kind) ? *type.element : type;
}

/// A type of ROS 1, and messages of it.
class Ros1Type {
 public:
  Ros1Type(const std::string& name, const std::string& text, const std::string& language)
      : language_(language_named("ros1msg")) {
    Schema schema{name, language, text};
    TypePtr type = language_named(language).parse(schema);
    if (language != language_.name) {
      schema = language_.print(*language_.adapt(*type));
      type = language_.parse(schema);
    }
    type_ = type;
    channel_ =
        std::make_shared<Channel>(Channel{.topic = schema.name,
                                          .encoding = "ros1",
                                          .schema = std::make_shared<Schema>(std::move(schema)),
                                          .metadata = {}});
  }

  /// A dict for each structure, by its name; the type itself comes first.
  py::dict structures() const {
    py::dict all;
    std::vector<const Type*> waiting = {type_.get()};
    std::set<const Type*> seen = {type_.get()};
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const Type& type = *waiting[i];
      all[str(type.name)] = describe(type);
      for (const Field& field : type.fields) {
        const Type& part = listed_type(*field.type);
        bool is_part = part.kind == Kind::structure && part.role == Role::none;
        if (is_part && seen.insert(&part).second) waiting.push_back(&part);
      }
    }
    return all;
  }

  /// What makes messages of the class that was made of this type, see Ros1Messages.
  std::unique_ptr<Ros1Messages> messages(py::dict classes, py::object time,
                                         py::object duration) const {
    return std::make_unique<Ros1Messages>(channel_, type_, std::move(classes), std::move(time),
                                          std::move(duration));
  }

  py::bytes encode(py::handle object) {
    if (!writer_) writer_.emplace(*channel_, session());
    ByteView payload = writer_->write(from_python(object));
    return {reinterpret_cast<const char*>(payload.data()), payload.size()};
  }

 private:
  static const Language& language_named(const std::string& name) {
    const Language* found = find_language(session().registry(), name);
    if (!found) throw Error(ErrorCode::unsupported, "unknown language \"" + name + "\"");
    return *found;
  }

  py::dict describe(const Type& type) const {
    py::dict about;
    Schema schema = &type == type_.get() ? *channel_->schema : language_.print(type);
    about["md5sum"] = str(language_.metadata(schema, type).at("md5sum"));
    about["text"] = str(schema.text);
    py::list fields;
    for (const Field& field : type.fields) fields.append(describe(field));
    about["fields"] = fields;
    py::dict constants;
    for (const Constant& each : type.constants) constants[str(each.name)] = constant_value(each);
    about["constants"] = constants;
    return about;
  }

  /// (name, type of the elements, number of elements): None if it is no list, 0 for any number.
  static py::tuple describe(const Field& field) {
    const Type& element = listed_type(*field.type);
    std::string name = element.role == Role::time       ? "time"
                       : element.role == Role::duration ? "duration"
                       : field.word.empty()             ? type_name(element)
                                                        : field.word;
    py::object length = py::none();
    if (is_list(field.type->kind)) {
      length = py::int_(field.type->kind == Kind::array ? field.type->length : 0);
    }
    return py::make_tuple(str(field.name), str(name), length);
  }

  const Language& language_;
  TypePtr type_;
  ChannelPtr channel_;
  std::optional<ValueWriter> writer_;
};

}  // namespace

void add_ros1_types(py::module_& module) {
  py::class_<Ros1Messages>(module, "_Ros1Messages")
      .def("of_payload", &Ros1Messages::of_payload, py::arg("payload"))
      .def("of_message", &Ros1Messages::of_message, py::arg("message"));
  py::class_<Ros1Type>(module, "_Ros1Type")
      .def(py::init<const std::string&, const std::string&, const std::string&>(), py::arg("name"),
           py::arg("text"), py::arg("language"))
      .def("structures", &Ros1Type::structures)
      .def("messages", &Ros1Type::messages, py::arg("classes"), py::arg("time"),
           py::arg("duration"))
      .def("encode", &Ros1Type::encode, py::arg("message"));
}

}  // namespace kitbag::python
