package supply

//go:generate go test . -run "TestLinkedModules|TestPackagesOfTheConsole" -update

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

var update = flag.Bool("update", false, "rewrite modules.txt and packages.txt")

// program is the shipped program.
const program = "github.com/assay-dev/assay/cmd/assay"

// list is the committed list.
const list = "modules.txt"

// linked is a module with at least one package in the binary.
type linked struct{ Path, Version, Dir string }

// modules lists the modules that are linked into the binary, by path.
func modules(t *testing.T) []linked {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=Module", program)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, errs.String())
	}
	all := map[string]linked{}
	for dec := json.NewDecoder(bytes.NewReader(raw)); ; {
		var p struct {
			Module *struct {
				linked
				Main    bool
				Replace *linked
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || p.Module.Main { // the standard library has no module
			continue
		}
		if p.Module.Replace != nil {
			t.Errorf("%s is replaced: the linked module is not the one in go.mod", p.Module.Path)
		}
		all[p.Module.Path] = p.Module.linked
	}
	out := make([]linked, 0, len(all))
	for _, m := range all {
		out = append(out, m)
	}
	slices.SortFunc(out, func(a, b linked) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// The linked modules and their licences change only with a visible change of the list.
func TestLinkedModules(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("# Modules that are linked into the binary, with version and licence. Made by make generate.\n")
	for _, m := range modules(t) {
		licence, err := licenceOf(m.Dir)
		switch {
		case err != nil:
			t.Errorf("%s: %v", m.Path, err)
		case !mayBeLinked[licence]:
			t.Errorf("%s has the licence %q: it must be one of those in mayBeLinked", m.Path, licence)
		}
		fmt.Fprintf(&text, "%s %s %s\n", m.Path, m.Version, licence)
	}
	if *update {
		if err := os.WriteFile(list, []byte(text.String()), 0o644); err != nil { //nolint:gosec // it is committed
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	if text.String() != string(want) {
		t.Errorf("the linked modules differ from test/supply/%s; look at the change, then run make generate:\n%s", list, difference(string(want), text.String()))
	}
}

// difference lists the lines that only one of two texts has.
func difference(before, after string) string {
	var out strings.Builder
	old, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	for _, line := range old {
		if !slices.Contains(now, line) {
			out.WriteString("- " + line + "\n")
		}
	}
	for _, line := range now {
		if !slices.Contains(old, line) {
			out.WriteString("+ " + line + "\n")
		}
	}
	return out.String()
}

func TestNoModuleHasAKnownWeakness(t *testing.T) {
	t.Parallel()
	all := modules(t)
	for _, f := range flaws {
		if !semver.IsValid(f.fixed) {
			t.Errorf("%s of %s: %q is not a version", f.id, f.module, f.fixed)
		}
		for _, m := range all {
			if m.Path == f.module && semver.Compare(m.Version, f.fixed) < 0 {
				t.Errorf("%s %s has %s, which %s mends", m.Path, m.Version, f.id, f.fixed)
			}
		}
	}
}

// A module without maintenance is linked only if there is no alternative, and the list gives the
// reason.
func TestNoArchivedModuleIsLinked(t *testing.T) {
	t.Parallel()
	linked := map[string]bool{}
	for _, m := range modules(t) {
		linked[m.Path] = true
		if slices.Contains(archived, m.Path) && stays[m.Path] == "" {
			t.Errorf("%s is archived: find what brings it (go mod why -m %s), and upgrade or drop that", m.Path, m.Path)
		}
	}
	for path := range stays {
		if !linked[path] {
			t.Errorf("%s is not linked any more: take it out of stays", path)
		}
	}
}

// Without a line "toolchain" a builder may use any Go version that the module allows.
func TestTheToolchainIsNamed(t *testing.T) {
	t.Parallel()
	if name := toolchain(t); !strings.HasPrefix(name, "go1.") {
		t.Errorf("toolchain: %q", name)
	}
}

// toolchain returns the Go version with which the program is built, unless the builder has a newer one.
func toolchain(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := modfile.Parse("go.mod", raw, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f.Toolchain == nil {
		return ""
	}
	return f.Toolchain.Name
}
