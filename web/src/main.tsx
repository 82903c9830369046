import { render } from "preact";

import { App } from "./app";
import "./look.css";
import "./page.css";

render(<App />, document.getElementById("page")!);
