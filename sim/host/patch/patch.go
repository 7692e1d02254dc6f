// Package patch parses git's unified diffs into files, hunks and numbered lines, and reports whether a line
// range is part of a diff. It has no repositories, pull requests or HTTP.
package patch

import (
	"fmt"
	"strconv"
	"strings"
)

// Side names a side of a diff, with the words of the GitHub REST description.
const (
	Left  = "LEFT"
	Right = "RIGHT"
)

// Line is one line of a hunk.
type Line struct {
	// Kind is ' ' (context), '+' (added) or '-' (removed).
	Kind byte
	// Old and New are 1-based line numbers; 0 if the line does not exist on that side.
	Old, New int
	// Text is the line without its marker and line feed.
	Text string
	// NoEOL means that "\ No newline at end of file" follows the line.
	NoEOL bool
	// Position counts lines below the first hunk header of the file (GitHub's old "position").
	Position int
}

// Hunk is one hunk of a file.
type Hunk struct {
	// Header is the whole line that begins with "@@".
	Header string
	// OldStart and NewStart are the 1-based first lines named in the header.
	OldStart, NewStart int
	// Position is the diff position of the header line itself.
	Position int
	Lines    []Line
}

// Parse returns the hunks of one file's patch. It skips lines before the first "@@", so it takes both a bare
// patch (like GitHub's "patch" field) and a whole file section of a diff.
func Parse(text string) ([]Hunk, error) {
	hunks, whole, err := parse(text)
	if err == nil && !whole {
		err = fmt.Errorf("the last hunk ends too early")
	}
	return hunks, err
}

// ParseExcerpt parses the output of [Excerpt]: one hunk that may end early.
func ParseExcerpt(text string) (Hunk, error) {
	hunks, _, err := parse(text)
	if err == nil && len(hunks) != 1 {
		err = fmt.Errorf("an excerpt is of one hunk")
	}
	if err != nil {
		return Hunk{}, err
	}
	return hunks[0], nil
}

