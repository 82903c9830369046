#include "bag.h"
#include "catalog.h"
#include "exports.h"
#include "flow.h"
#include "messages.h"
#include "numbers.h"
#include "pictures.h"
#include "plots.h"
#include "python.h"
#include "ros1_types.h"
#include "structures.h"
#include "transforms.h"
#include "writer.h"

#include "kitbag/c.h"

// kitbag._kitbag: what the Python package kitbag is built on. Names with an underscore are for the
// package, the others are part of its interface.

PYBIND11_MODULE(_kitbag, module) {  // NOLINT
  using namespace kitbag::python;
  module.attr("version") = kitbag_version();
  watch_forks();
  add_errors(module);
  add_numbers(module);
  add_structures(module);
  add_messages(module);
  add_bags(module);
  add_columns(module);
  add_transforms(module);
  add_pictures(module);
  add_writers(module);
  add_flows(module);
  add_exports(module);
  add_plots(module);
  add_ros1_types(module);
  add_catalogs(module);
}
