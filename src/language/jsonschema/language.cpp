#include "language/jsonschema/language.h"

#include "language/jsonschema/parser.h"
#include "language/jsonschema/printer.h"

namespace kitbag::jsonschema {

Language language() {
  Language made;
  made.name = "jsonschema";
  made.parse = parse;
  made.print = [](const Type& type) { return Schema{type.name, "jsonschema", print(type)}; };
  return made;
}

}  // namespace kitbag::jsonschema
