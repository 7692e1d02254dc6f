import hooks from "eslint-plugin-react-hooks";
import globals from "globals";
import tseslint from "typescript-eslint";

// What is said to people stands in src/texts alone.
const noLiteralText = {
  selector: "JSXText[value=/[A-Za-z]{2}/]",
  message: "Texts stand in src/texts.",
};

export default tseslint.config(
  { ignores: ["dist/", "node_modules/", "src/api/schema.d.ts"] },
  ...tseslint.configs.recommended,
  hooks.configs.flat["recommended-latest"],
  {
    files: ["src/**/*.{ts,tsx}"],
    languageOptions: { globals: globals.browser },
    rules: {
      "max-lines": ["error", 300],
      "no-console": "error",
      eqeqeq: "error",
      "no-restricted-syntax": ["error", noLiteralText],
      "no-restricted-globals": ["error", { name: "fetch", message: "Ask through src/api/client.ts." }],
      "react-hooks/incompatible-library": "off",
    },
  },
  { files: ["src/api/client.ts", "src/**/*.test.{ts,tsx}", "src/test/**"], rules: { "no-restricted-globals": "off", "no-restricted-syntax": "off" } },
  { files: ["scripts/**", "*.js", "*.ts"], languageOptions: { globals: globals.node } },
);
