import { Notifications } from "@mantine/notifications";
import { Questions } from "@/ui/Questions";
import "@mantine/core/styles/Notification.css";
import "@mantine/notifications/styles.css";

/** The layers above a page: questions before irreversible actions, and results of actions. */
export default function Overlays() {
  return (
    <>
      <Questions />
      <Notifications position="bottom-right" />
    </>
  );
}
