#include "pictures.h"

#include <cstdint>

#include "kitbag/picture.h"
#include "messages.h"

namespace kitbag::python {

namespace {

/// (height, width, channels, pixels) of what a message shows.
py::tuple picture(py::handle object, std::uint32_t width, std::uint32_t height) {
  const Message* message = message_of(object);
  if (!message) throw py::type_error("picture() takes a kitbag.Message");
  Picture made = without_gil(
      [&] { return picture_of(*message, {.width = width, .height = height}, session()); });
  return py::make_tuple(
      made.height, made.width, made.channels,
      py::bytearray(reinterpret_cast<const char*>(made.pixels.data()), made.pixels.size()));
}

}  // namespace

void add_pictures(py::module_& module) {
  module.def("_picture", &picture, py::arg("message"), py::arg("width"), py::arg("height"));
}

}  // namespace kitbag::python
