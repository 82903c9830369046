#pragma once

#include <string>
#include <string_view>

// Paths and URIs as texts, whose parts are separated by "/". What is at them is for file systems.

namespace kitbag {

/// "c.bag" of "a/b/c.bag"; empty if the path ends with "/".
std::string_view file_name(std::string_view path);
/// "a/b" of "a/b/c.bag" and of "a/b/"; empty if there is no folder, "/" of "/c.bag".
std::string_view parent_folder(std::string_view path);
/// ".bag" of "a/b/c.bag"; empty if there is none, as in ".hidden".
std::string_view extension(std::string_view path);
/// "c" of "a/b/c.bag".
std::string_view stem(std::string_view path);
/// The path of `name` in `folder`; `name` alone if that is absolute or `folder` is empty.
std::string join(std::string_view folder, std::string_view name);
/// The path of what lies in `folder` under `name`, which is not a path: a name in an object store
/// may begin with "/".
std::string path_in(std::string_view folder, std::string_view name);
/// Without slashes at its end, except for "/" and "memory://".
std::string without_slash(std::string_view path);

}  // namespace kitbag
