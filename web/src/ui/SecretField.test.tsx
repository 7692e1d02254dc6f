import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "@/test/render";
import { SecretField } from "./SecretField";

test("a secret is hidden and not filled in automatically, and a stored one is mentioned without its value", () => {
  show(<SecretField label="API key" isSet setAt="2026-11-20T00:00:00Z" value="" onChange={() => undefined} />);
  const input = screen.getByLabelText<HTMLInputElement>("API key");
  expect(input.type).toBe("password");
  expect(input.autocomplete).toBe("new-password");
  expect(input.value).toBe("");
  expect(screen.getByText(/Leave this empty to keep it/)).toBeTruthy();
});
