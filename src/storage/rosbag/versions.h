#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/registry.h"

namespace kitbag::rosbag {

/// One version of the format, as format.cpp dispatches to it.
struct Version {
  std::string_view name;  ///< "1.2"
  /// How sure it is that `input` is this version, as Format::matches.
  int (*matches)(const Input& input);
  BagPtr (*open)(const Input& input, const ReadOptions& options, const Session& session);
  /// Findings go to options.on_problem.
  void (*check)(const Input& input, const ReadOptions& options);
  /// Null: this version is only read.
  std::unique_ptr<Writer> (*create)(const std::string& path, const WriteOptions& options,
                                    const Session& session);
  std::unique_ptr<Writer> (*append)(const std::string& path, const WriteOptions& options,
                                    const Session& session);
  /// What its bags begin with, if they begin with a line of their own.
  std::vector<std::string_view> lines = {};
  /// Text follows this line, and not the length of a record.
  bool is_text = false;
};

/// 100 if `input` begins with `line`, 10 if it ends inside it.
int match_line(const Input& input, std::string_view line);

Version version_2_0();
Version version_1_3();
Version version_1_2();
Version version_1_1();
Version version_1_0();
Version version_0();

}  // namespace kitbag::rosbag
