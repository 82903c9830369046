// Positions on the earth as metres on a plane. A robot's day is small: around its first position,
// a degree of latitude and one of longitude have fixed lengths, which are those of WGS 84 there.
// 10 km from it, that is wrong by some metres.

/** Degrees. */
export interface Position {
  latitude: number;
  longitude: number;
}

/** Metres to the east and to the north of the origin. */
export interface Point {
  x: number;
  y: number;
}

export interface Fix {
  /** null: the message has none that makes sense. */
  position: Position | null;
  /** False: the receiver says that it has no fix; then its position means nothing. */
  hasFix: boolean;
  /** Standard deviation in metres, to the east or to the north, the larger; null: not known. */
  deviation: number | null;
  altitude: number | null;
}

/** sensor_msgs/NavSatFix, gps_common/GPSFix and foxglove.LocationFix have the same names. */
export function fixOf(value: unknown): Fix {
  const fields = (typeof value === "object" && value !== null ? value : {}) as Fields;
  const status = fields.status;
  const level = typeof status === "object" && status !== null ? (status as Fields).status : 0;
  const position = positionOf(fields.latitude, fields.longitude);
  const altitude = typeof fields.altitude === "number" ? fields.altitude : NaN;
  return {
    position,
    hasFix: position !== null && !(Number(level) < 0),
    deviation: deviationOf(fields.position_covariance, fields.position_covariance_type),
    altitude: Number.isFinite(altitude) ? altitude : null,
  };
}

type Fields = Record<string, unknown>;

export function positionOf(latitude: unknown, longitude: unknown): Position | null {
  if (typeof latitude !== "number" || typeof longitude !== "number") return null;
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 360)) return null; // NaN, too
  return { latitude, longitude };
}

function deviationOf(covariance: unknown, type: unknown): number | null {
  const UNKNOWN = 0;
  if (type === UNKNOWN || typeof covariance !== "object" || covariance === null) return null;
  const values = covariance as ArrayLike<unknown>;
  const variance = Math.max(Number(values[0]), Number(values[4]));
  return variance > 0 && variance < Infinity ? Math.sqrt(variance) : null;
}

const EQUATOR = 6_378_137;
const ECCENTRICITY = 0.00669437999014; // squared

export class Plane {
  private readonly east: number; // metres in a degree
  private readonly north: number;

  constructor(readonly origin: Position) {
    const latitude = (origin.latitude * Math.PI) / 180;
    const part = 1 - ECCENTRICITY * Math.sin(latitude) ** 2;
    this.north = ((Math.PI / 180) * EQUATOR * (1 - ECCENTRICITY)) / part ** 1.5;
    // At a pole all longitudes are one place; there the map is of no use, but it is finite.
    const cos = Math.max(Math.cos(latitude), 1e-6);
    this.east = ((Math.PI / 180) * EQUATOR * cos) / Math.sqrt(part);
  }

  pointOf({ latitude, longitude }: Position): Point {
    // Around the other side it may be shorter: 179° and -179° are 2° apart.
    const east = ((((longitude - this.origin.longitude + 180) % 360) + 360) % 360) - 180;
    return { x: east * this.east, y: (latitude - this.origin.latitude) * this.north };
  }

  positionOf({ x, y }: Point): Position {
    const longitude = this.origin.longitude + x / this.east;
    return {
      latitude: this.origin.latitude + y / this.north,
      longitude: ((((longitude + 180) % 360) + 360) % 360) - 180,
    };
  }
}

/** Least and greatest of points; null: there are none. */
export interface Box {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

export function boxOf(points: Point[]): Box | null {
  if (!points.length) return null;
  const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  for (const { x, y } of points) {
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.bottom = Math.min(box.bottom, y);
    box.top = Math.max(box.top, y);
  }
  return box;
}

/** What is in the middle of the panel, and how many pixels a metre has. */
export interface View {
  x: number;
  y: number;
  scale: number;
}

const LEAST_METRES = 10;
const MARGIN = 0.15;

/** All of a box, and at least ten metres. */
export function fitted(box: Box, width: number, height: number): View {
  const room = 1 - 2 * MARGIN;
  const across = Math.max(box.right - box.left, LEAST_METRES);
  const up = Math.max(box.top - box.bottom, LEAST_METRES);
  return {
    x: (box.left + box.right) / 2,
    y: (box.bottom + box.top) / 2,
    scale: Math.min((width * room) / across, (height * room) / up),
  };
}

/** The least of 1, 2, 5, 10 … metres that has so many pixels. */
export function gridStep(scale: number, pixels: number): number {
  const least = pixels / scale;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((each) => each * power >= least * (1 - 1e-9)) ?? 10);
}

export function metresText(metres: number): string {
  if (metres >= 1000) return `${Number((metres / 1000).toPrecision(3))} km`;
  if (metres >= 1) return `${Number(metres.toPrecision(3))} m`;
  return `${Number((metres * 100).toPrecision(3))} cm`;
}

/** With seven decimals, which are about a centimetre. */
export function positionText({ latitude, longitude }: Position): string {
  return `${latitude.toFixed(7)}°, ${longitude.toFixed(7)}°`;
}
