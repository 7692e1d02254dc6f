package mcpserver

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codeindex"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
)

// Bounds of a search (design choices).
const (
	maxHits   = 200              // lines read
	hitsShown = 50               // lines in an answer
	fresh     = 30 * time.Second // the known newest commit of a branch is used this long
)

// newest is the newest known commit of a default branch.
type newest struct {
	commit string
	at     time.Time
}

// SearchWanted is the input of search_code.
type SearchWanted struct {
	Place
	Text       string `json:"text,omitempty" jsonschema:"A part of a line, as it stands there; upper and lower case differ"`
	Expression string `json:"expression,omitempty" jsonschema:"A regular expression in the syntax of RE2, matched line by line"`
	Symbol     string `json:"symbol,omitempty" jsonschema:"A name as the code writes it: lines where it stands as a word, those first that look like its definition"`
	Words      string `json:"words,omitempty" jsonschema:"Names, words and paths: the best places of the code index"`
	Paths      string `json:"paths,omitempty" jsonschema:"Pattern of the files to search, such as *.go, src/**/*.ts or internal/**; all where absent"`
}

// Search is the result of a search.
type Search struct {
	Commit string `json:"commit" jsonschema:"The searched commit of the default branch"`
	Branch string `json:"branch"`
	Items  []Hit  `json:"items" jsonschema:"At most 50, by path and line; for a symbol, likely definitions first"`
	More   bool   `json:"more,omitempty" jsonschema:"There are more lines: narrow the search"`
}

// Hit is one matching line.
type Hit struct {
	Path       string `json:"path"`
	Line       int    `json:"line"`
	Text       string `json:"text"`
	Definition bool   `json:"definition,omitempty" jsonschema:"Of a symbol: the line looks like its definition"`
}

// name matches possible symbols.
var name = regexp.MustCompile(`^[A-Za-z_$][\w$]{0,99}$`)

// query returns the query for an input, and for a symbol the pattern of its definition.
func (in SearchWanted) query() (q snapshot.Query, defines *regexp.Regexp, err error) {
	given := 0
	for _, s := range []string{in.Text, in.Expression, in.Symbol, in.Words} {
		if s != "" {
			given++
		}
	}
	if given != 1 {
		return q, nil, field.Wrong("/text", "must be given, or expression, symbol or words: one of the four")
	}
	if in.Paths != "" && !glob.Valid(in.Paths) {
		return q, nil, field.Wrong("/paths", "must be a pattern of paths, such as src/**/*.ts")
	}
	switch {
	case in.Words != "":
		if len(in.Words) > codeindex.MaxQuery {
			err = field.Wrong("/words", "must have at most 200 bytes")
		}
	case in.Text != "":
		q, err = snapshot.Containing(in.Text)
	case in.Expression != "":
		q, err = snapshot.Matching(in.Expression)
	case !name.MatchString(in.Symbol):
		err = field.Wrong("/symbol", "must be a name as code writes it, without what stands before its dot")
	default:
		word := regexp.QuoteMeta(in.Symbol)
		if q, err = snapshot.Matching(`(^|[^\w$])` + word + `([^\w$]|$)`); err == nil {
			defines, err = regexp.Compile(`\b(func|function|def|class|type|interface|struct|enum|trait|fn|const|var|let|record|object|` +
				`module|namespace|union)\s+(\([^)]*\)\s*)?(self\.)?` + word + `([^\w$]|$)`)
		}
	}
	if in.Paths != "" {
		q.Path = func(path string) bool { return glob.Any([]string{in.Paths}, path) }
	}
	return q, defines, err
}

