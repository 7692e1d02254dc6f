/** The models that have every word of a search in their id or name, in the order of the list. */
export function matching<T extends { id: string; displayName: string }>(items: readonly T[], search: string): T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return items.filter((m) => words.every((w) => `${m.id} ${m.displayName}`.toLowerCase().includes(w)));
}
