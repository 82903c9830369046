"""DuckDB by ctypes: the libduckdb.so of npm's @duckdb/node-api, and its C API. It is in a package
of its own for each system; npm brings the one for Linux on x86-64."""

import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_uint64, c_void_p

import arrow_c
import peers

LIBRARY = (peers.ROOT / "tests" / "interop" / "node_modules" / "@duckdb" /
           "node-bindings-linux-x64" / "libduckdb.so")


class Result(ctypes.Structure):
    """duckdb_result."""
    _fields_ = [("deprecated", c_uint64 * 3), ("columns", c_void_p), ("message", c_char_p),
                ("data", c_void_p)]


SIGNATURES = {  # what a function returns, and what it takes
    "duckdb_library_version": (c_char_p,),
    "duckdb_open": (c_int, c_char_p, POINTER(c_void_p)),
    "duckdb_connect": (c_int, c_void_p, POINTER(c_void_p)),
    "duckdb_disconnect": (None, POINTER(c_void_p)),
    "duckdb_close": (None, POINTER(c_void_p)),
    "duckdb_query": (c_int, c_void_p, c_char_p, POINTER(Result)),
    "duckdb_result_error": (c_char_p, POINTER(Result)),
    "duckdb_destroy_result": (None, POINTER(Result)),
    "duckdb_column_count": (c_uint64, POINTER(Result)),
    "duckdb_column_name": (c_char_p, POINTER(Result), c_uint64),
    "duckdb_column_logical_type": (c_void_p, POINTER(Result), c_uint64),
    "duckdb_destroy_logical_type": (None, POINTER(c_void_p)),
    "duckdb_fetch_chunk": (c_void_p, Result),
    "duckdb_destroy_data_chunk": (None, POINTER(c_void_p)),
    "duckdb_result_get_arrow_options": (c_void_p, POINTER(Result)),
    "duckdb_destroy_arrow_options": (None, POINTER(c_void_p)),
    "duckdb_to_arrow_schema": (c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_char_p), c_uint64,
                               POINTER(arrow_c.ArrowSchema)),
    "duckdb_data_chunk_to_arrow": (c_void_p, c_void_p, c_void_p, POINTER(arrow_c.ArrowArray)),
    "duckdb_arrow_scan": (c_int, c_void_p, c_char_p, POINTER(arrow_c.ArrowArrayStream)),
    "duckdb_schema_from_arrow": (c_void_p, c_void_p, POINTER(arrow_c.ArrowSchema),
                                 POINTER(c_void_p)),
    "duckdb_destroy_arrow_converted_schema": (None, POINTER(c_void_p)),
    "duckdb_data_chunk_from_arrow": (c_void_p, c_void_p, POINTER(arrow_c.ArrowArray), c_void_p,
                                     POINTER(c_void_p)),
    "duckdb_error_data_message": (c_char_p, c_void_p),
    "duckdb_destroy_error_data": (None, POINTER(c_void_p)),
    "duckdb_appender_create": (c_int, c_void_p, c_char_p, c_char_p, POINTER(c_void_p)),
    "duckdb_append_data_chunk": (c_int, c_void_p, c_void_p),
    "duckdb_appender_error": (c_char_p, c_void_p),
    "duckdb_appender_destroy": (c_int, POINTER(c_void_p)),
}


def library():
    """Skips the test, or fails it, where it is not there."""
    peers.need(LIBRARY.is_file(), "DuckDB is not there: npm ci in tests/interop brings it")
    opened = ctypes.CDLL(str(LIBRARY))
    for name, (returned, *taken) in SIGNATURES.items():
        function = getattr(opened, name)
        function.restype, function.argtypes = returned, taken
    return opened


class DuckDBError(Exception):
    pass


