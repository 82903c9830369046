export const levels = ["DEBUG", "INFO", "WARN", "ERROR", "FATAL"] as const;
export type Level = (typeof levels)[number];

/** ROS 1 counts 1, 2, 4, 8, 16, ROS 2 counts 10 to 50. */
export function levelOf(level: number): Level {
  const number = level >= 10 && level % 10 === 0 ? level / 10 - 1 : Math.log2(Math.max(level, 1));
  return levels[Math.min(Math.floor(number), levels.length - 1)] ?? "DEBUG";
}
