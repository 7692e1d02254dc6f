package arch

import (
	"flag"
	"fmt"
	"go/doc"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

//go:generate go test . -run ^TestMapOfInternal$ -update

var update = flag.Bool("update", false, "write internal/README.md")

const mapHead = `# internal

<!-- made by "go generate ./test/arch" from test/arch/layers.txt and the first sentence of each package: change those -->

Imports point down only: a package imports packages of lower floors, and packages of its own room (a folder with those below it).
[layers.txt](../test/arch/layers.txt) is the table with its exceptions and their reasons, and a test holds the tree to it.
[architecture.md](../docs/architecture.md) says how a delivery goes through these rooms; [AGENTS.md](../AGENTS.md) where a line belongs.
`

// sentences returns the first sentence of each package's comment, by folder and
// without "Package x".
func sentences(sources []source) map[string]string {
	out := map[string]string{}
	for _, s := range sources {
		if text := s.file.Doc.Text(); !s.test && strings.HasPrefix(text, "Package "+s.file.Name.Name+" ") {
			out[s.dir] = strings.TrimPrefix(new(doc.Package).Synopsis(text), "Package "+s.file.Name.Name+" ")
		}
	}
	return out
}

// mapOf writes the page: the floors that have packages below internal/, from
// top to bottom, each with its packages in alphabetical order.
func mapOf(l layers, says map[string]string) string {
	var b strings.Builder
	b.WriteString(mapHead)
	for floor, called := range l.called {
		var dirs []string
		for dir := range says {
			if at, _, ok := l.place(dir); ok && at == floor && strings.HasPrefix(dir, "internal/") {
				dirs = append(dirs, dir)
			}
		}
		if len(dirs) == 0 {
			continue
		}
		slices.Sort(dirs)
		fmt.Fprintf(&b, "\n## %s%s\n\n| package | what it does |\n|---|---|\n", strings.ToUpper(called[:1]), called[1:])
		for _, dir := range dirs {
			name := strings.TrimPrefix(dir, "internal/")
			fmt.Fprintf(&b, "| [%s](%s) | %s |\n", name, name, strings.ReplaceAll(says[dir], "|", "\\|"))
		}
	}
	return b.String()
}

func TestMapOfInternal(t *testing.T) {
	t.Parallel()
	l := readLayers(t)
	for floor, rooms := range l.floors {
		if l.called[floor] == "" && slices.ContainsFunc(rooms, func(r string) bool { return strings.HasPrefix(r, "internal/") }) {
			t.Fatalf("the floor of %s has no line \"called\" in layers.txt", rooms[0])
		}
	}
	file, got := filepath.Join("..", "..", "internal", "README.md"), mapOf(l, sentences(tree(t)))
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Error("internal/README.md differs from layers.txt and the package comments: run go generate ./test/arch")
	}
}

func TestMapOf(t *testing.T) {
	t.Parallel()
	l := layers{floors: [][]string{{"cmd/..."}, {"internal/b", "internal/a/..."}, {"sim/..."}, {"internal/c"}}, called: []string{"", "upper", "", "lower"}}
	got, _ := strings.CutPrefix(mapOf(l, map[string]string{"internal/b": "does b.", "internal/a": "does a | x.", "internal/a/z": "does z.", "internal/c": "does c.", "sim/x": "is no room."}), mapHead)
	want := "\n## Upper\n\n| package | what it does |\n|---|---|\n| [a](a) | does a \\| x. |\n| [a/z](a/z) | does z. |\n| [b](b) | does b. |\n" +
		"\n## Lower\n\n| package | what it does |\n|---|---|\n| [c](c) | does c. |\n"
	if got != want {
		t.Errorf("got %s", got)
	}
}

// TestRoomsHavePackages: a room without a package misleads readers of layers.txt.
func TestRoomsHavePackages(t *testing.T) {
	t.Parallel()
	l := readLayers(t)
	for _, room := range empty(l, tree(t)) {
		t.Errorf("layers.txt has the room %s, and no package is in it", room)
	}
}

func TestEmptyRooms(t *testing.T) {
	t.Parallel()
	l := layers{floors: [][]string{{"internal/a/...", "internal/b", "internal/b/c"}, {"internal/none", "web/..."}}}
	got := empty(l, []source{{dir: "internal/a/deep"}, {dir: "internal/b"}, {dir: "internal/b/c/d"}, {dir: path.Join("web2", "x")}})
	if want := []string{"internal/b/c", "internal/none", "web/..."}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// empty lists the rooms without a package, in the order of the table.
func empty(l layers, sources []source) (out []string) {
	for _, rooms := range l.floors {
		for _, room := range rooms {
			if !slices.ContainsFunc(sources, func(s source) bool { return matches(room, s.dir) }) {
				out = append(out, room)
			}
		}
	}
	return out
}
