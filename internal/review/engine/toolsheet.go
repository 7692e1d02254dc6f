package engine

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
)

// toolWidth is how many characters of a line a result shows that lists places.
const toolWidth = 300

// sayCut stands behind a result that is not whole, for which there is always room.
const sayCut = "[cut here: ask for less at once]\n"

// sheet is the result of a call while it is written. It takes whole lines as long as
// there is room, and keeps the code that it shows.
type sheet struct {
	strings.Builder
	room  int    // bytes
	lines int    // of files or of lists
	above string // the heading of the last lines
	hits  int
	seen  []change.Exhibit
	full  bool // something did not fit
}

// newSheet makes a sheet of at most so many tokens.
func newSheet(tokens int) *sheet { return &sheet{room: tokens*7/2 - len(sayCut), lines: toolLines} }

// put writes a line if there is room for it, and says that there is none if not.
func (s *sheet) put(line string) bool {
	if s.full || len(line) >= s.room {
		s.stop()
		return false
	}
	s.room -= len(line) + 1
	s.WriteString(line + "\n")
	return true
}

// stop says that there is no room.
func (s *sheet) stop() {
	if !s.full {
		s.full = true
		s.WriteString(sayCut)
	}
}

// say writes a line that is no code, one of at most toolLines.
func (s *sheet) say(line string) bool {
	if s.lines == 0 {
		s.stop()
		return false
	}
	s.lines--
	s.above = ""
	return s.put(line)
}

// show writes lines of a file under a heading, as many as there is room for, and returns
// the number of the last one, 0 for none. What they hold may then prove a claim.
func (s *sheet) show(f *looked, note string, first, last, width int) int {
	heading := strings.TrimRight("--- "+change.CleanPath(f.path)+" "+note, " ")
	shown := 0
	for n := first; n <= min(last, len(f.lines)); n++ {
		line := fmt.Sprintf("%5d   %s", n, shorten(f.lines[n-1], width))
		if s.lines == 0 || s.above != heading && len(heading)+len(line)+1 >= s.room {
			s.stop()
			break
		}
		if s.above != heading && s.put(heading) {
			s.above = heading
		}
		if !s.put(line) {
			break
		}
		s.lines--
		shown++
	}
	if shown == 0 {
		return 0
	}
	last = first + shown - 1
	whole := slices.Clone(f.lines[:last]) // where a comment begins may stand behind what is shown
	for n := first; n <= last; n++ {
		whole[n-1] = change.ShowInvisible(whole[n-1])
	}
	e := change.NewExhibit(f.language, whole, first-1, first, change.Span{First: first, Last: last})
	e.Path = f.path
	s.seen = append(s.seen, e)
	return last
}

// shorten is how a line is shown: with a word on what is left out, and what nobody sees
// made visible.
func shorten(line string, width int) string {
	text, hidden := anchor.Shown(line)
	if short := clip.Runes(text, width, ""); short != text {
		hidden += utf8.RuneCountInString(text[len(short):])
		text = short
	}
	text = change.ShowInvisible(text)
	if hidden == 0 {
		return text
	}
	return fmt.Sprintf("%s [… %d more characters]", text, hidden)
}
