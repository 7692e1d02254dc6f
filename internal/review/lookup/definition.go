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
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Bounds of the results about a name.
const (
	maxNameBytes  = 200
	maxNameUses   = 20       // lines of a file that use the name and decide its meaning
	maxGuessed    = 3        // definitions that are equally likely
	maxGuessNamed = 10       // further files with a definition that are named
	shownBytes    = 64 << 10 // bytes of definitions, before the sheet cuts them
)

// Texts to a model about names.
const (
	sayName = "That is no name: give an identifier as the code writes it, alone or with what stands before its dot, " +
		"such as Total, Order.Total or orders.New."
	sayShort   = "That name is too short to be looked for."
	sayPart    = "[not everything could be looked up]"
	sayUnshown = "What was found stands in files that are not shown: they are too large, excluded by the policy, or could " +
		"not be searched for secrets."
	sayNowhere = "The repository does not define that name, as far as its text says so: it may belong to another module, " +
		"or be local to a function."
)

type nameArguments struct {
	Name string  `json:"name"`
	Path *string `json:"path"`
}

// dottedName matches a name with the names before its dots.
var dottedName = regexp.MustCompile(`^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*$`)

// named is a requested name, with the name before its dot.
type named struct{ base, qualifier string }

// call returns the text of a call of the name.
func (n named) call() string {
	if n.qualifier == "" {
		return n.base + "("
	}
	return n.qualifier + "." + n.base + "("
}

// own reports whether the name means the file's own definition if the file has one.
func (n named) own() bool { return n.qualifier == "" || n.qualifier == "this" || n.qualifier == "self" }

// readName reads the arguments of a request about a name. why describes their fault, or is "".
func readName(arguments string) (n named, path *string, why string) {
	a, ok := ReadArguments[nameArguments](arguments)
	switch {
	case !ok:
		return n, nil, ask.ResultBadArguments
	case len(a.Name) > maxNameBytes || !dottedName.MatchString(a.Name):
		return n, nil, sayName
	}
	parts := change.Words(a.Name)
	n.base = parts[len(parts)-1]
	if len(parts) > 1 {
		n.qualifier = parts[len(parts)-2]
	}
	if len(n.base) < 2 {
		return n, nil, sayShort
	}
	return n, a.Path, ""
}

// defined holds the definitions of a name.
type defined struct {
	pieces []structure.Piece // most certain first
	others []structure.Piece // further, equally likely definitions
	paths  []string          // files with still more definitions
	cut    bool              // a part was not searched
}

// definition shows the definitions of a name.
func definition(ctx context.Context, t *Toolbox, arguments string, out *sheet) string {
	n, at, why := readName(arguments)
	if why != "" {
		return why
	}
	d, why := t.define(ctx, n, at)
	switch {
	case why != "":
		return why
	case ctx.Err() != nil && len(d.pieces)+len(d.others) == 0:
		return ask.ResultTooSlow
	case len(d.pieces)+len(d.others) == 0:
		out.say(sayNowhere)
		return ""
	}
	t.showPieces(ctx, d.pieces, "", out)
	t.showPieces(ctx, d.others, " (one of several: nothing says which is meant)", out)
	if len(d.paths) > 0 {
		out.say("further definitions: " + strings.Join(d.paths, ", "))
	}
	if d.cut {
		out.say(sayPart)
	}
	if out.hits == 0 {
		out.say(sayUnshown)
	}
	return ""
}

// showPieces shows definitions, as far as there is room.
func (t *Toolbox) showPieces(ctx context.Context, pieces []structure.Piece, note string, out *sheet) {
	for _, p := range pieces {
		f, why := t.Open(ctx, domain.Right, p.Path)
		if why == "" && out.show(f, change.ShowInvisible(p.Symbol)+note, p.Start, p.End, toolWidth) > 0 {
			out.hits++
		}
	}
}

// define finds the definitions of a name as a file uses it. Without a path, it finds them as the files of
// the change use it.
func (t *Toolbox) define(ctx context.Context, n named, at *string) (d defined, why string) {
	if at != nil {
		f, why := t.Open(ctx, domain.Right, *at)
		if why != "" {
			return d, why
		}
		return t.resolve(ctx, t.uses(f, n), n), ""
	}
	asked := map[string]bool{}
	for _, f := range t.Set.Files {
		if f.Status == diff.Deleted || f.Language == "" || asked[f.Language] || f.Class.Ignored() {
			continue
		}
		l, why := t.Open(ctx, domain.Right, f.Path)
		if why != "" {
			continue
		}
		asked[f.Language] = true
		if d = t.resolve(ctx, t.uses(l, n), n); len(d.pieces)+len(d.others) > 0 {
			break
		}
	}
	return d, ""
}

