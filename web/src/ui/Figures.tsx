import { text } from "@/texts";
import { count, money, short } from "./format";

/** Money in micro-units. An unknown amount is shown as unknown, and never as 0. */
export function Money({ amount, currency }: { amount: number | null | undefined; currency: string }) {
  const shown = money(amount, currency);
  return <span>{shown ?? text.common.unknown}</span>;
}

/** Tokens of models in few characters; the whole number on hover. */
export function Tokens({ value }: { value: number }) {
  return (
    <span tabIndex={0} data-hint={text.common.tokens(count(value))}>
      {short(value)}
    </span>
  );
}
