import hooks from "eslint-plugin-react-hooks";
import globals from "globals";
import tseslint from "typescript-eslint";

// What is said to people stands in src/texts alone.
const noLiteralText = {
  selector: "JSXText[value=/[A-Za-z]{2}/]",
  message: "Texts stand in src/texts.",
};

// The router hands pages the address as it is, with what its route does not know.
const noRawAddress = {
  selector: "CallExpression[callee.property.name='useSearch']",
  message: "Read the address by useFilters of src/ui.",
};

// Tables scroll in one way, which shows that they do.
const noOtherScroll = {
  selector: "JSXMemberExpression[property.name='ScrollContainer']",
  message: "Tables stand in Scroll of src/ui.",
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
      "no-restricted-syntax": ["error", noLiteralText, noRawAddress, noOtherScroll],
      "no-restricted-imports": ["error", { paths: [{ name: "@tanstack/react-router", importNames: ["useSearch"], message: noRawAddress.message }] }],
      "no-restricted-globals": ["error", { name: "fetch", message: "Ask through src/api/client.ts." }],
      "react-hooks/incompatible-library": "off",
    },
  },
  { files: ["src/api/client.ts", "src/api/connection.ts", "src/**/*.test.{ts,tsx}", "src/test/**"], rules: { "no-restricted-globals": "off", "no-restricted-syntax": "off" } },
  { files: ["src/ui/useFilters.ts"], rules: { "no-restricted-imports": "off" } },
  { files: ["src/ui/Scroll.tsx"], rules: { "no-restricted-syntax": ["error", noLiteralText, noRawAddress] } },
  { files: ["scripts/**", "*.js", "*.ts"], languageOptions: { globals: globals.node } },
);