// parse parses hunks; whole is false if the last one has fewer lines than its header says.
func parse(text string) (hunks []Hunk, whole bool, err error) {
	var oldLine, newLine, oldLeft, newLeft int
	position := -1
	for n, raw := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		inside := oldLeft > 0 || newLeft > 0
		switch {
		case !inside && strings.HasPrefix(raw, "@@"):
			h, oldCount, newCount, err := parseHeader(raw)
			if err != nil {
				return nil, false, fmt.Errorf("line %d: %w", n+1, err)
			}
			position++
			h.Position = position
			oldLine, newLine, oldLeft, newLeft = h.OldStart, h.NewStart, oldCount, newCount
			hunks = append(hunks, h)
		case len(hunks) == 0:
			continue // file header
		case strings.HasPrefix(raw, `\`):
			position++
			h := &hunks[len(hunks)-1]
			if len(h.Lines) > 0 {
				h.Lines[len(h.Lines)-1].NoEOL = true
			}
		case !inside:
			return nil, false, fmt.Errorf("line %d: text after the end of a hunk", n+1)
		default:
			position++
			line, err := readLine(raw, &oldLine, &newLine, &oldLeft, &newLeft)
			if err != nil {
				return nil, false, fmt.Errorf("line %d: %w", n+1, err)
			}
			line.Position = position
			h := &hunks[len(hunks)-1]
			h.Lines = append(h.Lines, line)
		}
	}
	return hunks, oldLeft <= 0 && newLeft <= 0, nil
}

func readLine(raw string, oldLine, newLine, oldLeft, newLeft *int) (Line, error) {
	kind, text := byte(' '), ""
	if raw != "" {
		kind, text = raw[0], raw[1:]
	}
	line := Line{Kind: kind, Text: text}
	switch kind {
	case ' ':
		line.Old, line.New = *oldLine, *newLine
		*oldLine, *newLine = *oldLine+1, *newLine+1
		*oldLeft, *newLeft = *oldLeft-1, *newLeft-1
	case '-':
		line.Old = *oldLine
		*oldLine, *oldLeft = *oldLine+1, *oldLeft-1
	case '+':
		line.New = *newLine
		*newLine, *newLeft = *newLine+1, *newLeft-1
	default:
		return line, fmt.Errorf("a line of a hunk starts with none of space, plus, minus and backslash")
	}
	if *oldLeft < 0 || *newLeft < 0 {
		return line, fmt.Errorf("a hunk has more lines than its header says")
	}
	return line, nil
}

func parseHeader(raw string) (h Hunk, oldCount, newCount int, err error) {
	rest, ok := strings.CutPrefix(raw, "@@ -")
	ranges, _, ok2 := strings.Cut(rest, " @@")
	oldRange, newRange, ok3 := strings.Cut(ranges, " +")
	if !ok || !ok2 || !ok3 {
		return h, 0, 0, fmt.Errorf("malformed hunk header")
	}
	h.Header = raw
	if h.OldStart, oldCount, err = parseRange(oldRange); err != nil {
		return h, 0, 0, err
	}
	if h.NewStart, newCount, err = parseRange(newRange); err != nil {
		return h, 0, 0, err
	}
	return h, oldCount, newCount, nil
}

func parseRange(s string) (start, count int, err error) {
	first, second, has := strings.Cut(s, ",")
	count = 1
	if start, err = strconv.Atoi(first); err == nil && has {
		count, err = strconv.Atoi(second)
	}
	if err != nil || start < 0 || count < 0 || start > 1<<40 || count > 1<<40 {
		return 0, 0, fmt.Errorf("malformed range in a hunk header")
	}
	return start, count, nil
}

// Find returns the hunk and the line index of a 1-based line of a side; ok is false if the diff does not show
// that line.
func Find(hunks []Hunk, side string, line int) (hunk, index int, ok bool) {
	if line < 1 {
		return 0, 0, false
	}
	for i, h := range hunks {
		for j, l := range h.Lines {
			if (side == Left && l.Old == line && l.Kind != '+') || (side == Right && l.New == line && l.Kind != '-') {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// ByPosition returns the hunk and line index with the given diff position.
func ByPosition(hunks []Hunk, position int) (hunk, index int, ok bool) {
	for i, h := range hunks {
		for j, l := range h.Lines {
			if l.Position == position {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// Excerpt returns the text of the hunk from its header to the line with the given index, like GitHub's
// "diff_hunk".
func Excerpt(h Hunk, index int) string {
	var b strings.Builder
	b.WriteString(h.Header)
	for _, l := range h.Lines[:index+1] {
		b.WriteByte('\n')
		b.WriteByte(l.Kind)
		b.WriteString(l.Text)
	}
	return b.String()
}

// MapLine returns the new number of a line of the old text, given the hunks of the diff from old to new; ok is
// false if the line was removed or changed.
func MapLine(hunks []Hunk, line int) (int, bool) {
	shift := 0
	for _, h := range hunks {
		for _, l := range h.Lines {
			switch {
			case l.Kind == ' ' && l.Old == line:
				return l.New, true
			case l.Kind == '-' && l.Old == line:
				return 0, false
			case l.Kind == '-' && l.Old < line:
				shift--
			case l.Kind == '+' && beforeOld(h, l, line):
				shift++
			}
		}
	}
	return line + shift, true
}

// beforeOld reports whether an added line is above the given line of the old text.
func beforeOld(h Hunk, added Line, line int) bool {
	last := h.OldStart - 1
	if len(h.Lines) > 0 && h.Lines[0].Kind == '+' && countOld(h) == 0 {
		last = h.OldStart // "-N,0" names the line after which text is inserted
	}
	for _, l := range h.Lines {
		if l.Kind == '+' && l.New == added.New {
			return last < line
		}
		if l.Kind != '+' {
			last = l.Old
		}
	}
	return false
}

func countOld(h Hunk) int {
	n := 0
	for _, l := range h.Lines {
		if l.Kind != '+' {
			n++
		}
	}
	return n
}
