/** Returns an amount of money. */
export function money(dollars: number): string {
  return `$${dollars >= 0.995 || dollars === 0 ? dollars.toFixed(2) : dollars.toPrecision(2)}`;
}
