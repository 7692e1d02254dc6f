package codeindex

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/store"
)

// Bounds of a search (design choices).
const (
	MaxQuery     = 200  // bytes of a query
	maxHits      = 50   // places of an answer
	ranked       = 300  // chunks that are ranked for an answer
	rankedPaths  = 3000 // the same if a pattern of paths leaves chunks out
	hitsOfFile   = 3    // places of one file in an answer
	snippetLines = 7
	snippetLine  = 240  // bytes of a line
	maxUseFiles  = 400  // files that are read for the uses of a name
	maxUseChunks = 4000 // chunks with the name
)

// Wanted is a search of a repository's index.
type Wanted struct {
	Text  string // words, names and paths, at most [MaxQuery] bytes
	Paths string // a pattern of paths; "" for all
	Limit int    // at most [maxHits]
}

// Result holds the places that a search found.
type Result struct {
	Index store.CodeIndex
	Items []Found // best first
	More  bool    // there are more places
}

// Found is a place that a search found. Its texts are text from outside, without secrets.
type Found struct {
	Path   string
	Line   int     // the line to look at first
	Start  int     // of the snippet
	Symbol *Symbol // around the line; nil outside definitions
	Text   []string
	Why    []Why
	Score  float64
}

// errNotReady says that a repository has no index yet.
func errNotReady() error {
	return errs.New(errs.Conflict, "no_index", "The repository has no code index yet. Its page Code index shows why, and when it is ready.")
}

// ready returns the index of a repository that answers searches. Errors: Conflict without one.
func (s *Service) ready(ctx context.Context, t domain.Tenant, r store.Repository) (store.CodeIndex, error) {
	row, err := s.Store.CodeIndexOf(ctx, t, r.ID, r.DefaultBranch)
	if errs.Is(err, errs.NotFound) || err == nil && row.Generation == 0 || r.State != "active" {
		return row, errNotReady()
	}
	return row, err
}

// Search ranks the chunks of a repository's index. Errors: Malformed for a bad query, Conflict if there is no index.
func (s *Service) Search(ctx context.Context, t domain.Tenant, r store.Repository, w Wanted) (out Result, err error) {
	q := parseQuery(w.Text)
	switch {
	case len(w.Text) > MaxQuery || len(q.units) == 0:
		return out, field.Wrong("/q", "must have at least one word of two letters, and at most 200 bytes")
	case w.Paths != "" && !glob.Valid(w.Paths):
		return out, field.Wrong("/paths", "must be a pattern of paths, such as src/**/*.ts")
	}
	if out.Index, err = s.ready(ctx, t, r); err != nil {
		return out, err
	}
	terms := make([]term, len(q.terms))
	for i, w := range q.terms {
		terms[i] = w.term
	}
	c, err := s.load(ctx, t, out.Index, terms)
	if err != nil {
		return out, err
	}
	limit := ranked
	if w.Paths != "" {
		limit = rankedPaths
	}
	hits, err := c.rank(q, limit)
	if err != nil {
		return out, err
	}
	chosen, files, more, err := s.choose(ctx, t, out.Index, c, hits, w)
	if err != nil {
		return out, err
	}
	out.More = more
	contents, err := s.contents(ctx, t, files)
	if err != nil {
		return out, err
	}
	for i, h := range chosen {
		if body, known := contents[files[i].Blob]; known {
			out.Items = append(out.Items, s.show(q, h, c.segments[h.segment].chunks[h.chunk].chunk, files[i].Path, body))
		}
	}
	return out, nil
}

// load reads the parts of an index that some terms need.
func (s *Service) load(ctx context.Context, t domain.Tenant, row store.CodeIndex, terms []term) (c corpus, err error) {
	if c.segments, err = s.segments(ctx, t, row.ID, row.Generation); err != nil {
		return c, err
	}
	lists, err := s.Store.CodeWords(ctx, t, row.ID, row.Generation, buckets(c.segments, terms))
	c.lists = make(map[int64][]byte, len(lists))
	for _, l := range lists {
		c.lists[l.Bucket] = l.Content
	}
	return c, err
}

