package supply

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

// packageList is the committed list of the packages that the console is built from.
const packageList = "packages.txt"

// lockedPackage is an entry of npm's lock file
// (docs.npmjs.com/cli/configuring-npm/package-lock-json, "packages").
type lockedPackage struct {
	Version, Licence string
	Dev, Link        bool
	Resolved         string
	Integrity        string
}

// UnmarshalJSON reads an entry. The member license may have any form in npm's file.
func (p *lockedPackage) UnmarshalJSON(raw []byte) error {
	var v struct {
		Version   string `json:"version"`
		License   any    `json:"license"`
		Dev       bool   `json:"dev"`
		Link      bool   `json:"link"`
		Resolved  string `json:"resolved"`
		Integrity string `json:"integrity"`
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	licence, _ := v.License.(string)
	*p = lockedPackage{v.Version, licence, v.Dev, v.Link, v.Resolved, v.Integrity}
	return nil
}

// lockedPackages returns the packages that the console and its tools are built from, by their place.
func lockedPackages(t *testing.T) map[string]lockedPackage {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "web", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]lockedPackage `json:"packages"`
	}
	if err := json.Unmarshal(raw, &lock); err != nil {
		t.Fatal(err)
	}
	delete(lock.Packages, "") // the console itself
	return lock.Packages
}

// nameOf returns the name of a package by its place.
func nameOf(at string) string {
	return at[strings.LastIndex(at, "node_modules/")+len("node_modules/"):]
}

// hits reports whether a version has the weakness.
func (f packageFlaw) hits(name, version string) bool {
	return name == f.name && (f.from == "" || semver.Compare("v"+version, "v"+f.from) >= 0) && semver.Compare("v"+version, "v"+f.fixed) < 0
}

func TestNoPackageHasAKnownWeakness(t *testing.T) {
	t.Parallel()
	for at, p := range lockedPackages(t) {
		for _, f := range packageFlaws {
			if f.hits(nameOf(at), p.Version) {
				t.Errorf("%s %s has %s, which %s mends", at, p.Version, f.id, f.fixed)
			}
		}
	}
	for _, f := range packageFlaws {
		if !semver.IsValid("v"+f.fixed) || f.from != "" && (!semver.IsValid("v"+f.from) || !f.hits(f.name, f.from)) || f.hits(f.name, f.fixed) {
			t.Errorf("%+v names no range of versions", f)
		}
	}
	lodash := packageFlaw{"lodash", "4.0.0", "4.17.23", "x"}
	for version, want := range map[string]bool{"3.9.9": false, "4.0.0": true, "4.17.22": true, "4.17.23": false, "4.18.1": false} {
		if lodash.hits("lodash", version) != want || lodash.hits("lodash-es", version) {
			t.Errorf("%s: want %t", version, want)
		}
	}
}

// The packages and licences that the console is bundled from change only with a visible change of the
// list. The texts of the licences are in the bundle itself.
func TestPackagesOfTheConsole(t *testing.T) {
	t.Parallel()
	var lines []string
	for at, p := range lockedPackages(t) {
		if p.Link || p.Resolved != "" && !strings.HasPrefix(p.Resolved, "https://registry.npmjs.org/") || !strings.HasPrefix(p.Integrity, "sha512-") {
			t.Errorf("%s is from %q with the checksum %q: it must be of the registry, with one", at, p.Resolved, p.Integrity)
		}
		if p.Dev { // a tool of the build
			continue
		}
		name := nameOf(at)
		if !slices.ContainsFunc(strings.Split(strings.Trim(p.Licence, "()"), " OR "), func(one string) bool { return one == "0BSD" || mayBeLinked[one] }) {
			t.Errorf("%s has the licence %q: it must be one of those in mayBeLinked, or 0BSD", name, p.Licence)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s\n", name, p.Version, p.Licence))
	}
	slices.Sort(lines)
	text := "# Packages that the console is built from, with version and licence. Made by make generate.\n" + strings.Join(slices.Compact(lines), "")
	if *update {
		if err := os.WriteFile(packageList, []byte(text), 0o644); err != nil { //nolint:gosec // it is committed
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(packageList)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("the packages of the console differ from test/supply/%s; look at the change, then run make generate:\n%s", packageList, difference(string(want), text))
	}
}

// A version range could make a later build use other packages.
func TestPackagesArePinned(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "..", "web", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ Dependencies, DevDependencies map[string]string }
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	for _, set := range []map[string]string{p.Dependencies, p.DevDependencies} {
		for name, version := range set {
			if strings.Trim(version, "0123456789.") != "" {
				t.Errorf("%s is wanted as %q: name one version", name, version)
			}
		}
	}
}
