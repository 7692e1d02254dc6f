package engine

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of what is kept of the uses of symbols.
const (
	maxWords     = 5000 // lines of one search for words
	maxLinesOf   = 400  // lines with a name; of one with more only those in the symbol's folder count
	maxUsers     = 60   // files of a review that are read for what they use
	maxUsersOf   = 12   // of those for one symbol
	maxMentioned = 200  // uses of one symbol that are known
)

// relations are what other places of the head have to do with the symbols that a
// change touches. The zero value has none.
type relations struct {
	symbols []*symbol
	uses    map[*symbol][]mention // nearest first
	tests   map[*symbol][]mention
	like    map[*symbol][]mention // the same method of other types
}

// mention is a line that has to do with a symbol.
type mention struct {
	path string
	line int
}

// wordForm is an expression for lines with one of NAMES as a word.
const wordForm = "(^|[^A-Za-z0-9_$])(NAMES)([^A-Za-z0-9_$]|$)"

// relations looks for what has to do with the symbols that the targets touch.
func (w *work) relations(ctx context.Context, l *lookup, targets []*change.Target) relations {
	out := relations{uses: map[*symbol][]mention{}, tests: map[*symbol][]mention{}, like: map[*symbol][]mention{}}
	out.symbols = w.touched(ctx, targets)
	r := newResolver(w)
	var names []string
	for _, s := range out.symbols {
		if !slices.Contains(names, s.name) {
			names = append(names, s.name)
		}
	}
	r.search(ctx, l, names)
	for _, s := range out.symbols {
		if ctx.Err() != nil {
			l.cut = true
			break
		}
		if s.gone() && r.moved(ctx, s) {
			s.effect = inside
		}
		if s.effect > inside {
			out.uses[s] = r.uses(ctx, s)
		}
		out.tests[s] = r.tests(s)
		if s.owner != "" && s.Kind == structure.KindFunc && !s.gone() {
			out.like[s] = r.like(ctx, s)
		}
	}
	return out
}

// resolver finds out which lines with a name have to do with a symbol.
type resolver struct {
	*work
	hits    map[string][]snapshot.Match // by the name that they hold, in the order of their paths
	common  map[string]bool             // names with more lines than are kept
	kinds   map[string]kind
	blobs   map[string]*parsed
	modules map[string]string // folder to the path by which its package of Go is imported
}

func newResolver(w *work) *resolver {
	return &resolver{work: w, hits: map[string][]snapshot.Match{}, kinds: map[string]kind{}, blobs: map[string]*parsed{}, modules: map[string]string{}}
}

// search collects the lines with names. Where they are too many, those with the most
// are left out and the others are looked for again, once.
func (r *resolver) search(ctx context.Context, l *lookup, names []string) {
	r.common = map[string]bool{}
	for range 2 {
		if len(names) == 0 {
			return
		}
		clear(r.hits)
		full := false
		for _, expressions := range batches(expressions([]string{wordForm}, escaped(names))) {
			hits, more := l.find(ctx, snapshot.Query{Expressions: expressions, Words: names}, maxWords)
			if !more {
				return
			}
			full = full || len(hits) == maxWords
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

// escaped makes names fit for an expression.
func escaped(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = regexp.QuoteMeta(n)
	}
	return out
}

// add notes the names of a line.
func (r *resolver) add(hit snapshot.Match, names []string) {
	if len(hit.Text) > change.MaxSearchedLine || glob.Any(r.in.Policy.Paths.Exclude, hit.Path) {
		return
	}
	k, known := r.kinds[hit.Path]
	if !known {
		k.class, k.language = diff.Classify(hit.Path, nil)
		r.kinds[hit.Path] = k
	}
	if k.class.Ignored() || k.language == "" {
		return
	}
	found := change.Words(hit.Text)
	for _, n := range names {
		if slices.Contains(found, n) {
			r.hits[n] = append(r.hits[n], hit)
		}
	}
}

// serves reports whether a file may use what another one defines: see [kind.serves].
func (r *resolver) serves(p string, s *symbol) bool {
	k := r.kinds[p]
	return k.class != diff.ClassTest && (k.language == s.file.Language || scripts[k.language] && scripts[s.file.Language])
}

// files are the files with a fitting line that holds a symbol's name, the nearest first.
func (r *resolver) files(s *symbol, fits func(snapshot.Match) bool) (out []string) {
	here := path.Dir(s.file.Path)
	for _, h := range r.hits[s.name] {
		if len(out) > 0 && out[len(out)-1] == h.Path || !fits(h) {
			continue
		}
		if len(r.hits[s.name]) > maxLinesOf && path.Dir(h.Path) != here {
			continue
		}
		out = append(out, h.Path)
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(distance(a, s.file.Path), distance(b, s.file.Path)) })
	return out
}

// distance is how far a file is from another one: 0 for itself, 1 in its folder, more
// for each folder on the way.
func distance(a, b string) int {
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

// read reads a file of the head, once; nil where it cannot be read, or as many as are
// read have been.
func (r *resolver) read(ctx context.Context, p string) *parsed {
	if got, done := r.blobs[p]; done {
		return got
	}
	if len(r.blobs) >= maxUsers {
		return nil
	}
	r.blobs[p] = nil
	blob, err := r.bounds.Blob(ctx, domain.Right, p)
	if err != nil {
		return nil
	}
	names := map[string]bool{}
	for n := range r.hits {
		names[n] = true
	}
	got := &parsed{content: blob, contracts: structure.Contracts(r.kinds[p].language, blob), imports: importedNames(blob)}
	if r.kinds[p].language == "Go" {
		_, got.uses = structure.GoUses(blob, names)
	}
	r.blobs[p] = got
	return got
}

// defined lists the definitions of a symbol's name in a file.
func (p *parsed) defined(s *symbol) (out []structure.Contract) {
	for _, c := range p.contracts {
		if c.Base() == s.name {
			out = append(out, c)
		}
	}
	return out
}

// moved reports whether a symbol that its file lost is there in another file. What
// names it by its file does not find it there.
func (r *resolver) moved(ctx context.Context, s *symbol) bool {
	goes := s.file.Language == "Go"
	files := r.files(s, func(h snapshot.Match) bool {
		return h.Path != s.file.Path && r.serves(h.Path, s) && defines(goes, h.Text, s.name) && (!goes || path.Dir(h.Path) == path.Dir(s.file.Path))
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
