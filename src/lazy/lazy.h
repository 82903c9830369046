#pragma once

#include <cstddef>
#include <tuple>

// Libraries that few runs need are loaded when their first function is called. OpenSSL, FreeType,
// libpng and libjpeg made up a third of the time that kitbag takes to start, and a listing of a bag
// calls none of them.
//
// Whoever calls them includes their own headers and calls as ever: the functions that the linker
// then looks for are defined here, and jump to those of the library. Their types are those that the
// headers declare; a definition that differs does not compile. A function that is not listed is an
// error of the linker: add its line.

namespace kitbag::lazy {

/// The function of the shared library `file`, which is loaded if it is not. Throws Error:
/// unsupported if there is no such library, or it lacks the function; io if the system refuses to
/// load it. Safe to call from any thread.
void* find(const char* file, const char* function);

template <class Function>
struct Signature;

template <class R, class... Arguments>
struct Signature<R(Arguments...)> {
  using Result = R;
  template <std::size_t kIndex>
  using Argument = std::tuple_element_t<kIndex, std::tuple<Arguments...>>;
};

template <class Function>
using Result = typename Signature<Function>::Result;
template <class Function, std::size_t kIndex>
using Argument = typename Signature<Function>::template Argument<kIndex>;

}  // namespace kitbag::lazy

// KITBAG_LAZY_N(name): the function of N parameters, from the library KITBAG_LAZY_FILE.

// NOLINTBEGIN(bugprone-macro-parentheses): a name of a function stands in no parentheses
#define KITBAG_LAZY(name, parameters, arguments)                                          \
  extern "C" kitbag::lazy::Result<decltype(name)> name parameters {                       \
    static auto* const function =                                                         \
        reinterpret_cast<decltype(&(name))>(kitbag::lazy::find(KITBAG_LAZY_FILE, #name)); \
    return function arguments;                                                            \
  }
#define KITBAG_LAZY_PARAMETER(name, index) kitbag::lazy::Argument<decltype(name), index>
#define KITBAG_LAZY_PARAMETERS_1(name) KITBAG_LAZY_PARAMETER(name, 0) a
#define KITBAG_LAZY_PARAMETERS_2(name) \
  KITBAG_LAZY_PARAMETERS_1(name), KITBAG_LAZY_PARAMETER(name, 1) b
#define KITBAG_LAZY_PARAMETERS_3(name) \
  KITBAG_LAZY_PARAMETERS_2(name), KITBAG_LAZY_PARAMETER(name, 2) c
#define KITBAG_LAZY_PARAMETERS_4(name) \
  KITBAG_LAZY_PARAMETERS_3(name), KITBAG_LAZY_PARAMETER(name, 3) d
#define KITBAG_LAZY_PARAMETERS_5(name) \
  KITBAG_LAZY_PARAMETERS_4(name), KITBAG_LAZY_PARAMETER(name, 4) e
#define KITBAG_LAZY_PARAMETERS_6(name) \
  KITBAG_LAZY_PARAMETERS_5(name), KITBAG_LAZY_PARAMETER(name, 5) f
#define KITBAG_LAZY_PARAMETERS_7(name) \
  KITBAG_LAZY_PARAMETERS_6(name), KITBAG_LAZY_PARAMETER(name, 6) g
#define KITBAG_LAZY_PARAMETERS_8(name) \
  KITBAG_LAZY_PARAMETERS_7(name), KITBAG_LAZY_PARAMETER(name, 7) h
#define KITBAG_LAZY_PARAMETERS_9(name) \
  KITBAG_LAZY_PARAMETERS_8(name), KITBAG_LAZY_PARAMETER(name, 8) i

#define KITBAG_LAZY_0(name) KITBAG_LAZY(name, (), ())
#define KITBAG_LAZY_1(name) KITBAG_LAZY(name, (KITBAG_LAZY_PARAMETERS_1(name)), (a))
#define KITBAG_LAZY_2(name) KITBAG_LAZY(name, (KITBAG_LAZY_PARAMETERS_2(name)), (a, b))
#define KITBAG_LAZY_3(name) KITBAG_LAZY(name, (KITBAG_LAZY_PARAMETERS_3(name)), (a, b, c))
#define KITBAG_LAZY_4(name) KITBAG_LAZY(name, (KITBAG_LAZY_PARAMETERS_4(name)), (a, b, c, d))
#define KITBAG_LAZY_5(name) KITBAG_LAZY(name, (KITBAG_LAZY_PARAMETERS_5(name)), (a, b, c, d, e))
#define KITBAG_LAZY_6(name) KITBAG_LAZY(name, (KITBAG_LAZY_PARAMETERS_6(name)), (a, b, c, d, e, f))
#define KITBAG_LAZY_7(name) \
  KITBAG_LAZY(name, (KITBAG_LAZY_PARAMETERS_7(name)), (a, b, c, d, e, f, g))
#define KITBAG_LAZY_8(name) \
  KITBAG_LAZY(name, (KITBAG_LAZY_PARAMETERS_8(name)), (a, b, c, d, e, f, g, h))
#define KITBAG_LAZY_9(name) \
  KITBAG_LAZY(name, (KITBAG_LAZY_PARAMETERS_9(name)), (a, b, c, d, e, f, g, h, i))
// NOLINTEND(bugprone-macro-parentheses)
