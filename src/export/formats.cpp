#include "export/formats.h"

#include "export/clouds.h"
#include "export/csv.h"
#include "export/images.h"
#include "export/lerobot/lerobot.h"
#include "export/tables.h"
#include "export/tracks.h"
#include "export/trajectories.h"

namespace kitbag {

std::vector<ExportFormat> standard_export_formats() {
  return {
      {"parquet", "tables, one for each topic, as Apache Parquet", export_parquet, true},
      {"arrow", "tables, one for each topic, in the file form of Arrow IPC", export_arrow, true},
      {"csv", "tables, one for each topic, as CSV", export_csv, true},
      {"lerobot", "a dataset of LeRobot, version 3.0", export_lerobot},
      {"images", "pictures, a JPEG or PNG for each message", export_images},
      {"pcd", "point clouds, a PCD for each message", export_pcd},
      {"ply", "point clouds, a PLY for each message", export_ply},
      {"tum", "trajectories, one for each topic: time, position, quaternion", export_tum},
      {"kitti", "trajectories, one for each topic: rows of matrices", export_kitti},
      {"gpx", "positions on the Earth, a GPX track for each topic", export_gpx},
      {"geojson", "positions on the Earth, a GeoJSON line for each topic", export_geojson},
  };
}

}  // namespace kitbag
