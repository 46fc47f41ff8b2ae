// Preferences in `localStorage`. Without storage they last as long as the page.

export function loadChoice<T extends string>(name: string, known: readonly T[], otherwise: T): T {
  const found = loadPreference(name);
  return known.find((value) => value === found) ?? otherwise;
}

/** Returns the string saved under a name. */
export function loadPreference(name: string): string | null {
  try {
    return localStorage.getItem(`tuckbox.${name}`);
  } catch {
    return null;
  }
}

export function savePreference(name: string, value: string): void {
  try {
    localStorage.setItem(`tuckbox.${name}`, value);
  } catch {
    // storage is full or denied
  }
}
