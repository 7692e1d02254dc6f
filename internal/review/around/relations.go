package around

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of the uses of symbols.
const (
	MaxWordLines = 5000 // lines of one search for words
	maxLinesOf   = 400  // lines with a name; with more, only those in the symbol's folder count
	maxUsers     = 60   // files of a review that are read for uses of symbols with an effect on their users
	maxLikeFiles = 16   // files beside them that are read for methods like the changed ones
	maxBodyFiles = 16   // files beside those that are read for callers of changed bodies
	maxUsersOf   = 12   // of those, files for one symbol
	maxMentioned = 200  // uses of one symbol
)

// Relations are the places at the head that are related to the symbols that a change touches. The zero
// value is empty.
type Relations struct {
	Symbols  []*Symbol
	Uses     map[*Symbol][]Place // nearest first
	tests    map[*Symbol][]Place
	siblings map[*Symbol][]Place // the same method of other types
	stems    map[*Symbol][]Place // methods with similar names of the same type
	callers  map[*Symbol][]Place // uses of functions whose body alone changes, nearest first
}

// Place is a line that is related to a symbol.
type Place struct {
	Path string
	Line int
}

// WordForm is an expression for lines with one of NAMES as a word.
const WordForm = "(^|[^A-Za-z0-9_$])(NAMES)([^A-Za-z0-9_$]|$)"

// Relate searches the head for the relations of the symbols that the targets touch.
func (h *Head) Relate(ctx context.Context, l *Search, targets []*change.Target) Relations {
	out := Relations{Uses: map[*Symbol][]Place{}, tests: map[*Symbol][]Place{}, siblings: map[*Symbol][]Place{},
		stems: map[*Symbol][]Place{}, callers: map[*Symbol][]Place{}}
	out.Symbols = h.touched(ctx, targets)
	r := NewResolver(h)
	var names []string
	for _, s := range out.Symbols {
		if !slices.Contains(names, s.UsedName) {
			names = append(names, s.UsedName)
		}
	}
	r.Search(ctx, l, names)
	for _, s := range out.Symbols {
		if ctx.Err() != nil {
			l.Cut = true
			break
		}
		if s.gone() && r.moved(ctx, s) {
			s.Effect = NoEffect
		}
		if s.Effect > NoEffect {
			out.Uses[s] = r.Uses(ctx, s)
		}
		out.tests[s] = r.Tests(s)
	}
	isChanged := func(s *Symbol) bool { return s.Kind == structure.KindFunc && !s.gone() && ctx.Err() == nil }
	r.allow(maxLikeFiles)
	for _, s := range only(out.Symbols, isChanged) {
		if s.owner != "" {
			out.stems[s], out.siblings[s] = r.stems(ctx, s), r.siblings(ctx, s)
		}
	}
	r.allow(maxBodyFiles)
	for _, s := range only(out.Symbols, isChanged) {
		if s.Effect == NoEffect && s.Lines[0].Start > 0 && s.Lines[1].Start > 0 {
			out.callers[s] = r.Uses(ctx, s)
		}
	}
	l.Cut = l.Cut || ctx.Err() != nil
	return out
}

// allow sets how many files may be read from now on. Files that were read before are not counted.
func (r *Resolver) allow(files int) { r.room = files }

// Resolver decides which lines with a name are related to a symbol. It is not safe for concurrent use.
type Resolver struct {
	*Head
	hits    map[string][]snapshot.Match // lines by the name that they contain, in the order of their paths
	common  map[string]bool             // names with more lines than are kept
	kinds   map[string]FileKind
	blobs   map[string]*parsed
	room    int               // files that may still be read
	modules map[string]string // folder to the path by which its Go package is imported
}

// NewResolver returns a resolver before its first search.
func NewResolver(h *Head) *Resolver {
	return &Resolver{Head: h, hits: map[string][]snapshot.Match{}, kinds: map[string]FileKind{},
		blobs: map[string]*parsed{}, room: maxUsers, modules: map[string]string{}}
}

// Search collects the lines with names. If there are too many lines, it drops the names with the most lines
// and searches the others again, once.
func (r *Resolver) Search(ctx context.Context, l *Search, names []string) {
	r.common = map[string]bool{}
	for range 2 {
		if len(names) == 0 {
			return
		}
		clear(r.hits)
		full := false
		for _, expressions := range batches(Expressions([]string{WordForm}, QuoteNames(names))) {
			hits, more := l.Find(ctx, snapshot.Query{Expressions: expressions, Words: names}, MaxWordLines)
			if !more {
				return
			}
			full = full || len(hits) == MaxWordLines
			for _, h := range hits {
				r.add(h, names)
			}
		}
		if !full {
			return
		}
		names = slices.DeleteFunc(names, func(n string) bool {
			r.common[n] = len(r.hits[n]) > maxLinesOf
			return r.common[n]
		})
	}
}

