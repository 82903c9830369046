#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cli/terminal/table.h"
#include "kitbag/message.h"
#include "kitbag/play.h"
#include "kitbag/record.h"
#include "kitbag/repair.h"

namespace kitbag::cli {

/// What a repair of the bag at `from` to `to` has done, as one JSON object.
std::string repair_json(const std::string& from, const std::string& to, const Repaired& repaired);

/// How a recording stands, and what comes a second, as one JSON object.
std::string recording_json(const RecordStatus& status, double rate, double bytes_rate);

/// How a playing stands, as one JSON object.
std::string playing_json(const PlayStatus& status);

/// An array with an object for each row: its cells under `names`, as numbers where `are_numbers`.
std::string table_json(const std::vector<std::string>& names, const std::vector<bool>& are_numbers,
                       const std::vector<Cells>& rows);

/// One object.
std::string values_json(const std::map<std::string, std::string>& values);

}  // namespace kitbag::cli
