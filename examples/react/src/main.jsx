// An app with two projects. The inspector shows the selected one.
import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { memoryStore } from "tuckbox";
import { Inspector } from "./inspector.jsx";
import "./app.css";

const PROJECTS = ["ferry", "harbor"];

const store = memoryStore();
for (const project_id of PROJECTS) {
  store.project(project_id)
    .addCard({ card_id: "note", content: { __type__: "TextContent", text: `Notes about the ${project_id}.` }, metadata: { type: "note", role: "user" } })
    .addBox({ box_id: "notes", card_ids: ["note"] });
}

function App() {
  const [project, setProject] = useState(PROJECTS[0]);
  const [opened, setOpened] = useState("");
  return (
    <>
      <h1>My agents</h1>
      <label>
        Project
        <select value={project} onChange={(event) => setProject(event.target.value)}>
          {PROJECTS.map((name) => <option key={name}>{name}</option>)}
        </select>
      </label>
      <output>{opened}</output>
      <Inspector store={store} projectId={project} onOpened={setOpened} />
    </>
  );
}

createRoot(document.getElementById("root")).render(<StrictMode><App /></StrictMode>);
