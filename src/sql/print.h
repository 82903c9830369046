#pragma once

#include "kitbag/print.h"
#include "sql/answer.h"

namespace kitbag::sql {

/// How an answer is printed.
enum class AnswerFormat {
  csv,   ///< a line of names, and one for each row (RFC 4180)
  json,  ///< an array with an object for each row
  json_lines,
  arrow,  ///< a stream in the Arrow IPC format, with the types of columns_of()
};

/// Prints all rows. Names that occur twice get a number behind them in JSON and Arrow. Bytes are
/// base64 but in Arrow. Throws as Answer::next() and `out` do.
void print(Answer& answer, AnswerFormat format, const TextOut& out);

}  // namespace kitbag::sql
