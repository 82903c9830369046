// The graphics card's side: a renderer, a camera, a floor, and objects that show points, drawings
// and pictures. Buffers are kept while what they hold fits; colours go to the screen as they are.

import {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, Color,
  ColorManagement, CylinderGeometry, DataTexture, DirectionalLight, GridHelper, Group,
  InstancedBufferAttribute, InstancedMesh, LatheGeometry, LinearFilter, LinearMipmapLinearFilter,
  LinearSRGBColorSpace, Mesh, MeshBasicMaterial, MeshLambertMaterial, NearestFilter,
  PerspectiveCamera, PlaneGeometry, Points, PointsMaterial, Raycaster, Scene, SphereGeometry,
  Sprite, SpriteMaterial, Vector2, WebGLRenderer,
} from "three";
import type { InterleavedBufferAttribute, Material, Object3D, Vector3 } from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";

import { cellOf, FIELD_OF_VIEW, positionOf, upOf, type Eye } from "./camera";
import type { Points as Cloud } from "./clouds";
import { colourText } from "./colours";
import type { Drawing, Ink, Shape } from "./drawing";
import type { Picture } from "./grids";

ColorManagement.enabled = false;

/** What a projection makes of a metre at a distance of one, in heights of half the screen. */
const PROJECTION = 1 / Math.tan((FIELD_OF_VIEW * Math.PI) / 360);
const MANY_POINTS = 100_000;
const CELLS = 100; // of the floor, from side to side
const BEHIND = -10; // is drawn first

export interface Look {
  background: string;
  line: string;
  text: string;
}

export class Stage {
  readonly scene = new Scene();
  private readonly renderer: WebGLRenderer;
  private readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.1, 1000);
  private floor: GridHelper | null = null;
  height = 1;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    context: WebGL2RenderingContext,
  ) {
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.outputColorSpace = LinearSRGBColorSpace;
    // To ask for errors is to wait until each program is made.
    this.renderer.debug.checkShaderErrors = false;
    const light = new DirectionalLight(0xffffff, 0.5 * Math.PI);
    light.position.set(0.3, 0.8, 1);
    this.camera.add(light);
    this.scene.add(this.camera, new AmbientLight(0xffffff, 0.6 * Math.PI));
  }

  setLook({ background, line }: Look): void {
    this.renderer.setClearColor(new Color(background));
    if (this.floor) {
      this.scene.remove(this.floor);
      this.floor.dispose();
    }
    this.floor = new GridHelper(CELLS, CELLS, line, line);
    this.floor.rotation.x = Math.PI / 2;
    this.floor.material.depthWrite = false;
    this.floor.renderOrder = BEHIND - 1;
    this.scene.add(this.floor);
  }


  resize(width: number, height: number): void {
    this.height = Math.max(1, height);
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(Math.max(1, width), this.height, false);
    this.camera.aspect = Math.max(1, width) / this.height;
  }

  /** Looks from another place. */
  look(eye: Eye): void {
    const [x, y, z] = eye.target;
    this.camera.position.set(...positionOf(eye));
    this.camera.up.set(...upOf(eye));
    this.camera.lookAt(x, y, z);
    this.camera.near = eye.distance / 100;
    this.camera.far = eye.distance * 100 + 100;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    const cell = cellOf(eye);
    this.floor?.scale.setScalar(cell);
    this.floor?.position.set(Math.round(x / cell) * cell, Math.round(y / cell) * cell, 0);
  }

  render(): void {
    this.renderer.render(this.scene, this.camera);
  }

  /** What is under a place of the canvas, the nearest first. */
  pick(x: number, y: number, eye: Eye): { object: Object3D; point: Vector3 }[] {
    const rays = new Raycaster();
    const size = (4 / this.height / PROJECTION) * 2 * eye.distance;
    rays.params.Points.threshold = size;
    Object.assign(rays.params, { Line2: { threshold: 6 } });
    const { clientWidth, clientHeight } = this.canvas;
    const at = new Vector2((x / clientWidth) * 2 - 1, 1 - (y / clientHeight) * 2);
    rays.setFromCamera(at, this.camera);
    const seen: Object3D[] = [];
    this.scene.traverseVisible((each) => {
      if (each !== this.floor) seen.push(each);
    });
    return rays.intersectObjects(seen, false);
  }

  /** Where a point stands on the canvas, in its pixels; null: behind the eye. */
  project(point: Vector3): { x: number; y: number } | null {
    const { x, y, z } = point.clone().project(this.camera);
    if (z > 1) return null;
    return {
      x: ((x + 1) / 2) * this.canvas.clientWidth,
      y: ((1 - y) / 2) * this.canvas.clientHeight,
    };
  }

  dispose(): void {
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}

/** Free what an object, and those in it, hold on the graphics card. */
export function dispose(object: Object3D): void {
  object.traverse((each) => {
    const { geometry, material } = each as Mesh;
    if (geometry && !(each instanceof Sprite) && !isShared(geometry)) geometry.dispose();
    if (each instanceof InstancedMesh) each.dispose();
    for (const one of material ? [material].flat() : []) {
      (one as MeshBasicMaterial).map?.dispose();
      one.dispose();
    }
  });
  object.removeFromParent();
}

