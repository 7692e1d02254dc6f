import { Notifications } from "@mantine/notifications";
import { Hints } from "@/ui/Hints";
import { Questions } from "@/ui/Questions";
import "@mantine/core/styles/Notification.css";
import "@mantine/core/styles/Tooltip.css";
import "@mantine/notifications/styles.css";

/** The layers above a page: questions before irreversible actions, hints, and results of actions. */
export default function Overlays() {
  return (
    <>
      <Questions />
      <Hints />
      <Notifications position="bottom-right" />
    </>
  );
}
