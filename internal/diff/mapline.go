package diff

import "github.com/assay-dev/assay/internal/domain"

// MapLine maps a line of the old version to the new one. If the line was removed, it returns false and the
// nearest line of the new version (at least 1).
func (f *File) MapLine(old int) (int, bool) {
	shift := 0
	for _, h := range f.Hunks {
		if old < firstOld(h) {
			break
		}
		near := h.NewStart
		for _, l := range h.Lines {
			if l.New > 0 {
				near = l.New
			}
			if l.Old == old && l.Old > 0 {
				if l.Op == Context {
					return l.New, true
				}
				return max(near, 1), false
			}
		}
		shift += h.NewLines - h.OldLines
	}
	if f.Status == Deleted {
		return 1, false
	}
	return max(old+shift, 1), true
}

// wholeReplacement is the number of lines up to which [File.Replacement] returns a replacement whole.
const wholeReplacement = 20

// Replacement returns the lines of the new version that stand between the unchanged neighbours of old lines first to
// last, the neighbours included. If these are many lines, it returns about as many as were replaced, at the corresponding
// place. It returns false if no hunk has the lines, or if the file is deleted.
func (f *File) Replacement(first, last int) (from, to int, ok bool) {
	if f.Status == Deleted || first < 1 || last < first {
		return 0, 0, false
	}
	for _, h := range f.Hunks {
		lo, hi, has := h.Range(domain.Left)
		if !has || hi < first || lo > last {
			continue
		}
		from, to = max(h.NewStart, 1), max(h.NewStart+h.NewLines-1, 1)
		for _, l := range h.Lines {
			if l.Op == Context && l.Old < first {
				lo, from = l.Old, l.New
			}
			if l.Op == Context && l.Old > last {
				hi, to = l.Old, l.New
				break
			}
		}
		if to-from >= wholeReplacement {
			at, around := from+(first-lo)*(to-from)/max(hi-lo, 1), min(last, hi)-first+wholeReplacement/4
			from, to = max(from, at-wholeReplacement/4), min(to, at+around)
		}
		return from, to, true
	}
	return 0, 0, false
}

// Hole returns the unchanged lines of the new version directly before and after the place of removed lines first to last,
// 0 for none. It returns false if another line stands there now, if one of the lines was not removed, or if the diff
// does not show a neighbour.
func (f *File) Hole(first, last int) (before, after int, ok bool) {
	if f.Status == Deleted || first < 1 || last < first {
		return 0, 0, false
	}
	for _, h := range f.Hunks {
		left, filled := last-first+1, false
		for _, l := range h.Lines {
			switch {
			case l.Op == Add:
				filled = filled || after == 0
			case l.Op == Delete:
				if l.Old >= first && l.Old <= last {
					left--
				}
			case l.Old < first:
				before, filled = l.New, false
			case l.Old > last && after == 0:
				after = l.New
			}
		}
		if left == 0 {
			return before, after, !filled && (before > 0 || after > 0)
		}
		before, after = 0, 0
	}
	return 0, 0, false
}

// firstOld returns the first old line that a hunk changes. A hunk without old lines has the line before its
// insertion in its header.
func firstOld(h *Hunk) int {
	if h.OldLines == 0 {
		return h.OldStart + 1
	}
	return h.OldStart
}

// MapLine maps a line of a file across the whole set, and returns its path and line in the new version. A
// file that the set does not contain is unchanged. If the line or the file was removed, it returns false
// and the nearest line.
func (s *Set) MapLine(path string, old int) (newPath string, line int, ok bool) {
	if f := s.index().base[path]; f != nil && path != "" {
		line, ok = f.MapLine(old)
		return f.Path, line, ok
	}
	return path, old, true
}
