// Where the pixels of a picture are in the panel: fitted into it, or as a person zoomed and moved
// it. Zoomed out as far as it goes, it is fitted.

export interface Size {
  width: number;
  height: number;
}

/** Where the picture begins in the panel, and how large a pixel of it is there. */
export interface Stage {
  left: number;
  top: number;
  scale: number;
}

/** Of a pixel, in those of the panel. */
const MOST_SCALE = 64;

export function fitted(picture: Size, panel: Size): Stage {
  const scale = Math.min(panel.width / picture.width, panel.height / picture.height);
  return kept({ left: 0, top: 0, scale }, picture, panel);
}

/** What is at a point of the panel stays there. */
export function zoomed(
  stage: Stage,
  factor: number,
  at: { x: number; y: number },
  picture: Size,
  panel: Size,
): Stage {
  const least = fitted(picture, panel).scale;
  const scale = Math.min(Math.max(stage.scale * factor, least), Math.max(least, MOST_SCALE));
  const left = at.x - ((at.x - stage.left) / stage.scale) * scale;
  const top = at.y - ((at.y - stage.top) / stage.scale) * scale;
  return kept({ left, top, scale }, picture, panel);
}

/** The panel is never emptier than it has to be. */
export function kept(stage: Stage, picture: Size, panel: Size): Stage {
  const side = (from: number, size: number, room: number) =>
    size <= room ? (room - size) / 2 : Math.min(0, Math.max(from, room - size));
  return {
    left: side(stage.left, picture.width * stage.scale, panel.width),
    top: side(stage.top, picture.height * stage.scale, panel.height),
    scale: stage.scale,
  };
}
