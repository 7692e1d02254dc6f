/** The mark of assay: a touchstone with the streak that gold leaves on it. The icon of index.html is the same. */
export function Mark() {
  return (
    <svg viewBox="0 0 16 16" width={22} height={22} aria-hidden className="assay-mark">
      <rect x="0.5" y="0.5" width="15" height="15" rx="3.5" className="assay-stone" />
      <path d="M4 11.8 11.8 4" className="assay-streak" />
      <path d="M8.6 12 12 8.6" className="assay-streak assay-thin" />
    </svg>
  );
}
