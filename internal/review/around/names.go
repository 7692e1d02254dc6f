package around

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Use is a name that lines of a file use.
type Use struct {
	Name      string
	Qualifier string // the name before the dot, unnamed for another expression, or ""
	Call      bool
}

// unnamed is the qualifier of a name behind the dot of an expression, as in get().name. It names nothing.
const unnamed = "?"

// plain reports whether nothing suggests that the name is defined elsewhere: neither a qualifier, nor a
// call, nor a capital letter.
func (u Use) plain() bool {
	return u.Qualifier == "" && !u.Call && !unicode.IsUpper(rune(u.Name[0]))
}

// reference matches the use of a name, with the name before its dot and the parenthesis of a call.
var reference = regexp.MustCompile(`(?:([A-Za-z_]\w*)(?:\.|::|->))?\b([A-Za-z_]\w*)(\s*\(|\s*<[\w, ]+>\s*\()?`)

// UsesIn returns the names that a line uses, in their order.
func UsesIn(line string) (out []Use) {
	end := 0 // of the last name
	for _, m := range reference.FindAllStringSubmatchIndex(line, -1) {
		u := Use{Name: line[m[4]:m[5]], Call: m[6] >= 0}
		switch dot := strings.TrimRight(line[:m[4]], ".:>-?!"); {
		case m[2] >= 0:
			u.Qualifier = line[m[2]:m[3]]
		case !strings.HasSuffix(line[:m[4]], ".") && !strings.HasSuffix(line[:m[4]], "->"):
		case len(dot) == end && len(out) > 0 && !out[len(out)-1].Call:
			u.Qualifier = out[len(out)-1].Name
		default:
			u.Qualifier = unnamed
		}
		out, end = append(out, u), m[5]
	}
	return out
}

// maxBlanked is the most bytes of a file that are searched for comments and strings. In a larger file only the hunks
// are.
const maxBlanked = 1 << 20

// readCode reads the hunks' lines in both versions of the targets' files, so that the beginning of a comment above a hunk is
// seen. It keeps only those lines.
func (e *Definitions) readCode(ctx context.Context, src change.Source, targets []*change.Target) {
	e.code = map[string][2]map[int]string{}
	for _, t := range targets {
		var both [2]map[int]string
		for _, v := range versions(t.File) {
			if blob, err := src.Blob(ctx, v.side, v.path); err == nil && len(blob) <= maxBlanked {
				both[sideIndex(v.side)] = bareLinesOf(t, v.side, string(blob))
			}
		}
		e.code[t.File.Path] = both
	}
}

// bareLinesOf returns the lines of a version that a target's hunks show, without comments and strings, by their numbers. A line
// that has another text there is left out.
func bareLinesOf(t *change.Target, side domain.Side, text string) map[int]string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	bare, out := structure.Bare(t.File.Language, lines), map[int]string{}
	for _, h := range t.Hunks {
		for _, l := range h.Lines {
			n := l.New
			if side == domain.Left {
				n = l.Old
			}
			if n > 0 && n <= len(lines) && lines[n-1] == strings.TrimSuffix(l.Text, "\r") {
				out[n] = strings.Clone(bare[n-1])
			}
		}
	}
	return out
}

// sideIndex returns 0 for the base and 1 for the head.
func sideIndex(side domain.Side) int {
	if side == domain.Left {
		return 0
	}
	return 1
}

// bareLine is a line of a hunk without comments and strings.
type bareLine struct {
	diff.Line
	code string
}

// bare returns the lines of a target's hunks without comments and strings. Prose has no code.
func (e Definitions) bare(t *change.Target) (out []bareLine) {
	switch t.File.Language {
	case "", "markdown", "reStructuredText":
		return nil
	}
	if t.File.Class == diff.ClassDocs {
		return nil
	}
	known := e.code[t.File.Path]
	for _, h := range t.Hunks {
		var alone [2]func() []string // the head first
		for i, op := range []diff.Op{diff.Add, diff.Delete} {
			alone[i] = sync.OnceValue(func() []string { return structure.Bare(t.File.Language, sideOf(h, op)) })
		}
		at := [2]int{}
		for _, l := range h.Lines {
			side, version, number := 0, known[1], l.New
			if l.Op == diff.Delete {
				side, version, number = 1, known[0], l.Old
			}
			text, ok := version[number]
			if !ok {
				text = alone[side]()[at[side]]
			}
			at[side]++
			if l.Op == diff.Context {
				at[1]++
			}
			if len(l.Text) <= change.MaxSearchedLine {
				out = append(out, bareLine{l, text})
			}
		}
	}
	return out
}

