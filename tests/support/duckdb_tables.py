"""The tables of `kitbag sql` as tables of DuckDB, filled by columns()."""

import csv

import column_stream
import peers


def columns_of(table, *bags):
    """The names of the columns of a table of `kitbag sql`."""
    header = peers.kitbag("sql", "--format", "csv", f'SELECT * FROM "{table}" LIMIT 0', *bags)
    return next(csv.reader([header]))


def plain_name(topic):
    return "".join(c if c.isalnum() else "_" for c in topic.removeprefix("/"))


def load_topic(database, topic, *bags):
    """Makes the same table of DuckDB: the same columns, each field by its path, with times in
    nanoseconds, and without NaN, which SQLite does not know. A bag that lacks the topic has no
    rows in it."""
    name = plain_name(topic)
    parts = []
    for i, bag in enumerate(bags):
        fields = columns_of(topic, bag)[1:]
        stream = column_stream.open_stream(bag, (topic,), fields, batch_rows=1000)
        try:
            columns = ", ".join(_as_sqlite(each) for each in stream.type().children
                                if each.name != "topic")
            database.load(f"{name}_{i}", stream)
        finally:
            stream.close()
        parts.append(f"SELECT {columns} FROM {name}_{i}")
    database.query(f"CREATE VIEW {name} AS {' UNION ALL BY NAME '.join(parts)}")


def _as_sqlite(column):
    name = '"' + column.name.replace('"', '""') + '"'
    if column.format.startswith("tsn:"):
        return f"epoch_ns({name}) AS {name}"
    if column.format in ("f", "g"):
        return f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END AS {name}"
    return name
