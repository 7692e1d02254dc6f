import { useEffect } from "react";
import { Text } from "@mantine/core";
import { connection } from "@/api/connection";
import { useLost } from "@/api/useLost";
import { text } from "@/texts";

/** The one note of the console while the service does not answer. It goes by itself. */
export function ConnectionNote() {
  const lost = useLost();
  useEffect(() => connection.watch(), []);
  return (
    <div role="status">
      {lost && (
        <div className="note bad connection-lost">
          <Text fw={650}>{text.trouble.lost}</Text>
          <Text size="sm">{text.trouble.lostSays}</Text>
        </div>
      )}
    </div>
  );
}
