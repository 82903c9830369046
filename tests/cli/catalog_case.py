"""What the tests of catalogs share: `self.address` is one in SQLite, or in PostgreSQL."""

import json
import sqlite3

from cli import START_NS, BagFile, u32
from peers import need
from postgres import Postgres, is_installed

STEP_NS = 10**8
HOUR_NS = 3600 * 10**9


class Catalogs:
    """Bags of numbers, and what a catalog says."""

    def numbers(self, name, values, start_ns=START_NS, topic="/number", type_="std_msgs/Int32",
                definition="int32 data\n"):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        bag = BagFile(str(path))
        number = bag.connection(topic, type_, definition=definition)
        for i in range(0, len(values), 100):
            bag.add_chunk([(number, start_ns + (i + j) * STEP_NS, u32(value))
                           for j, value in enumerate(values[i:i + 100])])
        bag.close()

    def catalog(self, action, *arguments, **more):
        return self.kitbag("catalog", action, self.address, *arguments, **more)

    def listed(self, *arguments):
        return [json.loads(line)
                for line in self.catalog("list", "--json", *arguments).splitlines()]

    def found(self, *arguments, code=0):
        """What find gives, by file, and what it says of its way there."""
        done = self.run_program("find", "--catalog", self.address, "--json", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


class InSqlite:
    def setUp(self):
        super().setUp()
        self.address = self.path("fleet.db")

    def run_sql(self, script):
        """The rows of the last statement."""
        database = sqlite3.connect(self.address)
        *statements, last = [each for each in script.split(";\n") if each.strip()]
        with database:
            for statement in statements:
                database.execute(statement)
            rows = database.execute(last).fetchall()
        database.close()
        return rows


class InPostgres:
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        need(is_installed(), "PostgreSQL is not installed")
        cls.server = Postgres()
        cls.addClassCleanup(cls.server.end)

    def setUp(self):
        super().setUp()
        self.database = self.id().rpartition(".")[2][:60]
        self.server.make_database(self.database)
        self.address = self.server.url(self.database)

    def run_sql(self, script):
        return [tuple(int(field) if field.isdigit() else field for field in line.split("|"))
                for line in self.server.ask(script, self.database)]
