import { useState } from "react";
import { useDebouncedCallback } from "@mantine/hooks";

const pause = 300; // milliseconds after the last key

/**
 * The words that a person types into a filter of the page. send puts them into the address after a
 * pause. Where the address changes otherwise, by a link or by going back, its words replace them.
 */
export function useTyped(asked: string, send: (words: string) => void): [string, (words: string) => void] {
  const [typed, setTyped] = useState(asked);
  const [known, setKnown] = useState({ asked, sent: asked });
  if (known.asked !== asked) {
    setKnown({ asked, sent: asked });
    if (known.sent !== asked) setTyped(asked);
  }
  const sendLater = useDebouncedCallback((words: string) => {
    setKnown((now) => ({ ...now, sent: words }));
    send(words);
  }, pause);
  return [
    typed,
    (words) => {
      setTyped(words);
      sendLater(words.trim());
    },
  ];
}
