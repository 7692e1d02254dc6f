import * as React from "react";

type Props = { title: string; items: string[]; onPick?: (item: string) => void };

const empty = "Nothing here";

export function List({ title, items, onPick }: Props) {
  const [open, setOpen] = React.useState<boolean>(true);
  const count = items.length;
  if (count === 0) {
    return <p className="empty">{empty}</p>;
  }
  return (
    <section>
      <h2 onClick={() => setOpen(!open)}>
        {title} ({count})
      </h2>
      {open && (
        <ul>
          {items.map((item) => (
            <li key={item} onClick={() => onPick?.(item)}>
              {item}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
