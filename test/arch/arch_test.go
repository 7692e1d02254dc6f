// Package arch holds the rules of the source tree as tests: import direction (layers.txt), package
// comments, size of files, and banned constructs. It does not test the behaviour of packages.
package arch

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/assay-dev/assay"

// source is one parsed Go file of the tree.
type source struct {
	path  string // from the root, with slashes
	dir   string // its package
	test  bool
	lines int
	text  string
	file  *ast.File
	fset  *token.FileSet
}

// parsed is the tree, which all tests share and only read.
var parsed = sync.OnceValues(parseTree)

// tree returns every Go file of the repository.
func tree(t *testing.T) []source {
	t.Helper()
	out, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 10 {
		t.Fatalf("only %d files were found: the test looks at the wrong folder", len(out))
	}
	return out
}

// parseTree parses every Go file of the repository.
func parseTree() (out []source, err error) {
	root := filepath.Join("..", "..")
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "node_modules" || name == "vendor" || name == "bin") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		raw, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		s := source{path: rel, dir: path.Dir(rel), test: strings.HasSuffix(name, "_test.go"), lines: strings.Count(string(raw), "\n"), text: string(raw), fset: token.NewFileSet()}
		if s.file, err = parser.ParseFile(s.fset, rel, raw, parser.ParseComments); err != nil {
			return err
		}
		out = append(out, s)
		return nil
	})
	return out, err
}

func (s source) at(p token.Pos) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(p).Line)
}

// rule is an exception or a ban.
type rule struct{ from, to, reason string }

// layers is layers.txt.
type layers struct {
	floors      [][]string
	called      []string // names of the rooms of each floor
	allow, deny []rule
	word, dial  []string
}

func readLayers(t *testing.T) layers {
	t.Helper()
	f, err := os.Open("layers.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var l layers
	scan := bufio.NewScanner(f)
	for n := 1; scan.Scan(); n++ {
		line := strings.TrimSpace(scan.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		verb, rest, _ := strings.Cut(line, " ")
		if verb == "floor" {
			l.floors, l.called = append(l.floors, strings.Fields(rest)), append(l.called, "")
			continue
		}
		if verb == "called" && len(l.called) > 0 {
			l.called[len(l.called)-1] = strings.TrimSpace(rest)
			continue
		}
		subject, reason, ok := strings.Cut(rest, " : ")
		if subject = strings.TrimSpace(subject); !ok || strings.TrimSpace(reason) == "" {
			t.Fatalf("layers.txt:%d: every exception needs a reason behind \" : \"", n)
		}
		from, to, arrow := strings.Cut(subject, " -> ")
		switch {
		case verb == "allow" && arrow:
			l.allow = append(l.allow, rule{strings.TrimSpace(from), strings.TrimSpace(to), reason})
		case verb == "deny" && arrow:
			l.deny = append(l.deny, rule{strings.TrimSpace(from), strings.TrimSpace(to), reason})
		case verb == "word" && !arrow:
			l.word = append(l.word, subject)
		case verb == "dial" && !arrow:
			l.dial = append(l.dial, subject)
		default:
			t.Fatalf("layers.txt:%d: not understood", n)
		}
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return l
}

// matches reports whether a package is in a room.
func matches(room, pkg string) bool {
	if base, ok := strings.CutSuffix(room, "/..."); ok {
		return pkg == base || strings.HasPrefix(pkg, base+"/")
	}
	return pkg == room
}

// place returns floor and room of a package; the longest room wins.
func (l layers) place(pkg string) (floor int, room string, ok bool) {
	for i, rooms := range l.floors {
		for _, r := range rooms {
			if matches(r, pkg) && len(r) > len(room) {
				floor, room, ok = i, r, true
			}
		}
	}
	return floor, room, ok
}

func find(rules []rule, from, to string) (rule, bool) {
	i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.from, from) && matches(r.to, to) })
	if i < 0 {
		return rule{}, false
	}
	return rules[i], true
}

