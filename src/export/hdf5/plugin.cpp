#include "kitbag/plugin.h"

#include <hdf5.h>

#include "export/hdf5/export.h"

// HDF5 by the library of the system. A plugin, because the program should start without it.

namespace {

void add_to(kitbag::Registry& registry) {
  // At the end of the process the library would write what it could not write before, and fail.
  H5dont_atexit();
  registry.export_formats.push_back(
      {"hdf5", "one file with a group for each topic, as HDF5", kitbag::hdf5::export_hdf5});
}

}  // namespace

KITBAG_PLUGIN(add_to);
