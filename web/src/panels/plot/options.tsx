import type { PanelProps } from "../panel";

export function PlotOptions({ place, set }: PanelProps) {
  const { settings } = place;
  const change = (name: string, value: string) => {
    const { [name]: _, ...others } = settings;
    set({ settings: value ? { ...others, [name]: value } : others });
  };
  const choice = (label: string, name: string, values: [value: string, text: string][]) => (
    <label>
      <span>{label}</span>
      <select
        data-option={name}
        value={settings[name] ?? ""}
        onChange={(event) => change(name, event.currentTarget.value)}
      >
        {values.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  const number = (label: string, name: string) => (
    <label>
      <span>{label}</span>
      <input
        type="number"
        step="any"
        data-option={name}
        placeholder="auto"
        value={settings[name] ?? ""}
        onChange={(event) => change(name, event.currentTarget.value)}
      />
    </label>
  );
  return (
    <div class="options plot-options">
      {choice("Across", "mode", [
        ["", "time"],
        ["xy", "the first field"],
      ])}
      {choice("Times", "time", [
        ["", "of the log"],
        ["stamp", "in headers"],
      ])}
      {choice("Values", "derivative", [
        ["", "as they are"],
        ["yes", "change by second"],
      ])}
      {choice("Drawn as", "style", [
        ["", "usual"],
        ["lines", "lines"],
        ["points", "points"],
        ["steps", "steps"],
      ])}
      {number("From", "min")}
      {number("To", "max")}
    </div>
  );
}
