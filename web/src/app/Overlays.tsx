import { Notifications } from "@mantine/notifications";
import { Questions } from "@/ui/Questions";
import "@mantine/core/styles/Notification.css";
import "@mantine/notifications/styles.css";

/** What opens above a page: questions before something cannot be undone, and what became of what somebody did. */
export default function Overlays() {
  return (
    <>
      <Questions />
      <Notifications position="bottom-right" />
    </>
  );
}
