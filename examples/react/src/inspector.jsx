// `<tuckbox-inspector>` as a component.
import { useEffect, useRef } from "react";
import "tuckbox/inspector";

/** Shows a project of a store, whose commits go there; `onOpened` is told the project once it is open. */
export function Inspector({ store, projectId, onOpened }) {
  const element = useRef(null);
  useEffect(() => {
    const inspector = element.current;
    const told = () => onOpened?.(projectId);
    inspector.addEventListener("tuckbox-opened", told);
    inspector.project = { store, project_id: projectId };
    return () => inspector.removeEventListener("tuckbox-opened", told);
  }, [store, projectId, onOpened]);
  return <tuckbox-inspector ref={element} />;
}
