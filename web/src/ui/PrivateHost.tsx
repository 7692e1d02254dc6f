import { Stack, Text } from "@mantine/core";
import { privateHost as texts } from "@/texts/common";
import { Copyable } from "./Copyable";

/** The process settings that allow an address which was refused as private, one a line. [] if the address has no host. */
export function settingsFor(address: string): string[] {
  const url = URL.parse(address);
  if (!url?.host) return [];
  return [`ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS=${url.host}`, ...(url.protocol === "http:" ? ["ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP=true"] : [])];
}

/** Below a field whose address was refused as private: the lines for the operator. Nothing for another error. */
export function PrivateHost({ error, address }: { error: React.ReactNode; address: string }) {
  const lines = typeof error === "string" && error.includes("ASSAY_OUTBOUND_AIR_GAP_") ? settingsFor(address) : [];
  if (lines.length === 0) return null;
  return (
    <div className="note" role="note">
      <Stack gap="xs">
        <Text size="sm">{texts.says}</Text>
        {lines.map((line) => (
          <Copyable key={line} value={line} name={texts.setting} />
        ))}
        <Text size="sm">{texts.then}</Text>
      </Stack>
    </div>
  );
}
