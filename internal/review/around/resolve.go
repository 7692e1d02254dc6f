package around

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/mod/modfile"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
)

// defines reports whether a line may define a name.
func defines(isGo bool, line, name string) bool {
	if !isGo {
		return structure.Defines(line) == name
	}
	return strings.HasPrefix(line, "\t"+name) || strings.HasPrefix(line, "func ") || strings.HasPrefix(line, "type ") ||
		strings.HasPrefix(line, "var ") || strings.HasPrefix(line, "const ")
}

// Uses returns the places that use a symbol, as far as its name identifies it, nearest first. It leaves out
// places that may mean another symbol with the same name.
func (r *Resolver) Uses(ctx context.Context, s *Symbol) (out []Place) {
	isGo := s.File.Language == "Go"
	isUnique, ownImport := r.isUnique(s), ""
	if isGo {
		ownImport = r.ImportPath(ctx, s)
	}
	files := r.files(s, func(h snapshot.Match) bool { return r.serves(h.Path, s) })
	for _, p := range files[:min(len(files), maxUsersOf)] {
		got := r.read(ctx, p)
		if got == nil {
			continue
		}
		var lines []int
		if isGo {
			lines = got.lines(s, p, ownImport, isUnique)
		} else {
			lines = r.words(s, p, got, isUnique)
		}
		for _, n := range lines {
			if m := (Place{p, n}); len(out) < maxMentioned && (len(out) == 0 || out[len(out)-1] != m) {
				out = append(out, m)
			}
		}
	}
	return out
}

// isUnique reports whether the lines with a name show no other symbol with that name at the head.
func (r *Resolver) isUnique(s *Symbol) bool {
	if r.common[s.UsedName] {
		return false
	}
	return !slices.ContainsFunc(r.hits[s.UsedName], func(h snapshot.Match) bool {
		if s.File.Language == "Go" {
			owner, name := methodOf(h.Text)
			return name == s.UsedName && owner != s.owner
		}
		return h.Path != s.File.Path && r.serves(h.Path, s) && structure.Defines(h.Text) == s.UsedName
	})
}

// lines returns the lines of a Go file that use a symbol. ownImport is the import path of its package, or
// "" if it is unknown. isUnique is true if the name belongs to one symbol only.
func (p *parsed) lines(s *Symbol, at, ownImport string, isUnique bool) (out []int) {
	first, _ := utf8.DecodeRuneInString(s.UsedName)
	same := path.Dir(at) == path.Dir(s.File.Path)
	near := same || p.imports[s.Package] || p.imports[path.Base(path.Dir(s.File.Path))]
	if !same && !unicode.IsUpper(first) {
		return nil
	}
	for _, u := range p.uses {
		if u.Name != s.UsedName || at == s.File.Path && s.Lines[1].Contains(u.Line) { // the symbol itself
			continue
		}
		fits := same && !u.Dotted || !same && u.Import != "" && s.ImportedAs(u.Import, ownImport)
		if s.owner != "" {
			known := u.Type != "" && len(u.Fields) == 0
			fits = u.Dotted && u.Import == "" && (known && u.Type == s.owner || !known && isUnique && near)
		}
		if fits {
			out = append(out, u.Line)
		}
	}
	return out
}

// ImportPath returns the import path of a symbol's Go package, from the nearest go.mod, or "" if it finds
// no go.mod.
func (r *Resolver) ImportPath(ctx context.Context, s *Symbol) string {
	folder := path.Dir(s.File.Path)
	if known, done := r.modules[folder]; done {
		return known
	}
	r.modules[folder] = ""
	for dir, level := folder, 0; level < maxModuleLevels; dir, level = path.Dir(dir), level+1 {
		if blob, err := r.Raw.Blob(ctx, domain.Right, path.Join(dir, "go.mod")); err == nil {
			rest := folder
			if dir != "." {
				rest = strings.TrimPrefix(strings.TrimPrefix(folder, dir), "/")
			}
			if module := modfile.ModulePath(blob); module != "" {
				r.modules[folder] = path.Join(module, rest)
			}
			break
		}
		if dir == "." {
			break
		}
	}
	return r.modules[folder]
}

// maxModuleLevels is the most folders that are searched for go.mod, from a package upwards.
const maxModuleLevels = 12

// ImportedAs reports whether an import path is that of the symbol's package. ownImport is the package's
// import path. If it is "", the end of the path decides.
func (s *Symbol) ImportedAs(importPath, ownImport string) bool {
	if ownImport != "" {
		return importPath == ownImport
	}
	return strings.HasSuffix(importPath, "/"+path.Dir(s.File.Path))
}

// folders are languages whose files see the other files of their folder without an import.
var folders = map[string]bool{"Java": true, "Kotlin": true, "Scala": true, "C#": true, "Swift": true, "Groovy": true}

