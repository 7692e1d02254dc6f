package edits

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// edit is one kind of edit. do returns false if there is nothing to edit.
type edit struct {
	name  string
	again bool
	do    func(e *editor) bool
}

var edits = []edit{
	{"lines inserted", false, (*editor).insert},
	{"lines inserted", false, (*editor).insert},
	{"block deleted", false, (*editor).remove},
	{"block moved", false, (*editor).move},
	{"function moved", false, (*editor).reorder},
	{"function moved to the other file", false, (*editor).moveAway},
	{"block moved into a helper", false, (*editor).helper},
	{"name replaced", false, (*editor).rename},
	{"block wrapped", false, (*editor).wrap},
	{"function indented", false, (*editor).indent},
	{"neighbour edited", false, (*editor).neighbour},
	{"lines swapped", false, (*editor).swap},
	{"file renamed", false, (*editor).renameFile},
	{"line edited", false, (*editor).editLine},
	{"line edited", false, (*editor).editLine},
	{"line broken in two", false, (*editor).breakLine},
	{"line commented", false, (*editor).comment},
	{"set back", false, (*editor).back},
	{"repaired", false, (*editor).repair},
	{"defect added beside one", false, (*editor).addBeside},
	{"defect added", false, (*editor).add},
	{"line became a defect", false, (*editor).plantEdited},
	{"base moved", false, (*editor).rebase},
	{"asked again", true, func(*editor) bool { return true }},
}

// at picks the first line of an existing defect; nil if there is none.
func (e *editor) at() (*file, int) {
	type found struct {
		f *file
		i int
	}
	var all []found
	seen := map[int]bool{}
	for i := range e.now {
		for j, l := range e.now[i].lines {
			if l.defect > 0 && !seen[l.defect] {
				seen[l.defect] = true
				all = append(all, found{&e.now[i], j})
			}
		}
	}
	if len(all) == 0 {
		return nil, 0
	}
	c := all[e.rng.IntN(len(all))]
	return c.f, c.i
}

// statement picks a line without a defect that is a statement by itself; -1 if it
// finds none.
func (e *editor) statement(f *file) int {
	for range 40 {
		if i := e.rng.IntN(len(f.lines)); strings.HasPrefix(f.lines[i].text, "\t") && f.lines[i].simple() && f.lines[i].defect == 0 {
			return i
		}
	}
	return -1
}

// block picks up to eight lines of a function whose brackets are closed in them.
func (e *editor) block(f *file) (span, bool) {
	of := f.functions()
	if len(of) == 0 {
		return span{}, false
	}
	in := of[e.rng.IntN(len(of))]
	for range 20 {
		s := span{from: in.from + e.rng.IntN(in.to-in.from)}
		s.to = min(s.from+1+e.rng.IntN(8), in.to-1)
		if s.from > in.from && s.from < s.to && strings.HasPrefix(f.lines[s.from].text, "\t") && balanced(f.lines[s.from:s.to]) {
			return s, true
		}
	}
	return span{}, false
}

// lead is the white space at the beginning of a line.
func lead(text string) string { return text[:len(text)-len(strings.TrimLeft(text, "\t "))] }

// insert adds up to three lines: a comment, an assignment, a copy of a statement.
func (e *editor) insert() bool {
	f := e.file()
	at := e.statement(f)
	if at < 0 {
		return false
	}
	var lines []line
	for range 1 + e.rng.IntN(3) {
		in := lead(f.lines[at].text)
		text := []string{fmt.Sprintf("%s// Note %d.", in, e.next()), fmt.Sprintf("%s_ = %d", in, e.next()), ""}[e.rng.IntN(3)]
		if from := e.statement(f); e.rng.IntN(3) == 0 && from >= 0 && !e.isDefect(f.lines[from].text) {
			text = in + strings.TrimSpace(f.lines[from].text)
		}
		lines = append(lines, line{text: text})
	}
	f.lines = slices.Insert(f.lines, at+e.rng.IntN(2), lines...)
	return true
}

// isDefect reports whether a defect has the same code as a line: a copy of the line would be
// indistinguishable from the defect.
func (e *editor) isDefect(text string) bool {
	for _, p := range e.now.places() {
		if bare(p.text) == bare(text) {
			return true
		}
	}
	return false
}

