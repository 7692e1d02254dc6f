package drive

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/llm"
)

// maxWhat is the most bytes of a heading's words in a context item.
const maxWhat = 200

// piece is a run of neighbouring lines below a heading of a prompt, as a prompt shows it.
type piece struct {
	stage, section, heading string
	first, last             int
}

// weighed is a piece with its size.
type weighed struct {
	piece
	bytes, times int
	plain        []int // lines that are more than blanks, comments and brackets
}

// contextLog collects the code beside the change that prompts show. It is safe for concurrent use.
type contextLog struct {
	mu     sync.Mutex
	pieces []weighed
	at     map[piece]int
	cut    int
}

// read collects the pieces of a request.
func (c *contextLog) read(r llm.Request) {
	first, _, _ := strings.Cut(r.System, "\n")
	stage := strings.TrimPrefix(first, "stage: ")
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range r.Messages {
		for _, p := range piecesOf(stage, m.Text) {
			c.add(p)
		}
	}
}

func (c *contextLog) add(p weighed) {
	i, known := c.at[p.piece]
	switch {
	case known:
		c.pieces[i].times++
	case len(c.pieces) == eval.MaxContext:
		c.cut++
	default:
		if c.at == nil {
			c.at = map[piece]int{}
		}
		c.at[p.piece] = len(c.pieces)
		c.pieces = append(c.pieces, p)
	}
}

var (
	fenced    = regexp.MustCompile(`^<DATA-[0-9a-f]+ (.*)>$`)
	shownLine = regexp.MustCompile(`^ *(\d+) [ +](.*)$`)
)

// piecesOf lists the runs of numbered lines that stand below a heading "--- ".
func piecesOf(stage, text string) (out []weighed) {
	section, heading, open := "", "", false
	for l := range strings.Lines(text) {
		line := strings.TrimRight(l, "\n")
		m := shownLine.FindStringSubmatch(line)
		switch {
		case m != nil && heading != "":
			n, err := strconv.Atoi(m[1])
			if err != nil {
				continue
			}
			if !open || n != out[len(out)-1].last+1 {
				out = append(out, weighed{piece: piece{stage, section, heading, n, n}, times: 1})
				open = true
			}
			p := &out[len(out)-1]
			p.last, p.bytes = n, p.bytes+len(l)
			if hasCode(m[2]) {
				p.plain = append(p.plain, n)
			}
			continue
		case strings.HasPrefix(line, "--- "):
			heading = line[4:]
		case fenced.MatchString(line):
			section, heading = fenced.FindStringSubmatch(line)[1], ""
			if section == lookedAt {
				section = ofCall
			}
		case strings.HasPrefix(line, "=== "), strings.HasPrefix(line, "```"), strings.HasPrefix(line, "</DATA-"):
			heading = ""
		}
		open = false
	}
	return out
}

// hasCode reports whether a line is more than blanks, a comment or brackets.
func hasCode(line string) bool {
	line = strings.TrimSpace(line)
	for _, begin := range []string{"//", "#", "/*", "*", "<!--", "--", `"""`} {
		if strings.HasPrefix(line, begin) {
			return false
		}
	}
	return strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// finish writes the collected pieces into a head. set is the head's change.
func (c *contextLog) finish(one eval.Case, set *diff.Set, change map[place]bool, out *eval.Head) {
	paths := knownPaths(one, set)
	c.mu.Lock()
	defer c.mu.Unlock()
	out.ContextCut = c.cut
	for _, p := range c.pieces {
		path, what := splitHeading(p.heading, paths)
		out.Context = append(out.Context, eval.ContextItem{Stage: p.stage, Kind: p.kind(path, what, set), Path: path,
			What: clip.Bytes(what, maxWhat), StartLine: p.first, EndLine: p.last, Bytes: p.bytes, Times: p.times})
	}
	if len(one.Useful) > 0 {
		out.ContextShare = c.share(one.Useful, paths, change)
	}
}

// share measures how much of the finder's context is useful.
func (c *contextLog) share(useful []eval.Useful, paths []string, change map[place]bool) *eval.ContextShare {
	shown, plain, marked := map[place]bool{}, map[place]bool{}, map[place]bool{}
	for _, p := range c.pieces {
		if p.stage != "generate" || !strings.HasPrefix(p.section, surrounding) {
			continue
		}
		path, _ := splitHeading(p.heading, paths)
		for n := p.first; n <= p.last; n++ {
			shown[place{path, n}] = true
		}
		for _, n := range p.plain {
			plain[place{path, n}] = true
		}
	}
	for _, u := range useful {
		for n := u.StartLine; n <= u.EndLine; n++ {
			if at := (place{u.Path, n}); !change[at] {
				marked[at] = true
			}
		}
	}
	out := &eval.ContextShare{Marked: len(marked), Lines: len(plain)}
	for at := range marked {
		if shown[at] {
			out.MarkedShown++
		}
		if plain[at] {
			out.Useful++
		}
	}
	return out
}

// knownPaths lists the paths that a case and its change name, longer ones first.
func knownPaths(one eval.Case, set *diff.Set) (out []string) {
	for _, f := range set.Files {
		out = append(out, f.Path, f.BasePath())
	}
	for _, d := range one.Definitions {
		out = append(out, d.Path)
	}
	for _, u := range one.Useful {
		out = append(out, u.Path)
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(out)
}

// lineRange is the end of a path in headings of claims.
var lineRange = regexp.MustCompile(`^(.*?):\d+-\d+(?:$|[ ,])`)

// splitHeading splits a heading into path and words. A path with a space is recognised if the case or its change
// names it, or lines follow it.
func splitHeading(heading string, paths []string) (path, what string) {
	for _, p := range paths {
		rest, ok := strings.CutPrefix(heading, p)
		if ok && p != "" && (rest == "" || rest[0] == ' ' || rest[0] == ':') {
			return p, strings.TrimSpace(strings.TrimPrefix(rest, ":"))
		}
	}
	if m := lineRange.FindStringSubmatch(heading); m != nil {
		return m[1], strings.TrimPrefix(heading, m[1]+":")
	}
	path, what, _ = strings.Cut(heading, " ")
	return path, strings.TrimSpace(what)
}

// The beginnings of sections of prompts with code beside the change (internal/review/engine and internal/review/ask).
const (
	surrounding = "surrounding code"
	ofCall      = "result of a call"
	lookedAt    = "what you have looked at"
)

// kind returns the kind of a piece from its section, its file and the words of its heading.
func (p piece) kind(path, what string, set *diff.Set) string {
	_, note, noted := strings.Cut(what, "(")
	switch {
	case p.section == ofCall:
		return "look-up"
	case !strings.HasPrefix(p.section, surrounding):
		return "claim"
	case !noted && set.File(path) != nil:
		return "surroundings"
	case !noted:
		return "definition"
	case strings.Contains(note, "used here"):
		return "use"
	case strings.HasPrefix(note, "a test of"):
		return "test"
	}
	return "other"
}
