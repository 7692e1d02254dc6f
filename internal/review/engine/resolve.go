package engine

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
func defines(goes bool, line, name string) bool {
	if !goes {
		return structure.Defines(line) == name
	}
	return strings.HasPrefix(line, "\t"+name) || strings.HasPrefix(line, "func ") || strings.HasPrefix(line, "type ") ||
		strings.HasPrefix(line, "var ") || strings.HasPrefix(line, "const ")
}

// uses are the places that use a symbol as far as its name says so, the nearest
// first. What may as well be another symbol of the name is left out.
func (r *resolver) uses(ctx context.Context, s *symbol) (out []mention) {
	goes := s.file.Language == "Go"
	only, own := r.only(s), ""
	if goes {
		own = r.importPath(ctx, s)
	}
	files := r.files(s, func(h snapshot.Match) bool { return r.serves(h.Path, s) })
	for _, p := range files[:min(len(files), maxUsersOf)] {
		got := r.read(ctx, p)
		if got == nil {
			continue
		}
		var lines []int
		if goes {
			lines = got.lines(s, p, own, only)
		} else {
			lines = r.words(s, p, got, only)
		}
		for _, n := range lines {
			if m := (mention{p, n}); len(out) < maxMentioned && (len(out) == 0 || out[len(out)-1] != m) {
				out = append(out, m)
			}
		}
	}
	return out
}

// only reports whether nothing else at the head has the symbol's name, as far as
// lines with it tell.
func (r *resolver) only(s *symbol) bool {
	if r.common[s.name] {
		return false
	}
	return !slices.ContainsFunc(r.hits[s.name], func(h snapshot.Match) bool {
		if s.file.Language == "Go" {
			owner, name := methodOf(h.Text)
			return name == s.name && owner != s.owner
		}
		return h.Path != s.file.Path && r.serves(h.Path, s) && structure.Defines(h.Text) == s.name
	})
}

// lines are those of a Go file that use a symbol, whose package has a path of its own
// by which it is imported, "" where nobody knows.
func (p *parsed) lines(s *symbol, at, own string, only bool) (out []int) {
	first, _ := utf8.DecodeRuneInString(s.name)
	same := path.Dir(at) == path.Dir(s.file.Path)
	near := same || p.imports[s.pkg] || p.imports[path.Base(path.Dir(s.file.Path))]
	if !same && !unicode.IsUpper(first) {
		return nil
	}
	for _, u := range p.uses {
		if u.Name != s.name || at == s.file.Path && s.lines[1].Contains(u.Line) { // itself
			continue
		}
		fits := same && !u.Dotted || !same && u.Import != "" && s.imported(u.Import, own)
		if s.owner != "" {
			known := u.Type != "" && len(u.Fields) == 0
			fits = u.Dotted && u.Import == "" && (known && u.Type == s.owner || !known && only && near)
		}
		if fits {
			out = append(out, u.Line)
		}
	}
	return out
}