// choose returns the hits that an answer shows, with their files.
func (s *Service) choose(ctx context.Context, t domain.Tenant, row store.CodeIndex, c corpus, hits []hit, w Wanted) (chosen []hit,
	files []store.CodeFile, more bool, err error) {
	at, err := s.filesOf(ctx, t, row, c, hits)
	if err != nil {
		return nil, nil, false, err
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(at[c.place(a)].Path, at[c.place(b)].Path), cmp.Compare(a.chunk, b.chunk))
	})
	limit := min(max(w.Limit, 1), maxHits)
	shown := map[string]int{}
	for _, h := range hits {
		f, live := at[c.place(h)]
		if !live || shown[f.Path] == hitsOfFile || w.Paths != "" && !glob.Any([]string{w.Paths}, f.Path) {
			continue
		}
		if len(chosen) == limit {
			return chosen, files, true, nil
		}
		shown[f.Path]++
		chosen, files = append(chosen, h), append(files, f)
	}
	return chosen, files, false, nil
}

// place returns the place of a hit's file.
func (c corpus) place(h hit) int64 {
	return store.CodePlace(c.segments[h.segment].Segment, c.segments[h.segment].chunks[h.chunk].file)
}

// filesOf reads the files of hits by their places.
func (s *Service) filesOf(ctx context.Context, t domain.Tenant, row store.CodeIndex, c corpus,
	hits []hit) (map[int64]store.CodeFile, error) {
	var places []int64
	for _, h := range hits {
		places = append(places, c.place(h))
	}
	rows, err := s.Store.CodeFilesAt(ctx, t, row.ID, row.Generation, places)
	out := make(map[int64]store.CodeFile, len(rows))
	for _, f := range rows {
		out[f.Place] = f
	}
	return out, err
}

// contents reads the contents of files by their names. A content that cannot be read is missing.
func (s *Service) contents(ctx context.Context, t domain.Tenant, files []store.CodeFile) (map[string]content, error) {
	var names []string
	for _, f := range files {
		names = append(names, f.Blob)
	}
	rows, err := s.Store.CodeBlobs(ctx, t, names)
	out := make(map[string]content, len(rows))
	for _, b := range rows {
		if c, err := unpack(b.Content); err == nil {
			out[b.Blob] = c
		}
	}
	return out, err
}

// show describes a hit.
func (s *Service) show(q query, h hit, k chunk, path string, body content) Found {
	k.End = min(k.End, len(body.lines))
	line := body.bestLine(q, k)
	out := Found{Path: path, Line: line, Start: max(line-snippetLines/3, min(k.Start, line)), Score: h.score}
	for i := out.Start; i < out.Start+snippetLines && i <= len(body.lines); i++ {
		out.Text = append(out.Text, clipLine(body.lines[i-1]))
	}
	out.Text = strings.Split(s.Scan(strings.Join(out.Text, "\n")), "\n")
	if symbol, found := body.enclosing(line); found {
		symbol.Signature = s.Scan(symbol.Signature)
		out.Symbol = &symbol
	}
	for i, w := range whys {
		if h.why>>i&1 == 1 {
			out.Why = append(out.Why, w)
		}
	}
	return out
}

func clipLine(line string) string {
	line = strings.ToValidUTF8(strings.TrimSuffix(line, "\r"), "\uFFFD")
	if len(line) <= snippetLine {
		return line
	}
	return strings.ToValidUTF8(line[:snippetLine], "") + "…"
}

// bestLine returns the line of a chunk that defines a name of the query, or else has most of its words.
func (c content) bestLine(q query, k chunk) int {
	best, most := k.Start, 0
	for _, s := range c.Symbols {
		if n := nameFit(q, s); s.Start >= k.Start && s.Start <= k.End && n > most {
			best, most = s.Start, n
		}
	}
	if most > 0 {
		return best
	}
	for i := k.Start; i <= k.End; i++ {
		count := 0
		line := c.lines[i-1][:min(len(c.lines[i-1]), maxLineBytes)]
		lower := strings.ToLower(line)
		for _, unit := range q.units {
			switch {
			case strings.Contains(line, unit):
				count += 2
			case strings.Contains(lower, strings.ToLower(unit)):
				count++
			}
		}
		if count > most {
			best, most = i, count
		}
	}
	return best
}

// nameFit returns how well a definition's name fits a query; 0 if the query does not have its name.
func nameFit(q query, s Symbol) (fit int) {
	owner, named := strings.TrimSuffix(s.Name, s.base()), false
	for _, unit := range q.units {
		switch {
		case s.base() == unit:
			fit, named = fit+3, true
		case strings.EqualFold(s.base(), unit):
			fit, named = fit+2, true
		case strings.EqualFold(strings.TrimSuffix(owner, "."), unit):
			fit += 2
		}
	}
	if !named {
		return 0
	}
	return fit
}
