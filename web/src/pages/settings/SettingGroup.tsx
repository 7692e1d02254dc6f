import { useId, type ReactNode } from "react";
import { Title } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";

interface Props {
  name: string;
  /** Text beside the name of a closed group, for example how many settings are set. */
  counts: string;
  open: boolean;
  toggle: () => void;
  children: ReactNode;
}

/** A group of settings below its heading, which opens and closes it. */
export function SettingGroup({ name, counts, open, toggle, children }: Props) {
  const id = useId();
  const Sign = open ? IconChevronDown : IconChevronRight;
  return (
    <section className="setting-group" aria-labelledby={`${id}-heading`}>
      <Title order={2} id={`${id}-heading`}>
        <button type="button" aria-expanded={open} aria-controls={id} onClick={toggle}>
          <Sign size={18} aria-hidden />
          <span>
            <span>{name}</span> <span className="counts">{counts}</span>
          </span>
        </button>
      </Title>
      <div id={id} hidden={!open}>
        {open && children}
      </div>
    </section>
  );
}