// importPath is the path of Go by which others import a symbol's package: by the
// nearest go.mod; "" where there is none. Each folder is asked for once.
func (r *resolver) importPath(ctx context.Context, s *symbol) string {
	folder := path.Dir(s.file.Path)
	if known, done := r.modules[folder]; done {
		return known
	}
	r.modules[folder] = ""
	for dir, level := folder, 0; level < maxModuleLevels; dir, level = path.Dir(dir), level+1 {
		if blob, err := r.bounds.Blob(ctx, domain.Right, path.Join(dir, "go.mod")); err == nil {
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

// maxModuleLevels bounds the folders above a package that may hold its go.mod.
const maxModuleLevels = 12

// imported reports whether a path of Go is that of the symbol's package, without a
// go.mod by its end.
func (s *symbol) imported(importPath, own string) bool {
	if own != "" {
		return importPath == own
	}
	return strings.HasSuffix(importPath, "/"+path.Dir(s.file.Path))
}

// folders are languages in which files of one folder see each other without an import.
var folders = map[string]bool{"Java": true, "Kotlin": true, "Scala": true, "C#": true, "Swift": true, "Groovy": true}

// words are the lines of a file of another language than Go that use a symbol.
func (r *resolver) words(s *symbol, at string, p *parsed, only bool) (out []int) {
	stem := stemOf(s.file.Path)
	near := at == s.file.Path || folders[s.file.Language] && path.Dir(at) == path.Dir(s.file.Path) ||
		p.imports[stem] || entry[stem] && p.imports[path.Base(path.Dir(s.file.Path))]
	switch {
	case s.owner != "" && at != s.file.Path: // types of other origin have methods, too
		named := slices.Contains(change.Words(string(p.content[:min(len(p.content), maxScanned)])), (structure.Symbol{Name: s.owner}).Base())
		if !(near && named || near && only || named && only) {
			return nil
		}
	case !near && !only:
		return nil
	}
	var imports []int
	for _, h := range r.hits[s.name] {
		if h.Path != at || at == s.file.Path && s.lines[1].Contains(h.Line) || structure.Defines(h.Text) == s.name {
			continue
		}
		switch code := structure.Code(s.file.Language, h.Text); {
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

// usedIn reports whether a line uses the symbol: with something before its dot if it
// has a type, else alone, or behind the name of its file or folder.
func (s *symbol) usedIn(code, stem string) bool {
	for _, at := range change.WordSpans(code) {
		if code[at[0]:at[1]] != s.name {
			continue
		}
		dot := behindDot.FindStringSubmatch(code[:at[0]])
		alone := dot == nil || dot[1] == stem || dot[1] == path.Base(path.Dir(s.file.Path))
		if alone == (s.owner == "") {
			return true
		}
	}
	return false
}

// behindDot finds the dot at the end of a text, and the word before it.
var behindDot = regexp.MustCompile(`([A-Za-z_$][\w$]*)?[\])!?]*(?:\.|::|->)\s*$`)

// maxScanned bounds the bytes of a file in which the name of a type is looked for.
const maxScanned = 256 << 10

// entry are names of files that stand for their folder.
var entry = map[string]bool{"index": true, "__init__": true, "mod": true}

func stemOf(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// testMark finds what the name of a test file has besides that of what it tests.
var testMark = regexp.MustCompile(`(?i)^test[_.-]?|[_.-]?(tests?|spec|it)$`)

// tests are places of tests that name a symbol: in files of its folder, and in those
// whose name is that of its file.
func (r *resolver) tests(s *symbol) (out []mention) {
	stem := strings.ToLower(stemOf(s.file.Path))
	named := func(p string) bool { return strings.ToLower(testMark.ReplaceAllString(stemOf(p), "")) == stem }
	for _, h := range r.hits[s.name] {
		k := r.kinds[h.Path]
		same := path.Dir(h.Path) == path.Dir(s.file.Path)
		if k.class != diff.ClassTest || !(k.language == s.file.Language || scripts[k.language] && scripts[s.file.Language]) || !same && !named(h.Path) || len(out) >= maxMentioned {
			continue
		}
		if code := structure.Code(s.file.Language, h.Text); slices.Contains(change.Words(code), s.name) && !importing.MatchString(h.Text) {
			out = append(out, mention{h.Path, h.Line})
		}
	}
	slices.SortStableFunc(out, func(a, b mention) int {
		x, y := named(a.path), named(b.path)
		if x == y {
			return cmp.Compare(distance(a.path, s.file.Path), distance(b.path, s.file.Path))
		}
		if x {
			return -1
		}
		return 1
	})
	return out
}

// like are methods of a symbol's name and parameters on other types of its folder.
func (r *resolver) like(ctx context.Context, s *symbol) (out []mention) {
	goes := s.file.Language == "Go"
	files := r.files(s, func(h snapshot.Match) bool {
		return path.Dir(h.Path) == path.Dir(s.file.Path) && r.serves(h.Path, s) && defines(goes, h.Text, s.name)
	})
	for _, p := range files[:min(len(files), maxUsersOf)] {
		got := r.read(ctx, p)
		if got == nil {
			continue
		}
		for _, c := range got.defined(s) {
			if c.Owner() != "" && c.Owner() != s.owner && c.Kind == structure.KindFunc && sameShape(goes, c, s.Contract) && len(out) < maxMentioned {
				out = append(out, mention{p, c.Start})
			}
		}
	}
	return out
}

// sameShape reports whether two methods take the same: of Go the types, else as many.
func sameShape(goes bool, a, b structure.Contract) bool {
	if goes {
		return a.Signature == b.Signature
	}
	return strings.Count(a.Signature, ",") == strings.Count(b.Signature, ",") && strings.Contains(a.Signature, "()") == strings.Contains(b.Signature, "()")
}
