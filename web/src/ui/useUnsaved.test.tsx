import { useState } from "react";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { modals } from "@mantine/modals";
import { afterEach, expect, test } from "vitest";
import { showPage } from "@/test/page";
import { text } from "@/texts";
import { PageLink } from "./links";
import { useUnsaved } from "./useUnsaved";

afterEach(() => modals.closeAll());

function Form() {
  const [entered, enter] = useState("");
  useUnsaved(() => entered !== "", "edit");
  return (
    <>
      <input aria-label="Words" value={entered} onChange={(e) => enter(e.currentTarget.value)} />
      <PageLink to="/t/$tenantId/inbox" params={{ tenantId: "ten_1" }}>
        Away
      </PageLink>
      <PageLink to="/t/$tenantId/rules" params={{ tenantId: "ten_1" }} search={{ edit: "other" }}>
        Another rule
      </PageLink>
    </>
  );
}

const open = async () => {
  const { router } = showPage(() => <Form />, "/rules", "/t/ten_1/rules?edit=new");
  await screen.findByLabelText("Words");
  return router;
};

test("a page without entries is left at once", async () => {
  const router = await open();
  fireEvent.click(screen.getByText("Away"));
  await waitFor(() => expect(router.state.location.pathname).toBe("/t/ten_1/inbox"));
});

test.each([
  ["Away", "/t/ten_1/inbox"],
  ["Another rule", "/t/ten_1/rules?edit=other"],
])("what is entered asks before %s", async (link, to) => {
  const router = await open();
  fireEvent.change(screen.getByLabelText("Words"), { target: { value: "x" } });
  fireEvent.click(screen.getByText(link));
  fireEvent.click(await screen.findByText(text.unsaved.stay));
  await waitFor(() => expect(screen.queryByText(text.unsaved.says)).toBeNull());
  expect(router.state.location.href).toBe("/t/ten_1/rules?edit=new");
  fireEvent.click(screen.getByText(link));
  fireEvent.click(await screen.findByText(text.unsaved.leave));
  await waitFor(() => expect(router.state.location.href).toBe(to));
});
