package lookup

import (
	"cmp"
	"context"
	"fmt"
	"go/token"
	"path"
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
	maxGuessNamed = 10       // further definitions that are named
	maxWhole      = 60       // lines of a definition that is shown whole if it is the only one
	maxStands     = 12       // places of a name without a definition
	maxPackages   = 8        // Go packages of a change that are asked for a name without a path
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
	sayNowhere = "The repository does not define that name, and no file that is searched holds it: it may belong to another module."
	sayKeyword = "The name is a word of the language, which no file defines."
	sayStands  = "[no definition of that name is known: it may belong to another module, or be local to a function; it stands here]"
	sayEither  = " (one of several: nothing says which is meant)"
	sayAlso    = " (defined here too, less likely meant)"
)

type nameArguments struct {
	Name string  `json:"name"`
	Path *string `json:"path"`
}

// keyword are words of common languages beside those of Go.
var keyword = map[string]bool{"class": true, "def": true, "let": true, "function": true, "while": true, "this": true, "self": true,
	"null": true, "None": true, "nil": true, "true": true, "false": true, "new": true, "await": true, "async": true, "yield": true,
	"throw": true, "raise": true, "try": true, "catch": true, "except": true, "public": true, "private": true, "static": true, "void": true}

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
func readName(arguments string) (n named, at *string, why string) {
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
	others []structure.Piece // further definitions, best first
	sure   bool              // others are less likely than pieces
	cut    bool              // a part was not searched
}

// empty reports whether nothing was found.
func (d defined) empty() bool { return len(d.pieces)+len(d.others) == 0 }

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
	case ctx.Err() != nil && d.empty():
		return ask.ResultTooSlow
	case d.empty():
		return t.stands(ctx, n, at, out)
	}
	note := sayEither
	if d.sure {
		note = sayAlso
	}
	shown := d.others[:min(len(d.others), max(maxGuessed-len(d.pieces), 0))]
	if len(d.pieces) == 1 && len(shown) == 0 {
		d.pieces[0] = whole(d.pieces[0])
	}
	t.showPieces(ctx, d.pieces, "", out)
	t.showPieces(ctx, shown, note, out)
	if rest := d.others[len(shown):]; len(rest) > 0 {
		out.say("further definitions: " + namedPieces(rest))
	}
	if d.cut {
		out.say(sayPart)
	}
	if out.hits == 0 {
		out.say(sayUnshown)
	}
	return ""
}

// whole returns a piece with the lines that it leaves out, if they are not too many.
func whole(p structure.Piece) structure.Piece {
	if p.End+p.Left-p.Start < maxWhole {
		p.End, p.Left = p.End+p.Left, 0
	}
	return p
}

// namedPieces lists the places of definitions.
func namedPieces(pieces []structure.Piece) string {
	var names []string
	for _, p := range pieces {
		if len(names) == maxGuessNamed {
			names = append(names, fmt.Sprintf("and %d more", len(pieces)-maxGuessNamed))
			break
		}
		names = append(names, fmt.Sprintf("%s:%d %s", change.CleanPath(p.Path), p.Start, change.ShowInvisible(p.Symbol)))
	}
	return strings.Join(names, ", ")
}

// stands shows where a name without a definition stands.
func (t *Toolbox) stands(ctx context.Context, n named, at *string, out *sheet) string {
	if isGo := at == nil || diff.Language(*at) == "Go"; keyword[n.base] || isGo && token.IsKeyword(n.base) {
		out.say(sayKeyword)
		return ""
	}
	return t.lines(ctx, words{n.base, pathOf(at), sayStands, sayNowhere, maxStands}, out)
}

// showPieces shows definitions, as far as there is room. It says how many lines of each are left out.
func (t *Toolbox) showPieces(ctx context.Context, pieces []structure.Piece, note string, out *sheet) {
	for _, p := range pieces {
		f, why := t.Open(ctx, domain.Right, p.Path)
		if why != "" {
			continue
		}
		last := out.show(f, change.ShowInvisible(p.Symbol)+note, p.Start, p.End, toolWidth)
		if last > 0 {
			out.hits++
			out.left(last, p.End+p.Left)
		}
	}
}

// define finds the definitions of a name as a file uses it. Without a path, or with that of a file without code,
// it finds them as the files of the change use it.
func (t *Toolbox) define(ctx context.Context, n named, at *string) (d defined, why string) {
	if at != nil {
		f, why := t.Open(ctx, domain.Right, *at)
		if why != "" {
			return d, why
		}
		if structure.Outlined(f.language) {
			return t.resolve(ctx, t.uses(f, n), n), ""
		}
	}
	return t.defineAsChanged(ctx, n), ""
}

