#include "values.h"

#include <cstdint>
#include <string>
#include <variant>

#include "numbers.h"
#include "structures.h"

// Values of the library as objects of Python; from_python.cpp is the way back.

namespace kitbag::python {

namespace {

py::object tuple_of(const Value::List& list, const std::shared_ptr<ValueReader>& types) {
  py::tuple all(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) all[i] = to_python(list[i], types);
  return all;
}

}  // namespace

py::object to_python(const Value& value, const std::shared_ptr<ValueReader>& types,
                     const ChannelPtr& channel) {
  struct Make {
    const Value& value;
    const std::shared_ptr<ValueReader>& types;
    const ChannelPtr& channel;

    py::object operator()(std::monostate) const { return py::none(); }
    py::object operator()(bool yes) const { return py::bool_(yes); }
    py::object operator()(std::int64_t number) const { return py::int_(number); }
    py::object operator()(std::uint64_t number) const { return py::int_(number); }
    py::object operator()(double number) const { return py::float_(number); }
    py::object operator()(const std::string& text) const { return str(text); }
    py::object operator()(const std::shared_ptr<Value::Structure>& /*held*/) const {
      return structure_of(value, types, channel);
    }
    py::object operator()(const std::shared_ptr<Value::List>& list) const {
      return tuple_of(*list, types);
    }
    py::object operator()(const PackedNumbers& numbers) const { return array_of(numbers); }
  };
  return std::visit(Make{value, types, channel}, value.content());
}

py::object datetime64(std::int64_t ns) {
  return numpy("datetime64")(ns, "ns");
}

}  // namespace kitbag::python