// QuoteNames returns names as expressions.
func QuoteNames(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = regexp.QuoteMeta(n)
	}
	return out
}

// add records the names in a line.
func (r *Resolver) add(hit snapshot.Match, names []string) {
	if len(hit.Text) > change.MaxSearchedLine || change.Hides(r.Policy, hit.Path) {
		return
	}
	k, known := r.kinds[hit.Path]
	if !known {
		k.Class, k.Language = diff.Classify(hit.Path, nil)
		r.kinds[hit.Path] = k
	}
	if k.Language == "" || isOutput(hit.Path, nil) {
		return
	}
	found := change.Words(hit.Text)
	for _, n := range names {
		if slices.Contains(found, n) {
			r.hits[n] = append(r.hits[n], hit)
		}
	}
}

// serves reports whether a file may use a symbol. See [FileKind.Serves].
func (r *Resolver) serves(p string, s *Symbol) bool {
	k := r.kinds[p]
	return k.Class != diff.ClassTest && sharesCode(k.Language, s.File.Language)
}

// files returns the files with a matching line that contains a symbol's name, nearest first.
func (r *Resolver) files(s *Symbol, fits func(snapshot.Match) bool) (out []string) {
	here := path.Dir(s.File.Path)
	for _, h := range r.hits[s.UsedName] {
		if len(out) > 0 && out[len(out)-1] == h.Path || !fits(h) {
			continue
		}
		if len(r.hits[s.UsedName]) > maxLinesOf && path.Dir(h.Path) != here {
			continue
		}
		out = append(out, h.Path)
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(Distance(a, s.File.Path), Distance(b, s.File.Path)) })
	return out
}

// Distance returns the distance of two files: 0 for the same file, 1 within one folder, more for each
// folder in between.
func Distance(a, b string) int {
	if a == b {
		return 0
	}
	from, to := strings.Split(path.Dir(a), "/"), strings.Split(path.Dir(b), "/")
	same := 0
	for same < min(len(from), len(to)) && from[same] == to[same] {
		same++
	}
	return 1 + len(from) + len(to) - 2*same
}

// parsed is a file that was read.
type parsed struct {
	content   []byte
	uses      []structure.Use
	contracts []structure.Contract
	imports   map[string]bool
}

// read reads a file of the head once. It returns nil if the file cannot be read, or if too many were read.
func (r *Resolver) read(ctx context.Context, p string) *parsed {
	if got, done := r.blobs[p]; done {
		return got
	}
	if r.room == 0 {
		return nil
	}
	r.room--
	r.blobs[p] = nil
	blob, err := r.Raw.Blob(ctx, domain.Right, p)
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for n := range r.hits {
		names[n] = true
	}
	got := &parsed{content: blob, contracts: structure.Contracts(r.kinds[p].Language, blob), imports: importedNames(blob)}
	if r.kinds[p].Language == "Go" {
		_, got.uses = structure.GoUses(blob, names)
	}
	r.blobs[p] = got
	return got
}

// defined returns the definitions of a symbol's name in the file.
func (p *parsed) defined(s *Symbol) (out []structure.Contract) {
	for _, c := range p.contracts {
		if c.Base() == s.UsedName {
			out = append(out, c)
		}
	}
	return out
}

// moved reports whether a symbol that its file lost is now in another file.
func (r *Resolver) moved(ctx context.Context, s *Symbol) bool {
	isGo := s.File.Language == "Go"
	files := r.files(s, func(h snapshot.Match) bool {
		return h.Path != s.File.Path && r.serves(h.Path, s) && defines(isGo, h.Text, s.UsedName) &&
			(!isGo || path.Dir(h.Path) == path.Dir(s.File.Path))
	})
	for _, p := range files[:min(len(files), maxUsersOf)] {
		got := r.read(ctx, p)
		if got == nil {
			continue
		}
		if slices.ContainsFunc(got.defined(s), func(c structure.Contract) bool { return c.Owner() == s.owner }) {
			return true
		}
	}
	return false
}
