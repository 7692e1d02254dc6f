import type { ReactNode } from "react";
import { Box, Text } from "@mantine/core";
import "./facts.css";

/** Names with their values; empty values are left out. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  const known = of.filter(([, value]) => value !== "" && value !== undefined && value !== null && value !== false);
  if (known.length === 0) return null;
  return (
    <Box component="dl" className="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Box component="dd" m={0} className="wrap-anywhere">
            {value}
          </Box>
        </div>
      ))}
    </Box>
  );
}
