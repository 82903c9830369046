import { expect, test } from "vitest";

import { stateFields, stateFieldsIn } from "./state_fields";

const battery = `float32 voltage
uint8 POWER_SUPPLY_STATUS_UNKNOWN = 0
uint8 POWER_SUPPLY_STATUS_CHARGING = 1
uint8 POWER_SUPPLY_HEALTH_UNKNOWN = 0
uint8 POWER_SUPPLY_HEALTH_GOOD = 1
uint8 power_supply_status
uint8 power_supply_health
bool present
string serial_number
float32[] cell_voltage
`;
const status = `GoalID goal_id
uint8 status
uint8 PENDING = 0
uint8 ACTIVE = 1
string text
================
MSG: actionlib_msgs/GoalID
time stamp
string id
`;

test("constants whose names begin as the field", () => {
  expect(stateFields("ros1msg", battery)).toEqual([
    {
      path: "power_supply_status",
      kind: "integer",
      constants: [
        { name: "UNKNOWN", value: 0 },
        { name: "CHARGING", value: 1 },
      ],
    },
    {
      path: "power_supply_health",
      kind: "integer",
      constants: [
        { name: "UNKNOWN", value: 0 },
        { name: "GOOD", value: 1 },
      ],
    },
    { path: "present", kind: "flag", constants: [] },
    { path: "serial_number", kind: "text", constants: [] },
  ]);
});

test("constants of the only field of their type, wherever they stand", () => {
  const fields = stateFields("ros1msg", status);
  expect(fields.map((each) => each.path)).toEqual(["goal_id.id", "status", "text"]);
  expect(fields[1]!.constants.map((each) => each.name)).toEqual(["PENDING", "ACTIVE"]);
});

test("constants in front of each of several fields", () => {
  const text = "byte A=0\nbyte B=1\nbyte first\nbyte C=0\nbyte D=1\nbyte second\nint32 third\n";
  const names = stateFields("ros2msg", text).map((each) =>
    each.constants.map((constant) => constant.name).join(),
  );
  expect(names).toEqual(["A,B", "C,D", ""]);
});

test("a part of the field's name", () => {
  const text = `uint8 COVARIANCE_TYPE_UNKNOWN = 0
uint8 COVARIANCE_TYPE_KNOWN = 3
uint8 position_covariance_type
uint8 other
`;
  expect(stateFields("ros2msg", text)[0]!.constants).toEqual([
    { name: "UNKNOWN", value: 0 },
    { name: "KNOWN", value: 3 },
  ]);
});

test("what cannot be read has none", () => {
  expect(stateFields("ros1msg", "§$%")).toEqual([]);
  expect(stateFields("protobuf", "")).toEqual([]);
});

test("states of a message itself", () => {
  const value = { a: true, b: { c: "x", d: 1.5, e: 2 }, f: [1], g: 3n, h: null };
  expect(stateFieldsIn(value).map((each) => `${each.path} ${each.kind}`)).toEqual([
    "a flag",
    "b.c text",
    "b.e integer",
    "g integer",
  ]);
});