// judge returns why one package must not import another, "" if it may.
func (l layers) judge(from, to string, test bool) string {
	if r, ok := find(l.deny, from, to); ok && !test {
		return r.reason
	}
	toFloor, toRoom, ok := l.place(to)
	if !ok {
		return "the imported package has no room in layers.txt"
	}
	if helper(to) {
		if test || helper(from) || matches("test/...", from) {
			return ""
		}
		return "only tests import helpers of tests"
	}
	if _, ok := find(l.allow, from, to); ok {
		return ""
	}
	fromFloor, fromRoom, ok := l.place(from)
	switch {
	case !ok:
		return "the package has no room in layers.txt"
	case fromRoom == toRoom, toFloor > fromFloor, test && toFloor == fromFloor:
		return ""
	case toFloor == fromFloor:
		return "both are on one floor: " + fromRoom + " and " + toRoom
	}
	return "imports point down only, and " + toRoom + " is above " + fromRoom
}

// helper reports whether a package exists for tests: testkit and the
// conformance suites (queuetest, storetest, …).
func helper(pkg string) bool {
	return matches("internal/testkit/...", pkg) || strings.HasPrefix(pkg, "internal/") && strings.HasSuffix(path.Base(pkg), "test")
}

func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	l := readLayers(t)
	used := map[rule]bool{}
	for _, s := range tree(t) {
		if _, _, ok := l.place(s.dir); !ok {
			t.Errorf("%s: the package has no room in layers.txt", s.path)
			continue
		}
		for _, imp := range s.file.Imports {
			name, _ := strconv.Unquote(imp.Path.Value)
			to, ours := strings.CutPrefix(name, module+"/")
			if !ours {
				continue
			}
			if why := l.judge(s.dir, to, s.test); why != "" {
				t.Errorf("%s imports %s: %s", s.at(imp.Pos()), to, why)
			}
			if r, ok := find(l.allow, s.dir, to); ok {
				used[r] = true
			}
		}
	}
	for _, r := range l.allow {
		if !used[r] {
			t.Errorf("layers.txt: nothing needs %s -> %s to be allowed", r.from, r.to)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	l := readLayers(t)
	for _, c := range []struct {
		from, to string
		test, ok bool
	}{
		{"internal/app", "internal/store", false, true},
		{"internal/store", "internal/app", false, false},
		{"internal/store", "internal/app", true, false},
		{"internal/store", "internal/queue", false, false},
		{"internal/store", "internal/queue", true, true},
		{"internal/store", "internal/store/dialect", false, true},
		{"internal/codehost/github", "internal/codehost", false, true},
		{"internal/outbound", "internal/secret", false, true},
		{"internal/secret", "internal/outbound", false, false},
		{"internal/outbound", "internal/config", false, false},
		{"internal/store", "internal/testkit", false, false},
		{"internal/store", "internal/testkit", true, true},
		{"internal/queue/redisqueue", "internal/queue/queuetest", true, true},
		{"internal/review/engine", "internal/codehost", false, false},
		{"internal/review/engine", "internal/llm", false, true},
		{"internal/review/change", "internal/codehost/github", false, false},
		{"internal/review/change", "internal/store", false, false},
		{"internal/review/ask", "internal/codehost", false, false},
		{"internal/review/ask", "internal/store", false, false},
		{"internal/review/ask", "internal/llm", false, true},
		{"internal/review/around", "internal/codehost", false, false},
		{"internal/review/around", "internal/store", false, false},
		{"internal/review/lookup", "internal/codehost", false, false},
		{"internal/review/lookup", "internal/store", false, false},
		{"internal/review/finding", "internal/codehost", false, false},
		{"internal/review/finding", "internal/store", false, false},
		{"internal/review/reconcile", "internal/codehost", false, false},
		{"internal/review/reconcile", "internal/store", false, false},
		{"internal/review/criteria", "internal/codehost", false, false},
		{"internal/review/criteria", "internal/store", false, false},
		{"sim/github", "internal/store", false, false},
		{"internal/domain", "internal/errs", false, false},
		{"internal/errs", "internal/domain", false, false},
		{"internal/nowhere", "internal/errs", false, false},
		{"internal/app", "internal/nowhere", false, false},
	} {
		if why := l.judge(c.from, c.to, c.test); (why == "") != c.ok {
			t.Errorf("%s -> %s (test %v): %q", c.from, c.to, c.test, why)
		}
	}
}
