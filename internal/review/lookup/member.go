package lookup

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of the search for methods without a body.
const (
	maxMemberHits = 400 // lines that are checked
	maxMemberOpen = 24  // files that are read
	maxMembersOf  = 2   // places of a name
	memberAbove   = 4   // lines of a comment above a method
)

// memberForm is an expression for lines that may declare one of NAMES in an interface. Some calls have the same form.
const memberForm = "^[ \t]+([]A-Za-z0-9_@<>,.?[]+[ \t]+)*(NAMES)[?]?(<[^>]*>)?\\("

// callWords are words after which a name is called, not declared.
var callWords = map[string]bool{
	"return": true, "await": true, "throw": true, "new": true, "yield": true, "raise": true, "go": true, "defer": true, "else": true,
	"case": true, "assert": true, "del": true, "in": true, "not": true,
}

// abstract matches the first lines of types whose methods may lack a body.
var abstract = regexp.MustCompile(`\b(?:interface|trait|protocol|abstract\s+class|@interface)\b`)

// members finds the places where interfaces at the head declare methods, nearest first. Such lines look
// like calls, and only the code around them distinguishes them.
func (t *Toolbox) members(ctx context.Context, user *diff.File, names []string) (out []structure.Piece) {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !around.Searchable(n) })
	if t.search == nil || len(names) == 0 {
		return nil
	}
	q := snapshot.Query{Expressions: around.Expressions([]string{memberForm}, around.QuoteNames(names)), Words: names, Path: t.within(nil)}
	hits, more := t.lookup().Find(ctx, q, maxMemberHits)
	if !more {
		return nil
	}
	slices.SortStableFunc(hits, func(a, b snapshot.Match) int {
		return cmp.Compare(around.Distance(a.Path, user.Path), around.Distance(b.Path, user.Path))
	})
	count, files := map[string]int{}, map[string]*File{}
	for _, h := range hits {
		name := memberOf(h.Text, names)
		class, language := diff.Classify(h.Path, nil)
		if name == "" || count[name] == maxMembersOf || !(around.FileKind{Class: class, Language: language}).Serves(user) {
			continue
		}
		f, read := files[h.Path]
		if !read && len(files) < maxMemberOpen {
			f = t.outlined(ctx, h.Path, language)
			files[h.Path] = f
		}
		if f == nil || h.Line > len(f.Lines) {
			continue
		}
		if p, is := f.member(h.Line, name); is {
			out = append(out, p)
			count[name]++
		}
	}
	return out
}

// outlined reads the outline of a file with its secrets, because no text of the file is shown. It returns
// nil if the file cannot be read.
func (t *Toolbox) outlined(ctx context.Context, path, language string) *File {
	raw, err := t.Raw.Blob(ctx, domain.Right, path)
	if err != nil || len(raw) > maxToolFile {
		return nil
	}
	return &File{Path: path, language: language, Lines: change.Lines(raw), outline: structure.Read(language, raw)}
}

// memberOf returns the name that a line may declare, or "". The name stands before the line's first
// parenthesis, and the words before it do not make it a call.
func memberOf(line string, names []string) string {
	before, _, ok := strings.Cut(line, "(")
	words := change.Words(before)
	if !ok || strings.Contains(before, "=") || slices.ContainsFunc(words, func(w string) bool { return callWords[w] }) {
		return ""
	}
	if i := slices.IndexFunc(names, func(n string) bool { return slices.Contains(words, n) }); i >= 0 {
		return names[i]
	}
	return ""
}

// member returns the method that a line of an interface declares, with the comment above it.
func (f *File) member(line int, name string) (structure.Piece, bool) {
	s, ok := f.outline.Enclosing(line)
	if !ok || s.Start >= line || !abstract.MatchString(f.Lines[s.Start-1]) {
		return structure.Piece{}, false
	}
	first := line
	for first > s.Start+1 && line-first < memberAbove && structure.Code(f.language, f.Lines[first-2]) == "" &&
		strings.TrimSpace(f.Lines[first-2]) != "" {
		first--
	}
	return structure.Piece{Path: f.Path, Symbol: s.Name + "." + name, Start: first, End: line}, true
}
