import { text } from "@/texts";

/** Says that a list has changed while its rows stay in their places. */
export function Held({ held }: { held: boolean }) {
  return (
    <div role="status" className="held">
      {held && <div className="note">{text.common.held}</div>}
    </div>
  );
}
