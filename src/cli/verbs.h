#pragma once

#include <string>
#include <utility>
#include <vector>

#include "context.h"
#include "printer.h"
#include "select.h"
#include "target.h"

namespace kitbag::cli {

/// Exit codes, the same for every verb. What could not be done is an Error.
inline constexpr int kDone = 0;
inline constexpr int kNotSo = 1;  ///< the thing asked about is not so, or damage was found
inline constexpr int kFailed = 2;

struct InfoArguments {
  std::vector<std::string> bags;
  bool as_json = false;
  bool is_strict = false;
  std::string gpg_key;  ///< for bags that are encrypted
};
int info(const InfoArguments& arguments, const Context& context);

struct CatArguments {
  std::vector<std::string> bags;
  SelectOptions select;
  bool is_strict = false;
  std::string gpg_key;  ///< for bags that are encrypted
  MessageFormat format = MessageFormat::json;
};
int cat(const CatArguments& arguments, const Context& context);

struct NthArguments {
  std::string bag;
  std::string topic;
  std::int64_t position = 0;  ///< from 0; negative: from the end
  Order order = Order::time;
  TimeField by = TimeField::log_time;
  bool is_strict = false;
  std::string gpg_key;  ///< for bags that are encrypted
  MessageFormat format = MessageFormat::json;
};
int nth(const NthArguments& arguments, const Context& context);

struct DiffArguments {
  std::string a;
  std::string b;
  SelectOptions select;
  bool is_strict = false;
  std::string gpg_key;  ///< for bags that are encrypted
  bool ignore_time = false;
};
int diff(const DiffArguments& arguments, const Context& context);

struct CheckArguments {
  std::vector<std::string> bags;
  std::string gpg_key;  ///< for bags that are encrypted
};
int check(const CheckArguments& arguments, const Context& context);

struct ConvertArguments {
  std::vector<std::string> inputs;
  SelectOptions select;
  bool is_strict = false;
  std::string gpg_key;                                       ///< for bags that are encrypted
  std::vector<std::pair<std::string, std::string>> renames;  ///< old topic, new topic
  std::vector<std::string> definitions;                      ///< folders
  TargetOptions target;
};
int convert(const ConvertArguments& arguments, const Context& context);

struct RepairArguments {
  std::vector<std::string> paths;  ///< IN and OUT, or IN alone with in_place
  bool in_place = false;
  bool as_json = false;
  std::string gpg_key;                   ///< for a bag that is encrypted
  std::vector<std::string> definitions;  ///< folders
  std::string format;                    ///< of OUT; empty: that of IN
  WriteOptions write;                    ///< compression empty: that of IN
};
int repair(const RepairArguments& arguments, const Context& context);

}  // namespace kitbag::cli
