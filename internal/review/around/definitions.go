package around

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of the search for definitions in other files.
const (
	maxNamesOf = 600  // names of one review that are searched; changes of 200 to 800 lines have 190 to 484
	maxHits    = 1000 // lines of one search
	maxElse    = 24   // files that are read for their definitions
	maxPathsOf = 200  // files that may define a name; with more, the name is skipped
	maxEqual   = 2    // equally likely places of a name; with more, the name is skipped
)

// Definitions records the files of the head that define the names that a change uses. They are not safe for
// concurrent use while they are filled. The zero value is empty.
type Definitions struct {
	Found  map[string][]string          // name to the paths with a line that may define it
	owners map[string][]string          // path, a colon and the name of a Go method to its types there
	Files  map[string]FileKind          // the kinds of those paths
	free   map[string]bool              // path, a colon and a name, if a line there defines it as more than a method
	sure   map[string]bool              // path, a colon and a name, if a line defines it outside groups and fields
	types  map[string]map[string]bool   // path of a target, a colon and a name to the types before its dot
	code   map[string][2]map[int]string // path of a target to the lines of its hunks, at the base and at the head
	Cut    bool                         // a search failed, or the time ended before all names were searched
}

// NewDefinitions returns empty definitions.
func NewDefinitions() Definitions {
	return Definitions{Found: map[string][]string{}, owners: map[string][]string{}, sure: map[string]bool{}, free: map[string]bool{},
		Files: map[string]FileKind{}}
}

// FileKind is the kind of a file according to its path.
type FileKind struct {
	Class    diff.Class
	Language string
}

// FindDefinitions searches the head for the definitions of the names that the targets use and adds them to
// out. It skips the files of the targets themselves.
func (h *Head) FindDefinitions(ctx context.Context, l *Search, targets []*change.Target, out *Definitions) {
	out.readCode(ctx, h.Raw, targets)
	fields := out.typesOf(ctx, h.Raw, targets)
	wanted, all := out.searches(targets, fields)
	names := slices.Sorted(maps.Keys(wanted))
	for _, expressions := range all {
		hits, more := l.Find(ctx, snapshot.Query{Expressions: expressions, Words: names, Defined: true}, maxHits)
		if !more {
			return
		}
		for _, hit := range hits {
			if len(hit.Text) <= change.MaxSearchedLine && !change.Hides(h.Policy, hit.Path) && !isOutput(hit.Path, nil) {
				out.add(hit, wanted)
			}
		}
	}
	out.resolve(ctx, h.Raw, fields)
}

// add records the wanted names in a line.
func (e Definitions) add(hit snapshot.Match, wanted map[string]bool) {
	if _, known := e.Files[hit.Path]; !known {
		class, language := diff.Classify(hit.Path, nil)
		e.Files[hit.Path] = FileKind{class, language}
	}
	language := e.Files[hit.Path].Language
	for _, name := range definedIn(language, hit.Text) {
		if !wanted[name] || len(e.Found[name]) > maxPathsOf {
			continue
		}
		if !isMethod(language, hit.Text) {
			e.free[hit.Path+":"+name] = true
		}
		if !slices.Contains(e.Found[name], hit.Path) {
			e.Found[name] = append(e.Found[name], hit.Path)
		}
	}
	if m := topLevel.FindStringSubmatch(hit.Text); m != nil {
		e.sure[hit.Path+":"+m[1]] = true
	}
	if owner, name := methodOf(hit.Text); wanted[name] && owner != "" {
		key := hit.Path + ":" + name
		e.owners[key] = append(e.owners[key], owner)
	}
}

// searches returns the names that are searched, and the expressions for them, batch by batch. Names that
// are likely to be defined elsewhere have batches of their own, so that common words do not crowd them out.
func (e Definitions) searches(targets []*change.Target, fields []field) (wanted map[string]bool, all [][]string) {
	type group struct{ isGo, plain bool }
	names := map[group][]string{}
	wanted = map[string]bool{}
	for _, f := range fields {
		if g := (group{true, false}); len(wanted) < maxFields && !wanted[f.owner] {
			wanted[f.owner] = true
			names[g] = append(names[g], f.owner)
		}
	}
	for _, usesOf := range []func(*change.Target) []Use{e.Uses, e.Calls} {
		uses := make([][]Use, len(targets))
		longest := 0
		for i, t := range targets {
			uses[i] = usesOf(t)
			longest = max(longest, len(uses[i]))
		}
		for n := range longest { // one of each file in turn, so that the bound does not leave whole files out
			for i, t := range targets {
				if n >= len(uses[i]) || len(wanted) >= maxNamesOf || wanted[uses[i][n].Name] {
					continue
				}
				u := uses[i][n]
				g := group{t.File.Language == "Go", u.plain()}
				wanted[u.Name] = true
				names[g] = append(names[g], u.Name)
			}
		}
	}
	for _, together := range [][]string{
		slices.Concat(Expressions(goForms, names[group{true, false}]), Expressions(otherForms, names[group{false, false}])),
		Expressions(goForms, names[group{true, true}]),
	} {
		all = append(all, batches(together)...)
	}
	return wanted, all
}

