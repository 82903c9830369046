#!/usr/bin/env python3
"""The files of deploy/fleet, as systemd, nginx, bash and the program see them."""

import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS.parent / "deploy" / "fleet")]

import nginx  # noqa: E402
import units  # noqa: E402
from peers import main, need, program, run  # noqa: E402
from place import FILES, Place, end_processes, is_alive, wait_until  # noqa: E402

MOST_EXPOSED = 20  # of 100, as systemd-analyze counts
UNITS = "kitbag-server@.service", "kitbag-catalog-watch.service"
PACKAGED = TESTS.parent / "packaging/kitbag-server/kitbag-record@.service"


class Files(unittest.TestCase):
    def setUp(self):
        folder = Path(tempfile.mkdtemp(prefix="kitbag_fleet_"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.place = Place(folder / "fleet", program())

    def test_units(self):
        need(shutil.which("systemd-analyze"), "systemd is not installed")
        folder = self.place.folder("/units")
        for path in (*(FILES / "systemd" / name for name in UNITS), PACKAGED):
            # The program is not installed where it is tested.
            text = path.read_text().replace("/usr/bin/kitbag", program())
            unit = folder / path.name.replace("@", "@1")
            unit.write_text(text)
            if path == PACKAGED:
                shutil.copytree(FILES / "systemd/kitbag-record@.service.d", f"{unit}.d")
            run("systemd-analyze", "verify", "--man=no", unit)
            run("systemd-analyze", "security", "--offline=true", "--no-pager",
                f"--threshold={MOST_EXPOSED}", unit)

    def test_policies(self):
        for path in (FILES / "store").glob("*-policy.json"):
            for statement in json.loads(path.read_text())["Statement"]:
                self.assertEqual(statement["Effect"], "Allow")
                self.assertNotIn("*", str(statement["Action"]), path)
                self.assertNotIn("*", str(statement.get("Principal", "")), path)

    def test_nginx(self):
        need(nginx.find_nginx(), "nginx is not installed")
        config = self.place.write("/nginx.conf", "events {}\npid /dev/null;\nerror_log stderr;\n"
                                  f"http {{ access_log off; include {FILES}/nginx/*.conf; }}\n")
        run(nginx.find_nginx(), "-t", "-p", self.place.root, "-c", config)

    def test_scripts(self):
        for path in (FILES / "slurm").glob("*.sh"):
            run("bash", "-n", path)

    def test_a_unit_is_run_as_systemd_does(self):
        """Its command, environment and credentials, and again after a failure."""
        self.place.write(f"{units.UNITS}/try@.service", """[Service]
            Environment=WORDS=none CACHE=/var/cache
            EnvironmentFile=/etc/try-%i.conf
            EnvironmentFile=-/etc/none.conf
            LoadCredential=key:/etc/key
            ExecStart=/bin/sh -c 'cat %d/key >>$$0; echo "$$@" >>$$0; exit 3' /var/out $WORDS %i
            Restart=on-failure
            RestartSec=0.01s
            StateDirectory=try
            """.replace("$$", "$"))
        self.place.write(f"{units.UNITS}/try@.service.d/more.conf", "[Service]\nCacheDirectory=a\n")
        self.place.write("/etc/try-7.conf", '# A comment\nWORDS="one two"\n')
        self.place.write("/etc/key", "secret\n", 0o600)
        unit = units.Unit(self.place, "try@7")
        self.assertEqual(unit.command()[3:], [str(self.place.path("/var/out")), "one", "two", "7"])
        self.assertEqual(unit.environment()["CACHE"], str(self.place.path("/var/cache")))
        supervisor = units.start(self.place, "try@7")
        self.addCleanup(supervisor.wait)
        self.addCleanup(end_processes, [supervisor.pid])
        out = self.place.path("/var/out")
        wait_until(lambda: out.exists() and out.read_text().startswith(
            "secret\none two 7\n" * 2), "two starts")
        end_processes([supervisor.pid])
        self.assertTrue(self.place.path("/var/lib/try").is_dir())
        self.assertTrue(self.place.path("/var/cache/a").is_dir())
        self.assertEqual(os.stat(unit.credentials() / "key").st_mode & 0o777, 0o400)

    def test_what_ends_well_is_not_started_again(self):
        self.place.write(f"{units.UNITS}/once.service",
                         "[Service]\nExecStart=/bin/true\nRestart=on-failure\n")
        self.assertEqual(units.start(self.place, "once").wait(60), 0)

    def test_a_service_ends_with_its_supervisor(self):
        self.place.write(f"{units.UNITS}/long.service",
                         "[Service]\nExecStart=/bin/sleep 1000\nTimeoutStopSec=30s\n")
        supervisor = units.start(self.place, "long")
        self.addCleanup(end_processes, [supervisor.pid])
        file = self.place.path("/run/long.main.pid")
        service = wait_until(lambda: file.exists() and file.read_text().strip(), "a service")
        self.assertTrue(is_alive(int(service)))
        supervisor.terminate()
        self.assertEqual(supervisor.wait(60), 1)
        self.assertFalse(is_alive(int(service)))
        self.assertEqual(self.place.processes(), [])


if __name__ == "__main__":
    main()
