// A store that counts its round trips and the size of its commits.

/** Sets all counts to 0. */
export function clear(counts) {
  for (const name of Object.keys(counts)) counts[name] = 0;
}

export function counted(store) {
  const counts = { reads: 0, commits: 0, conflicts: 0, rows: 0, cards: 0, boxes: 0 };
  return {
    counts,
    read(...args) {
      counts.reads += 1;
      return store.read(...args);
    },
    async commit(...args) {
      counts.commits += 1;
      for (const kind of ["rows", "cards", "boxes"]) counts[kind] += args[0][kind]?.length ?? 0;
      try {
        return await store.commit(...args);
      } catch (error) {
        if (error?.code === "conflict") counts.conflicts += 1;
        throw error;
      }
    },
  };
}