// sideOf returns one side of a hunk: its unchanged lines, and those that op changes.
func sideOf(h *diff.Hunk, op diff.Op) (out []string) {
	for _, l := range h.Lines {
		if l.Op == diff.Context || l.Op == op {
			out = append(out, strings.TrimSuffix(l.Text, "\r"))
		}
	}
	return out
}

// UsesOf returns the names that the changed lines of a target use, by its hunks alone. See [Definitions.Uses].
func UsesOf(t *change.Target) []Use { return Definitions{}.Uses(t) }

// Uses returns the names that the code of a target's changed lines uses, each once, without words of comments and
// strings: first those that are likely to be defined elsewhere, on added lines and then on removed ones, then, in Go, other
// names, which may be those of the package. Short names are left out because they match too much.
func (e Definitions) Uses(t *change.Target) []Use {
	var added, removed, plain []Use
	for _, l := range e.bare(t) {
		declares := change.DeclaredName(l.code)
		for _, u := range UsesIn(l.code) {
			switch {
			case l.Op == diff.Context || u.Qualifier == "" && u.Name == declares || !u.searched(t.File.Language):
			case !u.plain() && l.Op == diff.Add:
				added = append(added, u)
			case !u.plain():
				removed = append(removed, u)
			case t.File.Language == "Go" && len(u.Name) > 3:
				plain = append(plain, u)
			}
		}
	}
	return distinct(added, removed, plain)
}

// Calls returns the names that the unchanged lines of a target's hunks call and its changed lines do not use.
func (e Definitions) Calls(t *change.Target) []Use {
	var calls []Use
	for _, l := range e.bare(t) {
		declares := change.DeclaredName(l.code)
		for _, u := range UsesIn(l.code) {
			if l.Op == diff.Context && u.Call && u.searched(t.File.Language) && u.Name != declares {
				calls = append(calls, u)
			}
		}
	}
	uses := e.Uses(t)
	return distinct(uses, calls)[len(uses):]
}

// searched reports whether a name in code of a language is worth a search.
func (u Use) searched(language string) bool {
	return len(u.Name) > 2 && !isStatement(language, u.Name) || len(u.Name) == 2 && unicode.IsUpper(rune(u.Name[0]))
}

// distinct joins lists of uses, each use once.
func distinct(lists ...[]Use) (out []Use) {
	seen := map[Use]bool{}
	for _, u := range slices.Concat(lists...) {
		if !seen[u] && !(u.plain() && seen[Use{u.Name, "", true}]) {
			seen[u] = true
			out = append(out, u)
		}
	}
	return out
}

// Words returns the identifiers in the code of a target's changed lines, without words of statements.
func (e Definitions) Words(t *change.Target) map[string]bool {
	out := map[string]bool{}
	for _, l := range e.bare(t) {
		for _, w := range change.Words(l.code) {
			if l.Op != diff.Context && !isStatement(t.File.Language, w) {
				out[w] = true
			}
		}
	}
	return out
}

// statement are words of statements, and before a parenthesis that does not call a function of the repository.
var statement = wordSet(`for func switch while catch return function elif and not await yield throw sizeof assert print len cap make new
	append copy close delete true false bool byte rune int64 int32 uint uint64 uint32 float64 panic recover string int super self this
	range error errors if else case default break continue goto do try finally except raise with lambda import from export require
	package const let var val type class interface struct enum trait def fn fun is in of as or pass del global nonlocal async static
	public private protected final abstract void null nil none None True False undefined typeof instanceof extends implements foreach
	unless until elsif end begin rescue ensure then when match where select go defer chan map using lock echo isset unset empty array
	list dict set str object number boolean any`)

// goStatement are those of Go, where a function may have the name of another language's words, such as set or lock.
var goStatement = wordSet(`break case chan const continue default defer else fallthrough for func go goto if import interface map package
	range return select struct switch type var append bool byte cap close copy delete error errors false float64 int int32 int64 len make
	new nil panic recover rune string true uint uint32 uint64 any print`)

// isStatement reports whether a word of a language is not a name that the repository defines.
func isStatement(language, word string) bool {
	if language == "Go" {
		return goStatement[word]
	}
	return statement[word]
}

func wordSet(text string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		out[w] = true
	}
	return out
}
