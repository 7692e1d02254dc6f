import { useEffect, useState, useSyncExternalStore } from "react";
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { askWho } from "@/api/client";
import { session } from "@/api/session";
import { text } from "@/texts";
import { channelName } from "./signedIn";

/**
 * Asks to sign in again if the session has ended, and then lets waiting requests continue. It checks
 * by itself when another window reports a sign-in, and when this window is shown again.
 */
export function SessionGuard() {
  const ended = useSyncExternalStore(session.subscribe, session.ended);
  const [state, setState] = useState<"asking" | "nobody" | "other">("asking");

  const look = async (asked: boolean) => {
    const me = await askWho().catch(() => undefined);
    if (!me) {
      if (asked) setState("nobody");
      return;
    }
    if (session.take(me) === "other") {
      setState("other");
      return;
    }
    setState("asking");
    session.renew();
  };

  useEffect(() => {
    if (!ended) return;
    const again = () => {
      if (document.visibilityState === "visible") void look(false);
    };
    const channel = new BroadcastChannel(channelName);
    channel.addEventListener("message", again);
    document.addEventListener("visibilitychange", again);
    window.addEventListener("focus", again);
    return () => {
      channel.close();
      document.removeEventListener("visibilitychange", again);
      window.removeEventListener("focus", again);
    };
  }, [ended]);

  const other = state === "other";
  return (
    <Modal opened={ended} onClose={() => undefined} withCloseButton={false} closeOnClickOutside={false} closeOnEscape={false} title={other ? text.ended.other : text.ended.title} zIndex={1000}>
      <Stack>
        <Text>{other ? text.ended.otherSays : text.ended.says}</Text>
        {state === "nobody" && (
          <Text role="status" c="var(--warn)">
            {text.ended.notYet}
          </Text>
        )}
        <Group>
          {other ? (
            <Button onClick={() => location.reload()}>{text.trouble.reload}</Button>
          ) : (
            <>
              <Button component="a" href="/" target="_blank" rel="noopener">
                {text.ended.signIn}
              </Button>
              <Button variant="default" onClick={() => void look(true)}>
                {text.ended.goOn}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