// InOthers returns the definitions, in other files, of the names that changed lines of a target use, most certain first, in at most
// room bytes. blob is the target's file at the head. Files are read through src, which redacts them.
func (e Definitions) InOthers(ctx context.Context, t *change.Target, blob []byte, src change.Source, room int) []structure.Piece {
	return e.find(ctx, t, e.Uses(t), blob, src, room)
}

// Called finds the definitions of the names that only unchanged lines of a target's hunks call, first those in its own
// file. See [Definitions.InOthers].
func (e Definitions) Called(ctx context.Context, t *change.Target, blob []byte, src change.Source, room int) []structure.Piece {
	uses, names := e.Calls(t), map[string]bool{}
	for _, u := range uses {
		names[u.Name] = true
	}
	own := e.In(ctx, t, src, t.File.Path, names, room)
	uses = slices.DeleteFunc(uses, func(u Use) bool {
		return slices.ContainsFunc(own, func(p structure.Piece) bool { return base(p) == u.Name })
	})
	return append(own, e.find(ctx, t, uses, blob, src, room)...)
}

// find finds the definitions of some names that a target uses in other files.
func (e Definitions) find(ctx context.Context, t *change.Target, uses []Use, blob []byte, src change.Source, room int) []structure.Piece {
	imports := importsOf(t.File.Language, blob)
	names, scores := map[string]map[string]bool{}, map[string]int{} // by path
	var paths []string
	for _, u := range uses {
		best, score := e.best(t.File, u, imports)
		for _, p := range best {
			if names[p] == nil {
				names[p] = map[string]bool{}
				paths = append(paths, p)
			}
			if score >= 2*typed {
				for _, owner := range e.owners[p+":"+u.Name] {
					if e.types[t.File.Path+":"+u.Name][owner] {
						names[p][owner+"."+u.Name] = true
					}
				}
			}
			if score < 2*typed || u.Qualifier == "" && e.free[p+":"+u.Name] { // also what has the name of a method
				names[p][u.Name] = true
			}
			scores[p] = max(scores[p], score)
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	var out []structure.Piece
	for _, p := range paths[:min(len(paths), maxElse)] {
		for _, d := range e.In(ctx, t, src, p, names[p], room) {
			room -= len(d.Text)
			out = append(out, d)
		}
	}
	return out
}

// Degrees of certainty that a place defines a name that a file uses. A line that surely is a definition
// counts between two of these.
const (
	anywhere  = iota // the only place of the name
	imported         // the file imports the name of the place's folder or file
	qualified        // the name before the dot is that of its folder or file
	sameFolder
	named  // the file imports the name, or that before the dot, from the place
	module // the place is the module before the dot
	typed  // a method of the type before the dot
)

// best returns the paths that most likely define a name, or nil if too many are equally likely.
func (e Definitions) best(f *diff.File, u Use, imports imports) (out []string, score int) {
	score = anywhere
	methods := false // of different types
	if len(e.Found[u.Name]) > maxPathsOf {
		return nil, anywhere
	}
	for _, p := range e.Found[u.Name] {
		if p == f.Path || !e.Files[p].Serves(f) {
			continue
		}
		s, from := anywhere, imports.origin(f, u, p)
		folder, stem := path.Base(path.Dir(p)), strings.TrimSuffix(path.Base(p), path.Ext(p))
		owners, types := e.owners[p+":"+u.Name], e.types[f.Path+":"+u.Name]
		switch {
		case len(types) > 0 && slices.ContainsFunc(owners, func(o string) bool { return types[o] }):
			s = typed
		case from == fromModule:
			s = named
		case from == fromSubmodule:
			s = module
		case from == fromLibrary:
			continue
		case from == fromOther: // it may pass on a name of any place
		case path.Dir(p) == path.Dir(f.Path):
			s = sameFolder
			if f.Language == "Go" && u.Qualifier != "" && imports.words[u.Qualifier] { // belongs to another package
				continue
			}
		case f.Language == "Go" && !unicode.IsUpper(rune(u.Name[0])):
			continue // not exported
		case u.Qualifier != "" && (u.Qualifier == folder || u.Qualifier == stem):
			s = qualified
		case imports.words[folder] || imports.words[stem]:
			s = imported
		}
		method := !e.free[p+":"+u.Name]
		if method && s == anywhere && (f.Language != "Go" || len(e.Found[u.Name]) > 1 || len(owners) > 1) { // of a type that nothing names
			continue
		}
		if s *= 2; e.sure[p+":"+u.Name] {
			s++
		}
		switch {
		case s > score:
			out, score, methods = []string{p}, s, method
		case s == score:
			out = append(out, p)
		}
	}
	if len(out) > maxEqual || methods && len(out) > 1 && score < 2*typed {
		return nil, anywhere
	}
	return out, score
}

// Serves reports whether a file of this kind may define a name that another file uses: it has the same
// language, is not generated, and is a test only if the other file is one.
func (k FileKind) Serves(f *diff.File) bool {
	if k.Class.Ignored() || k.Class == diff.ClassTest && f.Class != diff.ClassTest {
		return false
	}
	return sharesCode(k.Language, f.Language)
}

// sharesCode reports whether files of two languages use each other's definitions.
func sharesCode(a, b string) bool {
	return a != "" && (a == b || structure.IsScript(a) && structure.IsScript(b))
}
