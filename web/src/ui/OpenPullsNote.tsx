import { Text } from "@mantine/core";
import type { useOpenPulls } from "@/api/pulls";
import { repository as texts } from "@/texts/repository";
import { Trouble } from "./Trouble";

/** Says that the code host is being asked for open pull requests, that it failed, or how many are not listed. */
export function OpenPullsNote({ of }: { of: ReturnType<typeof useOpenPulls> }) {
  if (of.isFetching)
    return (
      <Text size="sm" role="status" c="dimmed">
        {texts.asksHost}
      </Text>
    );
  if (of.isError)
    return (
      <div>
        <Text size="sm">{texts.hostFailed}</Text>
        <Trouble error={of.error} again={() => void of.refetch()} />
      </div>
    );
  if (of.data && of.data.leftOut > 0) return <Text size="sm">{texts.leftOut(of.data.listed, of.data.open)}</Text>;
  return null;
}
