// Lints a description with the recommended rules of Redocly, and fails on any
// problem: node redocly.cjs <folder with node_modules> <file>
const [folder, file] = process.argv.slice(2);
const { createConfig, lint } = require(require.resolve("@redocly/openapi-core", { paths: [folder] }));

async function main() {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lint({ ref: file, config });
  for (const p of problems) {
    console.log(`${p.severity} ${p.ruleId} ${p.location.map((l) => l.pointer).join(" ")}: ${p.message}`);
  }
  process.exitCode = problems.length === 0 ? 0 : 1;
}

main();
