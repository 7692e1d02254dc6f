package drive

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/engine"
)

// Reach reports which definitions of a case a checker sees.
type Reach struct {
	Case string
	// Claimed counts the definitions with a name on golden lines. Beside counts those that claims about
	// these lines show. Asked counts those that a checker sees when it asks for the names on them.
	Claimed, Beside, Asked Count
	// Needed counts all definitions that the changed lines of a change with golden places use. NeededBeside
	// and NeededAsked count those seen in the two ways above.
	Needed, NeededBeside, NeededAsked Count
	// Changed counts the definitions that changed lines use. Found counts those seen by asking only for the
	// names on changed lines.
	Changed, Found Count
}

// Count counts definitions in changed files and in other files.
type Count struct{ Here, Elsewhere int }

// measureReach lets a scripted checker look at the golden and the changed lines of a head.
func measureReach(ctx context.Context, anew func() engine.Checker, c eval.Case, change eval.Change) Reach {
	out := Reach{Case: c.ID}
	set, err := diff.ParseContext(ctx, change.Diff)
	if err != nil {
		return out
	}
	var claims []codeLines
	for _, g := range c.Golden {
		claims = append(claims, goldenLines(ctx, change, set, g))
	}
	wanted := slices.DeleteFunc(slices.Clone(c.Definitions), func(d eval.Definition) bool {
		return !slices.ContainsFunc(claims, func(l codeLines) bool {
			return slices.ContainsFunc(l.names, func(n name) bool { return n.base == d.Name })
		})
	})
	beside, asked, found := newShownLines(), newShownLines(), newShownLines()
	checker, hunks := anew(), changedLines(ctx, change, set)
	for _, l := range claims {
		beside.read(checker.Beside(ctx, domain.Anchor{Path: l.path, Side: l.side, StartLine: l.first, EndLine: l.last}))
		askDefinitions(ctx, checker, l, l.namesAround(hunks), asked)
	}
	checker = anew()
	for _, l := range hunks {
		askDefinitions(ctx, checker, l, nil, found)
	}
	out.Claimed, out.Beside = countDefinitions(beside, wanted, set)
	_, out.Asked = countDefinitions(asked, wanted, set)
	if len(claims) > 0 {
		out.Needed, out.NeededBeside = countDefinitions(beside, c.Definitions, set)
		_, out.NeededAsked = countDefinitions(asked, c.Definitions, set)
	}
	out.Changed, out.Found = countDefinitions(found, c.Definitions, set)
	return out
}

func countDefinitions(s *shownLines, wanted []eval.Definition, set *diff.Set) (all, seen Count) {
	var h eval.Head
	s.count(wanted, set, &h)
	return Count{len(wanted) - h.Elsewhere, h.Elsewhere}, Count{h.Shown - h.ShownElsewhere, h.ShownElsewhere}
}

// codeLines holds lines of a version of a file, and the names on them.
type codeLines struct {
	path        string // at the head, or at the base for a deleted file
	side        domain.Side
	first, last int
	names       []name
	gone        bool // the head does not have the file
	libraries   map[string]bool
}

// goldenLines reads the lines of a golden place.
func goldenLines(ctx context.Context, change eval.Change, set *diff.Set, g eval.Golden) codeLines {
	l := codeLines{path: g.Path, side: g.Side, first: g.StartLine, last: g.EndLine}
	f := set.File(g.Path)
	if f == nil {
		return l
	}
	l.gone = f.Status == diff.Deleted
	code, libraries := codeOf(ctx, change, f, g.Side)
	l.libraries = libraries
	for n := g.StartLine; n <= min(g.EndLine, len(code)); n++ {
		l.add(code[n-1])
	}
	return l
}

// standard matches Go lines that import a package of the standard library.
var standard = regexp.MustCompile(`(?m)^(?:import)?\s+"((?:[\w]+/)*(\w+))"$`)