/** Opacity of all that an object shows: what is stale is faint. */
export function fade(object: Object3D, part: number): void {
  object.traverse((each) => {
    for (const one of (each as Mesh).material ? [(each as Mesh).material].flat() : []) {
      const own = (one.userData.opacity as number | undefined) ?? 1;
      one.opacity = own * part;
      one.transparent = one.opacity < 1 || one.userData.isTransparent === true;
    }
  });
}

function withOpacity<M extends Material>(material: M, opacity: number, isTransparent = false): M {
  material.userData = { opacity, isTransparent };
  material.opacity = opacity;
  material.transparent = opacity < 1 || isTransparent;
  material.depthWrite = opacity === 1 && !isTransparent;
  return material;
}

/** Points of one size on the screen, or in metres. */
export class PointCloud {
  readonly object: Points<BufferGeometry, PointsMaterial>;
  private capacity = 0;

  constructor(private readonly metres = 0) {
    const material = new PointsMaterial({ vertexColors: true, sizeAttenuation: metres > 0 });
    this.object = new Points(new BufferGeometry(), withOpacity(material, 1));
    this.object.frustumCulled = false;
  }

  set({ count, positions, colours }: Cloud): void {
    const { material } = this.object;
    material.size = this.metres * PROJECTION || (count > MANY_POINTS ? 2 : 3);
    if (count > this.capacity || count < this.capacity / 4) {
      this.object.geometry.dispose();
      this.object.geometry = new BufferGeometry();
      this.capacity = count;
      const attribute = (size: number, array: Float32Array | Uint8Array, isPart = false) =>
        new BufferAttribute(array.slice(0, count * size), size, isPart);
      this.object.geometry.setAttribute("position", attribute(3, positions));
      this.object.geometry.setAttribute("color", attribute(3, colours, true));
    } else {
      put(this.object.geometry, "position", positions);
      put(this.object.geometry, "color", colours);
    }
    this.object.geometry.setDrawRange(0, count);
    this.object.geometry.boundingSphere = null;
  }
}

function put(geometry: BufferGeometry, name: string, values: ArrayLike<number>): void {
  const attribute = geometry.getAttribute(name) as BufferAttribute;
  attribute.array.set(values);
  attribute.clearUpdateRanges();
  attribute.addUpdateRange(0, values.length);
  attribute.needsUpdate = true;
}

/** Segments two pixels wide. */
export class Lines {
  readonly object: LineSegments2;
  private capacity = 0; // numbers

  constructor() {
    const material = new LineMaterial({ linewidth: 2, vertexColors: true });
    this.object = new LineSegments2(new LineSegmentsGeometry(), withOpacity(material, 1));
    this.object.frustumCulled = false;
  }

  set(positions: ArrayLike<number>, colours: ArrayLike<number>): void {
    const count = positions.length;
    this.object.visible = count > 0;
    if (!count) return;
    if (count > this.capacity) {
      this.object.geometry.dispose();
      this.object.geometry = new LineSegmentsGeometry();
      this.capacity = count;
      const unit = Float32Array.from(colours, (each) => each / 255);
      this.object.geometry.setPositions(Float32Array.from(positions)).setColors(unit);
    } else {
      this.write("instanceStart", positions, 1);
      this.write("instanceColorStart", colours, 1 / 255);
    }
    this.object.geometry.instanceCount = count / 6;
    this.object.geometry.boundingSphere = null;
    this.object.geometry.boundingBox = null;
  }

  private write(name: string, values: ArrayLike<number>, factor: number): void {
    const { data } = this.object.geometry.getAttribute(name) as InterleavedBufferAttribute;
    for (let i = 0; i < values.length; ++i) data.array[i] = values[i]! * factor;
    data.needsUpdate = true;
  }
}

const shapes = new Map<Shape, BufferGeometry>();

function profile(...points: [number, number][]): BufferGeometry {
  const turned = new LatheGeometry(points.map(([r, y]) => new Vector2(r, y)), 20);
  return turned.rotateZ(-Math.PI / 2);
}

function geometryOf(shape: Shape): BufferGeometry {
  let geometry = shapes.get(shape);
  if (!geometry) {
    if (shape === "cube") geometry = new BoxGeometry(1, 1, 1);
    else if (shape === "sphere") geometry = new SphereGeometry(0.5, 20, 14);
    else if (shape === "cylinder") {
      geometry = new CylinderGeometry(0.5, 0.5, 1, 28).rotateX(Math.PI / 2);
    } else if (shape === "arrow") {
      geometry = profile([0, 0], [0.2, 0], [0.2, 0.7], [0.5, 0.7], [0.499, 0.701], [0, 1]);
    } else geometry = profile([0, 0], [0.5, 1], [0, 1]);
    shapes.set(shape, geometry);
  }
  return geometry;
}

function isShared(geometry: BufferGeometry): boolean {
  return [...shapes.values()].includes(geometry);
}