// words returns the lines of a file, in a language other than Go, that use a symbol. isUnique is true if
// the name belongs to one symbol only.
func (r *Resolver) words(s *Symbol, at string, p *parsed, isUnique bool) (out []int) {
	stem := stemOf(s.File.Path)
	near := at == s.File.Path || folders[s.File.Language] && path.Dir(at) == path.Dir(s.File.Path) ||
		p.imports[stem] || entry[stem] && p.imports[path.Base(path.Dir(s.File.Path))]
	switch {
	case s.owner != "" && at != s.File.Path: // unrelated types have methods of that name, too
		named := slices.Contains(change.Words(string(p.content[:min(len(p.content), maxScanned)])), (structure.Symbol{Name: s.owner}).Base())
		if !(near && named || near && isUnique || named && isUnique) {
			return nil
		}
	case !near && !isUnique:
		return nil
	}
	var imports []int
	for _, h := range r.hits[s.UsedName] {
		if h.Path != at || at == s.File.Path && s.Lines[1].Contains(h.Line) || structure.Defines(h.Text) == s.UsedName {
			continue
		}
		switch code := structure.Code(s.File.Language, h.Text); {
		case !s.usedIn(code, stem):
		case importing.MatchString(h.Text):
			imports = append(imports, h.Line)
		default:
			out = append(out, h.Line)
		}
	}
	if len(out) == 0 {
		return imports
	}
	return out
}

// usedIn reports whether a line uses the symbol: behind a dot if it belongs to a type, else alone or behind
// the name of its file or folder.
func (s *Symbol) usedIn(code, stem string) bool {
	for _, at := range change.WordSpans(code) {
		if code[at[0]:at[1]] != s.UsedName {
			continue
		}
		dot := behindDot.FindStringSubmatch(code[:at[0]])
		alone := dot == nil || dot[1] == stem || dot[1] == path.Base(path.Dir(s.File.Path))
		if alone == (s.owner == "") {
			return true
		}
	}
	return false
}

// behindDot matches the dot at the end of a text, and the word before it.
var behindDot = regexp.MustCompile(`([A-Za-z_$][\w$]*)?[\])!?]*(?:\.|::|->)\s*$`)

// maxScanned is the most bytes of a file that are searched for the name of a type.
const maxScanned = 256 << 10

// entry are names of files that stand for their folder.
var entry = map[string]bool{"index": true, "__init__": true, "mod": true}

// stemOf returns the name of a file without folder and extension.
func stemOf(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// testMark matches the part of a test file's name that the tested file's name lacks.
var testMark = regexp.MustCompile(`(?i)^test[_.-]?|[_.-]?(tests?|spec|it)$`)

// Tests returns the places of tests that name a symbol: in files of its folder, and in files named after its file.
func (r *Resolver) Tests(s *Symbol) (out []Place) {
	stem := strings.ToLower(stemOf(s.File.Path))
	named := func(p string) bool { return strings.ToLower(testMark.ReplaceAllString(stemOf(p), "")) == stem }
	for _, h := range r.hits[s.UsedName] {
		k := r.kinds[h.Path]
		same := path.Dir(h.Path) == path.Dir(s.File.Path)
		if k.Class != diff.ClassTest || !sharesCode(k.Language, s.File.Language) ||
			!same && !named(h.Path) || len(out) >= maxMentioned {
			continue
		}
		if code := structure.Code(s.File.Language, h.Text); slices.Contains(change.Words(code), s.UsedName) && !importing.MatchString(h.Text) {
			out = append(out, Place{h.Path, h.Line})
		}
	}
	slices.SortStableFunc(out, func(a, b Place) int {
		x, y := named(a.Path), named(b.Path)
		if x == y {
			return cmp.Compare(Distance(a.Path, s.File.Path), Distance(b.Path, s.File.Path))
		}
		if x {
			return -1
		}
		return 1
	})
	return out
}

// siblings returns methods of other types in the folder with a symbol's name and parameters.
func (r *Resolver) siblings(ctx context.Context, s *Symbol) (out []Place) {
	isGo := s.File.Language == "Go"
	files := r.files(s, func(h snapshot.Match) bool {
		return path.Dir(h.Path) == path.Dir(s.File.Path) && r.serves(h.Path, s) && defines(isGo, h.Text, s.UsedName)
	})
	for _, p := range files[:min(len(files), maxUsersOf)] {
		got := r.read(ctx, p)
		if got == nil {
			continue
		}
		for _, c := range got.defined(s) {
			if c.Owner() != "" && c.Owner() != s.owner && c.Kind == structure.KindFunc && sameShape(isGo, c, s.Contract) && len(out) < maxMentioned {
				out = append(out, Place{p, c.Start})
			}
		}
	}
	return out
}

// sameShape reports whether two methods take the same parameters: the same types in Go, as many in other languages.
func sameShape(isGo bool, a, b structure.Contract) bool {
	if isGo {
		return a.Signature == b.Signature
	}
	return strings.Count(a.Signature, ",") == strings.Count(b.Signature, ",") &&
		strings.Contains(a.Signature, "()") == strings.Contains(b.Signature, "()")
}
