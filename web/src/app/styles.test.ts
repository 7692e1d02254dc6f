import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const web = process.cwd();
const folder = join(web, "node_modules/@mantine/core/styles");

test("every component that is used has its styles", () => {
  const names = readdirSync(join(web, "src"), { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  const sources = names.map((name) => readFileSync(join(web, "src", name), "utf8"));
  const styles = sources.join("");
  const missing = new Set<string>();
  for (const source of sources) {
    for (const [, names] of source.matchAll(/import \{([^}]*)\} from "@mantine\/core"/g)) {
      for (const part of names!.split(",")) {
        const component = part.trim().replace(/^type .*/, "").split(" as ")[0]!.replace("NativeSelect", "Input").replace("TextInput", "Input").replace("Select", "Combobox");
        if (/^[A-Z]/.test(component) && existsSync(join(folder, `${component}.css`)) && !styles.includes(`styles/${component}.css`)) missing.add(component);
      }
    }
  }
  expect([...missing]).toEqual([]);
});
