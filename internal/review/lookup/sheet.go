package lookup

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
)

// toolWidth is how many characters of a line a list of places shows.
const toolWidth = 300

// sayCut ends an incomplete result. There is always room for it.
const sayCut = "[cut here: ask for less at once]\n"

// Sentences about lines that are left out. There is always room for one of them in place of sayCut.
const (
	sayCutHere = "[cut here: %d more lines, %d to %d"
	sayLeft    = "[left out: %d more lines, %d to %d"
	sayRead    = ": read_file shows them]"
	maxCut     = len(sayCutHere+sayRead) + 32 // with three numbers of at most 10 digits
)

// sheet is the result of a call while it is written. It takes whole lines while there is room, and keeps
// the code that it shows.
type sheet struct {
	strings.Builder
	room  int    // bytes that are left
	lines int    // lines that are left
	above string // the last heading
	hits  int
	seen  []change.Exhibit
	full  bool // something did not fit
	alone bool // the model that reads it has no tools
}

// newSheet returns a sheet with room for a number of tokens.
func newSheet(tokens int) *sheet { return &sheet{room: tokens*7/2 - maxCut, lines: toolLines} }

// put writes a line. If there is no room, it writes sayCut and returns false.
func (s *sheet) put(line string) bool {
	if s.full || len(line) >= s.room {
		s.stop()
		return false
	}
	s.room -= len(line) + 1
	s.WriteString(line + "\n")
	return true
}

// stop ends the sheet with sayCut.
func (s *sheet) stop() {
	if !s.full {
		s.full = true
		s.WriteString(sayCut)
	}
}

// say writes a line that is not code.
func (s *sheet) say(line string) bool {
	if s.lines == 0 {
		s.stop()
		return false
	}
	s.lines--
	s.above = ""
	return s.put(line)
}

// show writes lines of a file under a heading, as far as there is room, and returns the number of the last
// one, or 0. It marks the lines that the change added with "+". The code on them may then prove a claim.
func (s *sheet) show(f *File, note string, first, last, width int) int {
	heading := strings.TrimRight("--- "+change.CleanPath(f.Path)+" "+note, " ")
	shown := 0
	for n := first; n <= min(last, len(f.Lines)); n++ {
		mark := " "
		if f.added[n] {
			mark = "+"
		}
		line := fmt.Sprintf("%5d %s %s", n, mark, shorten(f.Lines[n-1], width))
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
	whole := slices.Clone(f.Lines[:last]) // later lines cannot change how these are read
	for n := first; n <= last; n++ {
		whole[n-1] = change.ShowInvisible(whole[n-1])
	}
	e := change.NewExhibit(f.language, whole, first-1, first, change.Span{First: first, Last: last})
	e.Path = f.Path
	s.seen = append(s.seen, e)
	return last
}

// left says that the shown code goes on behind the line last, up to the line end.
func (s *sheet) left(last, end int) {
	if last >= end {
		return
	}
	how := sayRead
	if s.alone {
		how = "]"
	}
	if !s.full && s.say(fmt.Sprintf(sayLeft+how, end-last, last+1, end)) {
		return
	}
	text := strings.TrimSuffix(s.String(), sayCut)
	s.Reset()
	s.WriteString(text + fmt.Sprintf(sayCutHere+how, end-last, last+1, end) + "\n")
}

// shorten returns a line as it is shown: cut, with a note on the rest, and with hidden characters as
// escapes.
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
