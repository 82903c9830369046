// The eye: it looks at a point from a distance, and moves around it. Angles in radians: azimuth is
// where it stands around the point (0: at +x), elevation how high (π/2: above).

import type { Triple } from "../../player/transforms";

export interface Eye {
  target: Triple;
  distance: number;
  azimuth: number;
  elevation: number;
}

export const FIELD_OF_VIEW = 45; // degrees, from top to bottom
const NEAREST = 0.05;
const FARTHEST = 20_000;
const HALF = Math.PI / 2;

export const FIRST: Readonly<Eye> = {
  target: [0, 0, 0],
  distance: 15,
  azimuth: -2.2,
  elevation: 0.9,
};

export function positionOf({ target, distance, azimuth, elevation }: Eye): Triple {
  const flat = distance * Math.cos(elevation);
  return [
    target[0] + flat * Math.cos(azimuth),
    target[1] + flat * Math.sin(azimuth),
    target[2] + distance * Math.sin(elevation),
  ];
}

/** Up on the screen. It is not z: seen from right above, z is a point. */
export function upOf({ azimuth, elevation }: Eye): Triple {
  const flat = -Math.sin(elevation);
  return [flat * Math.cos(azimuth), flat * Math.sin(azimuth), Math.cos(elevation)];
}

export function orbit(eye: Eye, left: number, up: number): Eye {
  const elevation = Math.min(HALF, Math.max(-HALF, eye.elevation + up));
  return { ...eye, azimuth: (eye.azimuth - left) % (2 * Math.PI), elevation };
}

/** Moves by parts of the height of the screen, so that what is under the pointer stays there. */
export function pan(eye: Eye, right: number, up: number): Eye {
  const size = 2 * eye.distance * Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
  const [ux, uy, uz] = upOf(eye);
  const [x, y, z] = eye.target;
  const rx = -Math.sin(eye.azimuth) * right;
  const ry = Math.cos(eye.azimuth) * right;
  return {
    ...eye,
    target: [x - (rx + ux * up) * size, y - (ry + uy * up) * size, z - uz * up * size],
  };
}

export function zoom(eye: Eye, factor: number): Eye {
  return { ...eye, distance: Math.min(FARTHEST, Math.max(NEAREST, eye.distance * factor)) };
}

/** So that a box is on the screen, from the same side. */
export function fit(eye: Eye, least: Triple, most: Triple): Eye {
  const size = Math.hypot(most[0] - least[0], most[1] - least[1], most[2] - least[2]);
  const middle = (i: 0 | 1 | 2) => (least[i] + most[i]) / 2;
  const distance = Math.max(2, (size / 2 / Math.tan((FIELD_OF_VIEW * Math.PI) / 360)) * 0.65);
  return zoom({ ...eye, target: [middle(0), middle(1), middle(2)], distance }, 1);
}

/** Goes with what it follows: by a way, and by a turn around the target. */
export function go(eye: Eye, by: Triple, turn: number): Eye {
  const [x, y, z] = eye.target;
  return {
    ...eye,
    target: [x + by[0], y + by[1], z + by[2]],
    azimuth: (eye.azimuth + turn) % (2 * Math.PI),
  };
}

/** "1,2,0,15,-2.2,0.9", for the URL. */
export function eyeText({ target, distance, azimuth, elevation }: Eye): string {
  return [...target, distance, azimuth, elevation]
    .map((each) => String(Number(each.toFixed(4))))
    .join(",");
}

export function eyeOf(text: string | undefined): Eye | null {
  const numbers = (text ?? "").split(",").map(Number);
  if (!text || numbers.length !== 6 || !numbers.every(Number.isFinite)) return null;
  const [x, y, z, distance, azimuth, elevation] = numbers as [
    number, number, number, number, number, number,
  ];
  const eye = { target: [x, y, z] as Triple, distance, azimuth, elevation };
  return orbit(zoom(eye, 1), 0, 0);
}

/** Metres between two lines of the floor: 1, 2, 5, 10 … or 0.5, as far as the eye is away. */
export function cellOf({ distance }: Eye): number {
  const wanted = Math.max(distance, 1e-3) / 15;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * ([5, 2].find((each) => wanted >= each * power) ?? 1);
}
