#include "language/protobuf/language.h"

#include "language/protobuf/adapt.h"
#include "language/protobuf/parser.h"
#include "language/protobuf/printer.h"

namespace kitbag::protobuf {

Language language() {
  Language made;
  made.name = "protobuf";
  made.parse = parse;
  made.print = [](const Type& type) { return Schema{type.name, "protobuf", print(type)}; };
  made.adapt = adapt;
  made.is_text = false;
  return made;
}

}  // namespace kitbag::protobuf
