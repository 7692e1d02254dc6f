package engine

import (
	"cmp"
	"context"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/snapshot"
)

// Bounds of the search for definitions in other files.
const (
	maxNamesOf = 150  // names of one review that are looked for
	maxHits    = 1000 // lines of one search
	maxElse    = 24   // files that are read for what they define
	maxPathsOf = 200  // files that may define a name; of one with more nobody knows which is meant
	maxEqual   = 2    // places of a name among which nothing decides; with more none is shown
)

// used is a name that changed lines of a file use, with what stands before its dot.
type used struct {
	name      string
	qualifier string // "" for none
	call      bool
}

// plain reports whether nothing says that the name is defined elsewhere: no
// qualifier, no call, and no capital letter, as types and constants have.
func (u used) plain() bool {
	return u.qualifier == "" && !u.call && !unicode.IsUpper(rune(u.name[0]))
}

// reference finds uses of names, with what stands before their dot and with the
// parenthesis of a call.
var reference = regexp.MustCompile(`(?:([A-Za-z_]\w*)(?:\.|::|->))?\b([A-Za-z_]\w*)(\s*\(|\s*<[\w, ]+>\s*\()?`)

// usesOf lists what changed lines of a target use, each once: first what is likely to
// be defined elsewhere, then, in Go, other names, which may be those of the package.
// Short names match too much.
func usesOf(t *change.Target) []used {
	var out, others []used
	seen, also := map[used]bool{}, map[used]bool{}
	for _, h := range t.Hunks {
		for _, l := range h.Lines {
			if l.Op == diff.Context || len(l.Text) > change.MaxSearchedLine {
				continue
			}
			declares := change.DeclaredName(l.Text)
			for _, m := range reference.FindAllStringSubmatch(l.Text, -1) {
				u := used{name: m[2], qualifier: m[1], call: m[3] != ""}
				switch {
				case u.qualifier == "" && u.name == declares:
				case len(u.name) < 2 || len(u.name) < 3 && !unicode.IsUpper(rune(u.name[0])) || seen[u] || statement[u.name]:
				case !u.plain():
					seen[u] = true
					out = append(out, u)
				case t.File.Language == "Go" && len(u.name) > 3 && !also[u] && !token.IsKeyword(u.name):
					also[u] = true
					others = append(others, u)
				}
			}
		}
	}
	return append(out, slices.DeleteFunc(others, func(u used) bool { return seen[used{u.name, "", true}] })...)
}

// statement are words before a parenthesis that call nothing.
var statement = map[string]bool{"for": true, "func": true, "switch": true, "while": true, "catch": true, "return": true, "function": true, "elif": true, "and": true, "not": true,
	"await": true, "yield": true, "throw": true, "sizeof": true, "assert": true, "print": true, "len": true, "cap": true, "make": true, "new": true, "append": true,
	"copy": true, "close": true, "delete": true, "true": true, "false": true, "bool": true, "byte": true, "rune": true, "int64": true, "int32": true, "uint": true, "uint64": true, "uint32": true, "float64": true, "panic": true, "recover": true, "string": true, "int": true, "super": true, "self": true, "this": true, "range": true, "error": true, "errors": true}

// elsewhere knows where names that a change uses are defined, in files that the
// change need not touch. The zero value knows nothing.
type elsewhere struct {
	found  map[string][]string        // name to paths with a line that may define it
	owners map[string][]string        // path, a colon and the name of a method of Go to its types there
	files  map[string]kind            // of those paths
	sure   map[string]bool            // path, a colon and a name, where a line defines it that is no part of a group and no field
	types  map[string]map[string]bool // path of a target, a colon and a name to the types before its dot
	cut    bool                       // a search failed, or the time was over before all names were looked for
}

func newElsewhere() elsewhere {
	return elsewhere{found: map[string][]string{}, owners: map[string][]string{}, sure: map[string]bool{}, files: map[string]kind{}}
}

// kind is what a path says of a file.
type kind struct {
	class    diff.Class
	language string
}