// uses returns a target with the lines of a file that use a name, as if a change had added them, so that
// their place decides the meaning of the name. If the file does not use the name, it makes up a line.
func (t *Toolbox) uses(f *File, n named) *change.Target {
	var lines []diff.Line
	for i, l := range f.Lines {
		if len(lines) == maxNameUses {
			break
		}
		if len(l) > change.MaxSearchedLine || !strings.Contains(l, n.base) {
			continue
		}
		for _, u := range around.UsesIn(l) {
			if u.Name == n.base && (n.qualifier == "" || u.Qualifier == n.qualifier) {
				lines = append(lines, diff.Line{Op: diff.Add, New: i + 1, Text: named{n.base, u.Qualifier}.call()})
			}
		}
	}
	if len(lines) == 0 {
		lines = append(lines, diff.Line{Op: diff.Add, Text: n.call()})
	}
	return t.target(f.Path, lines)
}

// target returns a target of lines of a file.
func (t *Toolbox) target(path string, lines []diff.Line) *change.Target {
	return &change.Target{File: t.file(path), Hunks: []*diff.Hunk{{Lines: lines}}}
}

// file describes a file, whether the change touches it or not.
func (t *Toolbox) file(path string) *diff.File {
	if f := t.Set.File(path); f != nil {
		return f
	}
	class, language := diff.Classify(path, nil)
	return &diff.File{Path: path, Status: diff.Modified, Class: class, Language: language}
}

// resolve finds the definitions of a name that a target uses: in its own file, in others by their place, or
// else all.
func (t *Toolbox) resolve(ctx context.Context, u *change.Target, n named) (d defined) {
	blob, err := t.Source.Blob(ctx, domain.Right, u.File.Path)
	if err != nil {
		return defined{cut: true}
	}
	from := throughImport(u, blob)
	if from == "" || n.qualifier == "" { // a name behind an import is not the file's own
		d.pieces = preferred(structure.Definitions(u.File.Path, u.File.Language, blob, map[string]bool{n.base: true}, shownBytes), n)
	}
	sure := func(p structure.Piece) bool { return u.File.Language != "Go" || p.Symbol == n.base }
	if t.search == nil || n.own() && slices.ContainsFunc(d.pieces, sure) {
		return d
	}
	e, l := around.NewDefinitions(), t.lookup()
	t.FindDefinitions(ctx, l, []*change.Target{u}, &e)
	if n.qualifier != "" {
		e.NoteType(u.File.Path, n.base, n.qualifier) // in case it is a type
	}
	d.cut = l.Cut
	d.pieces = append(d.pieces, e.Of(ctx, u, blob, t.Source, shownBytes)...)
	if from != "" {
		d.pieces = t.of(ctx, from, d.pieces)
		return d
	}
	if len(d.pieces) == 0 {
		d.pieces = t.members(ctx, u.File, []string{n.base})
	}
	if len(d.pieces) == 0 {
		t.guess(ctx, u.File, e, n, &d)
	}
	return d
}

// throughImport returns the Go import path behind the qualifier of the name that a target uses, or "".
func throughImport(u *change.Target, blob []byte) string {
	if u.File.Language != "Go" {
		return ""
	}
	lines := around.ChangedOn(u.Hunks, domain.Right)
	_, uses := structure.GoUses(blob, change.UsedWords(u))
	i := slices.IndexFunc(uses, func(use structure.Use) bool { return use.Import != "" && lines[use.Line] })
	if i < 0 {
		return ""
	}
	return uses[i].Import
}

// of returns the pieces in the package with a Go import path.
func (t *Toolbox) of(ctx context.Context, importPath string, pieces []structure.Piece) []structure.Piece {
	r := around.NewResolver(t.Head)
	return slices.DeleteFunc(pieces, func(p structure.Piece) bool {
		s := &around.Symbol{File: t.file(p.Path)}
		return !s.ImportedAs(importPath, r.ImportPath(ctx, s))
	})
}

// preferred returns the definitions that belong to the type before a name's dot, or all if it finds none.
func preferred(pieces []structure.Piece, n named) []structure.Piece {
	typed := slices.DeleteFunc(slices.Clone(pieces), func(p structure.Piece) bool { return p.Symbol != n.qualifier+"."+n.base })
	if len(typed) > 0 {
		return typed
	}
	return pieces
}

// lookup returns a search of the head.
func (t *Toolbox) lookup() *around.Search {
	return &around.Search{Source: t.search, Logger: t.Logger}
}

// guess finds definitions of a name that are equally likely, nearest first.
func (t *Toolbox) guess(ctx context.Context, user *diff.File, e around.Definitions, n named, d *defined) {
	paths := slices.DeleteFunc(slices.Clone(e.Found[n.base]), func(p string) bool { return p == user.Path || !e.Files[p].Serves(user) })
	slices.SortStableFunc(paths, func(a, b string) int {
		return cmp.Compare(around.Distance(a, user.Path), around.Distance(b, user.Path))
	})
	for _, p := range paths {
		switch {
		case len(d.others) >= maxGuessed && len(d.paths) == maxGuessNamed:
			return
		case len(d.others) >= maxGuessed:
			d.paths = append(d.paths, change.CleanPath(p))
			continue
		}
		blob, err := t.Source.Blob(ctx, domain.Right, p)
		if err != nil {
			continue
		}
		found := structure.Definitions(p, e.Files[p].Language, blob, map[string]bool{n.base: true}, shownBytes)
		d.others = append(d.others, preferred(found, n)...)
	}
}
