// Makes src/api/schema.d.ts, the types of the interface, from api/openapi.json.
//
//   node scripts/types.js            writes the file
//   node scripts/types.js --check    fails where the file is not what would be written
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const from = new URL("../../api/openapi.json", import.meta.url);
const to = new URL("../src/api/schema.d.ts", import.meta.url);

const made =
  "// Made by npm run generate from api/openapi.json. Do not edit.\n" +
  astToString(await openapiTS(JSON.parse(await readFile(from, "utf8"))));

if (process.argv.includes("--check")) {
  const is = await readFile(to, "utf8").catch(() => "");
  if (is !== made) {
    console.error("web/src/api/schema.d.ts is not what api/openapi.json says; run: npm --prefix web run generate");
    process.exit(1);
  }
} else {
  await writeFile(to, made);
}
