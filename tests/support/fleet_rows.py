"""Rows of a catalog with any number of bags, made by the database itself: a fleet of 50 robots, of
which each bag has 20 topics, tags, a path and some notes and events. The last third of the bags
lacks a topic that the others have, and one robot was given up."""

import re

TOPICS = 200  # that many bags have; and two that few have
OLD, RARE = TOPICS + 1, TOPICS + 2  # their channels
TOPICS_EACH = 20
YEARS_NS = 3 * 365 * 86_400 * 10**9


class Rows:
    """SQL for one of the databases. `ask` runs a statement and returns its rows."""

    def __init__(self, ask, is_sqlite, bags, end_ns):
        self.ask = ask
        self.is_sqlite = is_sqlite
        self.bags = bags
        self.begin_ns = end_ns - YEARS_NS
        self.step_ns = YEARS_NS // bags

    def count_to(self, most, name):
        if self.is_sqlite:
            return (f"(WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                    f"{most}) SELECT i AS {name} FROM n)")
        return f"(SELECT generate_series(1::bigint, {most}) AS {name}) AS all_{name}"

    def hex(self, number, digits):
        if self.is_sqlite:
            return f"printf('%0{digits}x', {number})"
        return f"lpad(to_hex({number}), {digits}, '0')"

    def padded(self, number, digits):
        if self.is_sqlite:
            return f"printf('%0{digits}d', {number})"
        return f"lpad(({number})::text, {digits}, '0')"

    def day(self, start_ns):
        if self.is_sqlite:
            return f"strftime('%Y-%m-%d', {start_ns} / 1000000000, 'unixepoch')"
        return (f"to_char(to_timestamp({start_ns} / 1000000000) AT TIME ZONE 'UTC', "
                "'YYYY-MM-DD')")

    def fill(self):
        """Adds the bags to a catalog that has none of these topics. Bags that it has stay."""
        first = int(self.ask("SELECT COALESCE(MAX(bag), 0) FROM bags")[0][0])
        density = "(SELECT density FROM bag_channels WHERE density IS NOT NULL LIMIT 1)"
        # No bag starts in the order of its number.
        start = (f"{self.begin_ns} + i * {self.step_ns} + i * 7919 % 3600 * 1000000000 "
                 "- 3600000000000")
        length = "CASE WHEN i % 50000 = 7 THEN 300000000000000 ELSE (i % 541 + 60) * 1000000000 END"
        robot = f"CASE WHEN i % 50 = 0 AND i > {self.bags // 2} THEN 1 ELSE i % 50 END"
        self.ask("INSERT INTO bags (bag, fingerprint, format, size_bytes, start_ns, end_ns, "
                 "messages, damage, note, added_ns, parts_ns) "
                 f"SELECT i + {first}, {self.hex('i * 2654435761 % 4294967296', 8)} || "
                 f"{self.hex('i', 56)}, 'mcap', i % 541 * 1000000, {start}, {start} + {length}, "
                 "i % 541 * 230 + 100, '', CASE WHEN i % 1000 = 3 THEN 'the wheel slips' ELSE '' "
                 f"END, {start}, 3000000000 FROM {self.count_to(self.bags, 'i')}")
        self.ask("INSERT INTO files (path, bag, size_bytes, modified_ns, start_ns) "
                 f"SELECT '/data/r' || ({robot}) || '/' || {self.day('start_ns')} || '/drive_' || "
                 f"{self.padded('i', 7)} || '.mcap', bag, size_bytes, end_ns, start_ns "
                 f"FROM (SELECT bag - {first} AS i, bag, start_ns, end_ns, size_bytes FROM bags "
                 f"WHERE bag > {first}) "
                 "AS numbered")
        numbered = (f"(SELECT bag - {first} AS i, bag, start_ns FROM bags WHERE bag > {first}) "
                    "AS numbered")
        for name, value in (("robot", f"'r' || ({robot})"), ("site", "'site' || (i % 7)"),
                            ("driver", "'driver ' || (i % 997)")):
            self.ask("INSERT INTO tags (bag, name, value, start_ns) "
                     f"SELECT bag, '{name}', {value}, start_ns FROM {numbered}")
        self.ask("INSERT INTO events (bag, start_ns, end_ns, name) SELECT bag, start_ns, start_ns, "
                 f"'hard brake' FROM {numbered} WHERE i % 20 = 1")
        least = int(self.ask("SELECT COALESCE(MAX(channel), 0) FROM channels")[0][0])
        kinds = ("CASE WHEN c <= 40 THEN '/camera/c' WHEN c <= 80 THEN '/lidar/l' "
                 "ELSE '/state/s' END")
        types = ("CASE WHEN c <= 40 THEN 'sensor_msgs/Image' WHEN c <= 80 THEN "
                 "'sensor_msgs/PointCloud2' ELSE 'std_msgs/Float64' END")
        self.ask("INSERT INTO channels (channel, topic, type, encoding, schema_hash, fields) "
                 f"SELECT c + {least}, CASE c WHEN {OLD} THEN '/sonar' WHEN {RARE} THEN '/rare' "
                 f"ELSE {kinds} || c END, {types}, 'ros1', '', 'data' "
                 f"FROM {self.count_to(RARE, 'c')}")
        channel = (f"CASE WHEN k = 1 AND i <= {self.bags * 2 // 3} THEN {OLD} "
                   f"WHEN k = 2 AND i % 20000 = 5 THEN {RARE} "
                   f"ELSE (i * 7 + k * 10) % {TOPICS - 1} + 1 END")
        self.ask("INSERT INTO bag_channels (bag, channel, start_ns, messages, density) "
                 f"SELECT bag, {channel} + {least}, start_ns, 230, density FROM {numbered} "
                 f"CROSS JOIN {self.count_to(TOPICS_EACH, 'k')} "
                 f"CROSS JOIN (SELECT {density} AS density) AS one")

        if not self.is_sqlite:
            for table, number in (("bags", "bag"), ("channels", "channel")):
                self.ask(f"SELECT setval(pg_get_serial_sequence('{table}', '{number}'), "
                         f"MAX({number})) FROM {table}")

    def indexes(self):
        """Of the tables that fill() fills, without those that are part of a table: the names, and
        the statements that make them."""
        if self.is_sqlite:
            return self.ask("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS "
                            "NOT NULL")
        return self.ask("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' "
                        "AND tablename IN ('bags', 'files', 'tags', 'events', 'bag_channels') AND "
                        "indexname NOT IN (SELECT conname FROM pg_constraint)")

    def fill_fast(self):
        """fill() without the indexes, which are made behind it, and without triggers. PostgreSQL
        must run with session_replication_role=replica."""
        indexes = self.indexes()
        triggers = []
        if self.is_sqlite:
            triggers = self.ask("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            for name, _ in triggers:
                self.ask(f"DROP TRIGGER {name}")
        for name, _ in indexes:
            self.ask(f"DROP INDEX {name}")
        self.fill()
        for _, statement in indexes + triggers:
            self.ask(statement)
        if self.is_sqlite:
            renewed = dict(triggers)["files_text_new"]
            insert = re.search("INSERT INTO bag_texts .* FROM bags(?= WHERE)", renewed).group()
            self.ask("DELETE FROM bag_texts")
            self.ask(insert)
