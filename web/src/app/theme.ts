import { createTheme, type MantineColorsTuple } from "@mantine/core";

// The colours of the pages that the service makes itself (style.css), so that
// signing in and the console are one thing to look at. 7 is its link by light, 4 by dark;
// what is filled is 7 in both, because its words are white.
const brand: MantineColorsTuple = ["#e6f5f4", "#c9e8e6", "#9fd6d2", "#74c4be", "#5fc9c1", "#2a9d96", "#13837d", "#0b6b67", "#085552", "#053f3d"];

export const theme = createTheme({
  primaryColor: "brand",
  primaryShade: 7,
  colors: { brand },
  autoContrast: true,
  fontFamily: "system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, monospace",
  defaultRadius: "sm",
  respectReducedMotion: true,
  cursorType: "pointer",
  headings: { fontFamily: "system-ui, sans-serif", fontWeight: "700", sizes: { h1: { fontSize: "1.5rem", lineHeight: "1.25" }, h2: { fontSize: "1.15rem", lineHeight: "1.3" }, h3: { fontSize: "1rem", lineHeight: "1.4" } } },
});
