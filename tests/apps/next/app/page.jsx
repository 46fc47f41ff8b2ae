"use client";

import { useEffect, useState } from "react";
import { open } from "tuckbox";
import { indexedDbStore } from "tuckbox/stores/indexeddb";
import { handOver } from "./lib/hand-over.js";

export default function Page() {
  const [text, setText] = useState("");
  useEffect(() => {
    const work = async () => {
      const store = indexedDbStore("notes");
      await store.addProfiles("demo", [{ name: "Writer", profile_box_id: "pb_writer" }]);
      setText(JSON.stringify(await handOver(open, store)));
    };
    work().catch((error) => setText(String(error)));
  }, []);
  return <output>{text}</output>;
}