// codeOf returns the lines of a version of a file without comments and strings. libraries has the names of
// its imports from the standard library, which the checker does not ask for.
func codeOf(ctx context.Context, change eval.Change, f *diff.File, side domain.Side) (code []string, libraries map[string]bool) {
	path := f.Path
	if side == domain.Left {
		path = f.BasePath()
	}
	blob, err := change.Source.Blob(ctx, side, path)
	if err != nil {
		return nil, nil
	}
	libraries = map[string]bool{}
	for _, m := range standard.FindAllStringSubmatch(string(blob), -1) {
		libraries[m[2]] = true
	}
	_, bare := anchor.Blank(f.Language, string(blob))
	return strings.Split(bare, "\n"), libraries
}

// changedLines returns the changed lines of each hunk of source files.
func changedLines(ctx context.Context, change eval.Change, set *diff.Set) (out []codeLines) {
	for _, f := range set.Files {
		if f.Class != diff.ClassSource {
			continue
		}
		before, _ := codeOf(ctx, change, f, domain.Left)
		after, libraries := codeOf(ctx, change, f, domain.Right)
		for _, h := range f.Hunks {
			l := codeLines{path: f.Path, side: domain.Right, gone: f.Status == diff.Deleted, libraries: libraries}
			l.first, l.last, _ = h.Range(domain.Right)
			for _, line := range h.Lines {
				switch {
				case line.Op == diff.Add && line.New <= len(after):
					l.add(after[line.New-1])
				case line.Op == diff.Delete && line.Old <= len(before):
					l.add(before[line.Old-1])
				}
			}
			out = append(out, l)
		}
	}
	return out
}

// name is a name with the part before its dot.
type name struct {
	base, dotted string
	rank         int // 0 for calls, 1 for names with a capital letter or after a dot, 2 for others
}

var nameOnLine = regexp.MustCompile(`(?:([A-Za-z_$][\w$]*)(?:\.|::|->))?([A-Za-z_$][\w$]*)(\s*(?:<[\w, ]+>)?\()?`)

// add adds the names on a line, each once.
func (l *codeLines) add(code string) {
	for _, m := range nameOnLine.FindAllStringSubmatch(code, -1) {
		n := name{m[2], m[2], 2}
		if m[1] != "" {
			n.dotted = m[1] + "." + m[2]
		}
		switch {
		case m[3] != "":
			n.rank = 0
		case m[1] != "" || unicode.IsUpper(rune(m[2][0])):
			n.rank = 1
		}
		if len(n.base) > 1 && !l.libraries[m[1]] && !knownWords[n.base] && !slices.Contains(l.names, n) {
			l.names = append(l.names, n)
		}
	}
}

// knownWords are words of languages and names of their libraries, which the checker does not ask for.
var knownWords = wordSet(`if else for while switch case return func function const let var new await async import from type class
	def in not and or is None True False null nil
	true false this self super err len any all map list dict str int string bool error cap make append copy panic range defer go select
		chan struct interface package lambda raise
	throw try catch except finally with as pass yield void public private static final extends implements instanceof typeof export
		default of undefined number boolean print fmt`)

func wordSet(text string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		out[w] = true
	}
	return out
}

// namesAround returns the names on other changed lines of the hunks that contain l.
func (l codeLines) namesAround(hunks []codeLines) (out []name) {
	for _, h := range hunks {
		if h.path != l.path || l.side == domain.Right && (l.last < h.first || l.first > h.last) {
			continue
		}
		for _, n := range h.names {
			if !slices.Contains(l.names, n) {
				out = append(out, n)
			}
		}
	}
	return out
}

// askDefinitions asks for the definitions of the names on lines, and then of others, each by rank, in one
// conversation.
func askDefinitions(ctx context.Context, checker engine.Checker, l codeLines, others []name, into *shownLines) {
	call := checker.Conversation()
	var path *string
	if !l.gone {
		path = &l.path
	}
	names := slices.Clone(l.names)
	for _, list := range [][]name{names, others} {
		slices.SortStableFunc(list, func(a, b name) int { return a.rank - b.rank })
	}
	for i, n := range append(names, others...) {
		raw, err := json.Marshal(map[string]any{"name": n.dotted, "path": path})
		if err != nil {
			return
		}
		into.read(call(ctx, llm.ToolCall{ID: strconv.Itoa(i), Name: "definition", Arguments: string(raw)}))
	}
}
