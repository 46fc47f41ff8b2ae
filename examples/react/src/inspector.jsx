// A React component for `<tuckbox-inspector>`.
import { useEffect, useRef } from "react";
import "tuckbox/inspector";

/**
 * Shows a project of `store`. Commits in the inspector write to `store`. `onOpened` receives the project id when the
 * project is open.
 */
export function Inspector({ store, projectId, onOpened }) {
  const element = useRef(null);
  useEffect(() => {
    const inspector = element.current;
    const opened = () => onOpened?.(projectId);
    inspector.addEventListener("tuckbox-opened", opened);
    inspector.project = { store, projectId };
    return () => inspector.removeEventListener("tuckbox-opened", opened);
  }, [store, projectId, onOpened]);
  return <tuckbox-inspector ref={element} />;
}
