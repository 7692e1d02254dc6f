import { load, save } from "./store";

export interface Item {
  name: string;
  count: number;
}

const limit = 20;
const options = {
  retries: 3,
  label: "stock",
};

export class Stock<T extends Item> {
  private items: T[] = [];

  constructor(private readonly path: string, start?: number) {
    this.fill(start ?? 0, path);
  }

  async fill(start: number, path: string): Promise<void> {
    const found = await load(path, options.retries);
    for (const item of found) {
      if (item.count > limit) {
        continue;
      }
      this.items.push(item as T);
    }
    save(path, {
      start: start,
      items: this.items.map((i) => i.name),
    });
  }
}