/** Shows a drawing; set() shows another one in its place. */
export class DrawingObject {
  readonly object = new Group();
  private readonly lines = new Lines();
  private readonly solids = new Map<string, InstancedMesh>();
  private readonly others = new Group();

  constructor() {
    this.object.add(this.lines.object, this.others);
  }

  set(drawing: Drawing): void {
    this.lines.set(drawing.lines, drawing.lineColours);
    for (const [key, mesh] of this.solids) {
      if (!drawing.solids.has(key)) mesh.visible = false;
    }
    for (const [key, { shape, opacity, matrices, colours }] of drawing.solids) {
      const count = matrices.length / 16;
      let mesh = this.solids.get(key);
      if (!mesh || mesh.instanceMatrix.count < count) {
        if (mesh) dispose(mesh);
        const material = withOpacity(new MeshLambertMaterial(), opacity);
        mesh = new InstancedMesh(geometryOf(shape), material, count);
        mesh.instanceColor = new InstancedBufferAttribute(new Float32Array(count * 3), 3);
        mesh.frustumCulled = false;
        this.solids.set(key, mesh);
        this.object.add(mesh);
      }
      mesh.visible = true;
      mesh.count = count;
      mesh.instanceMatrix.array.set(matrices);
      mesh.instanceColor!.array.set(colours.map((each) => each / 255));
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor!.needsUpdate = true;
      mesh.boundingSphere = null;
    }
    for (const each of [...this.others.children]) dispose(each);
    if (drawing.points.length) {
      const cloud = new PointCloud(drawing.pointSize);
      cloud.set({
        count: drawing.points.length / 3,
        positions: Float32Array.from(drawing.points),
        colours: Uint8Array.from(drawing.pointColours),
      });
      this.others.add(cloud.object);
    }
    if (drawing.triangles.length) this.others.add(trianglesOf(drawing));
    for (const { text, at, height, ink } of drawing.texts) {
      const sprite = textSprite(text, ink, { metres: height });
      sprite.position.set(...at);
      this.others.add(sprite);
    }
  }
}

function trianglesOf(drawing: Drawing): Mesh {
  const geometry = new BufferGeometry();
  const positions = Float32Array.from(drawing.triangles);
  const colours = Float32Array.from(drawing.triangleColours, (each) => each / 255);
  geometry.setAttribute("position", new BufferAttribute(positions, 3));
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  const material = new MeshBasicMaterial({ vertexColors: true, side: 2 });
  const mesh = new Mesh(geometry, withOpacity(material, 1));
  mesh.frustumCulled = false;
  return mesh;
}

/** A picture on the floor, with its first pixel's corner at the origin. */
export function floorPicture({ width, height, pixels }: Picture, w: number, h: number): Mesh {
  const texture = new DataTexture(pixels as Uint8Array<ArrayBuffer>, width, height);
  texture.magFilter = NearestFilter;
  texture.minFilter = LinearMipmapLinearFilter;
  texture.generateMipmaps = true;
  texture.anisotropy = 4;
  texture.needsUpdate = true;
  const material = new MeshBasicMaterial({ map: texture, side: 2 });
  const mesh = new Mesh(
    new PlaneGeometry(w, h).translate(w / 2, h / 2, 0),
    withOpacity(material, 1, true),
  );
  mesh.renderOrder = BEHIND;
  mesh.userData.isFloor = true;
  return mesh;
}

const FONT = 32;

/** A text that faces the eye: as high as so many metres, or pixels of the screen. With a ground,
    it has an edge of that colour, so that it can be read on anything. */
export function textSprite(
  text: string,
  { colour, opacity }: Ink,
  size: { metres: number } | { pixels: number; screen: number },
  ground = "",
): Sprite {
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d")!;
  const font = `${FONT}px ${getComputedStyle(document.body).fontFamily}`;
  const lines = text.split("\n").slice(0, 8);
  context.font = font;
  const width = Math.max(...lines.map((each) => context.measureText(each).width));
  canvas.width = Math.min(2048, Math.ceil(width) + 8);
  canvas.height = Math.ceil(FONT * 1.25 * lines.length);
  context.font = font;
  context.textBaseline = "middle";
  context.textAlign = "center";
  context.fillStyle = colourText(colour);
  context.strokeStyle = ground;
  context.lineJoin = "round";
  context.lineWidth = FONT / 5;
  lines.forEach((each, i) => {
    const place = [canvas.width / 2, FONT * 1.25 * (i + 0.5)] as const;
    if (ground) context.strokeText(each, ...place);
    context.fillText(each, ...place);
  });
  const texture = new CanvasTexture(canvas);
  texture.minFilter = LinearFilter;
  texture.generateMipmaps = false;
  const inMetres = "metres" in size;
  const material = new SpriteMaterial({ map: texture, sizeAttenuation: inMetres });
  const sprite = new Sprite(withOpacity(material, opacity, true));
  const unit = inMetres ? size.metres : (2 * size.pixels) / size.screen / PROJECTION;
  sprite.scale.set((unit * canvas.width) / FONT, (unit * canvas.height) / FONT, 1);
  return sprite;
}
