#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/session.h"
#include "kitbag/time.h"
#include "server/http/message.h"

// What the parameters of a URL mean. Every function throws Error (invalid) with a sentence that
// names the parameter and its value.

namespace kitbag::server {

/// A span of log times; `end` is not part of it.
struct Slice {
  Time begin = Time::min();
  Time end = Time::max();
};

/// Adds these parameters of the request, each as often as it is given, to the parts of a
/// cache_key().
void add_asked(const Request& request, const std::vector<std::string>& names,
               std::vector<std::string>& parts);
/// The words of all parameters of that name, which are divided by commas.
std::vector<std::string> words_of(const Request& request, std::string_view name);
/// A whole number from `least` to `most`.
std::uint64_t number_of(const Request& request, std::string_view name, std::uint64_t otherwise,
                        std::uint64_t least, std::uint64_t most);
/// One of `choices`, whose first is the default.
std::string choice_of(const Request& request, std::string_view name,
                      const std::vector<std::string>& choices);
/// `text`, the value of the parameter `name`, as seconds since 1970.
Time time_of(std::string_view name, const std::string& text);
/// start_time and end_time, in seconds since 1970; absent if there is neither. One of them without
/// the other is an error.
std::optional<Slice> slice_of(const Request& request);
/// The topics of the parameter `topics`, by name or glob; and of these, if there are `fields`,
/// those channels whose messages have all of them, or cannot be decoded. It is an error if a name
/// or glob matches no topic, or if no topic has the fields.
Selection selection_of(const Request& request, const Summary& summary, const Session& session,
                       const std::vector<std::string>& fields = {});
/// The topics whose last message before a slice is asked for, from the parameter `state`: `latched`
/// (the default), `none`, `all`, or names and globs of topics in addition to the latched ones. It
/// is an error if a name or glob matches no topic.
std::set<std::string> state_of(const Request& request, const Summary& summary,
                               const std::set<std::string>& latched);
/// A condition on fields; empty: there is none. It is an error if no channel of the bag has the
/// fields.
std::string where_of(const Request& request, std::string_view name, const Summary& summary,
                     const Session& session);

}  // namespace kitbag::server
