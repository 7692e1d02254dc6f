import { Component, type ReactNode } from "react";

interface Props {
  /** The replacement after a crash; without it, nothing is shown. */
  instead?: ReactNode;
  children: ReactNode;
}

/** A part beside the pages. If it crashes or cannot be loaded, the pages still work. */
export class Aside extends Component<Props, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true };
  }

  override render(): ReactNode {
    return this.state.broken ? (this.props.instead ?? null) : this.props.children;
  }
}