func searchCode(ctx context.Context, v *visit, in SearchWanted) (Search, string, error) {
	q, defines, err := in.query()
	if err != nil {
		return Search{}, "", err
	}
	at, err := v.repository(ctx, in.Repository, perm.RepoView, false)
	if err != nil {
		return Search{}, "", err
	}
	if out, text, answered, err := v.searchIndex(ctx, at, in, defines); answered || err != nil {
		return out, text, err
	}
	code, commit, err := v.open(ctx, at)
	if err != nil {
		return Search{}, "", err
	}
	defer func() { _ = code.Close() }() // it was only read
	found, err := code.Search(ctx, commit, q, maxHits)
	if err != nil {
		return Search{}, "", err
	}
	out := Search{Commit: commit, Branch: v.line(at.DefaultBranch), Items: []Hit{}, More: len(found) > hitsShown}
	if defines != nil {
		slices.SortStableFunc(found, func(a, b snapshot.Match) int {
			return rank(defines.MatchString(a.Text)) - rank(defines.MatchString(b.Text))
		})
	}
	for _, m := range found[:min(len(found), hitsShown)] {
		out.Items = append(out.Items, Hit{Path: v.line(m.Path), Line: m.Line, Text: v.code(m.Text),
			Definition: defines != nil && defines.MatchString(m.Text)})
	}
	return out, out.text(), nil
}

// text describes a search.
func (r Search) text() string {
	var b strings.Builder
	for _, h := range r.Items {
		fmt.Fprintf(&b, "%s:%d: %s\n", h.Path, h.Line, h.Text)
	}
	text := pluralize(len(r.Items), "line", "lines") + " at commit " + r.Commit + "."
	if r.More {
		text += " There are more: narrow the search by paths, or by a longer text."
	}
	if len(r.Items) > 0 {
		text += "\n" + fenced(b.String())
	}
	return text
}

// searchIndex answers a search for a symbol or for words from the code index. answered is false if the index cannot answer, and the
// code is read instead.
func (v *visit) searchIndex(ctx context.Context, at store.Repository, in SearchWanted, defines *regexp.Regexp) (out Search, text string,
	answered bool, err error) {
	if v.Index == nil || in.Symbol == "" && in.Words == "" {
		return out, "", false, nil
	}
	out.Items = []Hit{}
	t, row := domain.Tenant{ID: at.Tenant}, store.CodeIndex{}
	if in.Words != "" {
		var got codeindex.Result
		got, err = v.Index.Search(ctx, t, at, codeindex.Wanted{Text: in.Words, Paths: in.Paths, Limit: hitsShown})
		row, out.More = got.Index, got.More
		for _, f := range got.Items {
			h := Hit{Path: v.line(f.Path), Line: f.Line, Definition: slices.Contains(f.Why, codeindex.WhyDefines)}
			if i := f.Line - f.Start; i >= 0 && i < len(f.Text) {
				h.Text = v.code(f.Text[i])
			}
			out.Items = append(out.Items, h)
		}
	} else {
		wants := func(path string) bool { return in.Paths == "" || glob.Any([]string{in.Paths}, path) }
		var uses []codeindex.Use
		row, uses, err = v.Index.Uses(ctx, t, at, in.Symbol, wants, maxHits)
		out.More = len(uses) > hitsShown
		for i, u := range uses { // the index knows functions and types; values look like definitions
			uses[i].Definition = u.Definition || defines.MatchString(u.Text)
		}
		slices.SortStableFunc(uses, func(a, b codeindex.Use) int { return rank(a.Definition) - rank(b.Definition) })
		for _, u := range uses[:min(len(uses), hitsShown)] {
			out.Items = append(out.Items, Hit{Path: v.line(u.Path), Line: u.Line, Text: v.code(u.Text), Definition: u.Definition})
		}
	}
	if errs.Is(err, errs.Conflict) && in.Words == "" {
		return out, "", false, nil
	}
	out.Commit, out.Branch = row.CommitSHA, v.line(at.DefaultBranch)
	return out, out.text(), err == nil, err
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// open opens a repository at the newest commit of its default branch, as known at most half a minute ago.
func (v *visit) open(ctx context.Context, at store.Repository) (*snapshot.Repo, string, error) {
	if v.Code == nil {
		return nil, "", errs.New(errs.Unavailable, "unavailable", "This process cannot read code.")
	}
	key := at.ID + " " + at.DefaultBranch
	known, _ := v.heads.Get(key)
	commit := ""
	if time.Since(known.at) < fresh {
		commit = known.commit
	}
	code, now, err := v.Code.Newest(ctx, at, commit)
	if err == nil && commit == "" {
		v.heads.Add(key, newest{now, time.Now()})
	}
	return code, now, err
}
