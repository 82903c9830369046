#!/usr/bin/env python3
"""/openapi.json: what it describes is served, and docs/serving.md describes the same."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Server  # noqa: E402

SERVING = Path(__file__).resolve().parents[2] / "docs" / "serving.md"


class OpenApi(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        kitbag("convert", "demo://?seconds=1&seed=3", f"{folder.name}/a.bag")
        self.server = Server(folder.name, "--token", "t", "--record", "demo://", "--allow-sql")
        self.addCleanup(self.server.end)
        reply = self.ask("/openapi.json")
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, "application/json"))
        self.description = reply.json()

    def ask(self, target, method="GET"):
        return self.server.ask(target, method, authorization="Bearer t",
                               content_type="application/json")

    def operations(self):
        for path, methods in self.description["paths"].items():
            for method, operation in methods.items():
                yield path, method.upper(), operation

    def test_it_is_a_description(self):
        self.assertTrue(self.description["openapi"].startswith("3."))
        self.assertLessEqual({"title", "version"}, self.description["info"].keys())
        for path, method, operation in self.operations():
            with self.subTest(path=path, method=method):
                self.assertTrue(operation["summary"])
                self.assertIn("200", operation["responses"])
                in_path = [each["name"] for each in operation["parameters"]
                           if each["in"] == "path"]
                self.assertEqual(in_path, re.findall(r"\{(\w+)\}", path))

    def test_lists_are_told_from_what_is_given_once(self):
        player = self.description["paths"]["/bags/{bag}/player"]["get"]
        parameters = {each["name"]: each["schema"] for each in player["parameters"]}
        self.assertEqual(parameters["topics"], {"type": "array", "items": {"type": "string"}})
        self.assertEqual(parameters["limit"], {"type": "integer"})

    def test_every_path_is_served(self):
        for path, method, _ in self.operations():
            with self.subTest(path=path, method=method):
                target = path.replace("/view/{file}", "/view/a.bag.mcap")
                target = target.replace("{bag}", "a.bag").replace("{file}", "a.bag")
                target = re.sub(r"\{\w+\}", "a.bag", target)
                reply = self.ask(target, method)
                self.assertNotIn(reply.status, (404, 405, 500), reply.body)

    def test_another_method_is_refused_for_every_path(self):
        for path, methods in self.description["paths"].items():
            reply = self.ask(path.replace("{bag}", "a.bag").replace("{file}", "a.bag"), "PUT")
            self.assertEqual(reply.status, 405, path)
            allowed = {each.strip().lower() for each in reply.headers["Allow"].split(",")}
            self.assertEqual(allowed - {"head"}, set(methods), path)

    def test_the_page_of_the_documentation_has_every_path_and_parameter(self):
        text = SERVING.read_text()
        for path, _, operation in self.operations():
            if path != "/bags":  # a redirect
                self.assertIn(path.replace("{bag}", "NAME").replace("{file}", "NAME"), text)
            for each in operation["parameters"]:
                if each["in"] == "query":
                    self.assertRegex(text, rf"\b{each['name']}\b", path)


if __name__ == "__main__":
    peers.main()
