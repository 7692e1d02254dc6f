/** A number with its noun, in the singular or the plural. */
export const many = (n: number, one: string, more: string): string => `${n} ${n === 1 ? one : more}`;
