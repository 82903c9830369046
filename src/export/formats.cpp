#include "export/formats.h"

#include "export/tables.h"

namespace kitbag {

std::vector<ExportFormat> standard_export_formats() {
  return {
      {"parquet", "tables, one for each topic, as Apache Parquet", export_parquet},
      {"arrow", "tables, one for each topic, in the file form of Arrow IPC", export_arrow},
  };
}

}  // namespace kitbag
