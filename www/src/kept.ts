// Small choices that outlive a visit. A browser that keeps nothing is no reason to fail.

export function kept<T extends string>(name: string, known: readonly T[], otherwise: T): T {
  try {
    const found = localStorage.getItem(`tuckbox.${name}`);
    return known.find((value) => value === found) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`tuckbox.${name}`, value);
  } catch {
    // storage is full or denied: the choice lasts as long as the page
  }
}
