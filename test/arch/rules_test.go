package arch

import (
	"go/ast"
	"go/token"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Sizes of files in lines.
const (
	mostLines = 700
	manyLines = 400
)

func TestFilesAreSmall(t *testing.T) {
	t.Parallel()
	for _, s := range tree(t) {
		switch {
		case ast.IsGenerated(s.file):
		case s.lines > mostLines:
			t.Errorf("%s has %d lines, at most %d are allowed: split it by subject", s.path, s.lines, mostLines)
		case s.lines > manyLines:
			t.Logf("%s has %d lines; above %d is worth a look", s.path, s.lines, manyLines)
		}
	}
}

func TestPackagesHaveComments(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for _, s := range tree(t) {
		doc := s.file.Doc.Text()
		name := strings.TrimSuffix(s.file.Name.Name, "_test")
		good := strings.HasPrefix(doc, "Package "+name+" ") || name == "main" && doc != ""
		said[s.dir] = said[s.dir] || good
		if doc != "" && !good && !ast.IsGenerated(s.file) && !strings.HasPrefix(doc, "Code generated") {
			t.Errorf("%s: a package comment starts with \"Package %s \"", s.path, name)
		}
	}
	for dir, ok := range said {
		if !ok {
			t.Errorf("%s: a package needs a comment that says what lives there and what must not", dir)
		}
	}
}

func TestNoInit(t *testing.T) {
	t.Parallel()
	for _, s := range tree(t) {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: no init functions: what happens at start is visible in main", s.at(f.Pos()))
			}
		}
	}
}

var (
	todo  = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)
	owned = regexp.MustCompile(`\bTODO\([A-Za-z0-9_#/-]+\): \S`)
)

func TestTodosHaveOwners(t *testing.T) {
	t.Parallel()
	for _, s := range tree(t) {
		for _, group := range s.file.Comments {
			for _, c := range group.List {
				if todo.MatchString(c.Text) && !owned.MatchString(c.Text) {
					t.Errorf("%s: write TODO(owner or issue): what is missing", s.at(c.Pos()))
				}
			}
		}
	}
}

// under reports whether a file is one of the paths or below one of them.
func under(paths []string, file string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return file == p || strings.HasPrefix(file, p+"/") })
}

var engineNames = regexp.MustCompile(`(?i)sqlite|postgres`)

// TestEnginesAreNamedInOnePlace looks at names and texts in code, not at comments. A comparison with
// the dialect (dialect.Postgres) names an engine, too: code that differs by engine belongs in the
// dialect.
func TestEnginesAreNamedInOnePlace(t *testing.T) {
	t.Parallel()
	l := readLayers(t)
	for _, s := range tree(t) {
		if s.test || helper(s.dir) || under(l.word, s.path) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			text := ""
			switch x := n.(type) {
			case *ast.BasicLit:
				if x.Kind == token.STRING {
					text = x.Value
				}
			case *ast.Ident:
				text = x.Name
			}
			if engineNames.MatchString(text) {
				t.Errorf("%s: %.60s names a database engine: forks belong into internal/store/dialect (or add a line \"word\" to layers.txt)", s.at(n.Pos()), text)
			}
			return true
		})
	}
}

// banned are names of packages that bypass internal/outbound.
var banned = map[string]*regexp.Regexp{
	"net/http":   regexp.MustCompile(`^(DefaultClient|DefaultTransport|Get|Head|Post|PostForm|Client|Transport|ProxyFromEnvironment)$`),
	"net":        regexp.MustCompile(`^(Dial.*)$`),
	"crypto/tls": regexp.MustCompile(`^(Dial.*)$`),
}

func TestConnectionsAreMadeByOutbound(t *testing.T) {
	t.Parallel()
	l := readLayers(t)
	for _, s := range tree(t) {
		if s.test || helper(s.dir) || under(l.dial, s.path) {
			continue
		}
		for _, use := range bannedUses(s.file) {
			t.Errorf("%s: %s bypasses internal/outbound", s.at(use.pos), use.name)
		}
	}
}

