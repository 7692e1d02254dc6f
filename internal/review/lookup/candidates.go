package lookup

import (
	"cmp"
	"context"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// Bounds of the search for all definitions of a name.
const (
	maxCandidateHits = 400 // lines that may declare the name
	maxCandidateOpen = 24  // files that are read
	maxImportLines   = 300 // lines at the head of a file that may import something
)

// candidates are the definitions of a name as a file uses it.
type candidates struct {
	named
	user  *diff.File
	blob  []byte   // of the user
	types []string // of the value before the dot

	unexported bool // names that Go does not export are searched in all packages
}

// candidate is a definition with its score.
type candidate struct {
	structure.Piece
	score int
}

// Points of candidates. A candidate without points is as likely as any other.
const (
	pointsType      = 9000 // a member of the type before the dot
	pointsNamed     = 2000 // a member of a type that is named like the value before the dot
	pointsQualifier = 500  // in the file or folder of the name before the dot
	pointsImport    = 200  // in a file or folder that the user imports
	pointsFolder    = 100
	pointsClear     = 50 // more than the next candidate has
)

// receivers returns the types before the dot of a name, most certain first: the text before the dot itself, and those that the
// file names for the value.
func receivers(u *change.Target, blob []byte, n named) (out []string) {
	switch n.qualifier {
	case "":
		return nil
	case "this", "self", "cls":
		outline := structure.Read(u.File.Language, blob)
		for _, h := range u.Hunks {
			for _, l := range h.Lines {
				for _, typ := range outline.Types(l.New) {
					if !slices.Contains(out, typ) {
						out = append(out, typ)
					}
				}
			}
		}
		return out
	}
	return append([]string{n.qualifier}, structure.TypesOf(u.File.Language, blob, n.qualifier)...)
}

// ofTypes returns the members of types, those of the first types first. It returns nil if no piece is a member
// of one.
func ofTypes(pieces []structure.Piece, types []string) (out []structure.Piece) {
	for _, t := range types {
		for _, p := range pieces {
			if ownerIs(p, t) {
				out = append(out, p)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// ownerIs reports whether a piece defines a member of a type.
func ownerIs(p structure.Piece, typ string) bool {
	return (structure.Symbol{Name: (structure.Symbol{Name: p.Symbol}).Owner()}).Base() == typ
}

// widen adds the definitions in all files that may serve the user, best first.
func (t *Toolbox) widen(ctx context.Context, l *around.Search, c candidates, d *defined) {
	found := t.candidates(ctx, l, c)
	if len(found) == 0 {
		return
	}
	var pieces []structure.Piece
	for _, f := range found {
		pieces = append(pieces, f.Piece)
	}
	known := d.pieces
	d.pieces = nil
	switch {
	case found[0].score >= pointsType:
		d.pieces = ofTypes(pieces, c.types)
		return
	case len(known) > 0:
		d.pieces = known
	case len(found) == 1 || found[0].score >= found[1].score+pointsClear:
		d.pieces, pieces = pieces[:1], pieces[1:]
		d.sure = true
	}
	for _, p := range pieces {
		if !slices.ContainsFunc(d.pieces, func(k structure.Piece) bool { return k.Path == p.Path && k.Start == p.Start }) {
			d.others = append(d.others, p)
		}
	}
}

// candidates finds the definitions in all files that may serve the user, best first.
func (t *Toolbox) candidates(ctx context.Context, l *around.Search, c candidates) (out []candidate) {
	imported, kinds := importWords(c.blob), map[string]around.FileKind{}
	q := wordQuery(c.base)
	q.Words = []string{c.base}
	within := t.within(nil)
	language := "" // of the file whose lines come
	q.Path = func(p string) bool {
		if _, known := kinds[p]; !known {
			class, language := diff.Classify(p, nil)
			kinds[p] = around.FileKind{Class: class, Language: language}
		}
		language = kinds[p].Language
		return kinds[p].Serves(c.user) && within(p)
	}
	q.Line = func(line string) bool { return structure.MayDeclare(language, line, c.base) }
	hits, _ := l.Find(ctx, q, maxCandidateHits)
	l.Cut = l.Cut || len(hits) == maxCandidateHits
	var paths []string
	for _, h := range hits {
		if h.Path != c.user.Path && !slices.Contains(paths, h.Path) {
			paths = append(paths, h.Path)
		}
	}
	near := func(p string) int { return c.points(p, imported)*100 - around.Distance(p, c.user.Path) }
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(near(b), near(a)) })
	l.Cut = l.Cut || len(paths) > maxCandidateOpen
	for _, p := range paths[:min(len(paths), maxCandidateOpen)] {
		if ctx.Err() != nil {
			l.Cut = true
			break
		}
		if kinds[p].Language == "Go" && path.Dir(p) != path.Dir(c.user.Path) && !token.IsExported(c.base) && !c.unexported {
			continue // not exported
		}
		blob, err := t.Raw.Blob(ctx, domain.Right, p)
		if err != nil || len(blob) > maxToolFile {
			continue
		}
		for _, d := range definitionsIn(p, kinds[p].Language, blob, c.named) {
			out = append(out, candidate{d, c.score(d, imported)})
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return out
}

// points returns how likely the file at a path is meant.
func (c candidates) points(p string, imported map[string]bool) (n int) {
	stem, folder := strings.TrimSuffix(path.Base(p), path.Ext(p)), path.Base(path.Dir(p))
	if sameWords(stem, c.qualifier) || folder == c.qualifier {
		n += pointsQualifier
	}
	if slices.ContainsFunc(c.types, func(t string) bool { return sameWords(stem, t) }) {
		n += pointsQualifier
	}
	if imported[stem] || imported[folder] {
		n += pointsImport
	}
	if path.Dir(p) == path.Dir(c.user.Path) {
		n += pointsFolder
	}
	return n
}

// score returns how likely a definition is meant.
func (c candidates) score(p structure.Piece, imported map[string]bool) int {
	n := c.points(p.Path, imported)
	owner := (structure.Symbol{Name: (structure.Symbol{Name: p.Symbol}).Owner()}).Base()
	switch {
	case slices.Contains(c.types, owner) && owner != "":
		n += pointsType
	case sameWords(owner, c.qualifier):
		n += pointsNamed
	}
	return n
}

// sameWords reports whether two names have the same letters, whatever joins their words.
func sameWords(a, b string) bool {
	plain := strings.NewReplacer("_", "", "-", "", ".", "")
	return a != "" && strings.EqualFold(plain.Replace(a), plain.Replace(b))
}

// importLine matches lines that import something.
var importLine = regexp.MustCompile(`^\s*(?:import|from|use|using|require\w*|#\s*include|export)\b|\brequire\(|^\s*[\w.]*\s*"[\w./~@-]+"$`)

// importWords returns the words of a file's imports.
func importWords(blob []byte) map[string]bool {
	out, n := map[string]bool{}, 0
	for l := range strings.Lines(string(blob)) {
		if n++; n > maxImportLines {
			break
		}
		if l = strings.TrimRight(l, "\r\n"); len(l) <= change.MaxSearchedLine && importLine.MatchString(l) {
			for _, w := range pathWord.FindAllString(l, -1) {
				out[w] = true
			}
		}
	}
	return out
}

// pathWord matches the words of imports, whose paths may hold dashes.
var pathWord = regexp.MustCompile(`[\w$-]+`)