class Database:
    """In memory, with one connection."""

    def __init__(self, c):
        self.c = c
        self._database, self._connection = c_void_p(), c_void_p()
        self._check(c.duckdb_open(None, byref(self._database)), "open")
        self._check(c.duckdb_connect(self._database, byref(self._connection)), "connect")

    def close(self):
        self.c.duckdb_disconnect(byref(self._connection))
        self.c.duckdb_close(byref(self._database))

    @staticmethod
    def _check(state, what):
        if state:
            raise DuckDBError(what)

    def _check_error(self, error):
        """Of functions that return duckdb_error_data."""
        if not error:
            return
        message = self.c.duckdb_error_data_message(error).decode()
        self.c.duckdb_destroy_error_data(byref(c_void_p(error)))
        raise DuckDBError(message)

    def load(self, table, stream):
        """Makes a table of the stream, which stays the caller's.

        By one statement that takes all columns: of a view that duckdb_arrow_scan() makes, DuckDB
        reads the n-th column of the stream for the n-th column that a query needs, and leaves
        conditions to the stream (https://github.com/duckdb/duckdb/issues/17012)."""
        self._check(self.c.duckdb_arrow_scan(self._connection, b"arrow_stream", byref(stream.c)),
                    f"arrow_scan for {table}")
        self.query(f"CREATE TABLE {table} AS FROM arrow_stream")
        self.query("DROP VIEW arrow_stream")

    def query(self, sql):
        """The rows, as tuples."""
        result = Result()
        state = self.c.duckdb_query(self._connection, sql.encode(), byref(result))
        try:
            if state:
                raise DuckDBError(self.c.duckdb_result_error(byref(result)).decode())
            return self._rows(result)
        finally:
            self.c.duckdb_destroy_result(byref(result))

    def _rows(self, result):
        """DuckDB hands its answers over as Arrow too."""
        options = c_void_p(self.c.duckdb_result_get_arrow_options(byref(result)))
        type_ = self._type(result, options)
        rows = []
        while chunk := self.c.duckdb_fetch_chunk(result):
            array = arrow_c.ArrowArray()
            error = self.c.duckdb_data_chunk_to_arrow(options, chunk, byref(array))
            self.c.duckdb_destroy_data_chunk(byref(c_void_p(chunk)))
            self._check_error(error)
            rows += [tuple(row.values()) for row in arrow_c.values(type_, array)]
            arrow_c.release(array)
        self.c.duckdb_destroy_arrow_options(byref(options))
        return rows

    def _type(self, result, options):
        count = self.c.duckdb_column_count(byref(result))
        types = (c_void_p * count)(*(self.c.duckdb_column_logical_type(byref(result), i)
                                     for i in range(count)))
        names = (c_char_p * count)(*(b"%d" % i for i in range(count)))
        schema = arrow_c.ArrowSchema()
        error = self.c.duckdb_to_arrow_schema(options, types, names, count, byref(schema))
        for each in types:
            self.c.duckdb_destroy_logical_type(byref(c_void_p(each)))
        self._check_error(error)
        type_ = arrow_c.Type(schema)
        arrow_c.release(schema)
        return type_

    def append(self, table, stream):
        """Adds the batches of the stream to a table, by the functions that take single batches."""
        schema, converted, appender = arrow_c.ArrowSchema(), c_void_p(), c_void_p()
        stream.c.get_schema(byref(stream.c), byref(schema))
        self._check_error(self.c.duckdb_schema_from_arrow(self._connection, byref(schema),
                                                          byref(converted)))
        self._check(self.c.duckdb_appender_create(self._connection, None, table.encode(),
                                                  byref(appender)), f"appender of {table}")
        for array in stream.arrays():
            chunk = c_void_p()
            self._check_error(self.c.duckdb_data_chunk_from_arrow(
                self._connection, byref(array), converted, byref(chunk)))
            if array.release:  # DuckDB takes it
                raise DuckDBError("the array has not been moved")
            if self.c.duckdb_append_data_chunk(appender, chunk):
                raise DuckDBError(self.c.duckdb_appender_error(appender).decode())
            self.c.duckdb_destroy_data_chunk(byref(chunk))
        self._check(self.c.duckdb_appender_destroy(byref(appender)), "appender")
        self.c.duckdb_destroy_arrow_converted_schema(byref(converted))
        arrow_c.release(schema)