// definitions looks for the definitions of what the targets use. What a file defines
// itself is shown from there.
func (w *work) definitions(ctx context.Context, l *lookup, targets []*change.Target, out *elsewhere) {
	fields := out.typesOf(ctx, w.bounds, targets)
	wanted, all := searches(targets, fields)
	names := slices.Sorted(maps.Keys(wanted))
	for _, expressions := range all {
		hits, more := l.find(ctx, snapshot.Query{Expressions: expressions, Words: names, Defined: true}, maxHits)
		if !more {
			return
		}
		for _, hit := range hits {
			if len(hit.Text) <= change.MaxSearchedLine && !glob.Any(w.in.Policy.Paths.Exclude, hit.Path) {
				out.add(hit, wanted)
			}
		}
	}
	out.resolve(ctx, w.bounds, fields)
}

// add notes the wanted names of a line.
func (e elsewhere) add(hit snapshot.Match, wanted map[string]bool) {
	if _, known := e.files[hit.Path]; !known {
		class, language := diff.Classify(hit.Path, nil)
		e.files[hit.Path] = kind{class, language}
	}
	for _, name := range change.Words(hit.Text) {
		if wanted[name] && len(e.found[name]) <= maxPathsOf && !slices.Contains(e.found[name], hit.Path) {
			e.found[name] = append(e.found[name], hit.Path)
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

// topLevel finds the name that a line of Go declares by itself.
var topLevel = regexp.MustCompile(`^(?:func|type|var|const) (\w+)`)

// searches makes the expressions for what targets use, mostly of two searches: for
// what is likely to be defined elsewhere, and for other names, so that common words
// among those do not crowd out the rest.
func searches(targets []*change.Target, fields []field) (wanted map[string]bool, all [][]string) {
	type group struct{ goes, plain bool }
	names := map[group][]string{}
	wanted = map[string]bool{}
	for _, f := range fields {
		if g := (group{true, false}); len(wanted) < maxFields && !wanted[f.owner] {
			wanted[f.owner] = true
			names[g] = append(names[g], f.owner)
		}
	}
	for _, t := range targets {
		for _, u := range usesOf(t) {
			g := group{t.File.Language == "Go", u.plain()}
			if len(wanted) < maxNamesOf && !wanted[u.name] {
				wanted[u.name] = true
				names[g] = append(names[g], u.name)
			}
		}
	}
	for _, together := range [][]string{
		slices.Concat(expressions(goForms, names[group{true, false}]), expressions(otherForms, names[group{false, false}])),
		expressions(goForms, names[group{true, true}]),
	} {
		all = append(all, batches(together)...)
	}
	return wanted, all
}

// goForms and otherForms are expressions of lines that may define a name, which
// stands in the place of NAMES; what they find is read properly afterwards. The
// second one of Go is for what stands in a group in parentheses.
var (
	goForms = []string{
		"^(func (\\([^)]*\\) )?|type |var |const )(NAMES)([^A-Za-z0-9_]|$)",
		"^\t(NAMES)([ ]+[A-Za-z_*[][^ =:]*)?([ ]+(=|//|\\{).*)?$",
	}
	otherForms = []string{
		"(^|[^A-Za-z0-9_])(class|interface|trait|struct|enum|type|record|object|def|fn|func|fun|function|const|let|var|val)[ \t]+(NAMES)([^A-Za-z0-9_]|$)",
		"^[ \t]+([A-Za-z_][A-Za-z0-9_<>,.]*[ \t]+)*(NAMES)\\(.*\\{[ \t]*$",
	}
)

// of returns the definitions of what a target uses, the surest first. Files are
// read through src, which redacts them.
func (e elsewhere) of(ctx context.Context, t *change.Target, blob []byte, src change.Source, room int) []structure.Piece {
	imports := importedNames(blob)
	names, scores := map[string]map[string]bool{}, map[string]int{} // by path
	var paths []string
	for _, u := range usesOf(t) {
		best, score := e.best(t.File, u, imports)
		for _, p := range best {
			if names[p] == nil {
				names[p] = map[string]bool{}
				paths = append(paths, p)
			}
			if score >= 2*typed {
				for _, owner := range e.owners[p+":"+u.name] {
					if e.types[t.File.Path+":"+u.name][owner] {
						names[p][owner+"."+u.name] = true
					}
				}
			} else {
				names[p][u.name] = true
			}
			scores[p] = max(scores[p], score)
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return cmp.Compare(scores[b], scores[a]) })
	var out []structure.Piece
	for _, p := range paths[:min(len(paths), maxElse)] {
		text, err := src.Blob(ctx, domain.Right, p)
		if err != nil {
			continue
		}
		for _, d := range structure.Definitions(p, diff.Language(p), text, names[p], room) {
			room -= len(d.Text)
			out = append(out, d)
		}
	}
	return out
}

// How surely a place defines what a file uses. A line that certainly is a definition
// counts between two of these.
const (
	anywhere  = iota // the only ones of the name
	imported         // the file imports something with the name of its folder or file
	qualified        // what stands before the dot has the name of its folder or file
	sameFolder
	typed // it is a method of the type of what stands before the dot
)

// best returns the paths that most surely define a name that a file uses; none
// where too many are as likely.
func (e elsewhere) best(f *diff.File, u used, imports map[string]bool) (out []string, score int) {
	score = anywhere
	if len(e.found[u.name]) > maxPathsOf {
		return nil, anywhere
	}
	for _, p := range e.found[u.name] {
		if p == f.Path || !e.files[p].serves(f) {
			continue
		}
		s := anywhere
		folder, stem := path.Base(path.Dir(p)), strings.TrimSuffix(path.Base(p), path.Ext(p))
		owners, types := e.owners[p+":"+u.name], e.types[f.Path+":"+u.name]
		switch {
		case len(types) > 0 && slices.ContainsFunc(owners, func(o string) bool { return types[o] }):
			s = typed
		case path.Dir(p) == path.Dir(f.Path):
			s = sameFolder
			if f.Language == "Go" && u.qualifier != "" && imports[u.qualifier] { // of another package
				continue
			}
		case f.Language == "Go" && !unicode.IsUpper(rune(u.name[0])):
			continue // not exported
		case u.qualifier != "" && (u.qualifier == folder || u.qualifier == stem):
			s = qualified
		case imports[folder] || imports[stem]:
			s = imported
		}
		if s *= 2; e.sure[p+":"+u.name] {
			s++
		}
		switch {
		case s > score:
			out, score = []string{p}, s
		case s == score:
			out = append(out, p)
		}
	}
	if len(out) > maxEqual {
		return nil, anywhere
	}
	return out, score
}

// scripts are languages whose files use each other's definitions.
var scripts = map[string]bool{"TypeScript": true, "JavaScript": true, "TSX": true, "JSX": true, "Vue": true, "Svelte": true}

// serves reports whether a file of a kind may define what another one uses: it has
// the same language, nobody generated it, and it is no test unless the other one is.
func (k kind) serves(f *diff.File) bool {
	if k.class.Ignored() || k.class == diff.ClassTest && f.Class != diff.ClassTest {
		return false
	}
	return k.language != "" && (k.language == f.Language || scripts[k.language] && scripts[f.Language])
}

// importing finds lines that bring in names of other files.
var importing = regexp.MustCompile(`^\s*(?:import\b|from\b|use\b|using\b|require\b|#include\b|(?:const|let|var)\b.*\brequire\(|export\b.*\bfrom\b|[\w.]*\s*"[\w./~@-]+"$)`)

// maxImports bounds the lines at the head of a file that may import something.
const maxImports = 300

// importedNames lists the words of a file's imports.
func importedNames(blob []byte) map[string]bool {
	out := map[string]bool{}
	n := 0
	for l := range strings.Lines(string(blob)) {
		if n++; n > maxImports {
			break
		}
		if l = strings.TrimRight(l, "\r\n"); len(l) <= change.MaxSearchedLine && importing.MatchString(l) {
			for _, w := range change.Words(l) {
				out[w] = true
			}
		}
	}
	return out
}
