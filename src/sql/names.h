#pragma once

#include <string>
#include <vector>

namespace kitbag::sql {

/// Returns `name` in quotes, as SQL writes names.
std::string quoted(const std::string& name);

/// Returns `name` as it is compared: SQL's names do not differ by the case of ASCII letters.
std::string lower(std::string name);

/// Returns the name of a topic without slashes, so that it needs no quotes: imu_data for
/// "/imu/data".
std::string plain_name(const std::string& topic);

/// Returns why a topic has no table if others differ from it by case alone, and what to do: half a
/// sentence.
std::string case_remedy(const std::string& topic);

/// Returns `names` with a number behind those that occur before: a, a_2.
std::vector<std::string> unique_names(const std::vector<std::string>& names);

}  // namespace kitbag::sql
