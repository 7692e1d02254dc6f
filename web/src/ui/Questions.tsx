import { useEffect, type ReactNode } from "react";
import { ModalsProvider } from "@mantine/modals";
import { questionsAreShown } from "./confirm";

/** Shows the questions of confirm and ask above a page. */
export function Questions({ children }: { children?: ReactNode }) {
  useEffect(questionsAreShown, []); // the provider below listens by then
  return <ModalsProvider>{children}</ModalsProvider>;
}
