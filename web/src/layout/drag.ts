// What is dragged onto the panels: a topic of the list, or a field of a message. While it is on its
// way, a browser tells its type only.

export const TOPIC_TYPE = "application/x-kitbag-topic";
export const FIELD_TYPE = "application/x-kitbag-field";

export interface Dragged {
  topic: string;
  field?: string;
}

export const isOurs = (data: DataTransfer | null | undefined) =>
  data?.types.includes(TOPIC_TYPE) || data?.types.includes(FIELD_TYPE) || false;

export function putTopic(data: DataTransfer, topic: string): void {
  data.effectAllowed = "copy";
  data.setData(TOPIC_TYPE, topic);
  data.setData("text/plain", topic);
}

/** Another page can drag something onto this one, too: undefined if it makes no sense. */
export function readDragged(data: Pick<DataTransfer, "getData">): Dragged | undefined {
  const text = data.getData(FIELD_TYPE);
  if (text) {
    try {
      const { topic, field } = JSON.parse(text) as Record<string, unknown>;
      return typeof topic === "string" && typeof field === "string" ? { topic, field } : undefined;
    } catch {
      return undefined;
    }
  }
  const topic = data.getData(TOPIC_TYPE);
  return topic ? { topic } : undefined;
}