// defineAsChanged finds the definitions of a name as the files of the change use it, the first one of each language that has
// any. A name that Go does not export means another thing in each package, so the packages of the change are asked one by
// one, and then all others.
func (t *Toolbox) defineAsChanged(ctx context.Context, n named) (d defined) {
	asked, packages := map[string]bool{}, 0
	var goFile *diff.File
	for _, f := range t.Set.Files {
		local := f.Language == "Go" && !token.IsExported(n.base)
		key := f.Language
		if local {
			key = "Go " + path.Dir(f.Path)
		}
		if f.Status == diff.Deleted || f.Language == "" || asked[key] || f.Class.Ignored() || local && packages == maxPackages ||
			!local && !d.empty() {
			continue
		}
		l, why := t.Open(ctx, domain.Right, f.Path)
		if why != "" {
			continue
		}
		asked[key] = true
		if local {
			packages++
			goFile = cmp.Or(goFile, f)
		}
		d.join(t.resolve(ctx, t.uses(l, n), n))
	}
	if d.empty() && goFile != nil && t.search != nil {
		l := t.lookup()
		t.widen(ctx, l, candidates{user: goFile, named: n, types: []string{n.qualifier}, unexported: true}, &d)
		d.cut = d.cut || l.Cut
	}
	return d
}

// join adds the definitions of another answer.
func (d *defined) join(more defined) {
	for _, p := range more.pieces {
		if !slices.ContainsFunc(d.pieces, func(k structure.Piece) bool { return k.Path == p.Path && k.Start == p.Start }) {
			d.pieces = append(d.pieces, p)
		}
	}
	d.others, d.sure, d.cut = append(d.others, more.others...), more.sure, d.cut || more.cut
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
func (t *Toolbox) target(at string, lines []diff.Line) *change.Target {
	return &change.Target{File: t.file(at), Hunks: []*diff.Hunk{{Lines: lines}}}
}

// file describes a file, whether the change touches it or not.
func (t *Toolbox) file(at string) *diff.File {
	if f := t.Set.File(at); f != nil {
		return f
	}
	class, language := diff.Classify(at, nil)
	return &diff.File{Path: at, Status: diff.Modified, Class: class, Language: language}
}

// resolve finds the definitions of a name that a target uses: in its own file, in others by their place, or
// else all.
func (t *Toolbox) resolve(ctx context.Context, u *change.Target, n named) (d defined) {
	blob, err := t.Source.Blob(ctx, domain.Right, u.File.Path)
	if err != nil {
		return defined{cut: true}
	}
	types := receivers(u, blob, n)
	from := throughImport(u, blob)
	if from == "" || n.qualifier == "" { // a name behind an import is not the file's own
		d.pieces = definitionsIn(u.File.Path, u.File.Language, blob, n)
	}
	if typed := ofTypes(d.pieces, types); len(typed) > 0 {
		return defined{pieces: typed}
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
	own := len(d.pieces)
	d.pieces = append(d.pieces, e.InOthers(ctx, u, blob, t.Source, shownBytes)...)
	if from != "" {
		d.pieces = t.of(ctx, from, d.pieces)
		d.cut = l.Cut
		return d
	}
	if typed := ofTypes(d.pieces, types); len(typed) > 0 {
		return defined{pieces: typed}
	}
	if len(d.pieces) == 0 {
		declared := t.members(ctx, u.File, []string{n.base})
		if typed := ofTypes(declared, types); len(typed) > 0 {
			return defined{pieces: typed}
		}
		d.pieces = declared
	}
	if len(d.pieces) == 0 || n.qualifier != "" && !soleFunction(d.pieces[own:]) {
		t.widen(ctx, l, candidates{user: u.File, blob: blob, named: n, types: types}, &d)
	}
	d.cut = l.Cut
	return d
}

// definitionsIn returns the definitions of a name in a file. Members count if nothing else has the name, or
// if a value or type stands before it.
func definitionsIn(at, language string, blob []byte, n named) []structure.Piece {
	found := structure.Definitions(at, language, blob, map[string]bool{n.base: true}, shownBytes)
	if len(found) == 0 || n.qualifier != "" {
		found = append(found, structure.Members(at, language, blob, n.base, shownBytes)...)
	}
	return found
}

// soleFunction reports whether the pieces are one function, type or value that belongs to no type.
func soleFunction(pieces []structure.Piece) bool {
	return len(pieces) == 1 && !strings.Contains(pieces[0].Symbol, ".")
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

// lookup returns a search of the head.
func (t *Toolbox) lookup() *around.Search {
	return &around.Search{Source: t.search, Logger: t.Logger}
}