func (e *editor) remove() bool {
	f := e.file()
	s, ok := e.block(f)
	if !ok {
		return false
	}
	f.lines = slices.Delete(f.lines, s.from, s.to)
	return true
}

// cut removes lines from a file.
func cut(f *file, s span) []line {
	out := slices.Clone(f.lines[s.from:s.to])
	f.lines = slices.Delete(f.lines, s.from, s.to)
	return out
}

func (e *editor) move() bool {
	f := e.file()
	s, ok := e.block(f)
	if !ok {
		return false
	}
	lines := cut(f, s)
	at := e.statement(f)
	if at < 0 {
		return false
	}
	f.lines = slices.Insert(f.lines, at, lines...)
	return true
}

// function removes a function from a file.
func (e *editor) function(f *file) []line {
	of := f.functions()
	if len(of) < 2 {
		return nil
	}
	return cut(f, of[e.rng.IntN(len(of))])
}

func (e *editor) reorder() bool {
	f := e.file()
	lines := e.function(f)
	of := f.functions()
	if len(lines) == 0 || len(of) == 0 {
		return false
	}
	f.lines = slices.Insert(f.lines, of[e.rng.IntN(len(of))].from, append(lines, line{})...)
	return true
}

func (e *editor) moveAway() bool {
	i := e.rng.IntN(len(e.now))
	lines := e.function(&e.now[i])
	to := &e.now[1-i]
	to.lines = append(append(to.lines, line{}), lines...)
	return len(lines) > 0
}

func (e *editor) helper() bool {
	f := e.file()
	s, ok := e.block(f)
	if !ok {
		return false
	}
	called := fmt.Sprint([]string{"settle", "prepare", "apply"}[e.rng.IntN(3)], e.next())
	in := lead(f.lines[s.from].text)
	lines := cut(f, s)
	f.lines = slices.Insert(f.lines, s.from, line{text: in + called + "()"})
	f.lines = append(append(append(f.lines, line{}, line{text: "func " + called + "() {"}), lines...), line{text: "}"})
	return true
}

// rename replaces a name in a whole file.
func (e *editor) rename() bool {
	f := e.file()
	if of, _ := e.at(); of != nil && e.rng.IntN(2) == 0 {
		f = of
	}
	among := words(f.lines[e.rng.IntN(len(f.lines))].text)
	if len(among) == 0 {
		return false
	}
	old := among[e.rng.IntN(len(among))]
	for i := range f.lines {
		f.lines[i].text = replaceName(f.lines[i].text, old, old+fmt.Sprint(e.last+1))
	}
	e.next()
	return true
}

// replaceName replaces a name where it stands as a whole word.
func replaceName(text, old, by string) string {
	return name.ReplaceAllStringFunc(text, func(w string) string {
		if w == old {
			return by
		}
		return w
	})
}

func (e *editor) wrap() bool {
	f := e.file()
	s, ok := e.block(f)
	if !ok {
		return false
	}
	in := lead(f.lines[s.from].text)
	for i := s.from; i < s.to; i++ {
		if f.lines[i].text != "" {
			f.lines[i].text = "\t" + f.lines[i].text
		}
	}
	f.lines = slices.Insert(f.lines, s.to, line{text: in + "}"})
	f.lines = slices.Insert(f.lines, s.from, line{text: fmt.Sprintf("%sif enabled%d {", in, e.next())})
	return true
}

func (e *editor) indent() bool {
	f := e.file()
	of := f.functions()
	if len(of) == 0 {
		return false
	}
	s := of[e.rng.IntN(len(of))]
	for i := s.from; i < s.to; i++ {
		f.lines[i].text = strings.ReplaceAll(lead(f.lines[i].text), "\t", "    ") + strings.TrimLeft(f.lines[i].text, "\t ")
	}
	return true
}

// neighbour edits a line next to a defect.
func (e *editor) neighbour() bool {
	f, at := e.at()
	if f == nil {
		return false
	}
	i := at + []int{-1, 1}[e.rng.IntN(2)]
	return i >= 0 && i < len(f.lines) && f.lines[i].defect == 0 && e.reword(f, i)
}