// TestCodecsReadNoEnvironment: the environment of the process must not reach a tenant's provider,
// although the providers' own libraries would read it.
func TestCodecsReadNoEnvironment(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, s := range tree(t) {
		if s.test || helper(s.dir) || !strings.HasPrefix(s.path, "internal/llm/") {
			continue
		}
		seen++
		for _, imp := range s.file.Imports {
			if p, _ := strconv.Unquote(imp.Path.Value); p == "os" || strings.HasPrefix(p, "os/") {
				t.Errorf("%s: imports %s; what a call needs comes with its configuration", s.at(imp.Pos()), p)
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool { // names of errors do not read the environment
			if sel, ok := n.(*ast.SelectorExpr); ok && strings.HasSuffix(sel.Sel.Name, "env") || ok && sel.Sel.Name == "Environ" {
				t.Errorf("%s: uses %s; what a call needs comes with its configuration", s.at(sel.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
	if seen == 0 {
		t.Error("no file was looked at")
	}
}

// TestRepositoriesComeInThroughThePolicy: code that stores repositories in another way ignores the
// tenant's policy for new ones.
func TestRepositoriesComeInThroughThePolicy(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, s := range tree(t) {
		if s.test || helper(s.dir) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "UpsertRepository" {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "policy" {
				return true
			}
			if seen++; !strings.HasPrefix(s.path, "internal/policy/") {
				t.Errorf("%s: stores a repository by itself: policy.UpsertRepository does", s.at(sel.Pos()))
			}
			return true
		})
	}
	if seen != 1 {
		t.Errorf("the store's UpsertRepository is called at %d places, want 1", seen)
	}
}

// TestStoredTextIsReadInOnePlace: code that makes text from stored text claims that the sanitiser has
// seen it. All other text comes from the sanitiser, or was frozen and is read back as JSON with the
// rest of a payload.
func TestStoredTextIsReadInOnePlace(t *testing.T) {
	t.Parallel()
	allowed, seen := []string{"internal/intake/answer.go"}, 0
	for _, s := range tree(t) {
		if s.test || helper(s.dir) || s.dir == "internal/markdown" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "Stored" {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); !ok || x.Name != "markdown" {
				return true
			}
			if seen++; !slices.Contains(allowed, s.path) {
				t.Errorf("%s: markdown.Stored escapes nothing: use Line, Prose, Span or Code", s.at(sel.Pos()))
			}
			return true
		})
	}
	if seen != len(allowed) {
		t.Errorf("markdown.Stored is used at %d places, want %d", seen, len(allowed))
	}
}

// TestTextIsReadAsJSONByFewPackages: a field that JSON fills is text that was not escaped. Only text
// that this program froze may be read that way, so that a request's body or a host's answer never
// becomes text.
func TestTextIsReadAsJSONByFewPackages(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, s := range tree(t) {
		if s.test || helper(s.dir) {
			continue
		}
		mayFreeze := s.dir == "internal/publish" || s.dir == "internal/review/render" || s.dir == "internal/markdown" || matches("internal/codehost/...", s.dir)
		for _, pos := range textFields(s.file) {
			if seen++; !mayFreeze {
				t.Errorf("%s: JSON can fill this field of type markdown.Text with anything: take a string and give it to the sanitiser", s.at(pos))
			}
		}
	}
	if seen == 0 {
		t.Error("no field was found, not even those that are allowed")
	}
}

// textFields finds the fields of structs that hold markdown.Text and have a tag for
// JSON.
func textFields(f *ast.File) (out []token.Pos) {
	names := map[string]bool{}
	for _, imp := range f.Imports {
		if p, _ := strconv.Unquote(imp.Path.Value); p == module+"/internal/markdown" {
			name := path.Base(p)
			if imp.Name != nil {
				name = imp.Name.Name
			}
			names[name] = true
		}
	}
	var holds func(e ast.Expr) bool
	holds = func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.StarExpr:
			return holds(e.X)
		case *ast.ArrayType:
			return holds(e.Elt)
		case *ast.MapType:
			return holds(e.Value)
		case *ast.SelectorExpr:
			pkg, ok := e.X.(*ast.Ident)
			return ok && names[pkg.Name] && e.Sel.Name == "Text"
		}
		return false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok && field.Tag != nil && holds(field.Type) {
			tag, _ := strconv.Unquote(field.Tag.Value)
			if json, tagged := reflect.StructTag(tag).Lookup("json"); tagged && json != "-" {
				out = append(out, field.Pos())
			}
		}
		return true
	})
	return out
}

type bannedUse struct {
	pos  token.Pos
	name string
}

// bannedUses finds banned functions and variables, and literals of banned
// types. A type in a signature (*http.Client as a parameter) is fine.
func bannedUses(f *ast.File) (out []bannedUse) {
	names := map[string]*regexp.Regexp{}
	for _, imp := range f.Imports {
		p, _ := strconv.Unquote(imp.Path.Value)
		if re := banned[p]; re != nil {
			name := path.Base(p)
			if imp.Name != nil {
				name = imp.Name.Name
			}
			names[name] = re
		}
	}
	bad := func(e ast.Expr) (string, bool) {
		sel, ok := e.(*ast.SelectorExpr)
		if !ok {
			return "", false
		}
		pkg, ok := sel.X.(*ast.Ident)
		if !ok || pkg.Obj != nil || names[pkg.Name] == nil {
			return "", false
		}
		return pkg.Name + "." + sel.Sel.Name, names[pkg.Name].MatchString(sel.Sel.Name)
	}
	add := func(e ast.Expr) {
		if name, ok := bad(e); ok {
			out = append(out, bannedUse{e.Pos(), name})
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.CompositeLit: // http.Client{}, net.Dialer{}
			add(x.Type)
		case *ast.CallExpr:
			if fn, ok := x.Fun.(*ast.Ident); ok && fn.Name == "new" && len(x.Args) == 1 {
				add(x.Args[0])
			}
			if name, ok := bad(x.Fun); ok && !strings.HasSuffix(name, ".Client") && !strings.HasSuffix(name, ".Transport") {
				out = append(out, bannedUse{x.Pos(), name})
			}
		case *ast.SelectorExpr:
			if name, ok := bad(x); ok && (strings.Contains(name, ".Default") || strings.HasSuffix(name, ".ProxyFromEnvironment")) {
				out = append(out, bannedUse{x.Pos(), name})
			}
		}
		return true
	})
	return out
}
