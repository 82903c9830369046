#include "transport/ros2/services/parameters.h"

#include <algorithm>
#include <cstdint>

// rcl_interfaces, as far as it matters here:
//
//   ParameterValue {uint8 type, bool, int64, float64, string, byte[], bool[], int64[], float64[],
//     string[]}
//   ParameterDescriptor {string name, uint8 type, string description,
//     string additional_constraints, bool read_only, bool dynamic_typing,
//     FloatingPointRange[], IntegerRange[]}
//   SetParametersResult {bool successful, string reason}
//
// rclcpp answers with an empty list if one of the names that are asked for is unknown.

namespace kitbag::ros2 {

namespace {

using Parameters = std::map<std::string, bool>;

constexpr std::uint8_t kNotSet = 0;
constexpr std::uint8_t kBool = 1;
constexpr const char* kReason = "kitbag's parameters cannot be set while it runs";

std::string parameter_type(const std::string& name) {
  return "rcl_interfaces/srv/" + name;
}

std::vector<std::string> read_texts(WireReader& reader) {
  constexpr std::size_t kLeastText = 4;
  std::size_t count = reader.count(kLeastText);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(reader.text());
  return texts;
}

void write_value(WireWriter& writer, bool value) {
  writer.number(kBool);
  writer.flag(value);
  writer.number<std::int64_t>(0);
  writer.real(0);
  writer.text("");
  for (int list = 0; list < 5; ++list) writer.count(0);
}

void skip_value(WireReader& reader) {
  reader.number<std::uint8_t>();
  reader.flag();
  reader.number<std::int64_t>();
  reader.real();
  reader.text();
  for (int bytes = 0; bytes < 2; ++bytes) reader.raw(reader.count(1));
  for (int numbers = 0; numbers < 2; ++numbers) {
    std::size_t count = reader.count(sizeof(std::uint64_t));
    for (std::size_t i = 0; i < count; ++i) reader.number<std::uint64_t>();
  }
  read_texts(reader);
}

/// How many somebody wants to set.
std::size_t read_wanted(WireReader& reader) {
  constexpr std::size_t kLeastParameter = 40;
  std::size_t count = reader.count(kLeastParameter);
  for (std::size_t i = 0; i < count; ++i) {
    reader.text();
    skip_value(reader);
  }
  return count;
}

void refuse_setting(WireWriter& reply) {
  reply.flag(false);
  reply.text(kReason);
}

/// Writes something of each parameter that is asked for.
template <class Write>
Service::Answer telling_each(const Parameters& parameters, Write write) {
  return [=](WireReader& request, WireWriter& reply, const std::stop_token&) {
    std::vector<std::string> names = read_texts(request);
    bool are_known = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return parameters.contains(name);
    });
    if (!are_known) names.clear();
    reply.count(names.size());
    for (const std::string& name : names) write(reply, name, parameters.at(name));
  };
}

void describe(WireWriter& reply, const std::string& name, bool) {
  reply.text(name);
  reply.number(kBool);
  reply.text("");
  reply.text("");
  reply.flag(true);
  reply.flag(false);
  reply.count(0);
  reply.count(0);
}

}  // namespace

std::vector<Service> parameter_services(const std::map<std::string, bool>& parameters) {
  auto value = [](WireWriter& reply, const std::string&, bool is_set) {
    write_value(reply, is_set);
  };
  auto types = [parameters](WireReader& request, WireWriter& reply, const std::stop_token&) {
    std::vector<std::string> names = read_texts(request);
    reply.count(names.size());
    for (const std::string& name : names) {
      reply.number(parameters.contains(name) ? kBool : kNotSet);
    }
  };
  auto list = [parameters](WireReader& request, WireWriter& reply, const std::stop_token&) {
    std::vector<std::string> prefixes = read_texts(request);
    std::vector<std::string> names;
    for (const auto& parameter : parameters) {
      const std::string& name = parameter.first;
      auto begins = [&](const std::string& prefix) {
        return name == prefix || name.starts_with(prefix + ".");
      };
      bool is_wanted = prefixes.empty() || std::any_of(prefixes.begin(), prefixes.end(), begins);
      if (is_wanted) names.push_back(name);
    }
    reply.count(names.size());
    for (const std::string& name : names) reply.text(name);
    reply.count(0);  // prefixes
  };
  auto set = [](WireReader& request, WireWriter& reply, const std::stop_token&) {
    std::size_t count = read_wanted(request);
    reply.count(count);
    for (std::size_t i = 0; i < count; ++i) refuse_setting(reply);
  };
  auto set_all = [](WireReader& request, WireWriter& reply, const std::stop_token&) {
    read_wanted(request);
    refuse_setting(reply);
  };
  return {
      {"get_parameters", parameter_type("GetParameters"), telling_each(parameters, value)},
      {"get_parameter_types", parameter_type("GetParameterTypes"), types},
      {"list_parameters", parameter_type("ListParameters"), list},
      {"describe_parameters", parameter_type("DescribeParameters"),
       telling_each(parameters, describe)},
      {"set_parameters", parameter_type("SetParameters"), set},
      {"set_parameters_atomically", parameter_type("SetParametersAtomically"), set_all},
  };
}

}  // namespace kitbag::ros2
