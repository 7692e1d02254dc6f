import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { privateHost as texts } from "@/texts/common";
import { show } from "@/test/render";
import { PrivateHost, settingsFor } from "./PrivateHost";

test.each([
  ["http://gitea.lan:3000", ["ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS=gitea.lan:3000", "ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP=true"]],
  ["https://gitea.lan/", ["ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS=gitea.lan"]],
  ["https://[fd00::1]:3000", ["ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS=[fd00::1]:3000"]],
  ["gitea.lan", []],
  ["", []],
])("settings for %s", (address, lines) => expect(settingsFor(address)).toEqual(lines));

test("only an error about private addresses names settings", () => {
  const { unmount } = show(<PrivateHost error="must be an address with https" address="https://gitea.lan" />);
  expect(screen.queryByRole("note")).toBeNull();
  unmount();
  show(<PrivateHost error="the address is not a public one; an operator allows it by ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS" address="https://gitea.lan" />);
  expect(screen.getByText("ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS=gitea.lan")).toBeTruthy();
  expect(screen.getByText(texts.then)).toBeTruthy();
});
