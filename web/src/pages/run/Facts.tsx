import { Box, Text } from "@mantine/core";

/** Names with their values; empty values are left out. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: string])[] }) {
  const known = of.filter(([, value]) => value !== "");
  if (known.length === 0) return null;
  return (
    <Box component="dl" className="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" m={0} className="wrap-anywhere">
            {value}
          </Text>
        </div>
      ))}
    </Box>
  );
}