// reword replaces a name of a line, or a number.
func (e *editor) reword(f *file, at int) bool {
	among := words(f.lines[at].text)
	if len(among) == 0 {
		return false
	}
	old := among[e.rng.IntN(len(among))]
	f.lines[at].text = replaceName(f.lines[at].text, old, old+fmt.Sprint(e.next()))
	return true
}

func (e *editor) swap() bool {
	f, at := e.at()
	if f == nil {
		return false
	}
	i := at + []int{-1, 1}[e.rng.IntN(2)]
	if i < 0 || i >= len(f.lines) || !f.lines[i].simple() || !f.lines[at].simple() {
		return false
	}
	f.lines[i], f.lines[at] = f.lines[at], f.lines[i]
	return true
}

func (e *editor) renameFile() bool {
	f := e.file()
	f.path = path.Join(path.Dir(f.path), fmt.Sprintf("%s%d.go", []string{"cart", "price", "stock"}[e.rng.IntN(3)], e.next()))
	return true
}

// editLine changes a line with a defect, which stays.
func (e *editor) editLine() bool {
	f, at := e.at()
	return f != nil && e.reword(f, at)
}

func (e *editor) breakLine() bool {
	f, at := e.at()
	if f == nil || !f.lines[at].simple() {
		return false
	}
	l := f.lines[at]
	i := strings.LastIndex(l.text, ", ")
	if i < 0 {
		return false
	}
	f.lines[at].text = l.text[:i+1]
	f.lines = slices.Insert(f.lines, at+1, line{lead(l.text) + "\t" + l.text[i+2:], l.defect})
	return true
}

func (e *editor) comment() bool {
	f, at := e.at()
	if f == nil || strings.Contains(f.lines[at].text, "//") {
		return false
	}
	f.lines[at].text += fmt.Sprintf(" // see %d", e.next())
	return true
}

// back restores the code of an earlier head.
func (e *editor) back() bool {
	if len(e.past) < 2 {
		return false
	}
	e.now = e.past[e.rng.IntN(len(e.past)-1)].clone()
	return true
}

func (e *editor) repair() bool {
	f, at := e.at()
	if f == nil || !f.lines[at].simple() {
		return false
	}
	f.lines[at] = line{text: fmt.Sprintf("%s_ = %d", lead(f.lines[at].text), e.next())}
	return true
}

// addBeside adds a defect next to an existing one.
func (e *editor) addBeside() bool {
	f, at := e.at()
	if f == nil || !f.lines[at].simple() {
		return false
	}
	return e.bring(f, at+e.rng.IntN(2), lead(f.lines[at].text))
}

func (e *editor) add() bool {
	f := e.file()
	at := e.statement(f)
	return at >= 0 && e.bring(f, at, lead(f.lines[at].text))
}

// bring inserts a new defect: a statement of another file of this repository.
func (e *editor) bring(f *file, at int, in string) bool {
	from := e.others[e.rng.IntN(len(e.others))]
	i := e.statement(&from)
	if i < 0 || !from.lines[i].telling() {
		return false
	}
	f.lines = slices.Insert(f.lines, at, line{text: in + strings.TrimSpace(from.lines[i].text)})
	return e.mark(f, at, at+1)
}

// plantEdited edits a line and plants a defect on it.
func (e *editor) plantEdited() bool {
	f := e.file()
	at := e.rng.IntN(len(f.lines))
	return f.lines[at].defect == 0 && f.lines[at].telling() && e.reword(f, at) && e.mark(f, at, at+1)
}

// rebase adds a line of another author at the beginning of a file of the base.
func (e *editor) rebase() bool {
	if len(e.base) == 0 {
		return false
	}
	b := &e.base[e.rng.IntN(len(e.base))]
	i := slices.IndexFunc(e.now, func(f file) bool { return f.path == b.path })
	if i < 0 {
		return false
	}
	l := line{text: fmt.Sprintf("// Base %d.", e.next())}
	b.lines, e.now[i].lines = slices.Insert(b.lines, 0, l, line{}), slices.Insert(e.now[i].lines, 0, l, line{})
	return true
}
